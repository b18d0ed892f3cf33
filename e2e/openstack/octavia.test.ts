import { statusOf, services } from '@fairlead/kube';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { removePod } from '../harness/index.ts';
import { kuryrLoadBalancers, NODE_ADDRESS, OctaviaStage } from './octavia-stage.ts';
import { type Inheritance, leftByCloudProvider, leftByKuryr, partsOf } from './predecessors.ts';
import { sharedOpenStack } from './sharing.ts';

const [ONE, TWO, THREE, OF_KURYR] = ['10.40.0.10', '10.40.0.11', '10.40.0.12', '10.40.0.20'] as const;

/**
 * One Service, from its creation to its deletion: each step begins where the one before it ended. Two more were served
 * by other programs before.
 */
describe('the Octavia part between a real cluster and a real OpenStack', () => {
  let stage: OctaviaStage;
  let address: string;
  let inherited: readonly Inheritance[];
  let planned: string;

  beforeAll(async () => {
    stage = await OctaviaStage.open(await sharedOpenStack(inject('openStackSharing')));
    await stage.playPod('of-kuryr', OF_KURYR);
    inherited = await Promise.all([
      leftByCloudProvider(stage, 'of-cloud-provider', NODE_ADDRESS),
      leftByKuryr(stage, 'of-kuryr', OF_KURYR),
    ]);
    planned = (await stage.fairlead.command('plan')).stdout;
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
    // Those for node ports are of the Service that is taken over.
    const ofPods = rules.filter(({ port_range_min }) => (port_range_min ?? 0) < 30_000);
    expect(ofPods.map(({ protocol, port_range_min }) => `${protocol} ${port_range_min}`).toSorted()).toEqual([
      'tcp 8080',
      'udp 5353',
    ]);
  });

  it('takes over what others served: it is planned, and nothing changes but for our mark', async () => {
    for (const { name, loadBalancerId, address: before, before: parts } of inherited) {
      expect(planned).toMatch(`= Service ${stage.namespace}/${name}: takes over the load balancer ${loadBalancerId}`);
      await stage.eventually(`${name} to be taken over`, async () => (await stage.balancing(name))?.length === 1);
      expect(await partsOf(stage, loadBalancerId)).toEqual(parts);
      expect(await stage.addressOf(name)).toBe(before);
      const balancer = await stage.octavia.findLoadBalancer(loadBalancerId);
      const service = await stage.cluster.client.get(services, { namespace: stage.namespace, name });
      expect(balancer?.tags).toContain(`fairlead-service=${service.metadata.uid}`);
      expect(service.metadata.finalizers).toContain('fairlead.dev/octavia');
    }
    const { spec } = (await stage.resource('of-kuryr')) ?? {};
    expect([spec?.schema_version, spec?.subsets]).toEqual([2, undefined]);
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

  it('leaves nothing in OpenStack when the Services are deleted', async () => {
    const all = ['web', ...inherited.map(({ name }) => name)];
    for (const name of all) await stage.cluster.client.delete(services, { ...key(), name });
    for (const name of all) {
      await stage.eventually(
        `the Service ${name} to be gone`,
        async () => (await stage.cluster.client.find(services, { ...key(), name })) === undefined,
      );
      await stage.eventually('its resource to be gone', async () => (await stage.resource(name)) === undefined);
    }
    expect(await stage.left()).toEqual([]);
  });
});
