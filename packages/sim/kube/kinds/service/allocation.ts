import { type Random, randomInteger } from '@fairlead/control';
import { internalError, invalid, type RequestFailure } from '../../failure.ts';
import { type AddressRange, addressRange, type Family } from '../../validation/addresses.ts';
import { invalidValue } from '../../validation/field-problem.ts';
import { type ClusterFamilies, withFamilies } from './families.ts';
import {
  isHeadless,
  needsClusterIP,
  needsHealthCheckPort,
  needsNodePorts,
  type Service,
  type ServicePort,
  sameTexts,
  withSpec,
} from './service.ts';

export interface ServiceRanges {
  /** One or two blocks of different families; Services get addresses of the first unless they ask for both. */
  readonly clusterIPs: readonly [string, ...string[]];
  readonly nodePorts: { readonly first: number; readonly last: number };
}

export const DEFAULT_RANGES: ServiceRanges = {
  clusterIPs: ['10.96.0.0/16', 'fd00:10:96::/112'],
  nodePorts: { first: 30_000, last: 32_767 },
};

/** The dummy port a dry run counts up from. */
const DRY_RUN_PORT = 32_768;

interface Reservations {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

/** Hands out cluster addresses and node ports. Planning changes nothing; only what is committed is booked. */
export class ServiceAllocator {
  readonly #ranges: readonly AddressRange[];
  readonly #families: ClusterFamilies;
  readonly #nodePorts: ServiceRanges['nodePorts'];
  readonly #random: Random;
  readonly #addresses = new Set<string>();
  readonly #ports = new Set<number>();

  constructor(ranges: ServiceRanges, random: Random) {
    const [first, ...rest] = ranges.clusterIPs;
    const primary = addressRange(first);
    const others = rest.map(addressRange);
    this.#ranges = [primary, ...others];
    this.#families = [primary.family, ...others.map(({ family }) => family)];
    this.#nodePorts = ranges.nodePorts;
    this.#random = random;
  }

  /** Completes a Service. Throws what the server would answer when something is taken or out of range. */
  plan(service: Service, previous: Service | undefined, dryRun: boolean): Service {
    const completed = normalized(previous === undefined ? service : withAllocated(service, previous), previous);
    const result = withFamilies(completed, previous, this.#families);
    if ('problems' in result) throw invalid('', 'Service', service.metadata.name, result.problems);
    const draft = new Draft(this, dryRun);
    const addressed = this.#planAddresses(result.service, previous, draft);
    const ported = this.#planPorts(addressed, previous, draft);
    return this.#planHealthCheck(ported, previous, draft);
  }

  /** Books what a Service has now, and gives back what it had before. */
  commit(next: Service | undefined, previous: Service | undefined): void {
    const before = reservationsOf(previous);
    const after = reservationsOf(next);
    for (const address of before.addresses) this.#addresses.delete(address);
    for (const port of before.ports) this.#ports.delete(port);
    for (const address of after.addresses) this.#addresses.add(address);
    for (const port of after.ports) this.#ports.add(port);
  }

  isPortTaken(port: number): boolean {
    return this.#ports.has(port);
  }

  isPortInRange(port: number): boolean {
    return port >= this.#nodePorts.first && port <= this.#nodePorts.last;
  }

  get portRangeText(): string {
    return `${this.#nodePorts.first}-${this.#nodePorts.last}`;
  }

  /** A free port, outside the part of the range that is kept for people who choose their own. */
  freePort(isReserved: (port: number) => boolean): number | undefined {
    const { first, last } = this.#nodePorts;
    const reserved = Math.min(Math.max(16, Math.floor((last - first + 1) / 32)), 128);
    return pickFree(this.#random, first, last, first + reserved, (port) => this.#ports.has(port) || isReserved(port));
  }

  #planAddresses(service: Service, previous: Service | undefined, draft: Draft): Service {
    if (!needsClusterIP(service) || isHeadless(service)) return service;
    if (previous !== undefined && needsClusterIP(previous) && isHeadless(previous)) return service;
    const { ipFamilies = [], clusterIPs = [] } = service.spec;
    const kept = previous !== undefined && needsClusterIP(previous) ? (previous.spec.clusterIPs ?? []) : [];
    const addresses = ipFamilies.map((family, index) => {
      const wanted = clusterIPs[index] ?? '';
      if (wanted !== '' && kept.includes(wanted)) return wanted;
      return wanted === '' ? this.#nextAddress(service, family, draft) : this.#checkedAddress(service, family, wanted);
    });
    const all = [...addresses, ...clusterIPs.slice(addresses.length)];
    const [clusterIP] = all;
    return all.length === 0 ? service : withSpec(service, { clusterIP, clusterIPs: all });
  }

  #nextAddress(service: Service, family: Family, { dryRun }: Draft): string {
    const range = this.#ranges.find((candidate) => candidate.family === family);
    if (range === undefined) throw internalError(`no addresses of ${family} are configured`);
    if (dryRun) return range.at(0);
    const reserved = Math.min(Math.max(16, Math.floor(range.size / 16)), 256);
    const index = pickFree(this.#random, 1, range.size - 2, reserved, (at) => this.#addresses.has(range.at(at)));
    if (index !== undefined) return range.at(index);
    const { name } = service.metadata;
    throw internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`);
  }

  #checkedAddress(service: Service, family: Family, address: string): string {
    const range = this.#ranges.find((candidate) => candidate.family === family);
    const inRange = range?.contains(address) === true;
    if (inRange && !this.#addresses.has(address)) return address;
    const why = inRange ? 'provided IP is already allocated' : 'the provided network does not match the current range';
    const detail = `failed to allocate IP ${address}: ${why}`;
    const problem = invalidValue('spec.clusterIPs', service.spec.clusterIPs ?? [], detail);
    throw invalid('', 'Service', service.metadata.name, [problem]);
  }

  #planPorts(service: Service, previous: Service | undefined, draft: Draft): Service {
    const { type, ports = [] } = service.spec;
    if (type !== 'NodePort' && type !== 'LoadBalancer') return service;
    const planned = previous === undefined ? newPorts(service, draft) : changedPorts(service, previous, draft);
    return planned === ports ? service : withSpec(service, { ports: planned });
  }

  #planHealthCheck(service: Service, previous: Service | undefined, draft: Draft): Service {
    if (!needsHealthCheckPort(service)) return service;
    if (previous !== undefined && needsHealthCheckPort(previous)) return service;
    const wanted = service.spec.healthCheckNodePort ?? 0;
    if (wanted === 0) return withSpec(service, { healthCheckNodePort: draft.next() });
    const refusal = draft.take(wanted);
    if (refusal === undefined) return service;
    throw internalError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${refusal}`);
  }
}

/** The ports that one request takes before anything is booked. */
class Draft {
  readonly dryRun: boolean;
  readonly #allocator: ServiceAllocator;
  readonly #taken = new Set<number>();

  constructor(allocator: ServiceAllocator, dryRun: boolean) {
    this.#allocator = allocator;
    this.dryRun = dryRun;
  }

  /** Undefined when the port is now taken, otherwise why it cannot be. */
  take(port: number): string | undefined {
    if (!this.#allocator.isPortInRange(port)) {
      const range = this.#allocator.portRangeText;
      return `provided port is not in the valid range. The range of valid ports is ${range}`;
    }
    if (this.#allocator.isPortTaken(port) || this.#taken.has(port)) return 'provided port is already allocated';
    this.#taken.add(port);
    return undefined;
  }

  next(): number {
    const port = this.dryRun
      ? Math.max(DRY_RUN_PORT, ...this.#taken) + 1
      : this.#allocator.freePort((candidate) => this.#taken.has(candidate));
    if (port === undefined) throw internalError('failed to allocate a nodePort: range is full');
    this.#taken.add(port);
    return port;
  }
}

function refusedPort(service: Service, index: number, port: number, why: string): RequestFailure {
  const problem = invalidValue(`spec.ports[${index}].nodePort`, port, why);
  return invalid('', 'Service', service.metadata.name, [problem]);
}

/** The same port number in two protocols shares one node port. */
function newPorts(service: Service, draft: Draft): readonly ServicePort[] {
  const { ports = [] } = service.spec;
  const byPort = new Map<number, number>();
  return ports.map((port, index) => {
    const own = port.nodePort ?? 0;
    if (own === 0 && !needsNodePorts(service)) return port;
    const shared = byPort.get(port.port);
    if (shared !== undefined) {
      if (own === 0 || own === shared) return { ...port, nodePort: shared };
      const refusal = draft.take(own);
      if (refusal !== undefined) throw refusedPort(service, index, own, refusal);
      return port;
    }
    const requested = ports.find((other) => other.port === port.port && (other.nodePort ?? 0) !== 0)?.nodePort;
    if (requested !== undefined) {
      const refusal = draft.take(requested);
      if (refusal !== undefined) throw refusedPort(service, index, requested, refusal);
    }
    const nodePort = requested ?? draft.next();
    byPort.set(port.port, nodePort);
    return { ...port, nodePort };
  });
}

function changedPorts(service: Service, previous: Service, draft: Draft): readonly ServicePort[] {
  const { ports = [] } = service.spec;
  const before = new Set(reservationsOf(previous).ports);
  const asked = new Set<number>();
  return ports.map((port, index) => {
    const own = port.nodePort ?? 0;
    if (own === 0) return needsNodePorts(service) ? { ...port, nodePort: draft.next() } : port;
    if (before.has(own) || asked.has(own)) return port;
    const refusal = draft.take(own);
    if (refusal !== undefined) throw refusedPort(service, index, own, refusal);
    asked.add(own);
    return port;
  });
}

/** A client that does not repeat what was allocated means to keep it. */
function withAllocated(next: Service, previous: Service): Service {
  let result = next;
  if (needsClusterIP(previous) && needsClusterIP(next)) {
    result = withSpec(result, {
      clusterIP: (next.spec.clusterIP ?? '') === '' ? previous.spec.clusterIP : next.spec.clusterIP,
      clusterIPs: (next.spec.clusterIPs ?? []).length === 0 ? previous.spec.clusterIPs : next.spec.clusterIPs,
    });
  }
  if (needsNodePorts(previous) && needsNodePorts(next)) {
    result = withSpec(result, { ports: keptPorts(next.spec.ports ?? [], previous.spec.ports ?? []) });
  }
  if (needsHealthCheckPort(previous) && needsHealthCheckPort(next) && (next.spec.healthCheckNodePort ?? 0) === 0) {
    result = withSpec(result, { healthCheckNodePort: previous.spec.healthCheckNodePort });
  }
  return result;
}

function keptPorts(next: readonly ServicePort[], previous: readonly ServicePort[]): readonly ServicePort[] {
  const used = new Set(next.map(({ nodePort }) => nodePort));
  const byName = new Map(previous.map(({ name, nodePort }) => [name, nodePort]));
  return next.map((port) => {
    const before = byName.get(port.name) ?? 0;
    if ((port.nodePort ?? 0) !== 0 || before === 0 || used.has(before)) return port;
    return { ...port, nodePort: before };
  });
}

/** Brings the one address and the list of addresses into agreement where the intent is clear. */
function normalized(next: Service, previous: Service | undefined): Service {
  const { clusterIP = '', clusterIPs = [] } = next.spec;
  if (previous === undefined) {
    return clusterIP !== '' && clusterIPs.length === 0 ? withSpec(next, { clusterIPs: [clusterIP] }) : next;
  }
  const before = previous.spec;
  if (clusterIP === (before.clusterIP ?? '')) {
    const cleared = (before.clusterIPs ?? []).length > 0 && clusterIPs.length === 0;
    return cleared ? withSpec(next, { clusterIPs: before.clusterIPs }) : next;
  }
  if (!sameTexts(clusterIPs, before.clusterIPs)) return next;
  return withSpec(next, { clusterIPs: clusterIP === '' ? undefined : [clusterIP] });
}

function reservationsOf(service: Service | undefined): Reservations {
  if (service === undefined) return { addresses: [], ports: [] };
  const { clusterIPs = [], ports = [], healthCheckNodePort = 0 } = service.spec;
  const addresses = needsClusterIP(service) && !isHeadless(service) ? clusterIPs : [];
  const nodePorts = ports.map(({ nodePort = 0 }) => nodePort);
  return { addresses, ports: [...nodePorts, healthCheckNodePort].filter((port) => port !== 0) };
}

/** A random free number, preferably from `preferred` up. */
function pickFree(
  random: Random,
  first: number,
  last: number,
  preferred: number,
  isTaken: (value: number) => boolean,
): number | undefined {
  const start = Math.min(preferred, last);
  return scan(random, start, last, isTaken) ?? scan(random, first, start - 1, isTaken);
}

function scan(random: Random, first: number, last: number, isTaken: (value: number) => boolean): number | undefined {
  const size = last - first + 1;
  if (size <= 0) return undefined;
  const offset = randomInteger(random, 0, size - 1);
  for (let step = 0; step < size; step += 1) {
    const candidate = first + ((offset + step) % size);
    if (!isTaken(candidate)) return candidate;
  }
  return undefined;
}
