import {
  clusterId,
  type HttpTransport,
  Journal,
  type Metrics,
  noMetrics,
  seededRandom,
  silentLogger,
  VirtualClock,
} from '@fairlead/control';
import { type ArmBehaviour, ArmEmulator } from '@fairlead/sim/azure';
import { ArmClient, armId, childArmId } from '../../arm/index.ts';
import { Inventory } from '../cloud/inventory.ts';
import type { LocationLimits } from '../cloud/locations-updater.ts';
import { Repository } from '../cloud/repository.ts';
import type { AddressEntry, ServiceList } from '../engine/address-table.ts';
import type { PodUid } from '../engine/nrp-key.ts';
import { RunningEngine } from '../pump.ts';
import { type GatewayScope, PART_NAME } from '../scope.ts';

export const group = { subscriptionId: 'sub', resourceGroup: 'cluster' };
const networkId = armId('virtualNetworks', group, 'net');

export const scope: GatewayScope = {
  cluster: clusterId('cluster-1'),
  part: PART_NAME,
  group,
  location: 'westeurope',
  gatewayId: armId('serviceGateways', group, 'sgw'),
  networkId,
  subnetId: childArmId('subnets', networkId, 'nodes'),
};

/** An Azure with a virtual network in it, on virtual time. */
export function newAzure(clock: VirtualClock, behaviour: Partial<ArmBehaviour> = {}): ArmEmulator {
  const groups = [`/subscriptions/${group.subscriptionId}/resourceGroups/${group.resourceGroup}`];
  const azure = new ArmEmulator({ clock, random: seededRandom(1), groups, behaviour });
  const subnets = [{ name: 'nodes', properties: { addressPrefix: '10.0.0.0/16' } }];
  const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/8'] }, subnets };
  azure.byHand({ method: 'PUT', path: networkId, body: { location: scope.location, properties } });
  return azure;
}

/** Makes the gateway, as if it had always been there. */
function makeGateway(azure: ArmEmulator): void {
  const properties = { virtualNetwork: { id: networkId } };
  azure.byHand({ method: 'PUT', path: scope.gatewayId, body: { location: scope.location, properties } });
}

export function newArmClient(clock: VirtualClock, transport: HttpTransport): ArmClient {
  const random = seededRandom(2);
  return new ArmClient({
    endpoint: 'https://arm.test',
    clock,
    random,
    metrics: noMetrics,
    userAgent: 'test',
    transport,
  });
}

export interface AzureBenchOptions {
  readonly behaviour?: Partial<ArmBehaviour>;
  readonly limits?: LocationLimits;
  readonly metrics?: Metrics;
  /** Where two engines, one after the other, are to meet the same Azure. */
  readonly world?: { readonly clock: VirtualClock; readonly azure: ArmEmulator };
}

/** As they are configured by default. */
const ENOUGH: LocationLimits = { addresses: 5_000, bytes: 2_000_000 };

/** An engine with both updaters and an emulated Azure behind it, released at once. */
export class AzureBench {
  readonly clock: VirtualClock;
  readonly azure: ArmEmulator;
  readonly repository: Repository;
  readonly running: RunningEngine;
  readonly journal: Journal;
  readonly states: string[] = [];
  readonly errors: unknown[] = [];
  readonly drained: PodUid[] = [];
  readonly refused: { readonly entry: AddressEntry; readonly services: ServiceList }[] = [];
  readonly suspicions: string[] = [];
  readonly #stop = new AbortController();

  constructor({ behaviour = {}, limits = ENOUGH, metrics = noMetrics, world }: AzureBenchOptions = {}) {
    this.clock = world?.clock ?? new VirtualClock();
    this.azure = world?.azure ?? newAzure(this.clock, behaviour);
    if (world === undefined) makeGateway(this.azure);
    this.journal = new Journal(this.clock);
    const inventory = new Inventory(this.clock);
    this.repository = new Repository(newArmClient(this.clock, this.azure), scope, inventory, () =>
      this.clock.monotonic(),
    );
    this.running = new RunningEngine({
      repository: this.repository,
      clock: this.clock,
      random: seededRandom(3),
      logger: silentLogger,
      metrics,
      journal: this.journal,
      limits,
      signal: this.#stop.signal,
      journalKey: (key) => key,
      observer: {
        stateChanged: ({ key, after, outcome }) => {
          this.states.push(`${key} ${after?.kind ?? 'gone'}`);
          if (outcome?.ok === false) this.errors.push(outcome.error);
        },
        podsDrained: (pods) => this.drained.push(...pods),
        addressRefused: (entry, services) => this.refused.push({ entry, services }),
        locationsRound: () => {},
        driftSuspected: (why) => this.suspicions.push(why),
      },
    });
    this.running.release();
  }

  get engine() {
    return this.running.engine;
  }

  /** The states of all services. */
  get kinds(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.engine.states].map(([key, state]) => [key, state.kind]));
  }

  stop(): void {
    this.#stop.abort(new Error('stopped'));
  }

  /** Lets time pass until everything is as it should be, or as far as it can be. */
  async settle(limitMilliseconds = 60_000): Promise<void> {
    const isSettled = () =>
      this.engine.oldestUnsettledSince === undefined && this.engine.tracker.locationChanges().length === 0;
    await this.clock.runUntil(isSettled, limitMilliseconds);
    if (!isSettled()) {
      throw new Error(`not settled: ${JSON.stringify(this.kinds)}, ${this.engine.tracker.dirtyCount} addresses differ`);
    }
  }

  /** The writes Azure has seen, one line each. */
  get writes(): readonly string[] {
    return this.azure.log.lines();
  }

  /** What the gateway has: `10.1.0.1@10.0.0.1=web`. */
  get located(): readonly string[] {
    return [...this.azure.gateway(scope.gatewayId).locations]
      .flatMap(([location, addresses]) =>
        [...addresses].map(([address, services]) => `${address}@${location}=${services.join(',')}`),
      )
      .sort();
  }

  get registered(): readonly string[] {
    return [...this.azure.gateway(scope.gatewayId).services.keys()].sort();
  }

  /** Names of everything that is there of the kinds that services have. */
  get resources(): readonly string[] {
    return (['publicIPAddresses', 'loadBalancers', 'natGateways'] as const).flatMap((kind) =>
      this.azure.resources(kind).map(({ id }) => `${kind}/${JSON.stringify(id).replace(/^.*\/|"$/g, '')}`),
    );
  }
}
