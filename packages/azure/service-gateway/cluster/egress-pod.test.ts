import type { Pod } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { EGRESS_LABEL, type EgressName, egressName } from '../engine/nrp-key.ts';
import { type EgressPolicy, egressRequest } from './egress-pod.ts';

const NOW = Date.UTC(2026, 0, 1);
const later = new Date(NOW + 30_000).toISOString();

function pod(changes: {
  metadata?: Partial<Pod['metadata']>;
  spec?: Partial<Pod['spec']>;
  status?: Pod['status'];
}): Pod {
  return {
    metadata: { name: 'one', namespace: 'shop', uid: 'u1', labels: { [EGRESS_LABEL]: 'Blue' }, ...changes.metadata },
    spec: { nodeName: 'node-1', containers: [], ...changes.spec },
    status: changes.status ?? { phase: 'Running', podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }] },
  };
}

const requestOf = (changes: Parameters<typeof pod>[0]) => egressRequest(pod(changes), new Map(), NOW);

describe('what a pod wants of an egress gateway', () => {
  it('is the gateway of its label, for all its addresses, each once and in one spelling', () => {
    const podIPs = [{ ip: '10.1.0.1' }, { ip: '2001:DB8::0:5' }];
    expect(requestOf({ status: { podIP: '10.1.0.1', podIPs } })).toMatchObject({
      kind: 'egress',
      name: 'blue',
      addresses: ['10.1.0.1', '2001:db8::5'],
      nodeName: 'node-1',
    });
  });

  it.each(['Succeeded', 'Failed'] as const)('is nothing any more when it has %s', (phase) => {
    expect(requestOf({ status: { phase, podIP: '10.1.0.1' } })).toMatchObject({
      kind: 'gone',
      addresses: ['10.1.0.1'],
      nodeName: 'node-1',
    });
  });

  it('lasts while it is being deleted and still runs, until its grace period is over', () => {
    const dying = { deletionTimestamp: later, deletionGracePeriodSeconds: 30 };
    expect(requestOf({ metadata: dying })).toMatchObject({ kind: 'egress', endsAt: NOW + 30_000 });
    expect(egressRequest(pod({ metadata: dying }), new Map(), NOW + 30_000)).toMatchObject({ kind: 'gone' });
    expect(requestOf({ metadata: { ...dying, deletionGracePeriodSeconds: 0 } })).toMatchObject({ kind: 'gone' });
  });

  it('is refused on the network of the node, which it shares with others', () => {
    expect(requestOf({ spec: { hostNetwork: true } })).toMatchObject({
      kind: 'refused',
      error: { code: 'host-network' },
    });
  });

  it('is refused where the policy names other namespaces for the gateway', () => {
    const policy = new Map([[egressName('blue'), new Set(['bank'])]]);
    expect(egressRequest(pod({}), policy, NOW)).toMatchObject({
      kind: 'refused',
      error: { code: 'namespace-not-allowed' },
    });
    expect(egressRequest(pod({ metadata: { namespace: 'bank' } }), policy, NOW)).toMatchObject({ kind: 'egress' });
  });

  it('is refused where the policy leaves gateways that it does not name to other namespaces', () => {
    const policy: EgressPolicy = new Map<EgressName | '*', Set<string>>([
      [egressName('blue'), new Set(['shop'])],
      ['*', new Set(['bank'])],
    ]);
    const green = { labels: { [EGRESS_LABEL]: 'green' } };
    expect(egressRequest(pod({}), policy, NOW)).toMatchObject({ kind: 'egress' });
    expect(egressRequest(pod({ metadata: green }), policy, NOW)).toMatchObject({
      kind: 'refused',
      error: { code: 'namespace-not-allowed' },
    });
    expect(egressRequest(pod({ metadata: { ...green, namespace: 'bank' } }), policy, NOW)).toMatchObject({
      kind: 'egress',
    });
  });
});
