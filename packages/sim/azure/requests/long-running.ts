import { type JsonObject, textOf } from '../../json.ts';
import { drawSpan } from '../../cloud/span.ts';
import type { ArmWorld } from '../world.ts';
import { type Answer, type ArmRequest, nothing, ok } from './exchange.ts';
import type { Operation } from './operations.ts';
import { errorBody, invalid, Refusal } from './refusal.ts';
import { rootKey } from './target.ts';

/** A change that Azure may take its time for. */
export interface Change {
  readonly resourceId: string;
  /** Happens when it is over. */
  readonly finish: () => void;
  /** Happens instead when it fails. */
  readonly fail: () => void;
  /** The final answer. */
  readonly result: () => JsonObject | undefined;
}

/** How long this change takes; undefined when Azure answers only when it is done. */
export function timeFor(world: ArmWorld, request: ArmRequest): number | undefined {
  if (request.instant === true) return undefined;
  const milliseconds = drawSpan(world.behaviour.operationTime, world.random);
  return milliseconds > 0 || request.failure !== undefined ? milliseconds : undefined;
}

export function startOperation(world: ArmWorld, request: ArmRequest, milliseconds: number, change: Change): Operation {
  const { failure } = request;
  const finish = () => {
    if (failure === undefined) {
      change.finish();
      return;
    }
    change.fail();
    throw invalid(failure.code, failure.message);
  };
  return world.operations.start(rootKey(change.resourceId), milliseconds, finish, change.result);
}

export type LinkStyle = 'async-operation' | 'location' | 'both';

/** The headers by which a client follows an operation. */
export function links(
  world: ArmWorld,
  request: ArmRequest,
  operation: Operation,
  style: LinkStyle,
): Record<string, string> {
  const [, , subscription = ''] = request.path.split('/');
  const region = textOf(world.store.find(operation.resourceKey)?.body['location']).toLowerCase().replaceAll(' ', '');
  const base = `${request.origin}/subscriptions/${subscription}/providers/Microsoft.Network/locations/${region}`;
  // Azure signs its links; clients send them back as they are.
  const signature = ['t', 'c', 's', 'h'].map((part) => `&${part}=${operation.id}`).join('');
  const query = `?api-version=${request.query.get('api-version') ?? ''}${signature}`;
  return {
    ...(style === 'location' ? {} : { 'azure-asyncoperation': `${base}/operations/${operation.id}${query}` }),
    ...(style === 'async-operation' ? {} : { location: `${base}/operationResults/${operation.id}${query}` }),
    ...pollAfter(world),
  };
}

/** What a client that follows an operation is told. */
export function pollOperation(world: ArmWorld, request: ArmRequest, id: string, asked: 'status' | 'result'): Answer {
  const operation = world.operations.find(id);
  if (operation === undefined) throw new Refusal(404, 'OperationNotFound', `Operation ${id} was not found.`);
  const { status, error } = operation;
  if (status === 'InProgress') {
    if (asked === 'status') return { ...ok({ status }), headers: pollAfter(world) };
    return { status: 202, headers: links(world, request, operation, 'location'), body: undefined };
  }
  // A failure is told with status 200 also to those who asked for the result.
  if (error !== undefined) return ok({ status, ...errorBody(error) });
  if (asked === 'status') return ok({ status });
  const result = world.operations.resultOf(id);
  return result === undefined ? nothing : ok(result);
}

function pollAfter({ behaviour }: ArmWorld): Record<string, string> {
  const seconds = behaviour.pollAfterSeconds;
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}
