import { type Clock, FairleadError, type IpFamily, requireIpAddress, sleep } from '@fairlead/control';
import { RELEASE_ANNOTATION, Releases } from '@fairlead/part';
import { TestCluster, TestLeader } from '@fairlead/part/testing';
import { SimulatedAgent } from '@fairlead/sim/gateway';
import { describe, expect, it, vi } from 'vitest';
import { gatewayPartWith } from '../part.ts';
import type { AddressProvider } from './address-provider.ts';
import { Allocator } from './allocation.ts';
import { isL2PortId, type L2Port } from './l2-port.ts';

/** A cloud that makes addresses, with floating IPs in front of them. */
class GrowingAddresses implements AddressProvider {
  readonly calls: string[] = [];
  readonly ports = new Map<string, L2Port>();
  millisecondsToCreate = 2_000;
  millisecondsToAbandon = 0;
  isBroken = false;
  /** The family of which none can be made. */
  broken: IpFamily | undefined;
  families: readonly IpFamily[] = [];
  readonly #clock: Clock;
  #made = 0;
  #attempts = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly supply = {
    create: async (pool: string, family: IpFamily, signal: AbortSignal) => {
      await sleep(this.#clock, this.millisecondsToCreate, signal);
      this.#requireWell();
      if (family === this.broken) throw new FairleadError('no subnet', { verdict: 'terminal', code: 'no-subnet' });
      this.#made += 1;
      const id = `port-${this.#made}`;
      const isShort = family === 'IPv4';
      const address = requireIpAddress(`${isShort ? '10.0.0.' : 'fd00::'}${this.#made}`);
      const ingress = isShort ? requireIpAddress(`198.51.100.${this.#made}`) : address;
      if (!isL2PortId(id)) throw new Error('this is an id');
      const made = { id, pool, family, address, ingress };
      this.ports.set(id, made);
      this.calls.push(`create ${id}`);
      return made;
    },
    release: async ({ id }: L2Port, signal: AbortSignal) => {
      await sleep(this.#clock, 1_000, signal);
      this.#requireWell();
      this.ports.delete(id);
      this.calls.push(`release ${id}`);
    },
    abandon: (_: unknown, signal: AbortSignal) => sleep(this.#clock, this.millisecondsToAbandon, signal),
  };

  async list(): Promise<readonly L2Port[]> {
    return [...this.ports.values()];
  }

  familiesOf(): readonly IpFamily[] {
    return this.families;
  }

  async [Symbol.asyncDispose]() {}

  #requireWell(): void {
    this.#attempts += 1;
    const message = `the cloud is away (request ${this.#attempts})`;
    if (this.isBroken) throw new FairleadError(message, { verdict: 'retriable', code: 'cloud-away' });
  }
}

async function world(more: object = {}) {
  const cluster = await new TestCluster({ loadBalancerClass: 'fairlead.dev/gateway' }).setUp();
  const addresses = new GrowingAddresses(cluster.clock);
  const agent = new SimulatedAgent(cluster.clock);
  const part = gatewayPartWith({ connect: () => () => agent, addresses: () => addresses });
  const certificates = { certificateFile: 'certificate', keyFile: 'key', authorityFile: 'authority' };
  const gateways = [{ name: 'gw', url: 'https://gw' }];
  const configured = part.configure({ addresses: ['203.0.113.99'], gateways, certificates, ...more });
  const releases = new Releases('gateway');
  const lead = () => new TestLeader(cluster, (environment) => configured.start({ ...environment, releases }));
  const release = (mark: string) =>
    releases.observe({ metadata: { name: 'lease', annotations: { [RELEASE_ANNOTATION]: mark } } });
  const pass = (seconds: number) => cluster.clock.advance(seconds * 1_000);
  return { cluster, addresses, agent, lead, release, pass };
}

describe('addresses that a provider makes', () => {
  it('are made for Services that have none, shown by the floating IP and programmed by their own', async () => {
    const { cluster, addresses, agent, lead, pass } = await world();
    await cluster.createService('web');
    const leader = lead();
    await pass(1);
    expect((await cluster.service('web'))?.status?.conditions?.[0]?.message).toContain('one more is being made');
    await pass(10);
    expect(await cluster.addresses('web')).toEqual(['198.51.100.1']);
    expect((await cluster.service('web'))?.metadata.annotations).toMatchObject({
      'gateway.fairlead.dev/l2-ports': 'port-1',
    });
    expect([...agent.servers.keys()]).toEqual(['10.0.0.1 TCP/80']);
    await cluster.createService('dns', { ports: [{ port: 53 }] });
    await cluster.createService('shop');
    await pass(10);
    expect(await cluster.addresses('dns')).toEqual(['198.51.100.1']);
    expect(await cluster.addresses('shop')).toEqual(['198.51.100.2']);
    expect(addresses.calls).toEqual(['create port-1', 'create port-2']);
    await leader.stop();
  });

  it('are made of each family that the pool can have, for a Service that prefers both', async () => {
    const { cluster, addresses, lead, pass } = await world();
    addresses.families = ['IPv4', 'IPv6'];
    const ipFamilies = ['IPv4', 'IPv6'] as const;
    await cluster.createService('web', { ipFamilyPolicy: 'PreferDualStack', ipFamilies });
    const leader = lead();
    await pass(20);
    expect((await cluster.addresses('web')).toSorted()).toEqual(['198.51.100.1', 'fd00::2']);
    await leader.stop();
  });

  it('are not made over and over of one family while the other cannot be had', async () => {
    const { cluster, addresses, lead, pass } = await world();
    addresses.families = ['IPv4', 'IPv6'];
    addresses.broken = 'IPv6';
    const dualStack = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] } as const;
    await cluster.createService('web', dualStack);
    await cluster.createService('shop', dualStack);
    const leader = lead();
    await pass(120);
    expect(addresses.calls).toEqual(['create port-1', 'create port-2']);
    addresses.broken = undefined;
    await pass(120);
    expect([...(await cluster.addresses('web')), ...(await cluster.addresses('shop'))]).toHaveLength(4);
    expect(addresses.ports.size).toBe(4);
    await leader.stop();
  });

  it('are what a Service that asks for one of them is told of as they come and go', async () => {
    const { cluster, lead, pass } = await world();
    const reason = async () => (await cluster.service('asks'))?.status?.conditions?.[0]?.message;
    await cluster.createService('asks', { loadBalancerIP: '198.51.100.1' });
    const leader = lead();
    await pass(10);
    expect(await reason()).toContain('has no addresses at all');
    await cluster.createService('other', { ports: [{ port: 53 }] });
    await pass(10);
    expect(await cluster.addresses('asks')).toEqual(['198.51.100.1']);
    await cluster.createService('late', { loadBalancerIP: '198.51.100.2' });
    await pass(10);
    expect((await cluster.service('late'))?.status?.conditions?.[0]?.message).toContain(
      '198.51.100.2 it asks for is not',
    );
    await cluster.deleteService('asks');
    await cluster.deleteService('other');
    await pass(30);
    expect((await cluster.service('late'))?.status?.conditions?.[0]?.message).toContain('has no addresses at all');
    await leader.stop();
  });

  it('are waited for by nobody but the Services that lack them', async () => {
    const { cluster, addresses, lead, pass } = await world();
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    addresses.millisecondsToCreate = 100_000;
    for (let index = 0; index < 20; index += 1) await cluster.createService(`slow-${index}`);
    await pass(1);
    await cluster.createService('dns', { ports: [{ port: 53 }] });
    await pass(5);
    expect(await cluster.addresses('dns')).toEqual(['198.51.100.1']);
    await pass(600);
    for (let index = 0; index < 20; index += 1) expect(await cluster.addresses(`slow-${index}`)).toHaveLength(1);
    expect(addresses.ports.size).toBe(21);
    await leader.stop();
  });

  it('are given back when no Service is on them: after the gateways dropped them, before the finalizer goes', async () => {
    const { cluster, addresses, agent, lead, pass } = await world();
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    agent.applyMilliseconds = 4_000;
    await cluster.deleteService('web');
    await pass(3);
    expect(addresses.ports.size).toBe(1);
    addresses.isBroken = true;
    await pass(20);
    expect(agent.servers.size).toBe(0);
    expect((await cluster.service('web'))?.metadata.finalizers).toHaveLength(1);
    addresses.isBroken = false;
    await pass(60);
    expect(addresses.calls).toEqual(['create port-1', 'release port-1']);
    expect(await cluster.service('web')).toBeUndefined();
    await leader.stop();
  });

  it('are given back when the Service that they are made for left meanwhile', async () => {
    const { cluster, addresses, lead, pass } = await world();
    addresses.millisecondsToCreate = 20_000;
    await cluster.createService('web');
    const leader = lead();
    await pass(5);
    await cluster.deleteService('web');
    await pass(25);
    expect(addresses.calls).toEqual(['create port-1', 'release port-1']);
    expect(await cluster.service('web')).toBeUndefined();
    await leader.stop();
  });

  it('are found again by a new leader: those in use stay, and what a crash left unused is given back', async () => {
    const { cluster, addresses, lead, pass } = await world();
    await cluster.createService('web');
    const first = lead();
    await pass(10);
    await first.stop();
    const second = lead();
    const made = addresses.supply.create('default', 'IPv4', new AbortController().signal);
    await pass(30);
    await made;
    await second.stop();
    const third = lead();
    await pass(30);
    expect([...addresses.ports.keys()]).toEqual(['port-1']);
    expect(await cluster.addresses('web')).toEqual(['198.51.100.1']);
    await third.stop();
  });

  it('that were begun are given back before a new leader lets go of a Service they may have been for', async () => {
    const { cluster, addresses, lead, pass } = await world();
    addresses.isBroken = true;
    await cluster.createService('web');
    const first = lead();
    await pass(10);
    await first.stop();
    await cluster.deleteService('web');
    addresses.millisecondsToAbandon = 20_000;
    const second = lead();
    await pass(10);
    expect((await cluster.service('web'))?.metadata.finalizers).toHaveLength(1);
    await pass(30);
    expect(await cluster.service('web')).toBeUndefined();
    await second.stop();
  });

  it('are not given back by a new leader while a Service waits for one of the other family', async () => {
    const { cluster, addresses, lead, pass } = await world({ gateways: [] });
    addresses.families = ['IPv4', 'IPv6'];
    addresses.broken = 'IPv6';
    await cluster.createService('web', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] });
    const first = lead();
    await pass(30);
    await first.stop();
    const second = lead();
    await pass(30);
    addresses.broken = undefined;
    await pass(60);
    expect((await cluster.addresses('web')).toSorted()).toEqual(['198.51.100.1', 'fd00::2']);
    expect(addresses.calls).toEqual(['create port-1', 'create port-2']);
    await second.stop();
  });

  it('are not searched for all that wait whenever one Service changes', async () => {
    const { cluster, addresses, lead, pass } = await world();
    await cluster.createService('web');
    const leader = lead();
    await pass(10);
    addresses.isBroken = true;
    for (let index = 0; index < 40; index += 1) await cluster.createService(`waiting-${index}`);
    await pass(60);
    const wouldHelp = vi.spyOn(Allocator.prototype, 'wouldHelp');
    for (let index = 0; index < 5; index += 1) {
      await cluster.editService('web', { metadata: { annotations: { edited: String(index) } } });
      await cluster.createService(`dns-${index}`, { ports: [{ port: 1_000 + index }] });
      await pass(5);
    }
    expect(await cluster.addresses('dns-4')).toEqual(['198.51.100.1']);
    expect(wouldHelp).not.toHaveBeenCalled();
    wouldHelp.mockRestore();
    await leader.stop();
  });

  describe('when many are given back at once', () => {
    /** Twelve that a leader left, and one that a Service is on; no gateway is asked again, so that nothing happens. */
    async function manyUnused() {
      const made = await world({ comparisonIntervalSeconds: 0 });
      const { cluster, addresses, lead, pass } = made;
      await cluster.createService('web');
      const first = lead();
      await pass(10);
      await first.stop();
      const all = Array.from({ length: 12 }, () =>
        addresses.supply.create('default', 'IPv4', new AbortController().signal),
      );
      await pass(10);
      await Promise.all(all);
      const leader = lead();
      await pass(300);
      expect(addresses.ports.size).toBe(13);
      return { ...made, leader };
    }

    it('they are held back, and go when that was still so ten minutes later', async () => {
      const { addresses, pass, leader } = await manyUnused();
      await pass(400);
      expect([...addresses.ports.keys()]).toEqual(['port-1']);
      await leader.stop();
    });

    it('they go at once when an operator releases them', async () => {
      const { addresses, release, pass, leader } = await manyUnused();
      release('');
      release('now');
      await pass(5);
      expect([...addresses.ports.keys()]).toEqual(['port-1']);
      await leader.stop();
    });
  });

  it('are tried for again while the provider is away', async () => {
    const { cluster, addresses, lead, pass } = await world();
    addresses.isBroken = true;
    await cluster.createService('web');
    const leader = lead();
    await pass(60);
    expect(await cluster.addresses('web')).toEqual([]);
    // The text of the refusal differs each time, and is told once.
    const told = (await cluster.service('web'))?.metadata.resourceVersion;
    await pass(300);
    expect((await cluster.service('web'))?.metadata.resourceVersion).toBe(told);
    addresses.isBroken = false;
    await pass(90);
    expect(await cluster.addresses('web')).toEqual(['198.51.100.1']);
    await leader.stop();
  });
});
