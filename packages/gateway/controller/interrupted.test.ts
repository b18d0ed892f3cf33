import { describe, expect, it } from 'vitest';
import { conditionOf, gatewayWorld, served } from './testing/gateway-world.ts';

type World = Awaited<ReturnType<typeof gatewayWorld>>;

/** A leader that never gets past the first write of which this is true, and is gone then. */
async function leadUntil(
  { cluster, lead, pass }: World,
  isBeyond: (write: { readonly path: string; readonly body: string }) => boolean,
): Promise<void> {
  let isOver = false;
  cluster.refuse = ({ method, path, body }) => {
    if (method === 'GET' || path.includes('/leases') || path.includes('/events')) return undefined;
    isOver ||= isBeyond({ path, body });
    return isOver ? 503 : undefined;
  };
  const leader = lead();
  await pass(10);
  await leader.stop();
  cluster.refuse = () => undefined;
}

const isStatus = ({ path }: { readonly path: string }) => path.endsWith('/status');
const annotationsOf = async ({ cluster }: World, name: string) =>
  (await cluster.service(name))?.metadata.annotations ?? {};
const L2_PORTS = 'gateway.fairlead.dev/l2-ports';

describe('if interrupted', () => {
  it('MapService 1: initial sync treats new ports of the Service as well as its old L2 port as authoritative', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('web');
    await cluster.createService('mail', { ports: [{ port: 25 }] });
    const first = lead();
    await pass(10);
    await first.stop();
    await cluster.editService('web', { spec: { ports: [{ port: 443, targetPort: 8080 }] } });
    await leadUntil(made, () => true);
    const second = lead();
    await pass(20);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/25', '192.0.2.1 TCP/443']);
    await second.stop();
  });

  it('MapService 1: the Service hops to another address if a conflict arises', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('web');
    await pass(2);
    await cluster.createService('mail', { ports: [{ port: 25 }] });
    const first = lead();
    await pass(10);
    await first.stop();
    await cluster.editService('mail', { spec: { ports: [{ port: 80, targetPort: 8080 }] } });
    await leadUntil(made, () => true);
    const second = lead();
    await pass(20);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    expect(await cluster.addresses('mail')).toEqual(['192.0.2.2']);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80', '192.0.2.2 TCP/80']);
    await second.stop();
  });

  it('MapService 2: the Service is discovered again on sync and mapped again', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('web');
    await leadUntil(made, () => true);
    expect(await annotationsOf(made, 'web')).toEqual({});
    const second = lead();
    await pass(10);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    expect(await conditionOf(made, 'web')).toContain('True Programmed');
    await second.stop();
  });

  it('MapService 3: the Service has the annotation, and initial sync recovers the state based on that', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('late');
    await cluster.editService('late', { spec: { loadBalancerClass: null, type: 'ClusterIP' } });
    await pass(2);
    await cluster.createService('web');
    await leadUntil(made, isStatus);
    expect(await annotationsOf(made, 'web')).toMatchObject({ [L2_PORTS]: '192.0.2.1' });
    expect(served(agents.one)).toEqual([]);
    // An older one, which would be served first, does not get what is recorded.
    await cluster.editService('late', { spec: { loadBalancerClass: 'fairlead.dev/gateway', type: 'LoadBalancer' } });
    const second = lead();
    await pass(10);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    expect(await cluster.addresses('late')).toEqual(['192.0.2.2']);
    await second.stop();
  });

  it('UnmapService 1: no annotated Service is there, L4 mappings are cleaned up, the configuration is regenerated', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('web');
    const first = lead();
    await pass(10);
    await first.stop();
    await cluster.deleteService('web');
    for (const agent of Object.values(agents)) agent.isDead = true;
    let writes = 0;
    await leadUntil(made, () => (writes += 1) > 2);
    expect(await annotationsOf(made, 'web')).toEqual({});
    for (const agent of Object.values(agents)) agent.isDead = false;
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80']);
    await cluster.createService('next');
    const second = lead();
    await pass(20);
    expect(await cluster.service('web')).toBeUndefined();
    expect(await cluster.addresses('next')).toEqual(['192.0.2.1']);
    expect([...agents.one.servers.values()].map(({ service }) => service)).toEqual(['shop/next']);
    await second.stop();
  });

  it.each([
    ['before anything was taken off', 0],
    ['after the status was taken off', 1],
    ['after the annotation was taken off', 2],
  ])(
    'managed and can not be managed: initial sync clears the flag, the rest of UnmapService cleans up (%s)',
    async (_, done) => {
      const made = await gatewayWorld();
      const { cluster, agents, lead, pass } = made;
      await cluster.createService('web');
      const first = lead();
      await pass(10);
      await first.stop();
      await cluster.editService('web', { spec: { type: 'ClusterIP', loadBalancerClass: null } });
      let writes = 0;
      await leadUntil(made, () => (writes += 1) > done);
      expect((await cluster.service('web'))?.metadata.finalizers).toEqual(['fairlead.dev/gateway']);
      const second = lead();
      await pass(20);
      const web = await cluster.service('web');
      expect(web?.metadata.finalizers).toBeUndefined();
      expect(web?.metadata.annotations ?? {}).not.toHaveProperty(L2_PORTS);
      expect([served(agents.one), served(agents.two)]).toEqual([[], []]);
      await second.stop();
    },
  );

  it('UpdateAgents 2: initial sync sends the request to all agents', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    agents.two.isDead = true;
    await cluster.createService('web');
    const first = lead();
    await pass(10);
    await first.stop();
    expect([served(agents.one), served(agents.two)]).toEqual([['192.0.2.1 TCP/80'], []]);
    agents.two.isDead = false;
    const second = lead();
    await pass(10);
    expect(served(agents.two)).toEqual(['192.0.2.1 TCP/80']);
    await second.stop();
  });

  it('UpdateAgents 3: initial sync adds the error state to the Services that agents refuse', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    agents.one.refuses = () => true;
    agents.two.refuses = () => true;
    await cluster.createService('web');
    let statusWrites = 0;
    await leadUntil(made, (write) => isStatus(write) && (statusWrites += 1) > 1);
    expect(await conditionOf(made, 'web')).toContain('False AddressAssigned');
    const second = lead();
    await pass(10);
    expect(await conditionOf(made, 'web')).toContain('False GatewayRefused: The gateway');
    await second.stop();
  });
});
