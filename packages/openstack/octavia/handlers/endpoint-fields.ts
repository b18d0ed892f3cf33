import type { Node, Service } from '@fairlead/kube';
import {
  demandsOf,
  endpointsOfPort,
  type GatheredEndpoints,
  nodeAddress,
  nodeExclusion,
  selectEndpoints,
  type ServiceDemands,
  type ServiceEndpoint,
} from '@fairlead/service';
import type { Site } from '../drivers/site.ts';
import type { EndpointSubset, SubsetEndpoint } from '../resource/types.ts';
import { Annotations } from './annotations.ts';
import { memberKindOf } from './service-fields.ts';

/** The members of one port of the Service. */
interface PortMembers {
  readonly port: EndpointSubset['ports'][number];
  readonly endpoints: readonly SubsetEndpoint[];
}

/**
 * What stands behind the Service: the pods that take traffic, or the nodes by their node ports. Each port has the
 * endpoints of its own, however slices mix them. An empty list is as good an answer as any.
 */
export function endpointFields(
  service: Service,
  endpoints: GatheredEndpoints,
  nodes: Iterable<Node>,
  site: Site,
): readonly EndpointSubset[] {
  const annotations = new Annotations(service);
  const demands = demandsOf(service);
  const isByPod = memberKindOf(annotations, site) === 'pods';
  return merged(isByPod ? podMembers(demands, endpoints) : nodeMembers(demands, nodes, annotations.nodeSelector));
}

function podMembers(demands: ServiceDemands, gathered: GatheredEndpoints): readonly PortMembers[] {
  return demands.ports.flatMap(({ name, protocol }) => {
    const taking = selectEndpoints(endpointsOfPort(gathered, { name, protocol })).endpoints.filter(({ family }) =>
      demands.families.includes(family),
    );
    const byNumber = Map.groupBy(taking, ({ port }) => port);
    return [...byNumber]
      .toSorted(([left], [right]) => left - right)
      .map(([port, endpoints]) => ({
        port: { ...(name === '' ? {} : { name }), protocol, port },
        endpoints: endpoints.map(toEndpoint),
      }));
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
  { ports, families }: ServiceDemands,
  nodes: Iterable<Node>,
  selector: Annotations['nodeSelector'],
): readonly PortMembers[] {
  const [family = 'IPv4'] = families;
  const endpoints = [...nodes]
    .filter((node) => isSelected(node, selector) && nodeExclusion(node, 'left-out') === undefined)
    .flatMap((node): readonly SubsetEndpoint[] => {
      const address = nodeAddress(node, family);
      if (address === undefined) return [];
      const targetRef = { kind: 'Node', name: node.metadata.name };
      return [{ addresses: [address], conditions: { ready: true }, targetRef }];
    })
    .toSorted((left, right) => ((left.addresses[0] ?? '') < (right.addresses[0] ?? '') ? -1 : 1));
  return ports.flatMap(({ name, protocol, nodePort }) =>
    nodePort === undefined ? [] : [{ port: { ...(name === '' ? {} : { name }), protocol, port: nodePort }, endpoints }],
  );
}

function isSelected({ metadata: { labels = {} } }: Node, selector: Annotations['nodeSelector']): boolean {
  return selector.every(([key, value]) => key in labels && (value === undefined || labels[key] === value));
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
