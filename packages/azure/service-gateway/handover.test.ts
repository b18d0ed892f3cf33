import { serviceUid, VirtualClock } from '@fairlead/control';
import { type Pod, pods, type Service, services } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { loadBalancerBody, natGatewayBody, publicIpBody, registrationBody } from './cloud/request-bodies.ts';
import { SERVICE_GATEWAY_CLASS } from './cluster/desired.ts';
import { inboundKey } from './engine/nrp-key.ts';
import type { InboundSpec } from './engine/service-spec.ts';
import { loadBalancerId, natGatewayId, publicIpId } from './scope.ts';
import { newAzure, scope } from './testing/azure-bench.ts';
import { GatewayCluster } from './testing/cluster.ts';
import { Replica } from './testing/replica.ts';
import { outboundSpec } from './testing/specs.ts';

const THEIRS = ['servicegateway.azure.com/service-cleanup', 'service.kubernetes.io/load-balancer-cleanup'];
const POD_FINALIZER = 'servicegateway.azure.com/pod-cleanup';
const key = { namespace: NAMESPACE, name: 'web' };

/** A Service without a class and an egress pod that Azure's own cloud provider has served until now, without marks. */
async function newWorld() {
  const clock = new VirtualClock();
  const azure = newAzure(clock);
  const cluster = new GatewayCluster(clock);
  await cluster.setUp(['10.0.0.1']);
  const { metadata } = await cluster.client.create<Service>(services, {
    metadata: { ...key, finalizers: THEIRS },
    spec: { type: 'LoadBalancer', ports: [{ port: 80, targetPort: 8080 }] },
  });
  await cluster.putSlice('web', 'web-1', ['10.1.0.1@node-1']);
  await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
  const podKey = { namespace: NAMESPACE, name: 'one' };
  await cluster.client.patchMerge<Pod>(pods, podKey, { metadata: { finalizers: [POD_FINALIZER] } });

  const uid = serviceUid(metadata.uid ?? '');
  const ports = [{ protocol: 'TCP', port: 80, targetPort: 8080 }] as const;
  const web: InboundSpec = { key: inboundKey(uid), uid, family: 'IPv4', ports, idleTimeoutMinutes: 4, addressTags: {} };
  const blue = outboundSpec('blue');
  const put = (path: string, body: object) =>
    azure.byHand({ method: 'PUT', path, body: JSON.parse(JSON.stringify({ ...body, tags: { team: 'shop' } })) });
  const post = (action: string, body: object) =>
    azure.byHand({ method: 'POST', path: `${scope.gatewayId}/${action}`, body: JSON.parse(JSON.stringify(body)) });
  const routeTargetAddress = { subnet: { id: scope.subnetId }, privateIPAllocationMethod: 'Dynamic' };
  const properties = { virtualNetwork: { id: scope.networkId }, routeTargetAddress };
  put(scope.gatewayId, { location: scope.location, sku: { name: 'Standard', tier: 'Regional' }, properties });
  put(publicIpId(scope, web.key, 'IPv4'), publicIpBody(scope, web, 'IPv4', undefined));
  put(loadBalancerId(scope, web.key), loadBalancerBody(scope, web, {}));
  put(publicIpId(scope, blue.key, 'IPv4'), publicIpBody(scope, blue, 'IPv4', undefined));
  put(natGatewayId(scope, blue.key), natGatewayBody(scope, blue, {}));
  const serviceRequests = [web, blue].map((spec) => ({ isDelete: false, service: registrationBody(scope, spec) }));
  post('updateServices', { action: 'PartialUpdate', serviceRequests });
  const addresses = [
    { address: '10.1.0.1', services: [uid] },
    { address: '10.2.0.1', services: ['blue'] },
  ];
  const location = { addressLocation: '10.0.0.1', addressUpdateAction: 'PartialUpdate', addresses };
  post('updateAddressLocations', { action: 'PartialUpdate', addressLocations: [location] });
  return { clock, azure, cluster, uid };
}

const SETUP = ['PUT subnets/net/nodes 200'];
const EGRESS = ['PUT publicIPAddresses/blue-pip 200', 'PUT natGateways/blue 200'];

describe('a cluster that comes from cloud-provider-azure', () => {
  it('leaves a Service without a class alone while the finalizer of the cloud provider is on it', async () => {
    const { clock, azure, cluster } = await newWorld();
    const before = await cluster.service('web');
    const replica = new Replica(cluster, azure, {}, SERVICE_GATEWAY_CLASS);
    await replica.settle();
    await clock.advance(1_300_000);
    expect(await cluster.service('web')).toEqual(before);
    expect(azure.log.lines()).toEqual([...SETUP, ...EGRESS]);
  });

  it('takes a Service over, with its address and without a gap, once that finalizer is gone', async () => {
    const { azure, cluster, uid } = await newWorld();
    await cluster.client.patchMerge<Service>(services, key, { metadata: { finalizers: null } });
    const replica = new Replica(cluster, azure, {}, SERVICE_GATEWAY_CLASS);
    await replica.settle();
    expect(azure.log.lines().toSorted()).toEqual(
      [...SETUP, ...EGRESS, `PUT publicIPAddresses/${uid}-pip 200`, `PUT loadBalancers/${uid} 200`].toSorted(),
    );
    const service = await cluster.service('web');
    expect(service?.status?.loadBalancer?.ingress).toEqual([{ ip: '198.18.0.1', ipMode: 'Proxy' }]);
    expect(service?.metadata.finalizers).toEqual(['fairlead.dev/azure-service-gateway', ...THEIRS]);
    expect(azure.resource(publicIpId(scope, inboundKey(uid), 'IPv4'))).toMatchObject({
      tags: { team: 'shop', 'fairlead-service': uid },
      properties: { ipAddress: '198.18.0.1' },
    });
  });

  it('takes nothing over without being the default', async () => {
    const { azure, cluster } = await newWorld();
    await cluster.client.patchMerge<Service>(services, key, { metadata: { finalizers: null } });
    const before = await cluster.service('web');
    await new Replica(cluster, azure).settle();
    expect(await cluster.service('web')).toEqual(before);
    expect(azure.log.lines()).toEqual([...SETUP, ...EGRESS]);
  });
});

it('a pod that lost its label while nobody led is let go of, although it is not found at the first look', async () => {
  const clock = new VirtualClock();
  const cluster = new GatewayCluster(clock);
  await cluster.setUp(['10.0.0.1']);
  await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
  const podKey = { namespace: NAMESPACE, name: 'one' };
  await cluster.client.patchMerge<Pod>(pods, podKey, { metadata: { finalizers: [POD_FINALIZER] } });
  await cluster.labelPod('one', null);
  let looks = 0;
  // The first is for the cache of those that have the label.
  cluster.refuse = ({ path }) => {
    looks += path === '/api/v1/pods' ? 1 : 0;
    return path === '/api/v1/pods' && looks === 2 ? 403 : undefined;
  };
  const replica = new Replica(cluster, newAzure(clock));
  await replica.settle();
  await clock.advance(120_000);
  expect(looks).toBeGreaterThan(2);
  expect((await cluster.pod('one'))?.metadata.finalizers).toBeUndefined();
  await replica.stop();
});
