import { isRecord } from '@fairlead/control';
import {
  type Applied,
  controllerReference,
  hasFinalizer,
  jsonEqual,
  type ObjectWrite,
  type Service,
  services,
} from '@fairlead/kube';
import {
  type EndpointSubset,
  FINALIZER,
  type KuryrLoadBalancer,
  type KuryrLoadBalancerSpec,
  type ServiceFields,
  serviceUidOf,
} from './types.ts';

/** The managers of the fields: each handler owns what it applies, and nothing else. */
export const SERVICE_MANAGER = 'fairlead-service-handler';
export const ENDPOINTS_MANAGER = 'fairlead-endpoints-handler';

/** Every field that the ServiceHandler may own, so that one that is no longer wanted is noticed. */
const SERVICE_FIELDS: Readonly<Record<keyof ServiceFields, true>> = {
  schema_version: true,
  type: true,
  ip: true,
  lb_ip: true,
  ports: true,
  project_id: true,
  security_groups_ids: true,
  members: true,
  node_selector: true,
  subnet_id: true,
  member_subnet_id: true,
  provider: true,
  flavor_id: true,
  availability_zone: true,
  timeout_client_data: true,
  timeout_member_data: true,
  adopts: true,
  adopted_addresses: true,
  vip: true,
  floating_ip: true,
  traffic: true,
  health_monitor: true,
};

/** What either handler says of the resource, as either may come first: whose it is, and that we hold it. */
function metadataFor(service: Service): Applied<KuryrLoadBalancer>['metadata'] {
  const { name, namespace } = service.metadata;
  const { blockOwnerDeletion: _, ...owner } = controllerReference(services, service);
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    finalizers: [FINALIZER],
    ownerReferences: [owner],
  };
}

/** The ServiceHandler's part; undefined when the resource has it so. */
export function appliedByService(
  service: Service,
  fields: ServiceFields,
  resource: KuryrLoadBalancer | undefined,
): Applied<KuryrLoadBalancer> | undefined {
  const { spec = {} } = resource ?? {};
  const there = Object.fromEntries(Object.entries(spec).filter(([name]) => name in SERVICE_FIELDS));
  if (isHeldFor(service, resource) && jsonEqual(there, fields)) return undefined;
  return { metadata: metadataFor(service), spec: fields };
}

/**
 * What takes out of the ServiceHandler's fields what another has put there: to apply without them takes only those that
 * we own. Empty when there is nothing of it.
 */
export function foreignFieldWrites(
  fields: ServiceFields,
  { spec = {} }: KuryrLoadBalancer,
): readonly ObjectWrite<KuryrLoadBalancer>[] {
  const there = Object.fromEntries(Object.entries(spec).filter(([name]) => name in SERVICE_FIELDS));
  const nulls = missingFrom(fields, there);
  if (Object.keys(nulls).length === 0) return [];
  const ifItDiesHere = 'The next leader finds what the Service does not ask for, and takes it out.';
  return [{ name: 'clear-foreign-fields', ifItDiesHere, patch: { spec: nulls } }];
}

/** As a merge patch has it: null for each field of `there` that is not wanted. */
function missingFrom(wanted: object, there: object): Readonly<Record<string, unknown>> {
  const nulls = Object.entries(there).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    const asked: unknown = Reflect.get(wanted, name);
    if (asked === undefined) return [[name, null]];
    if (!isRecord(value) || !isRecord(asked)) return [];
    const inner = missingFrom(asked, value);
    return Object.keys(inner).length === 0 ? [] : [[name, inner]];
  });
  return Object.fromEntries(nulls);
}

/** The EndpointsHandler's part; undefined when the resource has it so. */
export function appliedByEndpoints(
  service: Service,
  endpointSlices: readonly EndpointSubset[],
  resource: KuryrLoadBalancer | undefined,
): Applied<KuryrLoadBalancer> | undefined {
  const spec: KuryrLoadBalancerSpec = { endpointSlices };
  if (isHeldFor(service, resource) && jsonEqual(resource?.spec?.endpointSlices, endpointSlices)) return undefined;
  return { metadata: metadataFor(service), spec };
}

function isHeldFor({ metadata }: Service, resource: KuryrLoadBalancer | undefined): boolean {
  return resource !== undefined && hasFinalizer(resource, FINALIZER) && serviceUidOf(resource) === metadata.uid;
}
