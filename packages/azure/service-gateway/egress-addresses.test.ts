import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { armId } from '../arm/index.ts';
import { serviceGatewayConfiguration } from './configuration.ts';
import { findOrphans } from './cloud/leftovers.ts';
import { Inventory } from './cloud/inventory.ts';
import { publicIpBody } from './cloud/request-bodies.ts';
import { publicIpId } from './scope.ts';
import { group, newAzure, scope } from './testing/azure-bench.ts';
import { outboundSpec } from './testing/specs.ts';
import { GatewayCluster } from './testing/cluster.ts';
import { Replica } from './testing/replica.ts';

const OWN = armId('publicIPAddresses', group, 'known-to-partners');

async function newWorld() {
  const clock = new VirtualClock();
  const azure = newAzure(clock);
  const properties = { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4' };
  const body = { location: 'westeurope', sku: { name: 'StandardV2' }, tags: { owner: 'operator' }, properties };
  azure.byHand({ method: 'PUT', path: OWN, body });
  const cluster = new GatewayCluster(clock);
  await cluster.setUp(['10.0.0.1']);
  const names = () => new Set(azure.resources('publicIPAddresses').map(({ name }) => name));
  const natGateways = () => azure.resources('natGateways').map(({ name }) => name);
  const addressOf = (name: string) => azure.resource(armId('publicIPAddresses', group, name))?.['properties'];
  return { clock, azure, cluster, names, natGateways, addressOf };
}

describe('the public addresses of an egress gateway', () => {
  it('go with its last pod by default', async () => {
    const { cluster, azure, names, natGateways } = await newWorld();
    const replica = new Replica(cluster, azure);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await replica.settle();
    await cluster.deletePod('one');
    await replica.settle();
    expect([names(), natGateways()]).toEqual([new Set(['known-to-partners']), []]);
    await replica.stop();
  });

  it('are kept where that is configured, over a restart and the sweep, and used again', async () => {
    const { clock, cluster, azure, names, natGateways, addressOf } = await newWorld();
    const section = { egressGateways: [{ gateway: 'Blue', keepAddresses: true }], comparisonIntervalSeconds: 60 };
    const first = new Replica(cluster, azure, section);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await first.settle();
    const before = addressOf('blue-pip');
    await cluster.deletePod('one');
    await first.settle();
    expect([names(), natGateways()]).toEqual([new Set(['known-to-partners', 'blue-pip']), []]);
    await first.stop();
    const second = new Replica(cluster, azure, section);
    await second.settle();
    await clock.advance(1_300_000);
    expect(names()).toEqual(new Set(['known-to-partners', 'blue-pip']));
    await cluster.createPod('two', 'blue', 'node-1', '10.2.0.2');
    await second.settle();
    expect(natGateways()).toEqual(['blue']);
    expect(addressOf('blue-pip')).toMatchObject({ ipAddress: JSON.parse(JSON.stringify(before)).ipAddress });
    await second.stop();
    await cluster.deletePod('two');
    const third = new Replica(cluster, azure);
    await third.settle();
    expect(names()).toEqual(new Set(['known-to-partners']));
    await third.stop();
  });

  it('are no leftovers while they are kept', () => {
    const inventory = new Inventory(new VirtualClock());
    const spec = outboundSpec('blue');
    const id = publicIpId(scope, spec.key, 'IPv4');
    const body = { id, name: 'blue-pip', ...publicIpBody(scope, spec, 'IPv4', undefined) };
    inventory.set('publicIPAddresses', id, { state: 'present', body });
    const orphansOf = (areKept: boolean) => {
      const egressAddresses = new Map([[spec.key, { areKept, own: {} }]]);
      return [...findOrphans({ scope: { ...scope, egressAddresses }, inventory }, new Set(), () => false).addresses];
    };
    expect([orphansOf(false), orphansOf(true)]).toEqual([[spec.key], []]);
  });

  it('may be an operator’s own, which is used and never changed', async () => {
    const { cluster, azure, names, natGateways } = await newWorld();
    const plain = new Replica(cluster, azure);
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    await plain.settle();
    expect(names()).toEqual(new Set(['known-to-partners', 'blue-pip']));
    await plain.stop();
    const replica = new Replica(cluster, azure, { egressGateways: [{ gateway: 'blue', publicIpAddress: OWN }] });
    await replica.settle();
    expect(names()).toEqual(new Set(['known-to-partners']));
    expect(JSON.stringify(azure.resource(armId('natGateways', group, 'blue')))).toContain('known-to-partners');
    expect(azure.resource(OWN)?.['tags']).toEqual({ owner: 'operator' });
    await cluster.deletePod('one');
    await replica.settle();
    expect([names(), natGateways()]).toEqual([new Set(['known-to-partners']), []]);
    await replica.stop();
  });

  it('are not made beside an operator’s own', async () => {
    const { cluster, azure, names } = await newWorld();
    const replica = new Replica(cluster, azure, { egressGateways: [{ gateway: 'blue', publicIpAddress: OWN }] });
    await cluster.createPod('one', 'blue', 'node-1', '10.2.0.1');
    azure.log.clear();
    await replica.settle();
    expect(names()).toEqual(new Set(['known-to-partners']));
    expect(azure.log.count('PUT', 'publicIPAddresses')).toBe(0);
    expect(azure.log.count('PUT', 'natGateways')).toBe(1);
    await replica.stop();
  });

  it('are configured by ids, once for each gateway', () => {
    const cloud = { ...group, location: 'westeurope' };
    const parse = (egressGateways: readonly object[]) =>
      serviceGatewayConfiguration.safeParse({ cloud, egressGateways }).error?.issues.map(({ message }) => message);
    expect(parse([{ gateway: 'blue', publicIpAddress: OWN }])).toBeUndefined();
    expect(parse([{ gateway: 'blue', publicIpAddress: 'mine' }])).toEqual(['is no id of a public IP address']);
    expect(parse([{ gateway: 'blue' }, { gateway: 'Blue' }])).toEqual(['names a gateway twice']);
  });
});
