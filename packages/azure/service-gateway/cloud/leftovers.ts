import { DeletionGuard, type DeletionGuardOptions } from '@fairlead/part';
import { type ArmTags, ownershipOf, sameArmId } from '../../arm/index.ts';
import type { Engine } from '../engine/engine.ts';
import { DEFAULT_OUTBOUND_KEY, isOutbound, type NrpKey } from '../engine/nrp-key.ts';
import { isWanted } from '../engine/service-state.ts';
import { heldDeletions } from '../metrics.ts';
import {
  FAMILIES,
  type GatewayScope,
  keepsAddresses,
  loadBalancerId,
  natGatewayId,
  publicIpId,
  serviceOfTags,
} from '../scope.ts';
import type { KnownAzure } from './inventory.ts';
import type { RegisteredServices } from './observed.ts';
import type { Repository } from './repository.ts';

export const LEFTOVER_BRAKE = { things: 'services of this cluster in Azure' };

export interface LeftoversOptions extends Omit<DeletionGuardOptions, 'brake' | 'gauge'> {
  readonly engine: Engine;
  readonly repository: Repository;
  /** Whether we see to the default outbound service. */
  readonly keepsDefaultOutbound: boolean;
}

/** What may be deleted: services now, and what are only their public addresses when everything else is done. */
export interface LeftoverPlan {
  readonly services: readonly NrpKey[];
  readonly addresses: readonly NrpKey[];
}

/** Finds what was left behind and carries our marks, and has it taken down like any service that goes. */
export class Leftovers {
  readonly #options: LeftoversOptions;
  readonly #guard: DeletionGuard<NrpKey>;

  constructor(options: LeftoversOptions) {
    this.#options = options;
    this.#guard = new DeletionGuard({ ...options, brake: LEFTOVER_BRAKE, gauge: heldDeletions });
  }

  /** Decides from a completed list that was begun at this time. */
  plan({ ours }: RegisteredServices, listBegunAt: number): LeftoverPlan {
    const isInUse = (key: NrpKey) => this.#isInUse(key);
    const { services, addresses, known } = findOrphans(this.#options.repository, ours, isInUse);
    const allowed = this.#guard.allow([...services, ...addresses], known, listBegunAt);
    return {
      services: allowed.filter((key) => services.has(key)),
      addresses: allowed.filter((key) => addresses.has(key)),
    };
  }

  /** Has leftovers taken down, except those that the cluster has come to want since they were found. */
  delete(keys: readonly NrpKey[]): void {
    for (const key of keys) if (!this.#isInUse(key)) this.#options.engine.deleteService(key);
  }

  /** What the cluster wants stays; what is being taken down needs no sweep. What was abandoned does, in any state. */
  #isInUse(key: NrpKey): boolean {
    const { engine, keepsDefaultOutbound } = this.#options;
    if (key === DEFAULT_OUTBOUND_KEY) return keepsDefaultOutbound;
    const state = engine.state(key);
    return engine.tracker.wanted.has(key) || (state !== undefined && !isWanted(state));
  }
}

/** Services that have something outside that carries our marks, and that the cluster does not want. */
export interface Orphans {
  /** They have a load balancer, a NAT gateway or a registration. */
  readonly services: ReadonlySet<NrpKey>;
  /** Only public addresses are left of them. */
  readonly addresses: ReadonlySet<NrpKey>;
  /** How many services have something outside that carries our marks, wanted or not. */
  readonly known: number;
}

/** Looks through all that is known to exist. `registered` are the services of ours in the gateway. */
export function findOrphans(
  { scope, inventory }: KnownAzure,
  registered: ReadonlySet<NrpKey>,
  isWanted: (key: NrpKey) => boolean,
): Orphans {
  const services = new Set<NrpKey>(registered);
  for (const { id, tags } of inventory.present('loadBalancers')) {
    const key = ownerOf(scope, tags);
    if (key !== undefined && sameArmId(id, loadBalancerId(scope, key))) services.add(key);
  }
  for (const { id, tags } of inventory.present('natGateways')) {
    const key = ownerOf(scope, tags);
    if (key !== undefined && isOutbound(key) && sameArmId(id, natGatewayId(scope, key))) services.add(key);
  }
  const addresses = new Set<NrpKey>();
  for (const { id, tags } of inventory.present('publicIPAddresses')) {
    const key = ownerOf(scope, tags);
    if (key === undefined || services.has(key) || keepsAddresses(scope, key)) continue;
    const isNamedSo = FAMILIES.some((family) => sameArmId(id, publicIpId(scope, key, family)));
    if (isNamedSo) addresses.add(key);
  }
  return {
    services: new Set([...services].filter((key) => !isWanted(key))),
    addresses: new Set([...addresses].filter((key) => !isWanted(key))),
    known: services.size + addresses.size,
  };
}

/** The service that a resource with our marks belongs to. What carries marks of another cluster is none of ours. */
function ownerOf(scope: GatewayScope, tags: ArmTags | undefined): NrpKey | undefined {
  return ownershipOf(scope, tags) === 'ours' ? serviceOfTags(tags) : undefined;
}
