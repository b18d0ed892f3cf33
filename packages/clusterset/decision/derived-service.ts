import { familyOf, parseIpAddress, picked } from '@fairlead/control';
import {
  type Endpoint,
  jsonEqual,
  type Service,
  type ServiceSpec,
  services,
  type WantedCondition,
} from '@fairlead/kube';
import type { ImportedPort, ImportType, ServiceImportSpec } from '../mcs/types.ts';
import { excludes } from '../merge/ports.ts';
import { type ExportedSlice, podSlice } from '../records/exported-slices.ts';
import { DEFAULT_AFFINITY_SECONDS, isHeadless } from '../records/local-export.ts';
import { DERIVED_IPS, derivedKey, derivedLabels, isOurs } from '../records/marks.ts';
import { derivedServiceName } from '../records/names.ts';
import type { Observation } from './observation.ts';
import type { Settings } from './settings.ts';
import { AGAIN, ensureImport, remove, type Write } from './write.ts';

/** On an import whose derived Service is not what it should be. */
export const DERIVED_SERVICE = 'fairlead.dev/DerivedService';

/** What becomes of the Service that gives an import an address in this cluster. */
export interface Derived {
  readonly writes: readonly Write[];
  /** Of the families that the import has; none until the server has given them. */
  readonly ips: readonly string[];
  readonly conditions: readonly WantedCondition[];
}

/** The Service under the name of the derived one, where it is ours. */
export function ownDerived({ key, derivedService: found }: Observation): Service | undefined {
  return found !== undefined && derivedKey(found)?.name === key.name ? found : undefined;
}

/** Whether slices are to stand behind a Service of ours: never behind one of the same name that is not. */
export function derives(observed: Observation, type: ImportType, { derivedServices }: Settings): boolean {
  const { derivedService: found, imported } = observed;
  if (!derivedServices || type !== 'ClusterSetIP') return false;
  if (imported !== undefined && !isOurs(imported)) return false;
  return found === undefined || ownDerived(observed) !== undefined;
}

/** What is to be done for an import, so that kube-proxy balances over the clusters behind it. */
export function derivedService(observed: Observation, spec: ServiceImportSpec, settings: Settings): Derived {
  const { key } = observed;
  const own = ownDerived(observed);
  const gone = { writes: remove('member', services, [own]), ips: [], conditions: [] };
  if (!settings.derivedServices || spec.type !== 'ClusterSetIP') return gone;
  if (!derives(observed, spec.type, settings)) {
    const message = `The Service ${derivedServiceName(key.name)} is not ours: it is left alone, and the import has no address.`;
    return { writes: [], ips: [], conditions: [notDerived('NameTaken', message)] };
  }
  const ports = portsOf(spec);
  const leftOut = (spec.ports ?? []).length - ports.length;
  // No Service can be without ports.
  if (ports.length === 0) return gone;
  const message = `Of the ports of the import, ${leftOut} are left out: a Service needs a name for each of several.`;
  return {
    writes: ensureDerived(observed, specOf(spec, ports)),
    ips: own === undefined ? [] : addressesOf(own, spec, settings),
    conditions: leftOut === 0 ? [] : [notDerived('UnnamedPorts', message)],
  };
}

/** Takes away what is there of it after the setting was turned off, which needs no broker. */
export function retired(observed: Observation, settings: Settings): readonly Write[] {
  const { key, imported } = observed;
  if (settings.derivedServices) return [];
  const { labels = {}, annotations: { [DERIVED_IPS]: ips, ...annotations } = {} } = imported?.metadata ?? {};
  const target = { at: 'member', resource: settings.serviceImports, key } as const;
  const addressed = imported === undefined || ips === undefined ? undefined : imported;
  const { ips: _, ...spec } = addressed?.spec ?? { type: 'ClusterSetIP', ports: [] };
  return [
    ...(addressed === undefined ? [] : ensureImport(target, addressed, { spec, labels, annotations })),
    ...remove('member', services, [ownDerived(observed)]),
  ];
}

/**
 * The pods of this cluster behind the Service: kube-proxy takes no Service address of its own cluster for an endpoint.
 * They keep their nodes, which is what `internalTrafficPolicy: Local` goes by.
 */
export function localShare(observed: Observation, settings: Settings): readonly ExportedSlice[] {
  const { service, podSlices } = observed;
  if (service === undefined || isHeadless(service) || !derives(observed, 'ClusterSetIP', settings)) return [];
  const local = (one: Endpoint) => ({ addresses: one.addresses, ...picked(one, ['conditions', 'nodeName', 'zone']) });
  return podSlices.flatMap((slice) => podSlice(slice, local));
}

function notDerived(reason: string, message: string): WantedCondition {
  return { type: DERIVED_SERVICE, status: 'False', reason, message };
}

function portsOf({ ports }: ServiceImportSpec): readonly ImportedPort[] {
  const all = ports ?? [];
  const isNamed = ({ name = '' }: ImportedPort) => name !== '' || all.length === 1;
  return all.filter((port, index) => isNamed(port) && !all.slice(0, index).some((other) => excludes(other, port)));
}

/** What of a Service is ours to say, with the defaults of the server. */
function specOf(spec: ServiceImportSpec, ports: readonly ImportedPort[]) {
  const { sessionAffinity = 'None', sessionAffinityConfig, internalTrafficPolicy = 'Cluster' } = spec;
  const timeoutSeconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS;
  return {
    type: 'ClusterIP',
    ports: ports.map(({ name = '', protocol = 'TCP', port, appProtocol }) => ({
      ...(name !== '' && { name }),
      protocol,
      port,
      targetPort: port,
      ...(appProtocol !== undefined && { appProtocol }),
    })),
    sessionAffinity,
    ...(sessionAffinity === 'ClientIP' && { sessionAffinityConfig: { clientIP: { timeoutSeconds } } }),
    internalTrafficPolicy,
  } as const satisfies ServiceSpec;
}

function ensureDerived(observed: Observation, wanted: ReturnType<typeof specOf>): readonly Write[] {
  const { namespace, name: service } = observed.key;
  const labels = derivedLabels(service);
  const rest = { at: 'member', resource: services, preconditions: [], ifItDiesHere: AGAIN } as const;
  const existing = ownDerived(observed);
  if (existing === undefined) {
    // The families are those that this cluster has: it may lack one that others have.
    const spec: ServiceSpec = { ...wanted, ipFamilyPolicy: 'PreferDualStack' };
    const object: Service = { metadata: { namespace, name: derivedServiceName(service), labels }, spec };
    return [{ ...rest, verb: 'create', object }];
  }
  if (existing.metadata.deletionTimestamp !== undefined) return [];
  const { type, ports, sessionAffinity, sessionAffinityConfig, internalTrafficPolicy, selector, ...others } =
    existing.spec;
  const found = {
    type,
    ports,
    sessionAffinity,
    ...(sessionAffinityConfig !== undefined && { sessionAffinityConfig }),
    internalTrafficPolicy,
  };
  // With a selector, another controller would put endpoints behind it.
  const isSelecting = Object.keys(selector ?? {}).length > 0;
  if (jsonEqual(found, wanted) && !isSelecting) return [];
  const object: Service = { ...existing, spec: { ...others, ...wanted } };
  return [{ ...rest, verb: 'update', object }];
}

/** Definitions of v1alpha1 that other projects install may take no more than one. */
function addressesOf({ spec }: Service, { ipFamilies = [] }: ServiceImportSpec, { serviceImports }: Settings) {
  const addresses = (spec.clusterIPs ?? []).flatMap((text) => parseIpAddress(text)?.address ?? []);
  const reached = addresses.filter((address) => ipFamilies.length === 0 || ipFamilies.includes(familyOf(address)));
  return serviceImports.version === 'v1alpha1' ? reached.slice(0, 1) : reached;
}
