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
import { MOST_RULES_PER_NODE } from './node-claims.ts';

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
  NodesWithoutRoomForRules: {
    type: 'Warning',
    meaning: 'nodes that serve the Service have no room for its rules, and are left out of its backend pools',
  },
} as const satisfies Readonly<Record<string, { readonly type: EventType; readonly meaning: string }>>;

type UpdateEventReason = keyof typeof updateEvents;

const OPERATION = { prefix: 'services_local', request: 'update_backend_pool' };
const MOST_NODES_SHOWN = 5;
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

  /** These nodes serve the Service, and its pools go without them. */
  leftOut(service: ServiceKey, nodes: readonly string[]): void {
    const shown = nodes.slice(0, MOST_NODES_SHOWN).join(', ');
    const more = nodes.length > MOST_NODES_SHOWN ? ` and ${nodes.length - MOST_NODES_SHOWN} more` : '';
    const note =
      `${shown}${more}: so many rules of other Services lead there that there is no room for those of this one, as ` +
      `Azure limits them for each network interface, and ${MOST_RULES_PER_NODE} are used at most. ` +
      'Its pods there get no traffic: spread pods over more nodes, or give Services fewer ports.';
    this.#tell('NodesWithoutRoomForRules', note, service);
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
    for (const service of distinctServices(operations)) this.#tell(reason, note, service);
  }

  #tell(reason: UpdateEventReason, note: string, key: ServiceKey): void {
    const { events, serviceOf, journal } = this.#options;
    journal.record(`service ${key}`, { kind: 'note', text: `${reason}: ${note}` });
    const service = serviceOf(key);
    if (service !== undefined) events.record(services, service, { type: updateEvents[reason].type, reason, note });
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
