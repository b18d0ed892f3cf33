import { statusOf, services } from '@fairlead/kube';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { removePod } from '../harness/index.ts';
import { kuryrLoadBalancers, OctaviaStage } from './octavia-stage.ts';
import { sharedOpenStack } from './sharing.ts';

const [ONE, TWO, THREE] = ['10.40.0.10', '10.40.0.11', '10.40.0.12'] as const;

/** One Service, from its creation to its deletion: each step begins where the one before it ended. */
describe('the Octavia part between a real cluster and a real OpenStack', () => {
  let stage: OctaviaStage;
  let address: string;

  beforeAll(async () => {
    stage = await OctaviaStage.open(await sharedOpenStack(inject('openStackSharing')));
    await stage.start();
  }, 300_000);
  afterAll(() => stage[Symbol.asyncDispose]());

  const key = () => ({ namespace: stage.namespace, name: 'web' });
  const idNow = async () => (await stage.resource('web'))?.status?.loadbalancer?.id ?? '';

  it('makes a load balancer with a floating IP, before and with the first pod', async () => {
    await stage.playPod('web', ONE);
    await stage.createService('web', [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'dns', port: 53, protocol: 'UDP', targetPort: 5353 },
    ]);
    address = await stage.addressOf('web');
    expect(address).toMatch(/^203\.0\.113\./);
    await stage.untilBalancing('web', `TCP 80 ${ONE}:8080`, `UDP 53 ${ONE}:5353`);
    const rules = await stage.neutron.listSecurityGroupRules({
      security_group_id: stage.securityGroupId,
      direction: 'ingress',
    });
    expect(rules.map(({ protocol, port_range_min }) => `${protocol} ${port_range_min}`).toSorted()).toEqual([
      'tcp 8080',
      'udp 5353',
    ]);
  });

  it('follows the pods', async () => {
    await stage.playPod('web', TWO);
    await stage.playPod('web', THREE);
    await removePod(stage.cluster.client, { namespace: stage.namespace, name: 'web-10' });
    await stage.untilBalancing('web', `TCP 80 ${TWO}:8080,${THREE}:8080`, `UDP 53 ${TWO}:5353,${THREE}:5353`);
    expect(await stage.addressOf('web')).toBe(address);
  });

  it('follows the ports of the Service', async () => {
    const ports = [{ name: 'http', port: 8000, protocol: 'TCP' as const, targetPort: 8080 }];
    await stage.cluster.client.patchMerge(services, key(), { spec: { ports } });
    await stage.untilBalancing('web', `TCP 8000 ${TWO}:8080,${THREE}:8080`);
    expect(await stage.addressOf('web')).toBe(address);
  });

  it('follows the annotations of the Service', async () => {
    const annotations = {
      'loadbalancer.openstack.org/timeout-client-data': '4000',
      'loadbalancer.openstack.org/lb-method': 'LEAST_CONNECTIONS',
    };
    await stage.cluster.client.patchMerge(services, key(), { metadata: { annotations } });
    const id = await idNow();
    await stage.eventually('the listener and its pool to be what the annotations say', async () => {
      const [listener] = await stage.octavia.listListeners({ loadbalancer_id: id });
      const pool = await stage.octavia.findPool(listener?.default_pool_id ?? '');
      return listener?.timeout_client_data === 4_000 && pool?.lb_algorithm === 'LEAST_CONNECTIONS';
    });
    await stage.untilBalancing('web', `TCP 8000 ${TWO}:8080,${THREE}:8080`);
    expect(await idNow()).toBe(id);
  });

  it('finds everything again when the status is emptied', async () => {
    const before = await stage.resource('web');
    const empty = { loadbalancer: null, listeners: null, pools: null, members: null, service_pub_ip_info: null };
    await stage.cluster.client.patchMerge(statusOf(kuryrLoadBalancers), key(), { status: empty });
    await stage.untilBalancing('web', `TCP 8000 ${TWO}:8080,${THREE}:8080`);
    const after = await stage.resource('web');
    expect(after?.status?.loadbalancer).toEqual(before?.status?.loadbalancer);
    expect(after?.status?.members).toEqual(before?.status?.members);
  });

  it('makes a listener again that was deleted behind its back', async () => {
    const id = await idNow();
    const [listener] = await stage.octavia.listListeners({ loadbalancer_id: id });
    await stage.eventually('the listener to be deleted', async () => {
      await stage.octavia.deleteListener(listener?.id ?? '');
      return (await stage.octavia.findListener(listener?.id ?? '')) === undefined;
    });
    await stage.untilBalancing('web', `TCP 8000 ${TWO}:8080,${THREE}:8080`);
    expect(await idNow()).toBe(id);
  });

  it('makes the load balancer again that was deleted behind its back, at the same address', async () => {
    const id = await idNow();
    await stage.eventually('the load balancer to be gone', async () => {
      await stage.octavia.deleteLoadBalancer(id);
      return (await stage.octavia.findLoadBalancer(id)) === undefined;
    });
    await stage.eventually('another load balancer', async () => ![id, ''].includes(await idNow()));
    await stage.untilBalancing('web', `TCP 8000 ${TWO}:8080,${THREE}:8080`);
    expect(await stage.addressOf('web')).toBe(address);
  });

  it('leaves nothing in OpenStack when the Service is deleted', async () => {
    await stage.cluster.client.delete(services, key());
    await stage.eventually(
      'the Service to be gone',
      async () => (await stage.cluster.client.find(services, key())) === undefined,
    );
    await stage.eventually('the resource to be gone', async () => (await stage.resource('web')) === undefined);
    expect(await stage.left()).toEqual([]);
  });
});
