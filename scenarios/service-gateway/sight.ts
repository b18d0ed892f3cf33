import { leases } from '@fairlead/kube';
import type { LoggedCall } from '@fairlead/sim/azure';
import { GATEWAY } from './site.ts';
import { type PlaceText, type Wanted, wantedOf } from './wanted.ts';
import type { World } from './world.ts';

/** What invariants look at after a step; nothing is worked out anew while nothing has changed. */
export class Sight {
  readonly world: World;
  /** Whether the cluster, or Azure, is not as it was one step before. */
  clusterChanged = false;
  azureChanged = false;
  /** The writes that Azure has seen in this step. */
  writes: readonly LoggedCall[] = [];
  #version = -1;
  #seenCalls = 0;
  #running = -1;
  #acts = -1;
  #wanted: Wanted | undefined;
  #named: ReadonlyMap<PlaceText, readonly string[]> | undefined;

  constructor(world: World) {
    this.world = world;
  }

  refresh(): void {
    this.#refreshCluster();
    this.#refreshAzure();
  }

  #refreshCluster(): void {
    const version = this.world.kube.resourceVersion;
    const before = this.#version;
    this.#version = version;
    this.clusterChanged = version !== before && !this.#isRenewal(before, version);
    if (this.clusterChanged) this.#wanted = undefined;
  }

  /** Most writes by far only renew the Lease. */
  #isRenewal(before: number, version: number): boolean {
    if (version !== before + 1) return false;
    return this.world.objects(leases)[0]?.metadata.resourceVersion === String(version);
  }

  #refreshAzure(): void {
    const { azure, meddling } = this.world;
    const { calls } = azure.log;
    this.writes =
      calls.length === this.#seenCalls ? [] : calls.slice(this.#seenCalls).filter(({ method }) => method !== 'GET');
    this.#seenCalls = calls.length;
    const running = azure.operationsRunning;
    this.azureChanged = this.writes.length > 0 || running !== this.#running || meddling.acts !== this.#acts;
    this.#running = running;
    this.#acts = meddling.acts;
    if (this.azureChanged) this.#named = undefined;
  }

  get wanted(): Wanted {
    this.#wanted ??= wantedOf(this.world, this.world.simulation.clock.now());
    return this.#wanted;
  }

  /** What the gateway has under each place. */
  get named(): ReadonlyMap<PlaceText, readonly string[]> {
    this.#named ??= new Map(
      [...this.world.azure.gateway(GATEWAY).locations].flatMap(([location, addresses]) =>
        [...addresses].map(([address, names]) => [`${address}@${location}`, names] as const),
      ),
    );
    return this.#named;
  }

  /** The egress gateway of ours that the place names, if any. */
  egressAt(place: PlaceText): string | undefined {
    return this.named.get(place)?.find((name) => this.isEgressOfOurs(name));
  }

  isEgressOfOurs(name: string): boolean {
    const { azure, neighbours } = this.world;
    return azure.gateway(GATEWAY).services.get(name)?.serviceType === 'Outbound' && !neighbours.ownsService(name);
  }
}
