import { FairleadError, type IpAddress, type IpFamily, type Journal, runSteps } from '@fairlead/control';
import type { FloatingIp, NeutronClient, Port } from '../client/index.ts';
import { toStep } from './apply.ts';
import { type Observed, type OwnPort, ownPorts } from './observed.ts';
import { tagsFor } from './owner.ts';
import {
  attachSteps,
  createStep,
  detachSteps,
  nextStep,
  type PortStep,
  unassignedFloatingIpSteps,
  type UsedPorts,
  unusedPortSteps,
} from './plan.ts';
import type { PortPool, PortScope } from './pool.ts';

export interface NeutronPortsOptions {
  readonly neutron: NeutronClient;
  readonly scope: PortScope;
  readonly journal: Journal;
}

/** A port needs its tags, a floating IP, and the tags of that. */
const MOST_STEPS = 4;

/** The addresses of the gateways, as Neutron ports and floating IPs. */
export class NeutronPorts {
  readonly #options: NeutronPortsOptions;

  constructor(options: NeutronPortsOptions) {
    this.#options = options;
  }

  /**
   * All that is there: a list of what carries our tags, wherever it is, one of each network that has a pool, in which a
   * port may be that has no tags yet, and one of floating IPs.
   */
  async observe(signal: AbortSignal): Promise<Observed> {
    const { neutron, scope } = this.#options;
    const [cluster = '', part = ''] = tagsFor(scope, '');
    const networks = new Set(scope.pools.map(({ networkId }) => networkId));
    const lists = [neutron.listPorts({ tags: `${cluster},${part}` }, { signal })];
    for (const network_id of networks) lists.push(neutron.listPorts({ network_id }, { signal }));
    const [floatingIps, ...listed] = await Promise.all([neutron.listFloatingIps({}, { signal }), ...lists]);
    const ports = new Map<string, Port>();
    for (const port of listed.flat()) ports.set(port.id, port);
    return { ports: [...ports.values()], floatingIps };
  }

  /** Our ports, complete or not. */
  async list(signal: AbortSignal): Promise<readonly OwnPort[]> {
    return ownPorts(this.#options.scope, await this.observe(signal));
  }

  /** Does the steps that make a port ours. */
  adopt(step: PortStep, signal: AbortSignal): Promise<void> {
    return this.#run([step], 'adopted ports', signal);
  }

  /** CreateAndAssignPort. When it fails, the next list finds the port; `complete` then does what is left. */
  async createAndAssignPort(poolName: string, family: IpFamily, signal: AbortSignal): Promise<OwnPort> {
    return this.complete((await this.createPort(poolName, family, signal)).id, signal);
  }

  /** The first half of it. When the answer is lost, this fails, and the port may be there. */
  async createPort(poolName: string, family: IpFamily, signal: AbortSignal): Promise<Port> {
    const { neutron, scope } = this.#options;
    const pool = this.#pool(poolName);
    const step = createStep(scope, pool, family);
    if (step?.kind !== 'create-port') throw noSubnet(poolName, family);
    let made: Port | undefined;
    const run = async () => void (made = await neutron.createPort(step.body, { signal }));
    const record = { journal: this.#options.journal, key: `pool ${poolName}` };
    await runSteps([{ ...toStep(neutron, step), run }], record, signal);
    if (made === undefined) throw noSubnet(poolName, family);
    return made;
  }

  /**
   * Does what is missing of one port of ours, reading before each call what the one before has left. Looks for a floating
   * IP of ours without a port only where there may be one: that takes a list of all.
   */
  async complete(portId: string, signal: AbortSignal, mayHaveSpare = true): Promise<OwnPort> {
    const { scope } = this.#options;
    for (let count = 0; ; count += 1) {
      const [port, floatingIps] = await this.#read(portId, mayHaveSpare, signal);
      const observed = { ports: port === undefined ? [] : [port], floatingIps };
      const [own] = ownPorts(scope, observed);
      if (own === undefined) throw portGone(portId);
      const step = nextStep(scope, own, observed);
      if (step === undefined) return own;
      if (count >= MOST_STEPS) throw incomplete(portId, step);
      await this.#run([step], `port ${portId}`, signal);
    }
  }

  /** CleanUnusedPorts: `used` are the ids of the ports that Services are on, `gateways` those of the gateways' ports. */
  async cleanUnusedPorts(used: UsedPorts, gateways: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { neutron, scope } = this.#options;
    const observed = await this.observe(signal);
    const steps = unusedPortSteps(scope, observed, used, gateways);
    const isDeletion = ({ kind }: PortStep) => kind === 'delete-port';
    // An address that a gateway may still send from must not be given to another.
    await this.#run(
      steps.filter((step) => !isDeletion(step)),
      'unused ports',
      signal,
    );
    const failures = await this.#runEach(steps.filter(isDeletion), signal);
    const floatingIps = await neutron.listFloatingIps({}, { signal });
    failures.push(...(await this.#runEach(unassignedFloatingIpSteps(scope, floatingIps), signal)));
    if (failures.length > 0) throw failures[0];
  }

  /** Lets the gateways send from the addresses. */
  async attach(addresses: readonly string[], gateways: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    if (gateways.size === 0) return;
    const ports = await this.#options.neutron.listPorts({ id: [...gateways] }, { signal });
    const gone = [...gateways].find((id) => ports.every((port) => port.id !== id));
    if (gone !== undefined) throw gatewayGone(gone);
    await this.#run(attachSteps(ports, addresses, gateways), 'gateways', signal);
  }

  /** Keeps the gateways from sending from addresses whose ports are gone. */
  async detach(addresses: ReadonlySet<IpAddress>, gateways: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    if (gateways.size === 0) return;
    const ports = await this.#options.neutron.listPorts({ id: [...gateways] }, { signal });
    await this.#run(detachSteps(ports, addresses, gateways), 'gateways', signal);
  }

  #read(
    portId: string,
    mayHaveSpare: boolean,
    signal: AbortSignal,
  ): Promise<[Port | undefined, readonly FloatingIp[]]> {
    const { neutron } = this.#options;
    const filter = mayHaveSpare ? {} : { port_id: portId };
    return Promise.all([neutron.findPort(portId, { signal }), neutron.listFloatingIps(filter, { signal })]);
  }

  /** One that cannot be deleted keeps no other. */
  async #runEach(steps: readonly PortStep[], signal: AbortSignal): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const step of steps) {
      try {
        await this.#run([step], 'unused ports', signal);
      } catch (error) {
        signal.throwIfAborted();
        failures.push(error);
      }
    }
    return failures;
  }

  #run(steps: readonly PortStep[], key: string, signal: AbortSignal): Promise<void> {
    const { neutron, journal } = this.#options;
    return runSteps(
      steps.map((step) => toStep(neutron, step)),
      { journal, key },
      signal,
    );
  }

  #pool(name: string): PortPool {
    const found = this.#options.scope.pools.find((pool) => pool.name === name);
    if (found !== undefined) return found;
    throw new FairleadError(`there is no pool "${name}"`, { verdict: 'terminal', code: 'pool-unknown' });
  }
}

function noSubnet(pool: string, family: IpFamily): FairleadError {
  const message = `the pool "${pool}" has no subnet of the family ${family}`;
  return new FairleadError(message, { verdict: 'terminal', code: 'family-unsupported' });
}

function gatewayGone(id: string): FairleadError {
  const message = `there is no port ${id}: put the id of each gateway's port into openstack.gatewayPorts of the pool`;
  return new FairleadError(message, { verdict: 'terminal', code: 'gateway-port-gone' });
}

function portGone(id: string): FairleadError {
  return new FairleadError(`the port ${id} is gone, or no longer ours`, { verdict: 'stale', code: 'port-gone' });
}

/** What was written is not there when it is read again. */
function incomplete(id: string, { kind }: PortStep): FairleadError {
  const message = `the port ${id} still needs ${kind} after it was done: Neutron does not keep what is written`;
  return new FairleadError(message, { verdict: 'retriable', code: 'port-incomplete' });
}
