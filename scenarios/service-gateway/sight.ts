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
  /** The calls that Azure has seen in this step. */
  calls: readonly LoggedCall[] = [];
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
    const { kube, azure, meddling } = this.world;
    const version = kube.resourceVersion;
    this.clusterChanged = version !== this.#version;
    this.#version = version;
    const { calls } = azure.log;
    const running = azure.operationsRunning;
    const isNew = calls.length !== this.#seenCalls;
    this.azureChanged = isNew || running !== this.#running || meddling.acts !== this.#acts;
    this.calls = isNew ? calls.slice(this.#seenCalls) : [];
    this.#seenCalls = calls.length;
    this.#running = running;
    this.#acts = meddling.acts;
    if (this.clusterChanged) this.#wanted = undefined;
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
