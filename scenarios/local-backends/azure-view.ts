import { createHash } from 'node:crypto';
import { armId, type LoadBalancer, type NetworkSecurityGroup, type PublicIpAddress } from '@fairlead/azure/arm';
import type { ArmEmulator } from '@fairlead/sim/azure';
import { CLOUD, GROUP } from '../azure.ts';

/** Marks everything of this cluster in Azure. */
export const CLUSTER_ID = 'c1';

/** The load balancers of the configuration. */
export const LOAD_BALANCERS = ['one', 'two', 'inside'] as const;
export type LoadBalancerName = (typeof LOAD_BALANCERS)[number];

/** What stands for the cluster in the names of what it has in Azure. */
export const clusterMark = digest(`azure-local ${CLUSTER_ID}`, 6);
const MARKED = new RegExp(`-${clusterMark}([0-9a-f]{12})(-v6)?(-[a-z0-9]+)*$`);
/** Entries of a pool with this prefix are the part's own. */
const ENTRY_PREFIX = 'fairlead-';

/** What is in the emulated Azure; read anew only when something may have changed. */
export class AzureView {
  readonly emulator: ArmEmulator;
  #callsSeen = 0;
  #writes = 0;
  #handiwork = 0;
  #seen = '';
  #loadBalancers: readonly LoadBalancer[] = [];
  #publicIps: readonly PublicIpAddress[] = [];
  #securityGroup: NetworkSecurityGroup | undefined;

  constructor(emulator: ArmEmulator) {
    this.emulator = emulator;
  }

  /** The same for as long as nothing changed: by a write, by hand, or by an operation that has ended. */
  get version(): string {
    const { log, operationsRunning } = this.emulator;
    for (; this.#callsSeen < log.calls.length; this.#callsSeen += 1) {
      if (log.calls[this.#callsSeen]?.method !== 'GET') this.#writes += 1;
    }
    return `${this.#writes} ${this.#handiwork} ${operationsRunning}`;
  }

  get loadBalancers(): readonly LoadBalancer[] {
    this.#look();
    return this.#loadBalancers;
  }

  get publicIps(): readonly PublicIpAddress[] {
    this.#look();
    return this.#publicIps;
  }

  get securityRules() {
    this.#look();
    return this.#securityGroup?.properties.securityRules ?? [];
  }

  loadBalancer(name: string): LoadBalancer | undefined {
    return this.loadBalancers.find((candidate) => candidate.name === name);
  }

  /** Of everything that carries the mark of a Service: addresses, what is in load balancers, security rules. */
  get ownNames(): readonly string[] {
    const inside = this.loadBalancers.flatMap(({ properties }) => [
      ...(properties.frontendIPConfigurations ?? []),
      ...(properties.backendAddressPools ?? []),
      ...(properties.loadBalancingRules ?? []),
    ]);
    return [...this.publicIps, ...inside, ...this.securityRules]
      .map(({ name }) => name)
      .filter((name) => markIn(name) !== undefined);
  }

  /** The pools of all load balancers that are the part's own, each with its load balancer. */
  get ownPools() {
    return this.loadBalancers.flatMap(({ name: loadBalancer, properties }) =>
      (properties.backendAddressPools ?? []).flatMap(({ name, properties: { loadBalancerBackendAddresses = [] } }) => {
        const mark = markIn(name);
        return mark === undefined ? [] : [{ loadBalancer, name, mark, entries: loadBalancerBackendAddresses }];
      }),
    );
  }

  /** An operator changes a resource in the portal: what is not there, or is being worked on, stays as it is. */
  edit<Body extends object>(path: string, change: (body: Body) => object, isBody: (body: unknown) => body is Body) {
    const body: unknown = this.emulator.resource(path);
    if (!isBody(body) || this.emulator.operationsRunning > 0) return;
    this.put(path, change(body));
  }

  put(path: string, body: object): void {
    this.#handiwork += 1;
    this.emulator.byHand({ method: 'PUT', path, body: JSON.parse(JSON.stringify(body)) });
  }

  /** False when it is not there, or is being worked on. */
  delete(path: string): boolean {
    if (this.emulator.resource(path) === undefined || this.emulator.operationsRunning > 0) return false;
    this.#handiwork += 1;
    this.emulator.byHand({ method: 'DELETE', path });
    return true;
  }

  #look(): void {
    const { version, emulator } = this;
    if (version === this.#seen) return;
    this.#seen = version;
    const loadBalancers: readonly unknown[] = emulator.resources('loadBalancers');
    const publicIps: readonly unknown[] = emulator.resources('publicIPAddresses');
    const securityGroup: unknown = emulator.resource(SECURITY_GROUP);
    this.#loadBalancers = loadBalancers.filter((body) => isLoadBalancer(body));
    this.#publicIps = publicIps.filter((body) => isPublicIp(body));
    this.#securityGroup = isSecurityGroup(securityGroup) ? securityGroup : undefined;
  }
}

export const SECURITY_GROUP = armId('networkSecurityGroups', GROUP, CLOUD.securityGroupName);

export function loadBalancerPath(name: string) {
  return armId('loadBalancers', GROUP, name);
}

/** What stands for a Service in the names of what it has in Azure. */
export function serviceMark(uid: string): string {
  return digest(uid, 12);
}

/** The mark of the Service that a name belongs to; undefined for a name that is not of this cluster. */
export function markIn(name: string): string | undefined {
  return MARKED.exec(name)?.[1];
}

export function isOwnEntry({ name }: { readonly name: string }): boolean {
  return name.startsWith(ENTRY_PREFIX);
}

function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

// The emulator answers with what was asked for: that there is a body is all that has to be found out.
export function isLoadBalancer(body: unknown): body is LoadBalancer {
  return hasProperties(body);
}

export function isSecurityGroup(body: unknown): body is NetworkSecurityGroup {
  return hasProperties(body);
}

function isPublicIp(body: unknown): body is PublicIpAddress {
  return hasProperties(body);
}

function hasProperties(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'properties' in body;
}
