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
import { type ArmBehaviour, ArmEmulator, FAST } from '@fairlead/sim/azure';
import { ArmClient, armId, childArmId } from '../../arm/index.ts';
import { Inventory } from '../cloud/inventory.ts';
import type { LocationLimits } from '../cloud/locations-updater.ts';
import { Repository } from '../cloud/repository.ts';
import type { AddressEntry, ServiceList } from '../engine/address-table.ts';
import type { Notice } from '../engine/effects.ts';
import type { PodUid } from '../engine/nrp-key.ts';
import { EnginePump } from '../pump.ts';
import { StateJournal } from '../report/state-journal.ts';
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
  egressAddresses: new Map(),
};

/** An Azure with a virtual network in it, on virtual time. */
export function newAzure(clock: VirtualClock, behaviour: Partial<ArmBehaviour> = {}): ArmEmulator {
  const groups = [`/subscriptions/${group.subscriptionId}/resourceGroups/${group.resourceGroup}`];
  const azure = new ArmEmulator({ clock, random: seededRandom(1), groups, behaviour: { ...FAST, ...behaviour } });
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

/** An engine with both updaters and an emulated Azure behind it, and its pump at work. */
export class AzureBench {
  readonly clock: VirtualClock;
  readonly azure: ArmEmulator;
  readonly repository: Repository;
  readonly pump: EnginePump;
  readonly journal: Journal;
  readonly states: string[] = [];
  readonly errors: unknown[] = [];
  readonly drained: PodUid[] = [];
  readonly refused: { readonly entry: AddressEntry; readonly services: ServiceList }[] = [];
  readonly suspicions: string[] = [];
  /** Of each round of addresses: why some have to be sent again, if so. */
  readonly rounds: unknown[] = [];
  readonly #stop = new AbortController();

  constructor({ behaviour = {}, limits = ENOUGH, metrics = noMetrics, world }: AzureBenchOptions = {}) {
    this.clock = world?.clock ?? new VirtualClock();
    this.azure = world?.azure ?? newAzure(this.clock, behaviour);
    if (world === undefined) makeGateway(this.azure);
    this.journal = new Journal(this.clock);
    const { clock } = this;
    this.repository = new Repository(newArmClient(clock, this.azure), scope, new Inventory(clock), clock);
    const { signal } = this.#stop;
    this.pump = new EnginePump({
      repository: this.repository,
      clock,
      random: seededRandom(3),
      logger: silentLogger,
      metrics,
      journal: new StateJournal(this.journal, clock, new Map()),
      limits,
      signal,
    });
    void this.pump.run((notice) => this.#onNotice(notice), signal);
  }

  get engine() {
    return this.pump.engine;
  }

  #onNotice(notice: Notice): void {
    switch (notice.kind) {
      case 'state-changed':
        this.states.push(`${notice.key} ${notice.after?.kind ?? 'gone'}`);
        if (notice.outcome?.ok === false) this.errors.push(notice.outcome.error);
        break;
      case 'pods-drained':
        this.drained.push(...notice.pods);
        break;
      case 'address-refused':
        this.refused.push(notice);
        break;
      case 'drift-suspected':
        this.suspicions.push(notice.why);
        break;
      case 'locations-round':
        this.rounds.push(notice.error);
        break;
      case 'pod-refused':
    }
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
