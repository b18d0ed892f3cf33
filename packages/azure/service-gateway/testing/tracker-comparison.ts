import { VirtualClock } from '@fairlead/control';
import fc from 'fast-check';
import type { AddressEntry, ServiceList } from '../engine/address-table.ts';
import { DiffTracker } from '../engine/difftracker.ts';
import type { NrpKey, PodUid } from '../engine/nrp-key.ts';
import { addressKey, inbound, outbound, pod } from './keys.ts';
import { TrackerModel, textOf } from './tracker-model.ts';

export const services = [inbound('a'), inbound('b')];
export const egresses = [outbound('x'), outbound('y')];
const foreign = inbound('foreign');
export const pods = ['p', 'q', 'r'].map(pod);
const addressKeys = ['10.1.0.1@10.0.0.1', '10.1.0.1@10.0.0.2', '10.1.0.2@10.0.0.1', '10.1.0.3@10.0.0.2'].map(
  addressKey,
);

export type Action =
  | { readonly do: 'endpoints'; readonly key: (typeof services)[number]; readonly at: readonly number[] }
  | {
      readonly do: 'pod';
      readonly uid: PodUid;
      readonly egress: (typeof egresses)[number];
      readonly at: readonly number[];
    }
  | { readonly do: 'remove'; readonly uid: PodUid }
  | { readonly do: 'promote'; readonly egress: (typeof egresses)[number]; readonly promoted: boolean }
  | { readonly do: 'send'; readonly how: 'confirmed' | 'refused' | 'lost'; readonly share: number }
  | { readonly do: 'list'; readonly at: number; readonly services: ServiceList };

const someAddressKeys = fc.uniqueArray(fc.nat(addressKeys.length - 1), { maxLength: 3 });
export const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant('endpoints'), key: fc.constantFrom(...services), at: someAddressKeys } as const),
  fc.record({
    do: fc.constant('pod'),
    uid: fc.constantFrom(...pods),
    egress: fc.constantFrom(...egresses),
    at: someAddressKeys,
  } as const),
  fc.record({ do: fc.constant('remove'), uid: fc.constantFrom(...pods) } as const),
  fc.record({ do: fc.constant('promote'), egress: fc.constantFrom(...egresses), promoted: fc.boolean() } as const),
  fc.record({
    do: fc.constant('send'),
    how: fc.constantFrom('confirmed', 'refused', 'lost'),
    share: fc.constantFrom(1, 2),
  } as const),
  fc.record({
    do: fc.constant('list'),
    at: fc.nat(addressKeys.length - 1),
    services: fc
      .uniqueArray(fc.constantFrom<NrpKey[]>(...services, ...egresses, foreign), { maxLength: 3 })
      .map((keys) => keys.toSorted()),
  } as const),
);

/** Runs both side by side. */
export class TrackerComparison {
  readonly clock = new VirtualClock();
  readonly tracker = new DiffTracker(this.clock);
  readonly model = new TrackerModel();
  readonly #promoted = new Set<string>();
  readonly #drained: { model: PodUid[]; tracker: PodUid[] } = { model: [], tracker: [] };
  readonly #sent: { model: ServiceList[]; tracker: ServiceList[] } = { model: [], tracker: [] };

  constructor() {
    this.tracker.foreign.add(foreign);
    this.model.foreign.add(foreign);
  }

  async run(act: Action): Promise<void> {
    await this.clock.advance(1);
    this.#apply(act);
    this.#drained.model.push(
      ...this.model.settle().filter((uid) => !this.model.pods.some(({ pod }) => pod.uid === uid)),
    );
    this.#drained.tracker.push(...this.tracker.takeDrainedPods());
  }

  #apply(act: Action): void {
    switch (act.do) {
      case 'endpoints': {
        const chosen = new Map(
          act.at.flatMap((index) => addressKeys[index] ?? []).map((at) => [at.address, at.location]),
        );
        for (const [address, location] of chosen) this.model.see({ address, location });
        this.model.endpoints.set(act.key, chosen);
        return this.tracker.updateK8sEndpoints(act.key, chosen);
      }
      case 'pod': {
        const chosen = {
          uid: act.uid,
          createdAt: act.uid,
          egress: act.egress,
          addressKeys: act.at.flatMap((index) => addressKeys[index] ?? []),
        };
        const promoted = this.#promoted.has(act.egress);
        this.model.putPod(chosen, promoted);
        return this.tracker.updateK8sPod(chosen, promoted);
      }
      case 'remove':
        this.model.removePod(act.uid);
        return this.tracker.removeK8sPod(act.uid);
      case 'promote':
        if (act.promoted) this.#promoted.add(act.egress);
        else this.#promoted.delete(act.egress);
        this.model.promote(act.egress, act.promoted);
        return this.tracker.setPodsPromoted(act.egress, act.promoted);
      case 'send':
        return this.#send(act);
      case 'list': {
        const at = addressKeys[act.at];
        if (at === undefined) return;
        const text = this.model.see(at);
        if (!this.model.uncertain.has(text)) this.model.nrp.set(text, act.services);
        return this.tracker.restoreNrp(at, act.services, this.clock.monotonic());
      }
    }
  }

  #send({ how, share }: Action & { do: 'send' }): void {
    const chosen = this.tracker.locationChanges().filter((_, index) => index % share === 0);
    const before = new Map(chosen.map((entry) => [textOf(entry), this.#nrpOf(entry)]));
    const updates = this.tracker.beginUpdate(chosen);
    for (const { entry, services } of updates) {
      const text = textOf(entry);
      this.#sent.tracker.push(services);
      this.#sent.model.push(this.model.wanted(text));
      if (how === 'confirmed') {
        this.model.uncertain.delete(text);
        this.model.nrp.set(text, services);
      }
      if (how === 'lost') {
        this.model.uncertain.add(text);
        this.model.nrp.set(text, [...new Set([...(before.get(text) ?? []), ...services])].sort());
      }
    }
    if (how === 'confirmed') this.tracker.confirmUpdate(updates);
    if (how === 'refused') this.tracker.refuseUpdate(updates);
    if (how === 'lost') this.tracker.loseUpdate(updates);
  }

  #nrpOf(entry: AddressEntry): ServiceList {
    return this.model.nrp.get(textOf(entry)) ?? [];
  }

  /** What both say, in the same words. */
  views(): { readonly tracker: unknown; readonly model: unknown } {
    const { tracker, model } = this;
    const texts = [...model.addressKeys.keys()];
    const view = (from: (text: string) => ServiceList) => texts.map((text) => [text, [...from(text)]]);
    const { locations } = tracker.nrpResources;
    const located = (text: string) => locations.get(addressKey(text).location)?.get(addressKey(text).address) ?? [];
    const keys = [...services, ...egresses, foreign];
    const inModel = (key: NrpKey) => [...model.nrp.values()].filter((names) => names.includes(key)).length;
    return {
      tracker: {
        dirty: tracker.locationChanges().map(textOf).sort(),
        wanted: view((text) => tracker.wantedAt(addressKey(text))),
        nrp: view(located),
        counts: keys.map((key) => tracker.locationCount(key)),
        drained: this.#drained.tracker,
        sent: this.#sent.tracker,
      },
      model: {
        dirty: model.differences(),
        wanted: view((text) => model.wanted(text)),
        nrp: view((text) => model.nrp.get(text) ?? []),
        counts: keys.map(inModel),
        drained: this.#drained.model,
        sent: this.#sent.model,
      },
    };
  }
}
