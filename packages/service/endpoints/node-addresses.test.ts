import type { Node } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { nodeAddress, nodeExclusion } from './node-addresses.ts';

const dualStack: Node = {
  metadata: { name: 'node-a' },
  status: {
    addresses: [
      { type: 'Hostname', address: 'node-a' },
      { type: 'ExternalIP', address: '203.0.113.5' },
      { type: 'InternalIP', address: 'not-an-address' },
      { type: 'InternalIP', address: '10.1.0.5' },
      { type: 'InternalIP', address: '10.1.0.6' },
      { type: 'InternalIP', address: '2001:DB8:0::5' },
    ],
    conditions: [{ type: 'Ready', status: 'True' }],
  },
};

describe('nodeAddress', () => {
  it('is the first internal address of the family, in canonical spelling', () => {
    expect(nodeAddress(dualStack, 'IPv4')).toBe('10.1.0.5');
    expect(nodeAddress(dualStack, 'IPv6')).toBe('2001:db8::5');
  });

  it('is unknown on a node that has reported none', () => {
    expect(nodeAddress({ metadata: { name: 'new' } }, 'IPv4')).toBeUndefined();
  });
});

describe('nodeExclusion', () => {
  const label = (value: string): Node => ({
    ...dualStack,
    metadata: { name: 'node-a', labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': value } },
  });
  const condition = (status: 'False' | 'Unknown'): Node => ({
    ...dualStack,
    status: { conditions: [{ type: 'Ready', status }] },
  });

  it.each<[string, Node, string | undefined]>([
    ['a ready node', dualStack, undefined],
    ['a cordoned node', { ...dualStack, spec: { unschedulable: true } }, undefined],
    [
      'a node with an unrelated taint',
      { ...dualStack, spec: { taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] } },
      undefined,
    ],
    [
      'a node that is being deleted',
      { ...dualStack, metadata: { name: 'a', deletionTimestamp: 'now' } },
      'being-deleted',
    ],
    ['a node labelled out', label(''), 'excluded-by-label'],
    ['a node labelled out by true', label('true'), 'excluded-by-label'],
    ['a node whose label says false', label('false'), undefined],
    [
      'a node the autoscaler is about to remove',
      { ...dualStack, spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] } },
      'marked-by-autoscaler',
    ],
    ['a node that is not ready', condition('False'), 'not-ready'],
    ['a node that went silent', condition('Unknown'), 'not-ready'],
    ['a node that has never reported', { metadata: { name: 'new' } }, 'not-ready'],
  ])('%s', (_name, node, exclusion) => {
    expect(nodeExclusion(node, 'left-out')).toBe(exclusion);
  });

  it('leaves a node that is not ready to the health checks of the load balancer, if it has any', () => {
    expect(nodeExclusion(condition('False'), 'left-to-health-checks')).toBeUndefined();
    expect(nodeExclusion(label('true'), 'left-to-health-checks')).toBe('excluded-by-label');
  });
});
