import { findFairleadError } from '@fairlead/control';
import type { KubeObject, Node, ObjectWriter, Service } from '@fairlead/kube';
import { type ClaimRules, claimService, type EndpointIndex } from '@fairlead/service';
import type { Site } from '../drivers/site.ts';
import { appliedByEndpoints, ENDPOINTS_MANAGER } from '../resource/applied.ts';
import { isNewerShape } from '../resource/older-shapes.ts';
import { isOwnResource, type KuryrLoadBalancer, type ServiceFields, serviceUidOf } from '../resource/types.ts';
import { endpointFields } from './endpoint-fields.ts';
import { serviceFields } from './service-fields.ts';

const ABOUT = {
  name: 'apply-endpoints',
  ifItDiesHere: 'The resource has its endpoints, or not: the next leader compares them with the slices.',
};

/** A cache, or what stands for it. */
export interface Lookup<Kept extends KubeObject> {
  get(key: string): Kept | undefined;
}

export interface EndpointsHandlerOptions {
  readonly site: Site;
  readonly rules: ClaimRules;
  readonly services: Lookup<Service>;
  readonly resources: Lookup<KuryrLoadBalancer>;
  readonly endpoints: EndpointIndex;
  readonly nodes: () => Iterable<Node>;
  readonly writer: ObjectWriter<KuryrLoadBalancer>;
}

/** Puts what stands behind a Service into its resource, which it creates when it comes first. */
export class EndpointsHandler {
  readonly #options: EndpointsHandlerOptions;

  constructor(options: EndpointsHandlerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<void> {
    const { site, rules, services, resources, endpoints, nodes, writer } = this.#options;
    const service = services.get(key);
    // Endpoints whose Service is not ours, or does not exist, create nothing.
    if (service === undefined || claimService(service, rules).state !== 'claimed') return;
    const resource = writer.latest(key, resources.get(key));
    if (resource !== undefined && !isFor(service, resource)) return;
    // One that is refused gets no resource; what it has of before is kept up to date.
    const served = asked(service, site) ?? { members: site.members, ...resource?.spec };
    if (served.ports === undefined) return;
    const found = endpointFields(service, served, endpoints.endpoints(service.metadata), nodes());
    const applied = appliedByEndpoints(service, found, resource);
    if (applied !== undefined) await writer.apply(applied, ENDPOINTS_MANAGER, ABOUT, signal);
  }
}

/** The resource of a Service of the same name that was there before goes first. */
function isFor({ metadata }: Service, resource: KuryrLoadBalancer): boolean {
  if (resource.metadata.deletionTimestamp !== undefined || isNewerShape(resource)) return false;
  return isOwnResource(resource) && serviceUidOf(resource) === metadata.uid;
}

/** Undefined when it is refused: the ServiceHandler tells of that. */
function asked(service: Service, site: Site): ServiceFields | undefined {
  try {
    return serviceFields(service, site);
  } catch (error) {
    if (findFairleadError(error) === undefined) throw error;
    return undefined;
  }
}
