import { type Clock, codeOf, type Logger } from '@fairlead/control';
import type { ClusterEvents } from '@fairlead/part';
import { type ServiceKey, serviceEvents } from '@fairlead/service';
import { stableMessage } from '../cloud/azure-errors.ts';
import { type InboundKey, type NrpKey, nrpName } from '../engine/nrp-key.ts';

const INTERVAL_MILLISECONDS = 600_000;
const NAMED = 3;

export interface LeftoverFailuresOptions {
  readonly clock: Clock;
  readonly cluster: Pick<ClusterEvents, 'record'>;
  readonly logger: Logger;
  /** As far as they are remembered. */
  readonly names: ReadonlyMap<NrpKey, ServiceKey>;
}

/** Tells of things in Azure that cannot be deleted and whose Service is gone, so that it cannot be told on that. */
export class LeftoverFailures {
  readonly #options: LeftoverFailuresOptions;
  readonly #failing = new Set<InboundKey>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: LeftoverFailuresOptions) {
    this.#options = options;
  }

  /** An attempt has failed, and is repeated. Told at once, and then every ten minutes at most. */
  failed(key: InboundKey, error: unknown): void {
    const { clock, cluster, logger } = this.#options;
    this.#failing.add(key);
    const now = clock.monotonic();
    if (now - this.#toldAt < INTERVAL_MILLISECONDS) return;
    this.#toldAt = now;
    const code = codeOf(error);
    const note = `Leftovers in Azure cannot be deleted: ${this.#names()}. ${code}: ${stableMessage(error)}`;
    logger.warn({ code, leftovers: this.#failing.size }, note);
    cluster.record({ type: serviceEvents.DeleteLoadBalancerFailed.type, reason: 'DeleteLoadBalancerFailed', note });
  }

  /** Nothing is left of it, or the cluster wants it again. */
  settled(key: InboundKey): void {
    this.#failing.delete(key);
  }

  /** The UID is what things are named by in Azure. */
  #names(): string {
    const named = [...this.#failing].slice(0, NAMED).map((key) => {
      const name = this.#options.names.get(key);
      return name === undefined ? `Service ${nrpName(key)}` : `Service ${name} (${nrpName(key)})`;
    });
    const others = this.#failing.size - named.length;
    return `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  }
}
