import { type Service, services, statusOf } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { gatewayWorld, served } from './testing/gateway-world.ts';

const FORMER = 'cah-loadbalancer.k8s.cloudandheat.com';

/** A Service as ch-k8s-lbaas leaves it: its L2 port in an annotation, the address in the status, without ports. */
async function servedBefore({ cluster }: Awaited<ReturnType<typeof gatewayWorld>>, name: string, shown?: string) {
  const annotations = { [`${FORMER}/managed`]: 'true', [`${FORMER}/inbound-port`]: shown ?? '192.0.2.2' };
  await cluster.createService(name, {}, annotations);
  if (shown === undefined) return;
  const status = { loadBalancer: { ingress: [{ ip: shown }] } };
  await cluster.client.patchMerge<Service>(statusOf(services), { namespace: NAMESPACE, name }, { status });
}

describe('a Service that ch-k8s-lbaas has served', () => {
  it('is adopted once, address and all', async () => {
    const made = await gatewayWorld();
    const { cluster, agents, lead, pass } = made;
    await cluster.createService('older');
    await pass(2);
    await servedBefore(made, 'web', '192.0.2.1');
    const leader = lead();
    await pass(10);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    expect(await cluster.addresses('older')).toEqual(['192.0.2.2']);
    expect(served(agents.one)).toEqual(['192.0.2.1 TCP/80', '192.0.2.2 TCP/80']);
    const annotations = (await cluster.service('web'))?.metadata.annotations;
    expect(annotations).toMatchObject({ 'gateway.fairlead.dev/l2-ports': '192.0.2.1' });
    await cluster.editService('web', { metadata: { annotations: { [`${FORMER}/inbound-port`]: '192.0.2.2' } } });
    await leader.stop();
    const second = lead();
    await pass(10);
    expect(await cluster.addresses('web')).toEqual(['192.0.2.1']);
    await second.stop();
  });

  it('is adopted by its L2 port alone only where no other Service contests that', async () => {
    const made = await gatewayWorld();
    const { cluster, lead, pass } = made;
    await servedBefore(made, 'one');
    await pass(2);
    await servedBefore(made, 'two');
    const leader = lead();
    await pass(10);
    expect(await cluster.addresses('one')).toEqual(['192.0.2.1']);
    expect(await cluster.eventLines('two')).toContainEqual(expect.stringContaining('AssignmentIgnored'));
    await leader.stop();
  });
});
