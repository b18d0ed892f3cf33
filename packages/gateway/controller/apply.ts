import type { Step } from '@fairlead/control';
import { type KubeClient, type Resource, type Service, services, statusOf } from '@fairlead/kube';
import type { GatewayStep } from './plan.ts';

/** One write must fit into what is left of the Lease. */
export const WRITE_DEADLINE_MILLISECONDS = 4_000;

/**
 * The planned writes as steps that can be run. Each goes on from the version that the one before it left; a Service
 * that somebody else changed meanwhile is refused by the server, and is planned for afresh. `onWritten` is told of the
 * Service as each write left it.
 */
export function toSteps(
  client: Pick<KubeClient, 'patchMerge'>,
  service: Service,
  planned: readonly GatewayStep[],
  onWritten: (service: Service) => void,
): readonly Step[] {
  let latest = service;
  return planned.map((step) => ({
    name: step.name,
    call: `PATCH ${step.subresource === 'status' ? 'services/status' : 'services'}`,
    ifItDiesHere: step.ifItDiesHere,
    async run(signal) {
      latest = await write(client, latest, step, signal);
      onWritten(latest);
    },
  }));
}

function write(
  client: Pick<KubeClient, 'patchMerge'>,
  service: Service,
  step: GatewayStep,
  signal: AbortSignal,
): Promise<Service> {
  const { resourceVersion } = service.metadata;
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  const patch = { ...step.patch, metadata: { ...step.patch.metadata, ...version } };
  const resource: Resource<Service> = step.subresource === 'status' ? statusOf(services) : services;
  const options = { signal, deadlineMilliseconds: WRITE_DEADLINE_MILLISECONDS, fieldManager: 'fairlead-gateway' };
  return client.patchMerge<Service>(resource, service.metadata, patch, options);
}
