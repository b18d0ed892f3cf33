import { drawSpan } from '../../cloud/span.ts';
import { checkFree } from '../requests/checks.ts';
import { type Answer, type ArmRequest, ok, requireBody } from '../requests/exchange.ts';
import { links, startOperation } from '../requests/long-running.ts';
import { errorBody } from '../requests/refusal.ts';
import type { GatewayAction } from '../requests/target.ts';
import type { ArmWorld } from '../world.ts';

/** API versions from this one on answer at once. */
const SYNCHRONOUS_SINCE = '2025-09-01';

/** updateServices and updateAddressLocations: all of the request, or nothing. */
export function actOnGateway(world: ArmWorld, request: ArmRequest, action: GatewayAction, gatewayId: string): Answer {
  const body = requireBody(request);
  world.existing(gatewayId);
  checkFree(world, gatewayId);
  const apply = () => {
    if (action === 'updateServices') world.tables(gatewayId).updateServices(body);
    else world.tables(gatewayId).updateAddressLocations(body);
  };
  if (request.instant !== true && isLongRunning(world, request)) {
    // Nothing is looked at before the operation ends: a refusal is then its failure.
    const change = { resourceId: gatewayId, finish: apply, fail: () => {}, result: () => undefined };
    const milliseconds = drawSpan(world.behaviour.operationTime, world.random);
    const operation = startOperation(world, request, milliseconds, change);
    return { status: 202, headers: links(world, request, operation, 'location'), body: undefined };
  }
  if (request.failure !== undefined) return ok({ status: 'Failed', ...errorBody(request.failure) });
  apply();
  return ok({ status: 'Succeeded' });
}

function isLongRunning({ behaviour }: ArmWorld, { query }: ArmRequest): boolean {
  if (behaviour.actionStyle !== 'by-api-version') return behaviour.actionStyle === 'long-running';
  return (query.get('api-version') ?? '') < SYNCHRONOUS_SINCE;
}
