import { fieldOf, textFieldOf } from '@fairlead/control';
import type { Protocol } from '@fairlead/kube';
import {
  type EndpointSubset,
  type KuryrLoadBalancer,
  type KuryrLoadBalancerSpec,
  SCHEMA_VERSION,
  type SubsetEndpoint,
} from './types.ts';

/**
 * Reads a resource of any shape that was ever stored as one of today: Kuryr kept `subsets` of Endpoints before there
 * were `endpointSlices`, wrote ports without a protocol, and `null` for an address that was not asked for.
 */
export function readResource(resource: KuryrLoadBalancer): KuryrLoadBalancer {
  const { spec } = resource;
  if (spec === undefined || spec.schema_version === SCHEMA_VERSION) return resource;
  return { ...resource, spec: upgradedSpec(spec) };
}

/** A resource that a newer Fairlead wrote is left to it. */
export function isNewerShape({ spec }: KuryrLoadBalancer): boolean {
  return (spec?.schema_version ?? 0) > SCHEMA_VERSION;
}

function upgradedSpec({ subsets, lb_ip, ports, ...spec }: KuryrLoadBalancerSpec): KuryrLoadBalancerSpec {
  const endpointSlices = spec.endpointSlices ?? subsets?.map(fromSubset);
  return {
    ...spec,
    ...(typeof lb_ip === 'string' && lb_ip !== '' ? { lb_ip } : {}),
    ...(ports === undefined
      ? {}
      : {
          ports: ports.map((port) => ({
            ...port,
            protocol: port.protocol ?? 'TCP',
            targetPort: port.targetPort ?? port.port.toString(),
          })),
        }),
    ...(endpointSlices === undefined ? {} : { endpointSlices }),
  };
}

/** `addresses` of Endpoints are ready ones; those that were not ready were never kept. */
function fromSubset(subset: unknown): EndpointSubset {
  const addresses = listIn(subset, 'addresses');
  return {
    endpoints: addresses.map((address) => {
      const reference = fieldOf(address, 'targetRef');
      const hostname = textFieldOf(address, 'hostname');
      const targetRef = {
        ...optional('kind', textFieldOf(reference, 'kind')),
        ...optional('namespace', textFieldOf(reference, 'namespace')),
        ...optional('name', textFieldOf(reference, 'name')),
      };
      const endpoint: SubsetEndpoint = { addresses: [textFieldOf(address, 'ip') ?? ''], conditions: { ready: true } };
      return {
        ...endpoint,
        ...optional('hostname', hostname),
        ...(Object.keys(targetRef).length === 0 ? {} : { targetRef }),
      };
    }),
    ports: listIn(subset, 'ports').map((port) => ({
      ...optional('name', textFieldOf(port, 'name')),
      protocol: protocolIn(port),
      port: Number(fieldOf(port, 'port')),
    })),
  };
}

function protocolIn(port: unknown): Protocol {
  const protocol = textFieldOf(port, 'protocol');
  return protocol === 'UDP' || protocol === 'SCTP' ? protocol : 'TCP';
}

function optional<Name extends string>(name: Name, value: string | undefined): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  if (value !== undefined) found[name] = value;
  return found;
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const found = fieldOf(value, name);
  return Array.isArray(found) ? found : [];
}
