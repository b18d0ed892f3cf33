import { type JsonDraft, type JsonObject, objectOf } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import { badRequest, Refusal } from '../refusal.ts';
import type { Kind } from './store.ts';
import type { NeutronWorld } from './world.ts';

const COUNTED: Readonly<Record<string, Kind>> = {
  network: 'networks',
  subnet: 'subnets',
  port: 'ports',
  router: 'routers',
  floatingip: 'floatingips',
  security_group: 'security-groups',
};

/** `GET`, `PUT` and `DELETE /quotas/PROJECT`. */
export function answerQuota(
  world: NeutronWorld,
  requester: Requester,
  projectId: string,
  { method, body }: { readonly method: string; readonly body: JsonObject | undefined },
): JsonObject | undefined {
  if (method === 'GET') return { quota: quotaOf(world, projectId) };
  if (!requester.isAdmin) {
    const verb = method === 'PUT' ? 'update' : 'delete';
    throw new Refusal(403, 'PolicyNotAuthorized', `rule:${verb}_quota is disallowed by policy`);
  }
  if (method === 'DELETE') {
    if (world.quotas.delete(projectId)) return undefined;
    throw new Refusal(404, 'TenantQuotaNotFound', `Quota for project ${projectId} could not be found.`);
  }
  const limits = new Map(world.quotas.get(projectId));
  for (const [resource, limit] of Object.entries(objectOf(body?.['quota']))) {
    const kind = COUNTED[resource];
    if (kind === undefined || typeof limit !== 'number') throw badRequest(`Unrecognized attribute(s) '${resource}'`);
    const used = world.store.all(kind).filter((object) => object['project_id'] === projectId).length;
    if (limit >= 0 && used > limit) {
      throw badRequest(`Quota limit ${limit} for ${resource} must be greater than or equal to already used ${used}`);
    }
    limits.set(resource, limit);
  }
  world.quotas.set(projectId, limits);
  return { quota: quotaOf(world, projectId) };
}

function quotaOf(world: NeutronWorld, projectId: string): JsonObject {
  const draft: JsonDraft = { subnetpool: -1, rbac_policy: 10, security_group_rule: -1 };
  for (const resource of Object.keys(COUNTED)) draft[resource] = world.quotas.get(projectId)?.get(resource) ?? -1;
  return draft;
}
