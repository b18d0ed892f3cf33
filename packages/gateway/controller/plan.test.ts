import { requireIpAddress } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { claimService } from '@fairlead/service';
import { describe, expect, it } from 'vitest';
import { l2PortAt } from './addresses/static-addresses.ts';
import { claimRules } from './desired.ts';
import { conditionOf } from './plan.ts';

/** A Service that a leader before us told to be served at an address. */
const service: Service = {
  metadata: { namespace: 'shop', name: 'web', finalizers: ['fairlead.dev/gateway'] },
  spec: { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/gateway', ports: [{ port: 80 }] },
  status: {
    loadBalancer: { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP' }] },
    conditions: [
      {
        type: 'fairlead.dev/Programmed',
        status: 'True',
        reason: 'Programmed',
        message: 'Reachable at 192.0.2.1.',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
};

function conditionAt(address: string) {
  const claim = claimService(service, claimRules(undefined));
  if (claim.state !== 'claimed') throw new Error('it is claimed');
  const l2Ports = [l2PortAt(requireIpAddress(address)) ?? []].flat();
  const l4Ports = [{ protocol: 'TCP', port: 80 }] as const;
  return conditionOf({ kind: 'serve', claim, l2Ports, l4Ports }, { kind: 'unknown' });
}

describe('before the gateways were heard', () => {
  it('what was told of the same address stands', () => {
    expect(conditionAt('192.0.2.1')).toMatchObject({ status: 'True', reason: 'Programmed' });
  });

  it('another address is assigned, and not told to be served', () => {
    expect(conditionAt('192.0.2.2')).toMatchObject({ status: 'False', reason: 'AddressAssigned' });
  });
});
