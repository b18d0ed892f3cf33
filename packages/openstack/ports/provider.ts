import {
  type ClusterId,
  codeOf,
  type IpAddress,
  type IpFamily,
  Journal,
  Lanes,
  type Logger,
  messageOf,
  verdictOf,
} from '@fairlead/control';
import type { Clock } from '@fairlead/control';
import { type AddressProvider, type AddressSupply, type FormerPorts, isL2PortId, type L2Port } from '@fairlead/gateway';
import type { NeutronClient } from '../client/index.ts';
import { isIntact } from './assignments.ts';
import { GatewayPairs } from './gateway-pairs.ts';
import { NeutronPorts } from './neutron-ports.ts';
import { namedProblems, unassignedNamed } from './named.ts';
import { type Observed, type OwnPort, ownPorts } from './observed.ts';
import { poolOf } from './owner.ts';
import { adoptSteps, lacksFloatingIp, nextStep, unassignedFloatingIpSteps } from './plan.ts';
import type { ConfiguredPool } from './resolve.ts';
import { ResolvedPools } from './resolved-pools.ts';

export interface NeutronAddressesOptions {
  readonly neutron: NeutronClient;
  readonly cluster: ClusterId;
  readonly part: string;
  readonly pools: readonly ConfiguredPool[];
  /** Whether we lead: else nothing is written. */
  readonly mayWrite: boolean;
  readonly clock: Clock;
  readonly journal: Journal | undefined;
  readonly logger: Logger;
  /** Ends the connections. */
  readonly close: () => Promise<void>;
}

type Begun = Pick<OwnPort, 'pool' | 'family'>;

/** What must not meet itself: the creation of ports and the search for lost ones, and changes of the gateways' ports. */
const LANE = 'neutron';

/** The addresses of the gateways, made in Neutron. */
export class NeutronAddresses implements AddressProvider {
  readonly #options: NeutronAddressesOptions;
  readonly #journal: Journal;
  readonly #lane = new Lanes(1);
  readonly #pools: ResolvedPools;
  readonly #pairs: GatewayPairs;
  /** The ports that the gateway part knows of, by id. */
  readonly #given = new Map<string, OwnPort>();
  /** Ports that were begun and not finished, by id: the next that is wanted is made of them. */
  readonly #begun = new Map<string, Begun>();
  /** Ports that are being finished. */
  readonly #underWay = new Set<string>();
  /** Ports that are being given back: no gateway is to send from their addresses any more. */
  readonly #leaving = new Set<string>();
  /** Ports and pools that a list found other than they should be, and could not mend. */
  readonly #unmended = new Set<string>();
  /** Whether there may be ports that we do not know of: an answer was lost. */
  #mayHaveLost = false;
  /** Whether there are floating IPs of ours without a port: a leader died before it deleted them. */
  #hasSpare = false;
  /** What the next cleaning is to delete, which has not begun. */
  readonly #unused = new Set<string>();
  #cleaning: Promise<void> | undefined;

  constructor(options: NeutronAddressesOptions) {
    this.#options = options;
    this.#journal = options.journal ?? new Journal(options.clock);
    const { neutron, cluster, part, pools } = options;
    this.#pools = new ResolvedPools(neutron, { cluster, part }, pools);
    this.#pairs = new GatewayPairs({
      pools: this.#pools,
      ports: () => this.#ports(),
      given: this.#given,
      inTurn: (change, signal) => this.#lane.run(LANE, change, signal),
    });
  }

  /** All that are complete. A leader completes the others first, as far as it can. */
  async list(signal: AbortSignal, former: FormerPorts = new Map()): Promise<readonly L2Port[]> {
    for (const pool of this.#options.pools) await this.#tryToResolve(pool, signal);
    const ports = this.#ports();
    const scope = this.#pools.scope();
    const observed = await this.#withFormer(await ports.observe(signal), former, signal);
    this.#hasSpare = unassignedFloatingIpSteps(scope, observed.floatingIps).length > 0;
    this.#given.clear();
    this.#unmended.clear();
    for (const own of ownPorts(scope, observed)) {
      const isComplete = nextStep(scope, own, observed) === undefined;
      const whole = isComplete ? own : await this.#tryToComplete(own, signal);
      if (whole === undefined) this.#begun.set(own.port.id, own);
      else this.#give(whole);
    }
    if (this.#options.mayWrite) {
      for (const pool of unassignedNamed(scope, observed)) await this.#tryToServeNamed(pool.name, signal);
      await this.#attachGiven(signal);
    }
    for (const pool of scope.pools)
      for (const problem of namedProblems(pool, observed, this.#given)) this.#tell(pool.name, problem, signal);
    return [...this.#given.values()].flatMap(toL2Port);
  }

  /** Whether no other program deleted or changed what was given, or took a pair from a gateway. */
  async isIntact(signal: AbortSignal): Promise<boolean> {
    const before = new Map(this.#given);
    const observed = await this.#lane.run(LANE, () => this.#ports().observe(signal), signal);
    // What came, or is going, meanwhile is not compared.
    const ports = [...before].flatMap(([id, own]) => (this.#given.get(id) === own ? [own] : []));
    const scope = this.#pools.scope();
    const ours = new Set(ownPorts(scope, observed).map(({ fixedAddress }) => fixedAddress));
    const lost = ports.map(({ fixedAddress }) => fixedAddress).filter((address) => !ours.has(address));
    if (lost.length > 0) await this.#detach(new Set(lost), signal);
    const { pools } = this.#options;
    const isGiven = (id: string) => this.#given.has(id);
    return isIntact(scope, observed, {
      ports,
      pools,
      isGiven,
      isKnown: (id) => isGiven(id) || this.#begun.has(id) || this.#underWay.has(id) || this.#leaving.has(id),
      unmended: this.#unmended,
    });
  }

  familiesOf(pool: string): readonly IpFamily[] {
    return this.#pools.familiesOf(pool);
  }

  readonly supply: AddressSupply = {
    create: async (pool, family, signal) => {
      const { id } = await this.#lane.run(LANE, () => this.#begin(pool, family, signal), signal);
      try {
        return await this.#finish(id, signal);
      } catch (error) {
        // Another program may have deleted it: the next attempt begins with a new one.
        if (codeOf(error) !== 'port-gone') this.#begun.set(id, { pool, family });
        throw error;
      } finally {
        this.#underWay.delete(id);
      }
    },
    release: async ({ id }, signal) => {
      this.#given.delete(id);
      await this.#clean([id], signal);
    },
    abandon: async (isWanted, signal) => {
      if (this.#mayHaveLost) await this.#lane.run(LANE, () => this.#findLost(signal), signal);
      const unwanted = [...this.#begun].filter(([, { pool, family }]) => !isWanted(pool, family));
      if (unwanted.length === 0 && !this.#hasSpare) return;
      // No other call is to finish what is going to be deleted.
      for (const [id] of unwanted) this.#begun.delete(id);
      try {
        await this.#clean(
          unwanted.map(([id]) => id),
          signal,
        );
        this.#hasSpare = false;
      } catch (error) {
        for (const [id, begun] of unwanted) this.#begun.set(id, begun);
        throw error;
      }
    },
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.#options.close();
  }

  /** A port to finish: one that was begun before, or a new one. */
  async #begin(pool: string, family: IpFamily, signal: AbortSignal): Promise<{ readonly id: string }> {
    await this.#pools.resolve(pool, signal);
    if (this.#mayHaveLost) await this.#findLost(signal);
    const [left] = [...this.#begun].find(([, begun]) => begun.pool === pool && begun.family === family) ?? [];
    if (left !== undefined) {
      this.#begun.delete(left);
      this.#underWay.add(left);
      return { id: left };
    }
    try {
      const { id } = await this.#ports().createPort(pool, family, signal);
      this.#underWay.add(id);
      return { id };
    } catch (error) {
      this.#mayHaveLost = true;
      throw error;
    }
  }

  async #finish(id: string, signal: AbortSignal): Promise<L2Port> {
    const own = await this.#ports().complete(id, signal, this.#hasSpare);
    await this.#pairs.attach(own.pool, [own], signal);
    const [l2Port] = toL2Port(own);
    if (l2Port === undefined) throw new TypeError(`${id} is no id of a port`);
    this.#given.set(id, own);
    return l2Port;
  }

  /** Ports of ours that no answer told us of. */
  async #findLost(signal: AbortSignal): Promise<void> {
    for (const own of await this.#ports().list(signal)) {
      const { id } = own.port;
      const isKnown = own.isOfUser || this.#given.has(id) || this.#underWay.has(id) || this.#leaving.has(id);
      if (!isKnown) this.#begun.set(id, own);
    }
    this.#mayHaveLost = false;
  }

  /** CleanUnusedPorts for these and all others that wait for it, in as few calls as possible. */
  async #clean(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const isNext = this.#unused.size > 0;
    for (const id of ids) {
      this.#leaving.add(id);
      this.#unused.add(id);
    }
    if (!isNext) this.#cleaning = this.#lane.run(LANE, () => this.#cleanUnused(signal), signal);
    await this.#cleaning;
    for (const id of ids) this.#leaving.delete(id);
  }

  #cleanUnused(signal: AbortSignal): Promise<void> {
    const unused = new Set(this.#unused);
    this.#unused.clear();
    const used = { has: (id: string) => !unused.has(id) };
    return this.#ports().cleanUnusedPorts(used, this.#pools.gatewayPorts(), signal);
  }

  async #detach(addresses: ReadonlySet<IpAddress>, signal: AbortSignal): Promise<void> {
    try {
      await this.#pairs.detach(addresses, signal);
    } catch (error) {
      this.#tell([...addresses].join(', '), error, signal);
    }
  }

  /** A gateway may be new, or have lost what it may send from. One that is gone keeps no Service from its address. */
  async #attachGiven(signal: AbortSignal): Promise<void> {
    for (const { name } of this.#options.pools) {
      try {
        await this.#pairs.attach(name, [], signal);
      } catch (error) {
        if (verdictOf(error) === 'terminal') this.#unmended.add(name);
        this.#tell(name, error, signal);
      }
    }
  }

  async #tryToComplete(own: OwnPort, signal: AbortSignal): Promise<OwnPort | undefined> {
    const asItIs = lacksFloatingIp(this.#pools.scope(), own) ? undefined : own;
    if (!this.#options.mayWrite) return asItIs;
    try {
      return await this.#ports().complete(own.port.id, signal, this.#hasSpare);
    } catch (error) {
      if (verdictOf(error) === 'terminal') this.#unmended.add(own.port.id);
      this.#tell(own.pool, error, signal);
      return asItIs;
    }
  }

  /** What is there, with the ports of ch-k8s-lbaas as they are when they are adopted. */
  async #withFormer(observed: Observed, former: FormerPorts, signal: AbortSignal): Promise<Observed> {
    const adopted = new Map<string, readonly string[]>();
    for (const step of adoptSteps(this.#pools.scope(), observed, former)) {
      try {
        if (this.#options.mayWrite) await this.#ports().adopt(step, signal);
        adopted.set(step.id, step.tags);
      } catch (error) {
        // Its Services get other addresses; a leader that cannot be sure of it would take theirs away.
        if (verdictOf(error) !== 'terminal') throw error;
        this.#tell(poolOf({ description: '', tags: [...step.tags] }) ?? '', error, signal);
      }
    }
    const ports = observed.ports.map((port) => ({ ...port, tags: [...(adopted.get(port.id) ?? port.tags)] }));
    return { ...observed, ports };
  }

  /** Another program may have deleted a port since it was listed, and Neutron given its address to this one. */
  #give(own: OwnPort): void {
    for (const [id, { address, fixedAddress }] of this.#given)
      if (address === own.address || fixedAddress === own.fixedAddress) this.#given.delete(id);
    this.#given.set(own.port.id, own);
  }

  /** Makes a port for one of the floating IPs that the pool names, unless one that was begun has got it meanwhile. */
  async #tryToServeNamed(pool: string, signal: AbortSignal): Promise<void> {
    const ports = this.#ports();
    try {
      if (!unassignedNamed(this.#pools.scope(), await ports.observe(signal)).some(({ name }) => name === pool)) return;
      this.#give(await ports.createAndAssignPort(pool, 'IPv4', signal));
    } catch (error) {
      // A port may be there: it is looked for before the next is made.
      this.#mayHaveLost = true;
      if (verdictOf(error) === 'terminal') this.#unmended.add(pool);
      this.#tell(pool, error, signal);
    }
  }

  async #tryToResolve(pool: ConfiguredPool, signal: AbortSignal): Promise<void> {
    try {
      await this.#pools.resolve(pool.name, signal);
    } catch (error) {
      // Its Services are told when they need an address; what they have, they keep.
      if (verdictOf(error) !== 'terminal') throw error;
      this.#tell(pool.name, error, signal);
    }
  }

  #tell(pool: string, error: unknown, signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#journal.recordError(`pool ${pool}`, error);
    this.#options.logger.warn({ pool, code: codeOf(error), error: messageOf(error) }, 'the pool is not as configured');
  }

  #ports(): NeutronPorts {
    return new NeutronPorts({ neutron: this.#options.neutron, scope: this.#pools.scope(), journal: this.#journal });
  }
}

function toL2Port({ port: { id }, pool, family, fixedAddress, address, stays }: OwnPort): readonly L2Port[] {
  return isL2PortId(id) ? [{ id, pool, family, address: fixedAddress, ingress: address, stays }] : [];
}
