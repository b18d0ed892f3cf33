import { type JsonDraft, type JsonObject, objectOf } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import { forbidden, frameworkRefusal } from './refusals.ts';
import type { OctaviaKind } from './store.ts';

/** By project, then by resource, such as `load_balancer`; what is not there is without limit. */
export type Quotas = Map<string, ReadonlyMap<string, number>>;

const UNLIMITED = -1;
const NAMES: Readonly<Partial<Record<OctaviaKind, string>>> = {
  loadbalancers: 'load_balancer',
  listeners: 'listener',
  pools: 'pool',
  members: 'member',
  healthmonitors: 'health_monitor',
};

/** How many of a kind a project may have; a negative number is without limit. */
export function quotaFor(quotas: Quotas, projectId: string, kind: OctaviaKind): number {
  return quotas.get(projectId)?.get(NAMES[kind] ?? '') ?? UNLIMITED;
}

/** `GET`, `PUT` and `DELETE /quotas/PROJECT`. */
export function answerQuota(
  quotas: Quotas,
  { isAdmin, projectId }: Requester,
  id: string,
  { method, body }: { readonly method: string; readonly body: JsonObject | undefined },
): { readonly status: number; readonly body: JsonObject | undefined } {
  const isAllowed = isAdmin || (method === 'GET' && id === projectId);
  if (!isAllowed) throw forbidden();
  if (method === 'DELETE') {
    quotas.delete(id);
    return { status: 202, body: undefined };
  }
  if (method === 'GET') return { status: 200, body: { quota: shown(quotas, id) } };
  if (method !== 'PUT') throw frameworkRefusal(405, '');
  const limits = new Map(quotas.get(id));
  for (const [name, limit] of Object.entries(objectOf(body?.['quota']))) {
    if (typeof limit === 'number') limits.set(name, limit);
  }
  quotas.set(id, limits);
  return { status: 202, body: { quota: shown(quotas, id) } };
}

function shown(quotas: Quotas, projectId: string): JsonObject {
  const draft: JsonDraft = { l7policy: UNLIMITED, l7rule: UNLIMITED };
  for (const name of Object.values(NAMES)) draft[name] = quotas.get(projectId)?.get(name) ?? UNLIMITED;
  return draft;
}
