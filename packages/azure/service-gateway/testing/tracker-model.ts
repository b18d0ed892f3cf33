import type { AddressKey } from '../engine/address-table.ts';
import type { Endpoints } from '../engine/difftracker.ts';
import type { EgressPod } from '../engine/egress-pods.ts';
import { type InboundKey, isOutbound, type NrpKey, type OutboundKey, type PodUid } from '../engine/nrp-key.ts';

type KeyText = string;
export const textOf = ({ address, location }: AddressKey): KeyText => `${address}@${location}`;

/** What the tracker should say, worked out from scratch at every question: slow, and simple enough to be believed. */
export class TrackerModel {
  readonly endpoints = new Map<InboundKey, Endpoints>();
  pods: { pod: EgressPod; promoted: boolean }[] = [];
  /** The pods at each entry, the youngest last; in the tests their names tell their age. */
  readonly claims = new Map<KeyText, PodUid[]>();
  readonly draining = new Map<PodUid, Set<KeyText>>();
  readonly former = new Map<PodUid, Set<KeyText>>();
  readonly nrp = new Map<KeyText, readonly NrpKey[]>();
  readonly uncertain = new Set<KeyText>();
  readonly addressKeys = new Map<KeyText, AddressKey>();
  readonly foreign = new Set<NrpKey>();

  see(addressKey: AddressKey): KeyText {
    this.addressKeys.set(textOf(addressKey), addressKey);
    return textOf(addressKey);
  }

  putPod(pod: EgressPod, promoted: boolean): void {
    const before = this.pods.find((other) => other.pod.uid === pod.uid);
    const after = new Set(pod.addressKeys.map((addressKey) => this.see(addressKey)));
    const left = new Set([
      ...(this.draining.get(pod.uid) ?? []),
      ...(this.former.get(pod.uid) ?? []),
      ...(before?.pod.addressKeys.map(textOf) ?? []),
    ]);
    this.draining.delete(pod.uid);
    this.former.set(pod.uid, new Set([...left].filter((text) => !after.has(text))));
    for (const [text, owners] of this.claims) {
      if (!after.has(text)) {
        this.claims.set(
          text,
          owners.filter((uid) => uid !== pod.uid),
        );
      }
    }
    for (const text of after) {
      const owners = this.claims.get(text) ?? [];
      if (!owners.includes(pod.uid)) this.claims.set(text, [...owners, pod.uid].sort());
    }
    this.pods = [...this.pods.filter((other) => other !== before), { pod, promoted }];
  }

  removePod(uid: PodUid): void {
    const before = this.pods.find(({ pod }) => pod.uid === uid);
    if (before === undefined) return;
    this.pods = this.pods.filter((other) => other !== before);
    for (const [text, owners] of this.claims) {
      this.claims.set(
        text,
        owners.filter((owner) => owner !== uid),
      );
    }
    this.draining.set(uid, new Set([...before.pod.addressKeys.map(textOf), ...(this.former.get(uid) ?? [])]));
    this.former.delete(uid);
  }

  promote(egress: OutboundKey, promoted: boolean): void {
    for (const entry of this.pods) if (entry.pod.egress === egress) entry.promoted = promoted;
  }

  /**
   * Lets pods go whose addresses have left; they are gone in one go, since leaving frees no other pod. A pod that moved
   * need no longer wait for where it was, either.
   */
  settle(): readonly PodUid[] {
    for (const texts of this.former.values()) for (const text of texts) if (!this.#holds(text)) texts.delete(text);
    const drained: PodUid[] = [];
    for (const [uid, texts] of this.draining) {
      if ([...texts].some((text) => this.#holds(text))) continue;
      this.draining.delete(uid);
      drained.push(uid);
    }
    return drained;
  }

  wanted(text: KeyText): readonly NrpKey[] {
    const wanted = new Set<NrpKey>();
    for (const [key, endpoints] of this.endpoints) {
      for (const [address, location] of endpoints) if (textOf({ address, location }) === text) wanted.add(key);
    }
    const current = this.nrp.get(text) ?? [];
    const owner = this.#owner(text);
    const isMoving = owner !== undefined && !owner.promoted && ![...this.draining.values()].some((at) => at.has(text));
    const held = isMoving ? current.find((key) => isOutbound(key) && !this.foreign.has(key)) : undefined;
    if (owner?.promoted === true) wanted.add(owner.pod.egress);
    if (held !== undefined) wanted.add(held);
    for (const key of current) if (this.foreign.has(key)) wanted.add(key);
    return [...wanted].sort();
  }

  differences(): readonly KeyText[] {
    return [...this.addressKeys.keys()]
      .filter(
        (text) =>
          this.uncertain.has(text) || JSON.stringify(this.wanted(text)) !== JSON.stringify(this.nrp.get(text) ?? []),
      )
      .sort();
  }

  #owner(text: KeyText) {
    const uid = this.claims.get(text)?.at(-1);
    return this.pods.find(({ pod }) => pod.uid === uid);
  }

  #holds(text: KeyText): boolean {
    const owner = this.#owner(text);
    return (this.nrp.get(text) ?? []).some(
      (key) => isOutbound(key) && !this.foreign.has(key) && !(owner?.promoted === true && owner.pod.egress === key),
    );
  }
}
