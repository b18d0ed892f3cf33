import type { Clock, Random } from '@fairlead/control';
import type { JsonObject } from '../json.ts';
import type { ArmBehaviour } from './behaviour.ts';
import { Operations } from './requests/operations.ts';
import { groupNotFound, notFound } from './requests/refusal.ts';
import { rootKey } from './requests/target.ts';
import { PublicAddresses } from './resources/public-addresses.ts';
import { renderResource } from './resources/render.ts';
import { ResourceStore, type StoredResource } from './resources/store.ts';
import { GatewayTables } from './service-gateway/tables.ts';

const GROUP = /^\/subscriptions\/[^/]+\/resourcegroups\/[^/]+/;

export interface ArmWorldOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The paths of the resource groups that exist. */
  readonly groups: readonly string[];
  readonly behaviour: ArmBehaviour;
}

/** Everything the emulated Azure knows. */
export class ArmWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: ResourceStore;
  readonly operations: Operations;
  readonly addresses = new PublicAddresses();
  behaviour: ArmBehaviour;
  /** Writes that changed what was there without saying what they were made from: another's change may be lost. */
  readonly overwrites: string[] = [];
  /** Their paths, as they are spelled. */
  readonly groups: readonly string[];
  readonly #gateways = new Map<string, GatewayTables>();

  constructor({ clock, random, groups, behaviour }: ArmWorldOptions) {
    this.clock = clock;
    this.random = random;
    this.behaviour = behaviour;
    this.store = new ResourceStore(random);
    this.operations = new Operations(clock, random);
    this.groups = groups;
  }

  checkGroup(id: string): void {
    const [group = ''] = GROUP.exec(id.toLowerCase()) ?? [];
    if (this.groups.some((known) => known.toLowerCase() === group)) return;
    throw groupNotFound(id);
  }

  existing(id: string): StoredResource {
    this.checkGroup(id);
    const resource = this.store.find(id);
    if (resource === undefined) throw notFound(id);
    return resource;
  }

  /** The tables of a gateway, which are empty before it exists. */
  tables(gatewayId: string): GatewayTables {
    const key = rootKey(gatewayId);
    const known = this.#gateways.get(key);
    if (known !== undefined) return known;
    const tables = new GatewayTables(gatewayId, this.store);
    this.#gateways.set(key, tables);
    return tables;
  }

  render(resource: StoredResource): JsonObject {
    return renderResource(resource, { store: this.store, addresses: this.addresses, now: this.clock.monotonic() });
  }
}
