import { actOnGateway } from '../service-gateway/actions.ts';
import type { ArmWorld } from '../world.ts';
import type { Answer, ArmRequest } from './exchange.ts';
import { pollOperation } from './long-running.ts';
import { getChild, getResource, listChildren, listResources, listTable } from './reads.ts';
import { Refusal } from './refusal.ts';
import { deleteChild, deleteResource, patchTags, putChild, putResource } from './writes.ts';

type Handlers = Readonly<Record<string, () => Answer>>;

/** What Azure answers. Throws a Refusal where it answers with an error. */
export function answer(world: ArmWorld, request: ArmRequest): Answer {
  world.operations.settle();
  if (!request.query.has('api-version')) {
    throw new Refusal(
      400,
      'MissingApiVersionParameter',
      'The api-version query parameter (?api-version=) is required.',
    );
  }
  const handler = handlersFor(world, request)[request.method];
  if (handler !== undefined) return handler();
  throw new Refusal(405, 'MethodNotAllowed', `${request.method} is not supported for ${request.path}.`);
}

function handlersFor(world: ArmWorld, request: ArmRequest): Handlers {
  const { target } = request;
  switch (target.type) {
    case 'resource':
      return {
        GET: () => getResource(world, target.id),
        PUT: () => putResource(world, request, target),
        PATCH: () => patchTags(world, request, target.id),
        DELETE: () => deleteResource(world, request, target),
      };
    case 'child':
      return {
        GET: () => getChild(world, target.kind, target.parentId, target.name),
        PUT: () => putChild(world, request, target),
        DELETE: () => deleteChild(world, request, target),
      };
    case 'resources':
      return { GET: () => listResources(world, request, target.kind, target.scope) };
    case 'children':
      return { GET: () => listChildren(world, request, target.kind, target.parentId) };
    case 'table':
      return { GET: () => listTable(world, request, target.table, target.gatewayId) };
    case 'action':
      return { POST: () => actOnGateway(world, request, target.action, target.gatewayId) };
    case 'operation':
      return { GET: () => pollOperation(world, request, target.operationId, target.answer) };
  }
}
