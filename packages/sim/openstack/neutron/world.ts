import type { Clock, Random } from '@fairlead/control';
import { type JsonObject, textOf } from '../../json.ts';
import type { OpenStackBehaviour } from '../behaviour.ts';
import type { Requester } from '../keystone/identity.ts';
import { Refusal } from '../refusal.ts';
import { SubnetAddresses } from './addresses.ts';
import { type Kind, NeutronStore } from './store.ts';

/** Everything that Neutron knows. */
export class NeutronWorld {
  readonly random: Random;
  readonly store: NeutronStore;
  readonly addresses: SubnetAddresses;
  /** By project, then by resource, such as `port`; what is not there is without limit. */
  readonly quotas = new Map<string, Map<string, number>>();
  /** Floating IPs that lost their port: Neutron remembers the router until the next change of the port. */
  readonly lastRouters = new Map<string, string>();
  behaviour: OpenStackBehaviour;

  constructor(clock: Clock, random: Random, behaviour: OpenStackBehaviour) {
    this.random = random;
    this.store = new NeutronStore(clock, random);
    this.addresses = new SubnetAddresses(random);
    this.behaviour = behaviour;
  }

  /** The object, if the requester may know of it. */
  visible(requester: Requester, kind: Kind, id: string): JsonObject | undefined {
    const found = this.store.find(kind, id);
    return found !== undefined && isVisible(requester, found) ? found : undefined;
  }

  required(requester: Requester, kind: Kind, id: string): JsonObject {
    const found = this.visible(requester, kind, id);
    if (found === undefined) throw notFound(kind, id);
    return found;
  }

  checkQuota({ projectId }: Requester, kind: Kind, resource: string): void {
    const limit = this.quotas.get(projectId)?.get(resource);
    if (limit === undefined || limit < 0) return;
    const used = this.store.all(kind).filter((object) => object['project_id'] === projectId).length;
    if (used >= limit) throw new Refusal(409, 'OverQuota', `Quota exceeded for resources: ['${resource}'].`);
  }
}

/** One's own, and what is offered to all. */
export function isVisible({ projectId, isAdmin }: Requester, object: JsonObject): boolean {
  if (isAdmin || object['project_id'] === projectId) return true;
  return object['shared'] === true || object['router:external'] === true;
}

const NAMES: Readonly<Record<Kind, readonly [type: string, text: (id: string) => string]>> = {
  networks: ['NetworkNotFound', (id) => `Network ${id} could not be found.`],
  subnets: ['SubnetNotFound', (id) => `Subnet ${id} could not be found.`],
  ports: ['PortNotFound', (id) => `Port ${id} could not be found.`],
  floatingips: ['FloatingIPNotFound', (id) => `Floating IP ${id} could not be found`],
  routers: ['RouterNotFound', (id) => `Router ${id} could not be found`],
  'security-groups': ['SecurityGroupNotFound', (id) => `Security group ${id} does not exist`],
  'security-group-rules': ['SecurityGroupRuleNotFound', (id) => `Security group rule ${id} does not exist`],
};

export function notFound(kind: Kind, id: string): Refusal {
  const [type, text] = NAMES[kind];
  return new Refusal(404, type, text(id));
}

export const idOf = (object: JsonObject): string => textOf(object['id']);
