import { type LoadBalancer, provisioningOf } from '../../../client/index.ts';
import { readMark } from '../marks.ts';
import type { Sharer } from './sharers.ts';

/** The Services of this cluster, as far as they use load balancers of others, or may inherit them. */
export interface Heirs {
  sharers(): readonly Sharer[];
  /** The UIDs of those that are told to be served on a port. */
  servedOn(portId: string): readonly string[];
  /** Something that the Service of this UID has, or is to have, may have changed: nothing in the cluster tells of it. */
  hasChanged(uid: string): void;
}

/** Has all who use a load balancer look at it when one of them finds it changed, or changes it. */
export class BalancerUsers {
  readonly #heirs: Heirs;
  /** Ids of those that were found in ERROR, of which all who use them have been told. */
  readonly #inError = new Set<string>();

  constructor(heirs: Heirs) {
    this.#heirs = heirs;
  }

  /** The owner makes one in ERROR anew, and those who share it are refused: each by a look of its own. */
  seen(balancer: LoadBalancer, finderUid: string): void {
    const { id } = balancer;
    if (provisioningOf(balancer).kind !== 'error') return void this.#inError.delete(id);
    if (this.#inError.has(id)) return;
    this.#inError.add(id);
    const owner = readMark(balancer)?.service;
    if (owner !== undefined && owner !== finderUid) this.#heirs.hasChanged(owner);
    this.#tellSharers(id, finderUid);
  }

  deleted(id: string): void {
    this.#inError.delete(id);
    this.#tellSharers(id);
  }

  /** Who shares it shows its address, too. */
  addressChanged(id: string, finderUid: string): void {
    this.#tellSharers(id, finderUid);
  }

  #tellSharers(id: string, exceptUid?: string): void {
    for (const { uid, balancerId } of this.#heirs.sharers()) {
      if (balancerId === id && uid !== exceptUid) this.#heirs.hasChanged(uid);
    }
  }
}
