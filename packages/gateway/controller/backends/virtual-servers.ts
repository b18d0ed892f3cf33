import { parseIpAddress } from '@fairlead/control';
import type { IpFamily, Service, ServicePort } from '@fairlead/kube';
import {
  affinityOf,
  endpointsOfPort,
  familiesOf,
  nodeAddress,
  type ServiceEndpoint,
  selectByNode,
  selectEndpoints,
  serviceKey,
  sourceRangesOf,
} from '@fairlead/service';
import { slotCount } from '../../agent/nftables/slots.ts';
import { type Backend, MAXIMUM_BACKENDS, type VirtualServer } from '../../protocol/configuration.ts';
import type { L2Port, L4Port } from '../addresses/l2-port.ts';
import { backendsOf, clusterAddressesOf } from '../desired.ts';
import type { ServedService } from '../outcome.ts';
import type { BackendKind, Pool } from '../pools.ts';
import type { ClusterView } from './cluster-view.ts';

/** A virtual server, and the pool whose gateways are to have it. */
export interface PoolServer {
  readonly pool: string;
  readonly server: VirtualServer;
}

/** What the gateways are to do for a Service: one virtual server for each of its ports on each of its addresses. */
export function virtualServersFor(
  {
    claim: { service },
    l2Ports,
    l4Ports,
  }: Pick<ServedService, 'l2Ports' | 'l4Ports'> & {
    readonly claim: { readonly service: Service };
  },
  pools: readonly Pool[],
  cluster: Pick<ClusterView, 'endpointsOf' | 'eligibleNodes'>,
): readonly PoolServer[] {
  const policy = policyOf(service);
  const mostBackends = backendLimit(l4Ports.length);
  return l2Ports.flatMap((l2Port) => {
    const pool = pools.find(({ name }) => name === l2Port.pool);
    if (pool === undefined || pool.gateways.length === 0) return [];
    const kind = kindOf(service, pool);
    return l4Ports.flatMap((l4Port): readonly PoolServer[] => {
      const port = portOf(service, l4Port);
      if (port === undefined) return [];
      const backends = backendsFor(service, port, kind, l2Port.family, cluster);
      const server = {
        address: l2Port.address,
        protocol: l4Port.protocol,
        port: l4Port.port,
        service: serviceKey(service.metadata),
        backends: backends.slice(0, mostBackends),
        ...policy(l2Port),
        preservesClientAddress: pool.preserveClientAddress,
      };
      return [{ pool: pool.name, server }];
    });
  });
}

/** Slots that the ports of one Service may take of a gateway together. */
const MOST_SLOTS = 60_000;

/** A Service with many ports is spread over fewer backends: what it costs a gateway is bounded. */
function backendLimit(ports: number): number {
  const sizes = [MAXIMUM_BACKENDS, 504, 84, 12];
  return sizes.find((backends) => ports * slotCount(backends) <= MOST_SLOTS) ?? 1;
}

/** Who may connect to an address, and who comes back to the same backend. */
function policyOf(service: Service): (l2Port: L2Port) => Pick<VirtualServer, 'affinitySeconds' | 'sourceRanges'> {
  const affinity = affinityOf(service.spec);
  const ranges = sourceRangesOf(service, familiesOf(service.spec));
  return ({ family }) => ({
    ...(affinity.kind === 'none' ? {} : { affinitySeconds: affinity.timeoutSeconds }),
    ...(ranges.kind === 'any' ? {} : { sourceRanges: [...ranges[family]] }),
  });
}

/** One whose annotation is refused goes on with what its pool has. */
function kindOf(service: Service, pool: Pool): BackendKind {
  try {
    return backendsOf(service, pool);
  } catch {
    return pool.backends;
  }
}

function portOf({ spec }: Service, { protocol, port }: L4Port): ServicePort | undefined {
  return spec.ports?.find((one) => one.port === port && (one.protocol ?? 'TCP') === protocol);
}

function backendsFor(
  service: Service,
  port: ServicePort,
  kind: BackendKind,
  family: IpFamily,
  cluster: Pick<ClusterView, 'endpointsOf' | 'eligibleNodes'>,
): readonly Backend[] {
  const endpoints = endpointsOfPort(cluster.endpointsOf(service.metadata), port);
  // A node port or a cluster IP with no endpoint behind it would only refuse later what is refused at once here.
  const selected = selectEndpoints(kind === 'pods' ? endpoints.filter((one) => one.family === family) : endpoints);
  if (selected.from === 'none') return [];
  switch (kind) {
    case 'pods':
      return selected.endpoints.map(({ address, port: number }) => ({ address, port: number }));
    case 'node-ports':
      return nodePorts(service, port, family, endpoints, cluster);
    case 'cluster-ips':
      return clusterAddressesOf(service).flatMap((text) => {
        const parsed = parseIpAddress(text);
        return parsed?.family === family ? [{ address: parsed.address, port: port.port }] : [];
      });
  }
}

/** With `externalTrafficPolicy: Local`, a node without endpoints of its own would drop what it is sent. */
function nodePorts(
  { spec }: Service,
  { nodePort }: ServicePort,
  family: IpFamily,
  endpoints: readonly ServiceEndpoint[],
  cluster: Pick<ClusterView, 'eligibleNodes'>,
): readonly Backend[] {
  if (nodePort === undefined || nodePort === 0) return [];
  const addressed = cluster.eligibleNodes().flatMap((node) => {
    const address = nodeAddress(node, family);
    return address === undefined ? [] : [{ name: node.metadata.name, backend: { address, port: nodePort } }];
  });
  if (spec.externalTrafficPolicy !== 'Local') return addressed.map(({ backend }) => backend);
  const byNode = selectByNode(endpoints);
  const from = (kind: 'ready' | 'terminating') => addressed.filter(({ name }) => byNode.get(name)?.from === kind);
  const ready = from('ready');
  return (ready.length > 0 ? ready : from('terminating')).map(({ backend }) => backend);
}
