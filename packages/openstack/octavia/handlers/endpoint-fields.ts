import type { Node, Service, ServicePort } from '@fairlead/kube';
import {
  endpointsOfPort,
  familiesOf,
  type GatheredEndpoints,
  nodeAddress,
  nodeExclusion,
  selectEndpoints,
  type ServiceEndpoint,
} from '@fairlead/service';
import type { BalancedPort, EndpointSubset, ServiceFields, SubsetEndpoint } from '../resource/types.ts';
import { type NodeSelector, parseNodeSelector } from './annotations.ts';

/** The members of one port of the Service. */
interface PortMembers {
  readonly port: EndpointSubset['ports'][number];
  readonly endpoints: readonly SubsetEndpoint[];
}

/**
 * What stands behind the Service: the pods that take traffic, or the nodes by their node ports. Each port has the
 * endpoints of its own, however slices mix them. An empty list is as good an answer as any. The fields are those that the
 * Service asks for, or of one that is refused, those that it asked for before.
 */
export function endpointFields(
  service: Service,
  { ports = [], members, node_selector = '' }: ServiceFields,
  endpoints: GatheredEndpoints,
  nodes: Iterable<Node>,
): readonly EndpointSubset[] {
  if (members === 'pods') return merged(podMembers(service, ports, endpoints));
  return merged(nodeMembers(service, ports, nodes, parseNodeSelector(node_selector)));
}

/** The port of the Service as it is now: of one that is refused, it may have got another name or number. */
function portNow({ spec: { ports = [] } }: Service, balanced: BalancedPort): ServicePort | undefined {
  const ofProtocol = ports.filter(({ protocol = 'TCP' }) => protocol === balanced.protocol);
  const byNumber = ofProtocol.find(({ port }) => port === balanced.port);
  return byNumber ?? ofProtocol.find(({ name }) => name === balanced.name);
}

function numbered({ name, protocol }: BalancedPort, port: number): PortMembers['port'] {
  return { ...(name === undefined ? {} : { name }), protocol, port };
}

function podMembers(
  service: Service,
  ports: readonly BalancedPort[],
  gathered: GatheredEndpoints,
): readonly PortMembers[] {
  const families = familiesOf(service.spec);
  return ports.flatMap((balanced) => {
    const { protocol } = balanced;
    const name = portNow(service, balanced)?.name ?? '';
    const taking = selectEndpoints(endpointsOfPort(gathered, { name, protocol })).endpoints.filter(({ family }) =>
      families.includes(family),
    );
    const byNumber = Map.groupBy(taking, ({ port }) => port);
    return [...byNumber]
      .toSorted(([left], [right]) => left - right)
      .map(([port, endpoints]) => ({ port: numbered(balanced, port), endpoints: endpoints.map(toEndpoint) }));
  });
}

function toEndpoint({ address, target }: ServiceEndpoint): SubsetEndpoint {
  const { kind, namespace, name } = target ?? {};
  const targetRef = {
    ...(kind === undefined ? {} : { kind }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
  const known = Object.keys(targetRef).length === 0 ? {} : { targetRef };
  return { addresses: [address], conditions: { ready: true }, ...known };
}

/** Every node that takes traffic from outside; a health monitor finds those that are not ready. */
function nodeMembers(
  service: Service,
  ports: readonly BalancedPort[],
  nodes: Iterable<Node>,
  selector: NodeSelector,
): readonly PortMembers[] {
  const [family = 'IPv4'] = familiesOf(service.spec);
  const endpoints = [...nodes]
    .filter((node) => isSelected(node, selector) && nodeExclusion(node, 'left-out') === undefined)
    .flatMap((node): readonly SubsetEndpoint[] => {
      const address = nodeAddress(node, family);
      if (address === undefined) return [];
      const targetRef = { kind: 'Node', name: node.metadata.name };
      return [{ addresses: [address], conditions: { ready: true }, targetRef }];
    })
    .toSorted((left, right) => ((left.addresses[0] ?? '') < (right.addresses[0] ?? '') ? -1 : 1));
  return ports.flatMap((balanced) => {
    const { nodePort = 0 } = portNow(service, balanced) ?? {};
    return nodePort === 0 ? [] : [{ port: numbered(balanced, nodePort), endpoints }];
  });
}

function isSelected({ metadata: { labels = {} } }: Node, selector: NodeSelector): boolean {
  return selector.every(([key, value]) => Object.hasOwn(labels, key) && (value === undefined || labels[key] === value));
}

/** Ports with the same endpoints stand together, as in a slice: most Services have one list, and it may be long. */
function merged(members: readonly PortMembers[]): readonly EndpointSubset[] {
  // The list of nodes is the same one for every port.
  const texts = new Map(members.map(({ endpoints }) => [endpoints, '']));
  for (const endpoints of texts.keys()) texts.set(endpoints, JSON.stringify(endpoints));
  const groups = Map.groupBy(
    members.filter(({ endpoints }) => endpoints.length > 0),
    ({ endpoints }) => texts.get(endpoints),
  );
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ endpoints: first.endpoints, ports: [first, ...others].map(({ port }) => port) }],
  );
}
