import { compareTexts } from '@fairlead/control';
import type { IpFamily, TrafficPolicy, WantedCondition } from '@fairlead/kube';
import type { ImportedPort, ImportType, ServiceImportSpec } from '../mcs/types.ts';
import { type Conflict, conflictCondition, type Difference, differenceIn, listed } from './conflict.ts';
import { type MergedPorts, mergePorts, type PortPolicy, portText } from './ports.ts';

/** What one cluster exports under a name. */
export interface Export {
  readonly cluster: string;
  /** When the broker got it, by the broker's clock: a time that sorts as text. The oldest export has precedence. */
  readonly since: string;
  readonly type: ImportType;
  readonly ports: readonly ImportedPort[];
  readonly ipFamilies: readonly IpFamily[];
  readonly sessionAffinity: 'None' | 'ClientIP';
  /** How long a client stays with an endpoint, where it does. */
  readonly affinitySeconds?: number;
  readonly internalTrafficPolicy: TrafficPolicy;
  readonly trafficDistribution?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface MergedImport {
  readonly spec: ServiceImportSpec;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Those whose endpoints stand behind it, by name. */
  readonly clusters: readonly string[];
}

/** What the merge says of one cluster's export. */
export interface ExportVerdict {
  /** False: it lost a conflict that cannot be resolved, and its endpoints do not stand behind the import. */
  readonly isExported: boolean;
  /** `Conflict`, and `PortsServed` where no port is left. */
  readonly conditions: readonly WantedCondition[];
}

export interface Merged {
  /** Undefined without exports. */
  readonly import: MergedImport | undefined;
  /** By cluster. */
  readonly verdicts: ReadonlyMap<string, ExportVerdict>;
}

/**
 * Makes one import of what clusters export under the same namespace and name. The same exports give the same result in
 * whatever order they come, in every cluster: exporters and importers alike go by it, so that no race decides.
 */
export function merge(exports: readonly Export[], portPolicy: PortPolicy = 'intersection'): Merged {
  const sorted = byPrecedence(exports);
  const [oldest] = sorted;
  if (oldest === undefined) return { import: undefined, verdicts: new Map() };
  const included = sorted.filter(({ type }) => type === oldest.type);
  const ports = mergePorts(included, portPolicy);
  const ipFamilies = [...new Set(included.flatMap((one) => one.ipFamilies))];
  const conflicts = [
    ...typeConflict(sorted, included),
    ...portConflict(ports, portPolicy),
    ...settingConflicts(included),
  ];
  const conditions = [conflictCondition(conflicts), ...noCommonPort(included, ports)];
  const verdicts = sorted.map((one) => [one.cluster, { isExported: included.includes(one), conditions }] as const);
  return {
    import: {
      spec: specOf(oldest, ports.ports, ipFamilies),
      labels: oldest.labels,
      annotations: oldest.annotations,
      clusters: included.map(({ cluster }) => cluster).toSorted(),
    },
    verdicts: new Map(verdicts),
  };
}

/** The oldest first, and of the same age by name; each cluster once. */
function byPrecedence(exports: readonly Export[]): readonly Export[] {
  const sorted = exports.toSorted(
    (left, right) =>
      compareTexts(left.since, right.since) ||
      compareTexts(left.cluster, right.cluster) ||
      compareTexts(textOf(left), textOf(right)),
  );
  const seen = new Set<string>();
  return sorted.filter(({ cluster }) => !seen.has(cluster) && seen.add(cluster));
}

const textOf = (value: unknown) => JSON.stringify(value);

function specOf(oldest: Export, ports: readonly ImportedPort[], ipFamilies: readonly IpFamily[]): ServiceImportSpec {
  const { type, sessionAffinity, affinitySeconds, internalTrafficPolicy, trafficDistribution } = oldest;
  return {
    type,
    ports,
    ipFamilies,
    sessionAffinity,
    ...(affinitySeconds !== undefined && { sessionAffinityConfig: { clientIP: { timeoutSeconds: affinitySeconds } } }),
    internalTrafficPolicy,
    ...(trafficDistribution !== undefined && { trafficDistribution }),
  };
}

/** A headless Service cannot stand behind an address, nor the other way round: those of the other type stay out. */
function typeConflict(sorted: readonly Export[], included: readonly Export[]): readonly Conflict[] {
  const difference = differenceIn(sorted, ({ type }) => type);
  if (difference === undefined) return [];
  const excluded = sorted.filter((one) => !included.includes(one)).map(({ cluster }) => cluster);
  return [{ reason: 'TypeConflict', text: `${wins('Type', difference)}; not exported: ${listed(excluded)}` }];
}

function portConflict({ differences }: MergedPorts, policy: PortPolicy): readonly Conflict[] {
  if (differences.length === 0) return [];
  const parts = differences.map(({ text, clusters }) => `${text} of ${listed(clusters)}`);
  const rule = policy === 'union' ? 'all are served, the oldest export first' : 'only what all expose is served';
  return [{ reason: 'PortConflict', text: `Ports: ${rule}; not everywhere the same: ${listed(parts, '; ')}` }];
}

/** What the oldest export decides, and others have to live with. */
function settingConflicts(included: readonly Export[]): readonly Conflict[] {
  const [oldest] = included;
  const alike = included.filter(({ sessionAffinity }) => sessionAffinity === oldest?.sessionAffinity);
  const rows = [
    ['SessionAffinityConflict', 'Session affinity', differenceIn(included, (one) => one.sessionAffinity)],
    [
      'SessionAffinityConfigConflict',
      'Session affinity timeout',
      differenceIn(alike, ({ affinitySeconds }) => (affinitySeconds === undefined ? 'none' : `${affinitySeconds} s`)),
    ],
    [
      'InternalTrafficPolicyConflict',
      'Internal traffic policy',
      differenceIn(included, (one) => one.internalTrafficPolicy),
    ],
    [
      'TrafficDistributionConflict',
      'Traffic distribution',
      differenceIn(included, ({ trafficDistribution }) => trafficDistribution ?? 'none'),
    ],
    ['LabelsConflict', 'Exported labels', differenceIn(included, ({ labels }) => mapText(labels))],
    ['AnnotationsConflict', 'Exported annotations', differenceIn(included, ({ annotations }) => mapText(annotations))],
  ] as const;
  const settings = rows.flatMap(([reason, what, found]) =>
    found === undefined ? [] : [{ reason, text: wins(what, found) }],
  );
  const families = differenceIn(included, ({ ipFamilies }) => ipFamilies.toSorted().join('+'));
  if (families === undefined) return settings;
  const text = `IP families: each is served by the clusters that have it; ${families.winner} of ${families.cluster}, ${lost(families)}`;
  return [...settings, { reason: 'IPFamilyConflict', text }];
}

const wins = (what: string, difference: Difference) =>
  `${what}: ${difference.winner} of ${difference.cluster}, the oldest, wins over ${lost(difference)}`;

const lost = ({ losers }: Difference) => listed(losers.map(({ value, clusters }) => `${value} of ${listed(clusters)}`));

/** The same text for the same map, in whatever order it was written. */
function mapText(map: Readonly<Record<string, string>>): string {
  const entries = Object.entries(map).toSorted(([left], [right]) => compareTexts(left, right));
  return entries.length === 0 ? 'none' : `{${entries.map(([key, value]) => `${key}=${value}`).join(' ')}}`;
}

function noCommonPort(included: readonly Export[], { ports }: MergedPorts): readonly WantedCondition[] {
  if (ports.length > 0 || included.every((one) => one.ports.length === 0)) return [];
  const [oldest, ...others] = included;
  const first = new Set(oldest?.ports.map(portText));
  const disjoint = others.filter((one) => !one.ports.some((port) => first.has(portText(port))));
  const message = [
    `No port is exposed by all of ${listed(included.map(({ cluster }) => cluster))}: nothing is served.`,
    ...(disjoint.length === 0
      ? []
      : [`${listed(disjoint.map(({ cluster }) => cluster))} exposes none of those of ${oldest?.cluster}, the oldest.`]),
  ].join(' ');
  return [{ type: PORTS_SERVED, status: 'False', reason: 'NoCommonPort', message }];
}

/** Beside the conditions of the MCS API: there only while no port is left. */
export const PORTS_SERVED = 'fairlead.dev/PortsServed';
