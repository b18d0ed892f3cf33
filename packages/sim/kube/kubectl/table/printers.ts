import { objectOf, textOf, valueAt } from '../../../json.ts';
import { isDefinition } from '../../crd/definition.ts';
import { customResourceDefinitions } from '../../crd/kind.ts';
import type { ServedKind } from '../../kinds/kind.ts';
import type { Store } from '../../store/store.ts';
import { customPrinter } from './custom-printer.ts';
import { PLAIN_PRINTER, type Printer, printer } from './printer.ts';
import { deploymentPrinter } from './printers/deployment.ts';
import { endpointSlicePrinter, endpointsPrinter } from './printers/endpoints.ts';
import { eventPrinter } from './printers/event.ts';
import { nodePrinter } from './printers/node.ts';
import { podPrinter } from './printers/pod.ts';
import { roleBindingPrinter } from './printers/role-binding.ts';
import { servicePrinter } from './printers/service.ts';

function size(value: Parameters<typeof objectOf>[0]): number {
  return Object.keys(objectOf(value)).length;
}

/** By the collection in which the objects are stored. */
const PRINTERS: ReadonlyMap<string, Printer> = new Map([
  ['configmaps', printer(['Data'], ({ data, binaryData }) => [size(data) + size(binaryData)])],
  ['clusterrolebindings.rbac.authorization.k8s.io', roleBindingPrinter],
  ['deployments.apps', deploymentPrinter],
  ['endpoints', endpointsPrinter],
  ['endpointslices.discovery.k8s.io', endpointSlicePrinter],
  ['events', eventPrinter],
  ['leases.coordination.k8s.io', printer(['Holder'], ({ spec }) => [textOf(valueAt(spec, 'holderIdentity'))])],
  ['namespaces', printer(['Status'], ({ status }) => [textOf(valueAt(status, 'phase'))])],
  ['nodes', nodePrinter],
  ['pods', podPrinter],
  ['rolebindings.rbac.authorization.k8s.io', roleBindingPrinter],
  ['secrets', printer(['Type', 'Data'], ({ type, data }) => [textOf(type), size(data)])],
  ['serviceaccounts', printer([], () => [])],
  ['services', servicePrinter],
]);

/** How the objects of a kind are written as rows. */
export function printerOf(kind: ServedKind, store: Store): Printer {
  if (!kind.custom) return PRINTERS.get(kind.collection) ?? PLAIN_PRINTER;
  // The definition of a custom resource is called as its collection is.
  const definition = store.get(customResourceDefinitions.collection, undefined, kind.collection)?.object;
  return definition !== undefined && isDefinition(definition) ? customPrinter(definition, kind.version) : PLAIN_PRINTER;
}
