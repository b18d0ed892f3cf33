import { type ServiceImport, SERVICE_NAME, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import type { EndpointSlice } from '@fairlead/kube';

export const NAMESPACE = 'shop';

export interface ClusterSetSize {
  /** With an address of the clusterset, as CoreDNS needs it. */
  readonly services: number;
  /** That export each of these. */
  readonly clusters: number;
  readonly headless: number;
  /** Of each headless Service, all in one cluster. */
  readonly pods: number;
}

/** A Service, and what its name leads to. */
interface ExportedService {
  readonly name: string;
  readonly type: 'ClusterSetIP' | 'Headless';
  readonly addresses: readonly string[];
}

/** The Services of a clusterset, the same at every call: `web-0`, `web-1` and so on, and `db-0` for headless ones. */
export function* clusterSetServices({ services, headless, pods }: ClusterSetSize): Generator<ExportedService> {
  for (let index = 0; index < services; index += 1) {
    const address = `10.${100 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
    yield { name: `web-${index}`, type: 'ClusterSetIP', addresses: [address] };
  }
  for (let index = 0; index < headless; index += 1) {
    const addresses = Array.from({ length: pods }, (_, pod) => `10.${200 + (index >> 8)}.${index & 255}.${pod + 1}`);
    yield { name: `db-${index}`, type: 'Headless', addresses };
  }
}

/** Their objects, as a cluster has them. */
export function* clusterSetObjects(
  size: ClusterSetSize,
): Generator<(ServiceImport | EndpointSlice) & { kind: string }> {
  for (const { name, type, addresses } of clusterSetServices(size)) {
    if (type === 'Headless') {
      yield serviceImport(name, type, []);
      yield slice(name, 'cluster-0', addresses);
      continue;
    }
    yield serviceImport(name, type, addresses);
    for (let cluster = 0; cluster < size.clusters; cluster += 1) {
      yield slice(name, `cluster-${cluster}`, [addressIn(cluster, name)]);
    }
  }
}

function addressIn(cluster: number, service: string): string {
  const index = Number(service.split('-')[1]);
  return `10.${cluster}.${(index >> 8) & 255}.${index & 255}`;
}

const ports = [{ name: 'http', port: 80, protocol: 'TCP' }] as const;

function serviceImport(name: string, type: 'ClusterSetIP' | 'Headless', ips: readonly string[]) {
  const metadata = { namespace: NAMESPACE, name, uid: name, resourceVersion: '1' };
  return { kind: 'ServiceImport', metadata, spec: { type, ports, ips }, status: { clusters: [] } };
}

function slice(service: string, cluster: string, addresses: readonly string[]) {
  const name = `${service}.ipv4.${cluster}`;
  const labels = { [SERVICE_NAME]: service, [SOURCE_CLUSTER]: cluster };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: NAMESPACE, name, uid: name, resourceVersion: '1', labels },
    addressType: 'IPv4',
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports,
  } as const;
}
