import { ObjectWriter, type Service, services } from '@fairlead/kube';
import { NAMESPACE, TestLeader } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { BalancerCloud } from '../balancer/cloud.ts';
import { claimRules } from '../claim.ts';
import { NeutronSecurityGroups } from '../drivers/security-groups.ts';
import { writesTotal } from '../metrics.ts';
import { type KuryrLoadBalancer, kuryrLoadBalancers } from '../resource/types.ts';
import { OctaviaWorld } from '../testing/octavia-world.ts';
import { ServiceHandler } from './service-handler.ts';
import { Takedown } from './takedown.ts';
import { PendingWaits } from './waiting/pending.ts';

const key = `${NAMESPACE}/web`;

interface Caches {
  readonly service: Service | undefined;
  readonly resource: KuryrLoadBalancer | undefined;
}

/** What the handler alone does, whose caches have this. */
async function reconciled({ cluster, lbaas, openstack, site }: OctaviaWorld, caches: Caches): Promise<void> {
  const { neutron, clock } = openstack;
  const leader = new TestLeader(cluster, async (environment) => {
    const { journal, signal } = environment;
    const writes = { ...environment, writesMetric: writesTotal, fieldManager: 'fairlead-octavia' };
    const cloud = new BalancerCloud(lbaas, neutron, { sharers: () => [], servedOn: () => [], hasChanged() {} });
    const securityGroups = new NeutronSecurityGroups(neutron, site.cluster, [], clock, () => {});
    const handler = new ServiceHandler({
      environment,
      site,
      rules: claimRules({ clusterIPServices: undefined, adopt: undefined }, undefined),
      services: { get: () => caches.service },
      resources: { get: () => caches.resource },
      serviceWriter: new ObjectWriter<Service>({ ...writes, resource: services }),
      writer: new ObjectWriter<KuryrLoadBalancer>({ ...writes, resource: kuryrLoadBalancers }),
      takedown: new Takedown(cloud, securityGroups, site, journal, new PendingWaits(clock)),
    });
    await handler.reconcile(key, signal);
  });
  await clock.advance(60_000);
  await leader.stop();
}

/** Served, by a leader that is gone. */
async function served(): Promise<OctaviaWorld> {
  const world = await new OctaviaWorld().setUp();
  world.start();
  await world.serve();
  await world.leader?.stop();
  return world;
}

describe('the ServiceHandler', () => {
  it('takes the resource of no Service away that its cache does not have yet', async () => {
    const world = await served();
    const resource = await world.resource();
    await reconciled(world, { service: undefined, resource });
    expect(await world.resource()).toEqual(resource);
  });

  it('takes that of a Service away that is gone', async () => {
    const world = await served();
    const resource = await world.resource();
    await world.cluster.forceDeleteService('web');
    await reconciled(world, { service: undefined, resource });
    expect((await world.resource())?.metadata.deletionTimestamp).toBeDefined();
  });

  it('lets no Service go that has a resource which its cache does not have yet', async () => {
    const world = await served();
    await world.cluster.deleteService('web');
    await reconciled(world, { service: await world.cluster.service('web'), resource: undefined });
    expect((await world.resource())?.metadata.deletionTimestamp).toBeDefined();
    expect([await world.cluster.service('web'), world.lbaas.balancers.size]).toMatchObject([{}, 1]);
  });
});
