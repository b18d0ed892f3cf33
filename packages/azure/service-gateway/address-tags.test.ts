import { serviceUid, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { inboundKey } from './engine/nrp-key.ts';
import { publicIpId } from './scope.ts';
import { newAzure, scope } from './testing/azure-bench.ts';
import { GatewayCluster } from './testing/cluster.ts';
import { Replica } from './testing/replica.ts';

const ANNOTATION = 'service.beta.kubernetes.io/azure-pip-tags';
const SECTION = { comparisonIntervalSeconds: 60 };

/** A Service that is served, with these tags asked for. */
async function newWorld(text: string) {
  const clock = new VirtualClock();
  const azure = newAzure(clock);
  const cluster = new GatewayCluster(clock);
  await cluster.setUp(['10.0.0.1']);
  const replica = new Replica(cluster, azure, SECTION);
  const { metadata } = await cluster.createService('web', {}, { [ANNOTATION]: text });
  await replica.settle();
  const uid = metadata.uid ?? '';
  const path = publicIpId(scope, inboundKey(serviceUid(uid)), 'IPv4');
  const marks = { 'fairlead-cluster': 'cluster-1', 'fairlead-part': 'azure-service-gateway', 'fairlead-service': uid };
  const tags = () => azure.resource(path)?.['tags'];
  const setTags = (body: Readonly<Record<string, string>>) =>
    azure.byHand({ method: 'PATCH', path, body: { tags: body } });
  const ask = async (annotation: string | null) => {
    azure.log.clear();
    await cluster.editService('web', { metadata: { annotations: { [ANNOTATION]: annotation } } });
    await replica.settle();
  };
  const told = async () => (await cluster.eventLines()).map((line) => line.replace(/^web /, ''));
  const shown = async () => (await cluster.service('web'))?.status?.loadBalancer?.ingress;
  const putLine = `PUT publicIPAddresses/${uid}-pip 200`;
  return { clock, azure, cluster, replica, path, marks, tags, setTags, ask, told, shown, putLine };
}

describe('the tags of the public address of a Service', () => {
  it('are put on it by the very call that creates it', async () => {
    const { azure, tags, marks } = await newWorld('team=shop, costs = 42');
    expect(tags()).toEqual({ team: 'shop', costs: '42', ...marks });
    expect(azure.log.count('PUT', 'publicIPAddresses')).toBe(1);
    expect(azure.log.count('PATCH')).toBe(0);
  });

  it('are on the address and on nothing else', async () => {
    const { azure } = await newWorld('team=shop');
    expect(JSON.stringify(azure.resources('loadBalancers'))).not.toContain('"team"');
  });

  it('follow the annotation, beside those of others', async () => {
    const { azure, tags, marks, setTags, ask, clock, putLine } = await newWorld('team=shop');
    setTags({ team: 'shop', owner: 'finance', ...marks });
    // What was written by hand is seen at the next look.
    await clock.advance(70_000);
    await ask('team=bank,size=L');
    expect(azure.log.lines()).toEqual([putLine]);
    expect(tags()).toEqual({ team: 'bank', size: 'L', owner: 'finance', ...marks });
  });

  it('are put by a write that overwrites nobody: what came between is read, and stays', async () => {
    const { azure, tags, marks, setTags, ask, clock } = await newWorld('team=shop');
    setTags({ team: 'shop', owner: 'finance', ...marks });
    await ask('team=bank');
    await clock.advance(70_000);
    expect(azure.log.lines().map((line) => line.split(' ').at(2))).toEqual(['412', '200']);
    expect(tags()).toEqual({ team: 'bank', owner: 'finance', ...marks });
    expect(azure.overwrites).toEqual([]);
  });

  it('are put with all else left as it is that others have set on the address', async () => {
    const { azure, path, ask, clock } = await newWorld('team=shop');
    const there = azure.resource(path) ?? {};
    const dnsSettings = { domainNameLabel: 'shop' };
    const sku = { name: 'StandardV2', tier: 'Global' };
    azure.byHand({
      method: 'PUT',
      path,
      body: { ...there, sku, properties: { ...Object(there['properties']), dnsSettings } },
    });
    await clock.advance(70_000);
    await ask('team=bank');
    expect(azure.resource(path)).toMatchObject({ tags: { team: 'bank' }, sku, properties: { dnsSettings } });
  });

  it('stay when the annotation names them no longer', async () => {
    const { azure, tags, marks, ask } = await newWorld('team=shop,size=L');
    await ask('size=L');
    await ask(null);
    expect(azure.log.lines()).toEqual([]);
    expect(tags()).toEqual({ team: 'shop', size: 'L', ...marks });
  });

  it('are one tag in any spelling of its name, and another value in any spelling of that', async () => {
    const { azure, tags, marks, ask, putLine } = await newWorld('Team=shop');
    await ask('TEAM=shop');
    expect(azure.log.lines()).toEqual([]);
    await ask('team=Shop');
    expect(azure.log.lines()).toEqual([putLine]);
    expect(tags()).toEqual({ Team: 'Shop', ...marks });
  });

  it('are put right by the comparison where one is missing or has another value, and not written otherwise', async () => {
    const { azure, tags, marks, setTags, clock, putLine } = await newWorld('team=shop,size=L');
    azure.log.clear();
    await clock.advance(130_000);
    expect(azure.log.lines()).toEqual([]);
    setTags({ team: 'theirs', owner: 'finance', ...marks });
    await clock.advance(70_000);
    expect(azure.log.lines()).toEqual([putLine]);
    expect(tags()).toEqual({ team: 'shop', size: 'L', owner: 'finance', ...marks });
  });

  it('never are our own marks: the Service is refused, and keeps what it has', async () => {
    const { azure, tags, marks, ask, told, shown } = await newWorld('team=shop');
    const before = await shown();
    await ask('team=bank,FAIRLEAD-Service=5a1e');
    expect(azure.log.lines()).toEqual([]);
    expect(tags()).toEqual({ team: 'shop', ...marks });
    expect(await told()).toContainEqual(expect.stringMatching(/^LoadBalancerRefused: .*choose another name/));
    expect(await shown()).toEqual(before);
    await ask('team=bank');
    expect(tags()).toEqual({ team: 'bank', ...marks });
  });

  it('are refused where the address has no room for them, and nothing is lost, over a restart too', async () => {
    const { azure, cluster, replica, clock, tags, marks, setTags, ask, told, shown } = await newWorld('team=shop');
    const before = await shown();
    const full = Object.fromEntries(Array.from({ length: 46 }, (_, index) => [`theirs-${index}`, 'x']));
    setTags({ ...full, team: 'shop', ...marks });
    await clock.advance(70_000);
    await ask('team=shop,size=L');
    expect(azure.log.lines()).toEqual([]);
    expect(await told()).toContainEqual(
      expect.stringMatching(/would have 51 tags.*take some off it, or ask for fewer/),
    );
    await replica.stop();
    const second = new Replica(cluster, azure, SECTION);
    await second.settle();
    await clock.advance(130_000);
    expect(azure.log.lines()).toEqual([]);
    expect(await shown()).toEqual(before);
    expect(tags()).toEqual({ ...full, team: 'shop', ...marks });
    setTags({ team: 'shop', ...marks });
    await clock.advance(130_000);
    expect(tags()).toEqual({ team: 'shop', size: 'L', ...marks });
    await second.stop();
  });
});
