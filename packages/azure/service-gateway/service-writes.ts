import type { KubeClient, Service, WriteOptions } from '@fairlead/kube';
import { services } from '@fairlead/kube';
import type { ClaimedService, ServiceToRelease } from '@fairlead/service';

/** What holds a Service until nothing of it is left outside: ours, and those that Azure's own controller knows. */
const AZURE_FINALIZER = 'servicegateway.azure.com/service-cleanup';
const CLOUD_PROVIDER_FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

/**
 * Puts all finalizers on a Service in one write, before anything exists outside; none when they are there. Rejects as
 * stale when the Service changed since it was read.
 */
export async function holdWithFinalizers(
  client: Pick<KubeClient, 'patchMerge'>,
  { service, rules }: ClaimedService,
  options: WriteOptions,
): Promise<Service> {
  const missing = missingFinalizers({ service, rules });
  if (missing.length === 0) return service;
  return write(client, service, [...(service.metadata.finalizers ?? []), ...missing], options);
}

/** What is still to be put on a Service before anything may exist outside. */
export function missingFinalizers({ service, rules }: Pick<ClaimedService, 'service' | 'rules'>): readonly string[] {
  const wanted = [rules.finalizer, AZURE_FINALIZER, CLOUD_PROVIDER_FINALIZER];
  return wanted.filter((finalizer) => !service.metadata.finalizers?.includes(finalizer));
}

/** Takes our finalizers off in one write, last of all. Whoever serves the Service next may need the shared one. */
export async function letGoOfFinalizers(
  client: Pick<KubeClient, 'patchMerge'>,
  { service, rules, reason }: ServiceToRelease,
  options: WriteOptions,
): Promise<Service> {
  const movedOn = reason === 'class-changed' || reason === 'owned-by-other-part';
  const ours = [rules.finalizer, AZURE_FINALIZER, ...(movedOn ? [] : [CLOUD_PROVIDER_FINALIZER])];
  const present = service.metadata.finalizers ?? [];
  const left = present.filter((finalizer) => !ours.includes(finalizer));
  return left.length === present.length ? service : write(client, service, left, options);
}

function write(
  client: Pick<KubeClient, 'patchMerge'>,
  service: Service,
  finalizers: readonly string[],
  options: WriteOptions,
): Promise<Service> {
  const { resourceVersion } = service.metadata;
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  const metadata = { ...version, finalizers: finalizers.length > 0 ? finalizers : null };
  return client.patchMerge<Service>(services, service.metadata, { metadata }, options);
}
