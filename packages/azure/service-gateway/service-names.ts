import { type InboundKey, isOutbound, type OutboundKey, type ServiceKey } from './service-key.ts';

/** A set of services of both directions. */
export class ServiceNames {
  readonly inbound = new Set<InboundKey>();
  readonly outbound = new Set<OutboundKey>();

  has(key: ServiceKey): boolean {
    return isOutbound(key) ? this.outbound.has(key) : this.inbound.has(key);
  }

  set(key: ServiceKey, isMember: boolean): void {
    if (isOutbound(key)) setMember(this.outbound, key, isMember);
    else setMember(this.inbound, key, isMember);
  }

  except(others: ServiceNames): readonly ServiceKey[] {
    return [...this.inbound, ...this.outbound].filter((key) => !others.has(key));
  }
}

function setMember<Key>(keys: Set<Key>, key: Key, isMember: boolean): void {
  if (isMember) keys.add(key);
  else keys.delete(key);
}
