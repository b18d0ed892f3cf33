import { requireIpAddress } from '@fairlead/control';
import { GoldenFolder } from '@fairlead/control/testing';
import type { EndpointSlice, Node, Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { virtualServer } from '../../protocol/configuration.ts';
import { l2PortAt } from '../addresses/static-addresses.ts';
import { gatewayConfiguration, poolsOf } from '../configuration.ts';
import { l4PortsOf } from '../desired.ts';
import { ClusterView } from './cluster-view.ts';
import { virtualServersFor } from './virtual-servers.ts';

interface World {
  readonly configuration: unknown;
  /** Pool -> the addresses of it that every Service is on. */
  readonly addresses: Readonly<Record<string, readonly string[]>>;
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
  readonly nodes: readonly Node[];
}

function isWorld(document: unknown): document is World {
  return typeof document === 'object' && document !== null && 'services' in document && 'slices' in document;
}

function translate({ configuration, addresses, services, slices, nodes }: World): unknown {
  const pools = poolsOf(gatewayConfiguration().parse(configuration));
  const cluster = new ClusterView(slices, nodes);
  const l2Ports = Object.entries(addresses).flatMap(([pool, list]) =>
    list.flatMap((address) => l2PortAt(requireIpAddress(address), pool) ?? []),
  );
  return services.flatMap((service) =>
    virtualServersFor({ claim: { service }, l2Ports, l4Ports: l4PortsOf(service) }, pools, cluster).map(
      ({ pool, server }) => ({ pool, ...virtualServer.parse(server) }),
    ),
  );
}

describe('the virtual servers of a Service', () => {
  const folder = new GoldenFolder(new URL('testdata/', import.meta.url));

  it.each(folder.names)('%s', async (name) => {
    const { actual, expected } = await folder.pair(name, (documents) => {
      const [world] = documents.filter(isWorld);
      return world === undefined ? 'there is no world' : translate(world);
    });
    expect(actual).toBe(expected);
  });
});
