import { namespaces, nodes, pods } from './cluster.ts';
import { berths, definitions } from './custom.ts';
import type { FuzzedKind } from './kind.ts';
import { configMaps, events, groupEvents, leases } from './records.ts';
import { endpointSlices, services } from './services.ts';

export { BERTHS, DEFINITION } from './definition.ts';
export type { FuzzedKind } from './kind.ts';

/** Some twice: they are tried more often. */
export const KINDS: readonly FuzzedKind[] = [
  services,
  services,
  endpointSlices,
  pods,
  nodes,
  namespaces,
  leases,
  events,
  groupEvents,
  configMaps,
  configMaps,
  berths('v1'),
  berths('v2'),
  definitions,
];
