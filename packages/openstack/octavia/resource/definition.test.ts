import { customResourceDefinitions, isInvalid, type KubeObject, namespaces, statusOf } from '@fairlead/kube';
import { TestCluster } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { kuryrLoadBalancerDefinition } from './definition.ts';
import { type KuryrLoadBalancer, kuryrLoadBalancers } from './types.ts';

const key = { namespace: 'shop', name: 'web' };

async function served() {
  const { client, clock } = new TestCluster();
  await client.create(namespaces, { metadata: { name: 'shop' } });
  await client.create(customResourceDefinitions, kuryrLoadBalancerDefinition);
  await clock.advance(1_000);
  return client;
}

describe('the KuryrLoadBalancer', () => {
  it('keeps all that Kuryr stored, and writes its status apart', async () => {
    const client = await served();
    const spec = {
      ip: '10.96.0.1',
      lb_ip: null,
      type: 'ClusterIP',
      project_id: 'p',
      provider: 'ovn',
      security_groups_ids: ['sg'],
      subnet_id: 's',
      timeout_client_data: 0,
      timeout_member_data: 50_000,
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: '8080' }],
      endpointSlices: [{ endpoints: [{ addresses: ['10.1.0.1'] }], ports: [{ port: 8080, protocol: 'TCP' }] }],
      subsets: [{ addresses: [{ ip: '10.1.0.1' }] }],
    } as const;
    const status = { loadbalancer: { id: 'lb', ip: '10.96.0.1' }, service_pub_ip_info: { ip_id: 'f' } };
    const created = await client.create<KuryrLoadBalancer>(kuryrLoadBalancers, { metadata: key, spec, status });
    expect([created.spec, created.status]).toEqual([spec, undefined]);
    const written = await client.patchMerge<KuryrLoadBalancer>(statusOf(kuryrLoadBalancers), key, { status });
    expect(written.status).toEqual(status);
    expect(written.metadata.generation).toBe(created.metadata.generation);
  });

  it.each([
    ['a port that there is not', { ports: [{ port: 70_000, protocol: 'TCP', targetPort: '1' }] }],
    ['a method that there is not', { traffic: { lb_method: 'FASTEST' } }],
    ['a name over 255', { flavor_id: 'f'.repeat(256) }],
    ['a floating IP of no network', { floating_ip: { address: '203.0.113.1' } }],
    ['retries without end', { health_monitor: { delay: 5, timeout: 3, max_retries: 11, max_retries_down: 3 } }],
  ])('refuses %s', async (_, spec) => {
    const client = await served();
    const body: KubeObject & { readonly spec: object } = { metadata: key, spec };
    await expect(client.create<KubeObject>(kuryrLoadBalancers, body)).rejects.toSatisfy(isInvalid);
  });
});
