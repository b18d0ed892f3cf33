import { type PartPlan, writesOf } from '@fairlead/part';
import { describe, expect, it } from 'vitest';
import { azureLocalPart } from './index.ts';
import { LocalWorld, plain, SECTION } from './testing/local-world.ts';

const linesOf = ({ changes }: PartPlan) =>
  changes.map(({ action, subject, writes }) => `${action} ${plain(subject)} (${writes})`);
const internal = { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' };

async function fullWorld(): Promise<LocalWorld> {
  const world = await new LocalWorld().setUp();
  await world.createService('web');
  await world.putSlice('web', 'web-1', ['10.244.0.1@a']);
  await world.createService('inside', { loadBalancerSourceRanges: ['10.0.0.0/8'] }, internal);
  await world.createService('wide', { externalTrafficPolicy: 'Cluster' });
  await world.createService('other', { loadBalancerClass: 'example.com/other' });
  return world;
}

describe('the Lease', () => {
  it('outlives the longest write, and is not held up by what only another part does', () => {
    const longest = (deadlines: object) => new LocalWorld().configured({ deadlines }).longestWriteMilliseconds;
    expect([longest({}), longest({ writeSeconds: 30 })]).toEqual([10_000, 30_000]);
  });
});

describe('the plan', () => {
  it('tells, before the first run, exactly the writes that the run then makes', async () => {
    const world = await fullWorld();
    const part = world.configured();
    const plan = await part.plan(world.readEnvironment);
    expect(linesOf(plan)).toEqual([
      'create Service shop/inside (2)',
      'create Service shop/web (3)',
      'refuse Service shop/wide (2)',
      'update security group nodes (1)',
      'create load balancer inside (1)',
      'create load balancer one (1)',
      'update security group nodes (1)',
      'update load balancer inside (1)',
    ]);
    expect(world.writeCount).toBe(0);
    await world.start();
    await world.stop();
    expect(world.writeCount).toBe(writesOf(plan));
    expect(linesOf(await part.plan(world.readEnvironment))).toEqual([
      'adopt Service shop/inside (0)',
      'adopt Service shop/web (0)',
      'refuse Service shop/wide (0)',
    ]);
  });

  it('tells of moves, of pools out of step, of leftovers and of what is to go', async () => {
    const world = await fullWorld();
    await world.createService('lost');
    await world.createService('leaves');
    await world.start();
    await world.stop();
    await world.editService('lost', { metadata: { finalizers: null } });
    await world.deleteService('lost');
    await world.deleteService('leaves');
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    const plan = await world.configured().plan(world.readEnvironment);
    expect(linesOf(plan).map((line) => line.replace(/leftover \w+/, 'leftover'))).toEqual([
      'adopt Service shop/inside (0)',
      'delete Service shop/leaves (3)',
      'adopt Service shop/web (0)',
      'refuse Service shop/wide (0)',
      'delete leftover (1)',
      'update load balancer two (1)',
      'update security group nodes (1)',
      'delete load balancer two (1)',
      'update load balancer one (1)',
      'update security group nodes (1)',
    ]);
    const before = world.writeCount;
    await world.start();
    expect(world.writeCount - before).toBe(writesOf(plan));
    await world.putSlice('web', 'web-1', ['10.244.0.3@c']);
    await world.stop();
    expect(linesOf(await world.configured().plan(world.readEnvironment)).slice(-1)).toEqual([
      'update backend pool one/shop-web (1)',
    ]);
  });

  it('names the addresses of a Service that is let go as lost, and not those of one that is refused', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('leaves');
    await world.createService('widens', { ports: [{ port: 81 }] });
    await world.start();
    await world.stop();
    await world.deleteService('leaves');
    await world.editService('widens', { spec: { externalTrafficPolicy: 'Cluster' } });
    const { changes } = await world.configured().plan(world.readEnvironment);
    const told = changes.filter(({ action }) => action === 'delete' || action === 'refuse');
    expect(told.map(({ subject, loses = [] }) => [subject, loses.length])).toContainEqual(['Service shop/leaves', 1]);
    expect(told.map(({ subject, loses = [] }) => [subject, loses.length])).toContainEqual(['Service shop/widens', 0]);
  });
});

describe('the plan of a mass of leftovers', () => {
  async function planWith(count: number): Promise<PartPlan> {
    const world = await new LocalWorld().setUp();
    const names = Array.from({ length: count }, (_, index) => `lost-${index}`);
    for (const [index, name] of names.entries()) await world.createService(name, { ports: [{ port: 8000 + index }] });
    await world.start();
    await world.stop();
    for (const name of names) {
      await world.editService(name, { metadata: { finalizers: null } });
      await world.deleteService(name);
    }
    return world.configured().plan(world.readEnvironment);
  }

  it('says what the brake holds back at first, and how to let it go', async () => {
    expect((await planWith(5)).heldBack).toMatch(
      /^Holding back the deletion of 5 of 5 Services in Azure: .*: fairlead release azure-local\.$/,
    );
    expect(await planWith(2)).not.toHaveProperty('heldBack');
  });
});

describe('the count of a plan', () => {
  const allowed = 'service.beta.kubernetes.io/azure-load-balancer-configurations';

  /** What a leader that starts now writes, and what the plan had told. */
  async function counts(world: LocalWorld): Promise<readonly [number, number]> {
    const plan = await world.configured().plan(world.readEnvironment);
    const before = world.writeCount;
    await world.start({}, 60);
    await world.stop();
    return [world.writeCount - before, writesOf(plan)];
  }

  it('is right for a Service that moves while another takes its place', async () => {
    const world = await new LocalWorld().setUp();
    await world.createService('web', {}, { [allowed]: 'one' });
    await world.start();
    await world.stop();
    await world.editService('web', { metadata: { annotations: { [allowed]: 'two' } } });
    await world.createService('api', {}, { [allowed]: 'one' });
    const [written, planned] = await counts(world);
    expect([written, planned]).toEqual([9, 9]);
  });

  it('is right for a Service to which Azure still owes an address', async () => {
    const world = await new LocalWorld({ behaviour: { addressDelay: { minimum: 30_000, maximum: 30_000 } } }).setUp();
    await world.createService('web');
    await world.start({}, 3);
    await world.stop();
    const [written, planned] = await counts(world);
    expect([written, planned]).toEqual([3, 3]);
  });
});

describe('why', () => {
  it('explains a Service that is refused, foreign, being made, reachable, and out of step', async () => {
    const world = await fullWorld();
    const part = world.configured();
    const why = (name: string) => part.explain(world.readEnvironment, { kind: 'service', namespace: 'shop', name });
    expect(await why('nobody')).toBeUndefined();
    expect(await part.explain(world.readEnvironment, { kind: 'pod', namespace: 'shop', name: 'x' })).toBeUndefined();
    expect(await why('other')).toMatchObject({ state: 'not-ours' });
    expect(await why('wide')).toMatchObject({
      state: 'stuck',
      answer: expect.stringContaining('refused (cluster-traffic-unsupported)'),
      waitsFor: 'externalTrafficPolicy: Local on the Service',
    });
    expect(plainText(await why('web'))).toMatchObject({
      state: 'working',
      waitsFor:
        'the leader to write: record-placement, then PUT publicIPAddresses/shop-web, then PUT networkSecurityGroups/nodes, then PUT loadBalancers/one, then publish-status',
    });
    await world.start();
    await world.stop();
    expect(plainText(await why('web'))).toEqual({
      answer: 'Service shop/web is reachable at 198.18.0.1.',
      state: 'as-wanted',
      wanted: [
        'public IPv4 with TCP/80 on one, because its class fairlead.dev/azure-local is ours',
        'IPv4 to 10.0.1.1',
      ],
      there: ['198.18.0.1 in status.loadBalancer.ingress', 'the backend pool shop-web with 10.0.1.1'],
    });
    await world.putSlice('web', 'web-1', ['10.244.0.2@b']);
    expect(plainText(await why('web'))).toMatchObject({ state: 'working', waitsFor: 'the updater to write shop-web' });
    await world.deleteService('web');
    expect(await why('web')).toMatchObject({ state: 'working', answer: expect.stringContaining('is being let go') });
  });
});

describe('status and commands', () => {
  it('sum up what there is, and list the pools', async () => {
    const world = await fullWorld();
    const part = world.configured();
    expect(await part.status(world.readEnvironment)).toMatchObject({ summary: 'not everything is as wanted' });
    await world.start();
    await world.stop();
    expect(await part.status(world.readEnvironment)).toEqual({
      summary: 'not everything is as wanted',
      problems: [],
      figures: {
        'Services served': 2,
        'Services with writes to come': 0,
        'Services refused': 1,
        'Services being released': 0,
        'Services that cannot be read': 0,
        'Backend pools out of step': 0,
        'Load balancers': 2,
      },
    });
    const lines: string[] = [];
    const [command] = world.part.commands;
    if (command?.needs !== 'configuration') throw new Error('the command asks for no configuration');
    const { readEnvironment: environment } = world;
    const print = (line: string) => lines.push(plain(line));
    await command.run({ ...environment, configuration: SECTION, environment, words: [], options: {}, print });
    expect(lines).toEqual([
      expect.stringMatching(/^POOL +SERVICE +PORTS +NODES +STATE$/),
      'inside/shop-inside  shop/inside  TCP/80  0      in step',
      'one/shop-web        shop/web     TCP/80  1      in step',
    ]);
  });
});

describe('the part as the command line sees it', () => {
  it('takes what its demo configures, and refuses a section that cannot work', () => {
    const configuration = azureLocalPart.demo?.configuration({ azure: 'http://127.0.0.1:1' });
    expect(azureLocalPart.schema.safeParse(configuration).success).toBe(true);
    const bad = [
      {},
      { ...SECTION, cloudFile: '/etc/kubernetes/azure.json' },
      { ...SECTION, loadBalancers: [] },
      { ...SECTION, loadBalancers: [{ name: 'one' }, { name: 'ONE' }] },
      { ...SECTION, loadBalancers: [{ name: 'no/slashes' }] },
      { ...SECTION, comparisonIntervalSeconds: -1 },
      { ...SECTION, unknown: true },
      { ...SECTION, apiVersion: '2022-05-01' },
    ];
    expect(bad.map((section) => azureLocalPart.schema.safeParse(section).success)).toEqual(bad.map(() => false));
  });

  it('takes the oldest API version that has what it sends', () => {
    expect(azureLocalPart.schema.parse({ ...SECTION, apiVersion: '2022-07-01' })).toMatchObject({
      apiVersion: '2022-07-01',
    });
  });

  it('reads the same again from what it understood', () => {
    const cloud = { ...SECTION.cloud, loadBalancerBackendPoolUpdateMaxRetries: 0 };
    const once = azureLocalPart.schema.parse({ ...SECTION, cloud });
    expect(azureLocalPart.schema.parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
    expect(once).toMatchObject({ cloud: { loadBalancerBackendPoolUpdateMaxRetries: 0 }, leadingEdge: true });
  });

  it('names every Event reason once, and gives a reason for every permission', () => {
    const reasons = azureLocalPart.events.map(({ reason }) => reason);
    expect(new Set(reasons).size).toBe(reasons.length);
    expect(reasons).toContain('LoadBalancerBackendPoolUpdateRetrying');
    expect(azureLocalPart.permissions.every(({ because }) => because.endsWith('.'))).toBe(true);
  });
});

function plainText(explanation: unknown): unknown {
  return JSON.parse(plain(JSON.stringify(explanation)));
}
