import { type Clock, codeOf, type Journal, type Metrics, messageOf, type StepRecord } from '@fairlead/control';
import { type EventRecorder, type EventType, type Service, services } from '@fairlead/kube';
import type { ServiceKey } from '@fairlead/service';
import {
  endpointProgrammingSeconds,
  operationSeconds,
  operationsTotal,
  operationsWaiting,
  retriesTotal,
} from '../metrics.ts';
import { type BackendPoolOperation, distinctServices, type OperationGroup } from './operation-queue.ts';

/** The Events of the updater; users and their alerts go by the reasons. */
export const updateEvents = {
  LoadBalancerBackendPoolUpdated: { type: 'Normal', meaning: 'the backend pool has the nodes that serve the Service' },
  LoadBalancerBackendPoolUpdateRetrying: {
    type: 'Warning',
    meaning: 'an attempt to update the backend pool failed and is repeated later',
  },
  LoadBalancerBackendPoolUpdateFailed: {
    type: 'Warning',
    meaning:
      'the backend pool could not be updated; no further attempt is made before something changes, unless the note says that newer changes are still being tried',
  },
} as const satisfies Readonly<Record<string, { readonly type: EventType; readonly meaning: string }>>;

type UpdateEventReason = keyof typeof updateEvents;

const OPERATION = { prefix: 'services_local', request: 'update_backend_pool' };
const STILL_TRIED = 'Newer changes of this Service are still being tried.';
const GUIDANCE = 'To retrigger, cause an endpoint change for the Service (e.g., restart or scale a backing pod).';

export interface UpdateReporterOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly journal: Journal;
  readonly events: Pick<EventRecorder, 'record'>;
  /** The Service as it is now; undefined when it is gone. */
  readonly serviceOf: (service: ServiceKey) => Service | undefined;
}

/** Tells what came of updates: once for each Service of a group, however many operations it had in it. */
export class UpdateReporter {
  readonly #options: UpdateReporterOptions;

  constructor(options: UpdateReporterOptions) {
    this.#options = options;
  }

  /** `startedAt` is when the attempt began, on the monotonic clock. */
  succeeded(operations: readonly BackendPoolOperation[], startedAt: number): void {
    if (operations.length === 0) return;
    const { clock, metrics } = this.#options;
    this.#observeOperationWithResult(true, startedAt);
    for (const { since } of operations) metrics.observe(endpointProgrammingSeconds, (clock.monotonic() - since) / 1000);
    this.#notify('LoadBalancerBackendPoolUpdated', 'Load balancer backend pool updated successfully', operations);
  }

  /** The attempt failed; these operations are tried again. */
  retrying(operations: readonly BackendPoolOperation[], error: unknown): void {
    if (operations.length === 0) return;
    this.#options.metrics.increment(retriesTotal, { code: codeOf(error) });
    this.#notify(
      'LoadBalancerBackendPoolUpdateRetrying',
      `Backend pool update failed and is retried: ${sentence(error)}`,
      operations,
    );
  }

  /** These operations are given up; `stillTried` are the Services with newer changes of the same pool that are not. */
  failed(
    operations: readonly BackendPoolOperation[],
    error: unknown,
    startedAt: number,
    stillTried: readonly ServiceKey[] = [],
  ): void {
    if (operations.length === 0) return;
    this.#observeOperationWithResult(false, startedAt);
    const note = `Backend pool update failed: ${sentence(error)} ${GUIDANCE}`;
    for (const service of distinctServices(operations)) {
      const own = operations.filter((operation) => operation.service === service);
      const more = stillTried.includes(service) ? ` ${STILL_TRIED}` : '';
      this.#notify('LoadBalancerBackendPoolUpdateFailed', `${note}${more}`, own);
    }
  }

  /** For `fairlead why`: when the next attempt is due, on the monotonic clock, and after what. */
  waiting(group: OperationGroup, dueAt: number, error: unknown): void {
    const { clock } = this.#options;
    const retryAt = clock.now() + Math.max(0, dueAt - clock.monotonic());
    const failed = `what failed at ${poolText(group)}: ${codeOf(error)}`;
    this.#record(group.operations, { kind: 'waiting', for: failed, retryAt });
  }

  noted(group: OperationGroup, text: string): void {
    this.#record(group.operations, { kind: 'note', text: `${poolText(group)}: ${text}` });
  }

  /** Where the calls for a group are written down. */
  recordFor({ operations: [first] }: OperationGroup): StepRecord | undefined {
    return first === undefined ? undefined : { journal: this.#options.journal, key: `service ${first.service}` };
  }

  queued(count: number): void {
    this.#options.metrics.set(operationsWaiting, count);
  }

  #notify(reason: UpdateEventReason, note: string, operations: readonly BackendPoolOperation[]): void {
    const { events, serviceOf } = this.#options;
    this.#record(operations, { kind: 'note', text: `${reason}: ${note}` });
    for (const key of distinctServices(operations)) {
      const service = serviceOf(key);
      if (service !== undefined) events.record(services, service, { type: updateEvents[reason].type, reason, note });
    }
  }

  #record(operations: readonly BackendPoolOperation[], record: Parameters<Journal['record']>[1]): void {
    for (const service of distinctServices(operations)) this.#options.journal.record(`service ${service}`, record);
  }

  /** Of an operation that ended; never of an attempt that is repeated. */
  #observeOperationWithResult(isSuccess: boolean, startedAt: number): void {
    const { clock, metrics } = this.#options;
    metrics.increment(operationsTotal, { ...OPERATION, result: isSuccess ? 'succeeded' : 'failed' });
    metrics.observe(operationSeconds, (clock.monotonic() - startedAt) / 1000, OPERATION);
  }
}

function poolText({ loadBalancer, backendPool }: OperationGroup): string {
  return `backend pool ${loadBalancer}/${backendPool}`;
}

/** Ends in one full stop. */
function sentence(error: unknown): string {
  return `${messageOf(error).replace(/[.\s]+$/, '')}.`;
}
