import { FairleadError, type ServiceUid } from '@fairlead/control';

/** The label by which a pod chooses the gateway its traffic leaves through. */
export const EGRESS_LABEL = 'kubernetes.azure.com/service-egress-gateway';

/** Where traffic leaves that no address is mapped for. The resource provider reserves the name. */
const DEFAULT_OUTBOUND_NAME = 'default-natgw';

/** The name of an egress gateway: lower case, and not to be confused with the UID of a Service. */
export type EgressName = string & { readonly brand: 'EgressName' };

/** The UID of a pod: a pod made again under the same name is another one. */
export type PodUid = string & { readonly brand: 'PodUid' };

/** A Service, by its UID: traffic into the cluster. */
export type InboundKey = `inbound/${string}`;
/** An egress gateway, by its name: traffic out of the cluster. */
export type OutboundKey = `outbound/${string}`;
/** What the gateway calls a service. Both kinds share one list of names there; here they cannot be confused. */
export type NrpKey = InboundKey | OutboundKey;

/** Azure allows 80 characters for a resource, and the longest suffix of ours, `-pip-v6`, takes 7. */
export const LONGEST_EGRESS_NAME = 73;
const NAME = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function inboundKey(uid: ServiceUid): InboundKey {
  return `inbound/${uid.toLowerCase()}`;
}

export function outboundKey(name: EgressName): OutboundKey {
  return `outbound/${name}`;
}

export const DEFAULT_OUTBOUND_KEY: OutboundKey = `outbound/${DEFAULT_OUTBOUND_NAME}`;

export function isOutbound(key: NrpKey): key is OutboundKey {
  return key.startsWith('outbound/');
}

/** The name of the service in the gateway, and of its load balancer or NAT gateway. */
export function nrpName(key: NrpKey): string {
  return key.slice(key.indexOf('/') + 1);
}

/** The name without regard to case, as Azure compares names. */
export function keyFromNrp(name: string, direction: 'inbound' | 'outbound'): NrpKey {
  return `${direction}/${name.toLowerCase()}`;
}

/** Reads the value of the label. Throws a terminal error that says what is wrong with it. */
export function egressName(label: string): EgressName {
  const name = label.toLowerCase();
  if (isEgressName(name)) return name;
  throw new FairleadError(`the label ${EGRESS_LABEL} is ${JSON.stringify(label)}: ${problemWith(name)}`, {
    verdict: 'terminal',
    code: 'invalid-egress-name',
  });
}

export function podUid(text: string): PodUid {
  if (isPodUid(text)) return text;
  throw new FairleadError('a pod without a UID cannot be followed', { verdict: 'terminal', code: 'invalid-pod-uid' });
}

function isEgressName(name: string): name is EgressName {
  return NAME.test(name) && name.length <= LONGEST_EGRESS_NAME && name !== DEFAULT_OUTBOUND_NAME && !UUID.test(name);
}

function problemWith(name: string): string {
  if (name === DEFAULT_OUTBOUND_NAME) return 'this name is reserved for traffic that no gateway was chosen for';
  if (UUID.test(name)) return 'a UUID could be taken for a Service; choose another name';
  if (name.length > LONGEST_EGRESS_NAME) return `a name has at most ${LONGEST_EGRESS_NAME} characters`;
  return 'a name has letters, digits, dots, dashes and underscores, and begins and ends with a letter or digit';
}

function isPodUid(text: string): text is PodUid {
  return text !== '';
}

/** A set of services of both directions. */
export class ServiceNames {
  readonly inbound = new Set<InboundKey>();
  readonly outbound = new Set<OutboundKey>();

  has(key: NrpKey): boolean {
    return isOutbound(key) ? this.outbound.has(key) : this.inbound.has(key);
  }

  set(key: NrpKey, isMember: boolean): void {
    if (isOutbound(key)) setMember(this.outbound, key, isMember);
    else setMember(this.inbound, key, isMember);
  }

  except(others: ServiceNames): readonly NrpKey[] {
    return [...this.inbound, ...this.outbound].filter((key) => !others.has(key));
  }
}

function setMember<Key>(keys: Set<Key>, key: Key, isMember: boolean): void {
  if (isMember) keys.add(key);
  else keys.delete(key);
}
