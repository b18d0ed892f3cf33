import { findCondition, type KubeClient, type Service, services, statusOf, type WriteOptions } from '@fairlead/kube';
import { type ForeignService, isOwnerFinalizer, PROGRAMMED_CONDITION } from '@fairlead/service';
import { FIELD_MANAGER } from './gateway-scope.ts';

/** Whether a Service that is not ours may say that we refuse it. A cache does not keep who said so: it must be read. */
export function mayCarryRefusal({ service, reason }: ForeignService): boolean {
  const isHeld = service.metadata.finalizers?.some(isOwnerFinalizer) ?? false;
  return !isHeld && reason !== 'being-deleted' && findCondition(service, PROGRAMMED_CONDITION) !== undefined;
}

/** Whether it does, and nobody else has put a condition on it: all parts of Fairlead use the same one. */
export function carriesRefusal(claim: ForeignService): boolean {
  const writers = conditionWriters(claim.service);
  return mayCarryRefusal(claim) && writers.length > 0 && writers.every((writer) => writer === FIELD_MANAGER);
}

/** Takes back all that is said of the Service, which is ours. Rejects as stale when it changed since it was read. */
export function withdrawRefusal(
  client: Pick<KubeClient, 'patchMerge'>,
  { service }: ForeignService,
  options: WriteOptions,
): Promise<Service> {
  const { resourceVersion } = service.metadata;
  const version = resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
  const patch = { ...version, status: { conditions: null } };
  return client.patchMerge<Service>(statusOf(services), service.metadata, patch, options);
}

/** Who has a part in the conditions of the Service, as the API server keeps it. */
function conditionWriters({ metadata }: Service): readonly unknown[] {
  const entries: readonly unknown[] =
    'managedFields' in metadata && Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
  return entries
    .filter((entry) => valueAt(entry, 'fieldsV1', 'f:status', 'f:conditions') !== undefined)
    .map((entry) => valueAt(entry, 'manager'));
}

function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const name of path) current = isRecord(current) ? current[name] : undefined;
  return current;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
