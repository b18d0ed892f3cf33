import { FairleadError, sleep } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { descriptionOf } from './balancer/marks.ts';
import { OctaviaWorld } from './testing/octavia-world.ts';

/** Load balancers of Services that are gone, of which some cannot be deleted. */
async function withLeftovers(names: readonly string[], isStuck: (name: string) => boolean) {
  const world = await new OctaviaWorld().setUp();
  for (const name of names) {
    const tags = ['fairlead-cluster=cluster-1', 'fairlead-part=octavia', `fairlead-service=${name}`];
    await world.lbaas.perform({ kind: 'create-load-balancer', body: { name, tags } });
  }
  const stuck = new FairleadError('not now', { verdict: 'retriable', code: 'unavailable' });
  world.lbaas.refuse = (step) => {
    if (step.kind !== 'delete-load-balancer') return undefined;
    return isStuck(world.lbaas.balancers.get(step.id)?.name ?? '') ? stuck : undefined;
  };
  return world;
}

describe('the comparison with OpenStack', () => {
  it('goes on, though something that is left of a Service cannot be taken down', async () => {
    const world = await withLeftovers(['first', 'second', 'third'], (name) => name === 'second');
    world.start({ comparisonIntervalSeconds: 300 });
    await world.serve();
    await world.run(60);
    expect([...world.lbaas.balancers.values()].map(({ name }) => name)).toEqual(['second', 'shop/web']);
    world.lbaas.listeners.clear();
    await world.run(600);
    expect(world.lbaas.listeners.size).toBe(1);
  });

  it('takes down a floating IP that is left alone of a Service', async () => {
    const world = await new OctaviaWorld().setUp({}, { hasFloatingIps: true });
    const { emulator, project } = world.openstack;
    const description = descriptionOf({ cluster: world.site.cluster, uid: 'gone', name: 'shop/gone' });
    const floating_network_id = world.site.floatingNetworkId ?? '';
    emulator.create('floatingips', { floating_network_id, description }, project);
    emulator.create('floatingips', { floating_network_id, description: 'of a user' }, project);
    world.start();
    await world.run(60);
    expect(emulator.resources('floatingips')).toMatchObject([{ description: 'of a user' }]);
  });

  it('takes down nothing of a Service that is created while OpenStack is listed', async () => {
    const world = await new OctaviaWorld().setUp();
    const listTagged = world.lbaas.listTagged.bind(world.lbaas);
    world.lbaas.listTagged = async (tags) => {
      if (!tags.some((tag) => tag.startsWith('fairlead-service='))) await sleep(world.cluster.clock, 60_000);
      return listTagged(tags);
    };
    world.start();
    await world.run(5);
    await world.serve();
    await world.run(300);
    expect(world.steps).toEqual(['create-load-balancer']);
  });

  it('holds back for ten minutes what is more than plausible', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `gone-${index}`);
    const world = await withLeftovers(names, () => false);
    world.start();
    await world.run(300);
    expect(world.lbaas.balancers.size).toBe(12);
    await world.run(1_200);
    expect(world.lbaas.balancers.size).toBe(0);
  });

  it('looks at no Service more often because of what is left of another', async () => {
    const world = await withLeftovers(['gone'], () => true);
    world.start({ comparisonIntervalSeconds: 3_600 });
    await world.serve();
    await world.run(60);
    const { uid = '' } = (await world.cluster.service('web'))?.metadata ?? {};
    let looks = 0;
    const listTagged = world.lbaas.listTagged.bind(world.lbaas);
    world.lbaas.listTagged = async (tags) => {
      if (tags.some((tag) => tag.endsWith(uid))) looks += 1;
      return listTagged(tags);
    };
    await world.run(1_500);
    expect(looks).toBe(0);
  });
});
