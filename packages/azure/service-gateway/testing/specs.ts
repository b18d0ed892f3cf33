import { serviceUid } from '@fairlead/control';
import type { InboundSpec, OutboundSpec } from '../engine/service-spec.ts';
import { inbound, outbound } from './keys.ts';

export function inboundSpec(uid: string, changes: Partial<InboundSpec> = {}): InboundSpec {
  return {
    key: inbound(uid),
    uid: serviceUid(uid),
    family: 'IPv4',
    ports: [{ protocol: 'TCP', port: 80, targetPort: 8080 }],
    idleTimeoutMinutes: 4,
    addressTags: {},
    ...changes,
  };
}

/** The same Service with another port. */
export function changedSpec(uid: string, port: number): InboundSpec {
  return inboundSpec(uid, { ports: [{ protocol: 'TCP', port, targetPort: 8080 }] });
}

export function outboundSpec(name: string, changes: Partial<OutboundSpec> = {}): OutboundSpec {
  return { key: outbound(name), families: ['IPv4'], isDefault: false, ...changes };
}
