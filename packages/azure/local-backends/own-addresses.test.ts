import { services } from '@fairlead/kube';
import { NAMESPACE } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { armId } from '../arm/index.ts';
import { LocalWorld } from './testing/local-world.ts';

const AZURE = 'service.beta.kubernetes.io/azure-';
const GROUP = { subscriptionId: 'sub', resourceGroup: 'cluster' };
const OWN = armId('publicIPAddresses', GROUP, 'mine');
const PREFIX = '/subscriptions/sub/resourceGroups/cluster/providers/Microsoft.Network/publicIPPrefixes/range';

/** A public address as its owner has made it. */
const address = (more: object = {}, properties: object = {}) => ({
  location: 'westeurope',
  sku: { name: 'Standard' },
  tags: { owner: 'shop' },
  properties: { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4', ...properties },
  ...more,
});

async function newWorld(annotations: Readonly<Record<string, string>>, section: object = {}, own: object = address()) {
  const world = await new LocalWorld().setUp();
  world.byHand('PUT', OWN, JSON.parse(JSON.stringify(own)));
  const prefixed = Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`${AZURE}${name}`, value]));
  await world.createService('web', {}, prefixed);
  await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
  await world.start(section);
  return world;
}

const annotate = (world: LocalWorld, annotations: Readonly<Record<string, string | null>>) =>
  world.client.patchMerge(services, { namespace: NAMESPACE, name: 'web' }, { metadata: { annotations } });

describe('a public address of one’s own', () => {
  it.each([
    ['its name', { 'pip-name': 'Mine' }],
    ['the address', { 'load-balancer-ipv4': '198.18.0.1' }],
  ])('is used, guarded, left as it is, and kept when the Service goes: by %s', async (_, annotations) => {
    const world = await newWorld(annotations);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    expect(world.publicIps.map(({ name }) => name)).toEqual(['mine']);
    expect(world.securityRules.map(({ properties }) => properties.destinationAddressPrefix)).toEqual(['198.18.0.1']);
    expect(world.publicIps[0]?.tags).toEqual({ owner: 'shop' });
    expect(world.takeWrites()).toEqual(['PUT networkSecurityGroups/nodes 200', 'PUT loadBalancers/one 201']);
    await world.stop();
    await world.start();
    expect(world.takeWrites()).toEqual([]);
    await world.client.delete(services, { namespace: NAMESPACE, name: 'web' });
    await world.pass(20);
    expect(await world.client.find(services, { namespace: NAMESPACE, name: 'web' })).toBeUndefined();
    expect(world.publicIps.map(({ name }) => name)).toEqual(['mine']);
    await world.stop();
  });

  it('takes the place of one that was made, which goes, and the other way round', async () => {
    const world = await newWorld({});
    expect(await world.addresses('web')).toEqual(['198.18.0.2']);
    await annotate(world, { [`${AZURE}pip-name`]: 'mine' });
    await world.pass(20);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    expect(world.publicIps.map(({ name }) => name)).toEqual(['mine']);
    await annotate(world, { [`${AZURE}pip-name`]: null });
    await world.pass(20);
    expect(await world.addresses('web')).toEqual(['198.18.0.3']);
    expect(world.publicIps).toHaveLength(2);
    await world.stop();
  });

  it.each([
    ['is not there', { 'pip-name': 'other' }, address(), 'address-missing'],
    [
      'is in a resource group that cannot be read',
      { 'pip-name': 'mine', 'load-balancer-resource-group': 'theirs' },
      address(),
      'address-missing',
    ],
    ['has another SKU', { 'pip-name': 'mine' }, address({ sku: { name: 'StandardV2' } }), 'address-unfit'],
    [
      'is of the other family',
      { 'pip-name': 'mine' },
      address({}, { publicIPAddressVersion: 'IPv6' }),
      'address-unfit',
    ],
    ['has no such label', { 'pip-name': 'mine', 'dns-label-name': 'web' }, address(), 'address-unfit'],
  ])('fails alone when it %s, and the others are served', async (_, annotations, own, code) => {
    const world = await newWorld(annotations, {}, own);
    await world.createService('api');
    await world.pass(20);
    expect(await world.addresses('web')).toEqual([]);
    expect(await world.addresses('api')).not.toEqual([]);
    const failed = (await world.events('web')).find(({ reason }) => reason === 'SyncLoadBalancerFailed');
    expect(failed?.note).toContain(
      code === 'address-missing' ? 'there is no public IP address' : 'the public IP address mine',
    );
    await expect(world.configured().plan(world.readEnvironment)).resolves.toBeDefined();
    await world.stop();
  });

  it('is not taken from another Service, ours or not', async () => {
    const world = await newWorld({ 'pip-name': 'mine' });
    await world.createService('rival', {}, { [`${AZURE}pip-name`]: 'mine' });
    const made = await world.createService('api');
    await world.pass(20);
    const name = world.publicIps.find(({ tags }) => tags?.['fairlead-service'] === made.metadata.uid)?.name ?? '';
    await world.createService('thief', {}, { [`${AZURE}pip-name`]: name });
    await world.pass(20);
    for (const rival of ['rival', 'thief']) expect(await world.addresses(rival)).toEqual([]);
    expect(await world.addresses('web')).toEqual(['198.18.0.1']);
    await world.stop();
  });
});

describe('a public address that is made', () => {
  it('has the DNS label that is asked for, and loses it with the annotation', async () => {
    const world = await newWorld({ 'dns-label-name': 'web' });
    const label = () => world.publicIps.find(({ name }) => name !== 'mine')?.properties.dnsSettings?.domainNameLabel;
    expect(label()).toBe('web');
    await annotate(world, { [`${AZURE}dns-label-name`]: 'shop' });
    await world.pass(20);
    expect(label()).toBe('shop');
    await annotate(world, { [`${AZURE}dns-label-name`]: null });
    await world.pass(20);
    expect(label()).toBeUndefined();
    world.takeWrites();
    await world.pass(700);
    expect(world.takeWrites()).toEqual([]);
    await world.stop();
  });

  it('keeps a DNS label that an operator has set', async () => {
    const world = await newWorld({}, { comparisonIntervalSeconds: 60 });
    const made = world.publicIps.find(({ name }) => name !== 'mine');
    const properties = { ...made?.properties, dnsSettings: { domainNameLabel: 'by-hand' } };
    world.byHand('PUT', made?.id ?? '', JSON.parse(JSON.stringify({ ...made, properties })));
    const label = () => {
      const { dnsSettings } = world.publicIps.find(({ name }) => name !== 'mine')?.properties ?? {};
      return dnsSettings?.domainNameLabel;
    };
    await world.pass(200);
    expect(label()).toBe('by-hand');
    // Also when something else about the address has to be put right.
    const { 'fairlead-part': part, ...tags } = made?.tags ?? {};
    world.byHand(
      'PUT',
      made?.id ?? '',
      JSON.parse(JSON.stringify({ ...made, properties, tags: { ...tags, 'FAIRLEAD-PART': part } })),
    );
    world.takeWrites();
    await world.pass(200);
    expect(world.takeWrites()).toContainEqual(expect.stringContaining('PUT publicIPAddresses/'));
    expect(label()).toBe('by-hand');
    await world.stop();
  });

  it('stays in the zones of its frontend when an internal one is exchanged', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web', {}, { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' });
    await world.start({ zones: ['1', '2'] });
    await world.stop();
    await world.start({ zones: ['3'] });
    await world.editService('web', { spec: { loadBalancerIP: '10.0.9.9' } });
    await world.pass(5);
    expect(world.loadBalancer('inside')?.properties.frontendIPConfigurations).toMatchObject([
      { zones: ['1', '2'], properties: { privateIPAddress: '10.0.9.9' } },
    ]);
    await world.stop();
  });

  it('comes from the prefix and is in the zones that are asked for, and in no others later', async () => {
    const world = await newWorld({ 'pip-prefix-id': PREFIX }, { zones: ['1', '2'] });
    const made = () => world.publicIps.find(({ name }) => name !== 'mine');
    expect(made()).toMatchObject({ zones: ['1', '2'], properties: { publicIPPrefix: { id: PREFIX } } });
    world.takeWrites();
    await world.stop();
    await world.start({ zones: ['3'] });
    expect(world.takeWrites()).toEqual([]);
    await annotate(world, { [`${AZURE}pip-prefix-id`]: `${PREFIX}-2` });
    await world.pass(20);
    expect(await world.reasons('web')).toContain('SyncLoadBalancerFailed');
    expect(await world.addresses('web')).toEqual([made()?.properties.ipAddress]);
    await world.stop();
  });
});

describe('who may come', () => {
  it('is told by ranges and service tags, each tag in a rule of its own, and all others are kept out', async () => {
    const world = await newWorld({ 'allowed-ip-ranges': '192.0.2.0/24', 'allowed-service-tags': 'Storage,AzureCloud' });
    const rules = world.securityRules.map(({ name, properties }) => {
      const { access, sourceAddressPrefix, sourceAddressPrefixes = [] } = properties;
      expect(name.length).toBeLessThanOrEqual(80);
      return `${access} ${sourceAddressPrefix ?? sourceAddressPrefixes.join()}`;
    });
    expect(rules).toEqual(['Allow 192.0.2.0/24', 'Allow Storage', 'Allow AzureCloud', 'Deny *']);
    await world.stop();
  });
});
