import { type Random, randomInteger, randomPick, seededRandom } from '@fairlead/control';
import { leases } from '@fairlead/kube';
import type { ScriptedFault } from '@fairlead/sim/azure';
import { describe, expect, it } from 'vitest';
import { LocalWorld, plain } from './testing/local-world.ts';

const NAMES = ['web', 'api', 'dns', 'mail'];
const NODES = ['a', 'b', 'c'];
const annotation = (name: string) => `service.beta.kubernetes.io/azure-load-balancer-${name}`;
const LEASE = { namespace: 'kube-system', name: 'aks-managed-resource-locker' };

const FAULTS: readonly ScriptedFault[] = [
  { kind: 'refuse', status: 404, code: 'Gone' },
  { kind: 'refuse', status: 409, code: 'Conflict' },
  { kind: 'refuse', status: 412, code: 'Changed' },
  { kind: 'refuse', status: 429, code: 'TooManyRequests', headers: { 'retry-after': '45' } },
  { kind: 'refuse', status: 429, code: 'TooManyRequests' },
  { kind: 'refuse', status: 500, code: 'Broken' },
  { kind: 'refuse', status: 400, code: 'Odd' },
  { kind: 'lose-request' },
  { kind: 'lose-response' },
  { kind: 'misreport', status: 500 },
  { kind: 'fail-operation', code: 'Odd' },
];

/** What the cluster looks like, as the test remembers it. */
class Play {
  readonly world: LocalWorld;
  readonly random: Random;
  /** Service -> the nodes that serve it. */
  readonly nodesOf = new Map<string, readonly string[]>();
  readonly addressOf = new Map(NODES.map((name, index) => [name, `10.0.1.${index + 1}`]));

  constructor(world: LocalWorld, random: Random) {
    this.world = world;
    this.random = random;
  }

  async act(): Promise<void> {
    const { world, random } = this;
    const name = randomPick(random, NAMES);
    const isThere = this.nodesOf.has(name);
    const action = randomInteger(random, 0, 12);
    if (!isThere && action < 8) return this.#create(name);
    if (action < 5) return this.#scale(name);
    if (action === 5) return this.#delete(name);
    if (action === 6) return this.#annotate(name, 'configurations', randomPick(random, ['one', 'two', null]));
    if (action === 7) return this.#annotate(name, 'internal', randomPick(random, ['true', null]));
    if (action === 8) return this.#renumber(randomPick(random, NODES));
    if (action === 9) return world.azure.faults.next({}, randomPick(random, FAULTS), randomInteger(random, 1, 4));
    if (action === 10) return this.#lockElsewhere();
    if (action === 11) {
      await world.stop();
      return world.start({ comparisonIntervalSeconds: 200 }, 0);
    }
    return this.#deleteByHand(randomPick(random, ['one', 'two', 'inside']));
  }

  async #create(name: string): Promise<void> {
    if ((await this.world.service(name)) !== undefined) return;
    await this.world.createService(name);
    this.nodesOf.set(name, []);
    await this.#scale(name);
  }

  async #scale(name: string): Promise<void> {
    if (!this.nodesOf.has(name)) return;
    const nodes = NODES.filter(() => this.random.next() < 0.5);
    this.nodesOf.set(name, nodes);
    const endpoints = nodes.map((node) => `10.244.${node.charCodeAt(0)}.${NAMES.indexOf(name) + 1}@${node}`);
    // Sometimes in two slices, of which one may be left empty.
    const cut = this.random.next() < 0.5 ? endpoints.length : 1;
    await this.world.putSlice(name, `${name}-1`, endpoints.slice(0, cut));
    await this.world.putSlice(name, `${name}-2`, endpoints.slice(cut));
  }

  async #delete(name: string): Promise<void> {
    await this.world.deleteService(name);
    this.nodesOf.delete(name);
  }

  async #annotate(name: string, what: string, value: string | null): Promise<void> {
    if (!this.nodesOf.has(name)) return;
    // The two exclude each other: one names public load balancers.
    const cleared = { [annotation('configurations')]: null, [annotation('internal')]: null };
    await this.world.editService(name, { metadata: { annotations: { ...cleared, [annotation(what)]: value } } });
  }

  async #renumber(node: string): Promise<void> {
    const address = `10.0.${randomInteger(this.random, 2, 200)}.${node.charCodeAt(0)}`;
    this.addressOf.set(node, address);
    await this.world.putNode(node, address);
  }

  async #lockElsewhere(): Promise<void> {
    const { client, clock } = this.world;
    const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: 'somebody', leaseDurationSeconds: 60, renewTime };
    if ((await client.find(leases, LEASE)) !== undefined) await client.patchMerge(leases, LEASE, { spec });
  }

  #deleteByHand(name: string): void {
    if (this.world.loadBalancer(name) !== undefined) this.world.byHand('DELETE', this.world.loadBalancerPath(name));
  }

  /** Pools as they should be in the end, by Service. */
  get expected(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      [...this.nodesOf].map(([name, nodes]) => [
        `shop-${name}`,
        nodes.map((node) => this.addressOf.get(node) ?? '').toSorted(),
      ]),
    );
  }
}

describe('whatever happens', () => {
  it.each(Array.from({ length: 8 }, (_, seed) => seed))(
    'every pool equals the world in the end (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const world = await new LocalWorld({ behaviour: { latency: { minimum: 0, maximum: 400 } } }).setUp();
      const play = new Play(world, random);
      await world.start({ comparisonIntervalSeconds: 200 }, 1);
      for (let step = 0; step < 40; step += 1) {
        await play.act();
        await world.pass(randomInteger(random, 0, 40));
      }
      world.azure.faults.clear();
      await world.pass(2_000);
      const pools = Object.assign({}, ...['one', 'two', 'inside'].map((name) => world.pools(name)));
      expect(pools).toEqual(play.expected);
      for (const name of play.nodesOf.keys()) expect(await world.addresses(name)).toHaveLength(1);
      const held = world.publicIps.map(({ name }) => plain(name).replace('shop-', ''));
      expect(held.every((name) => play.nodesOf.has(name))).toBe(true);
      world.azure.assertConsistent();
      await world.stop();
      // A leader that starts over this world finds nothing to write.
      world.takeWrites();
      world.writes.length = 0;
      await world.start();
      expect([world.takeWrites(), world.writes]).toEqual([[], []]);
      await world.stop();
    },
  );
});
