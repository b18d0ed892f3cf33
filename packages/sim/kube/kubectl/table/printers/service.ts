import { type JsonObject, listOf, objectOf, textOf, valueAt } from '../../../../json.ts';
import type { KubeObject } from '../../../object.ts';
import { numberOf, orNone, printer } from '../printer.ts';

function externalAddresses({ spec, status }: KubeObject): string {
  const { type, externalName, externalIPs } = objectOf(spec);
  const given = listOf(externalIPs).map(textOf);
  if (type === 'ExternalName') return textOf(externalName);
  if (type !== 'LoadBalancer') return orNone(given.join(','));
  const all = [...loadBalancerAddresses(objectOf(status)), ...given].join(',');
  return all === '' ? '<pending>' : all;
}

function loadBalancerAddresses(status: JsonObject): readonly string[] {
  const points = listOf(valueAt(status, 'loadBalancer', 'ingress')).map(objectOf);
  const addresses = points.map(({ ip, hostname }) => textOf(ip) || textOf(hostname)).filter((text) => text !== '');
  return [...new Set(addresses)].sort();
}

function portText({ port, protocol, nodePort }: JsonObject): string {
  const outside = numberOf(nodePort) === 0 ? '' : `:${numberOf(nodePort)}`;
  return `${numberOf(port)}${outside}/${textOf(protocol)}`;
}

function selectorText(selector: JsonObject): string {
  const pairs = Object.entries(selector).map(([name, value]) => `${name}=${textOf(value)}`);
  return orNone(pairs.sort().join(','));
}

export const servicePrinter = printer(
  ['Type', 'Cluster-IP', 'External-IP', 'Port(s)'],
  (service) => {
    const { type, clusterIPs, ports } = objectOf(service.spec);
    return [
      textOf(type),
      orNone(textOf(listOf(clusterIPs)[0])),
      externalAddresses(service),
      orNone(listOf(ports).map(objectOf).map(portText).join(',')),
    ];
  },
  ['Selector'],
  ({ spec }) => [selectorText(objectOf(valueAt(spec, 'selector')))],
);
