import { type Clock, codeOf, type Logger, type Metrics } from '@fairlead/control';
import { TOO_MANY_TAGS } from '../../arm/index.ts';
import type { Engine } from '../engine/engine.ts';
import type { NrpKey } from '../engine/nrp-key.ts';
import type { ServiceSpec } from '../engine/service-spec.ts';
import { isLive, type ServiceState } from '../engine/service-state.ts';
import { driftTotal } from '../metrics.ts';
import {
  type DefaultOutboundFamilies,
  ensureDefaultOutboundServiceExists,
  ensureServiceGateway,
} from './gateway-setup.ts';
import type { InventoryKind, KnownAzure } from './inventory.ts';
import type { Leftovers } from './leftovers.ts';
import { loadObserved } from './observed.ts';
import { type CreationPlan, planCreation } from './plan.ts';
import type { Repository } from './repository.ts';

/** What an operator or another program may change of a service; `owner`: something of its name carries another's marks. */
type Drifted = InventoryKind | 'registration' | 'owner';
const LOST: readonly Drifted[] = ['registration'];

export interface AzureComparisonOptions {
  readonly engine: Engine;
  readonly repository: Repository;
  readonly leftovers: Leftovers;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly defaultOutbound: DefaultOutboundFamilies | undefined;
}

/** Compares what exists in Azure with what we think, and puts it right. */
export class AzureComparison {
  readonly #options: AzureComparisonOptions;

  constructor(options: AzureComparisonOptions) {
    this.#options = options;
  }

  /** One look at everything. */
  async compare(signal: AbortSignal): Promise<void> {
    const { engine, repository, leftovers, clock, logger } = this.#options;
    const setup = await ensureServiceGateway(repository, { signal });
    if (setup.created || setup.attached) logger.warn({ ...setup }, 'the service gateway had to be set up again');
    const listing = await repository.list({ signal });
    const isWanted = (key: NrpKey) => engine.tracker.wanted.has(key);
    const registered = await loadObserved(listing, repository, engine.tracker, isWanted, clock);
    for (const [key, state] of engine.states) this.#compareService(key, state);
    const { services, addresses } = leftovers.plan(registered, listing.begunAt);
    leftovers.delete([...services, ...addresses]);
    ensureDefaultOutboundServiceExists(engine, registered, this.#options.defaultOutbound);
    engine.tracker.clearQuarantine();
    engine.retryParked();
    engine.checkPendingDeletions();
  }

  /** A live service that is not, or not all, there any more is made anew or put right. */
  #compareService(key: NrpKey, state: ServiceState): void {
    const { engine, repository, metrics, logger } = this.#options;
    if (!isLive(state)) return;
    const registration = repository.inventory.registration(key).state;
    if (registration === 'unknown') return;
    const isRegistered = registration === 'present';
    const drifted = state.kind === 'Created' ? differences(repository, state.spec) : isRegistered ? [] : LOST;
    if (drifted.length === 0) return;
    for (const what of drifted) metrics.increment(driftTotal, { what });
    const problem = isRegistered ? 'what a service has outside was changed' : 'the gateway has lost a service';
    logger.warn({ service: key, drifted }, `${problem}: putting it right`);
    engine.onDrift(key, isRegistered);
  }
}

/** What is not as the spec says. Why that cannot be is told by the attempt to put it right. */
function differences(azure: KnownAzure, spec: ServiceSpec): readonly Drifted[] {
  let plan: CreationPlan;
  try {
    plan = planCreation(azure, spec);
  } catch (error) {
    return codeOf(error) === TOO_MANY_TAGS ? ['publicIPAddresses'] : ['owner'];
  }
  const resources = [...plan.prepare, ...plan.tidyUp].map(({ resource }) => resource);
  return [...new Set(resources), ...(plan.register === undefined ? [] : LOST)];
}
