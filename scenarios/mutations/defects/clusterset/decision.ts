import type { Defect } from '../../defect.ts';

const FOLDER = 'packages/clusterset';
const merge = { unit: `${FOLDER}/merge` };
const decision = { unit: `${FOLDER}/decision` };
const part = { unit: `${FOLDER}/part` };
const derived = { unit: `${FOLDER}/controller/derived-service` };

export const clustersetDecisionDefects: readonly Defect[] = [
  {
    name: 'the youngest export decides',
    file: `${FOLDER}/merge/merge.ts`,
    find: 'compareTexts(left.since, right.since)',
    replace: 'compareTexts(right.since, left.since)',
    foundBy: merge,
  },
  {
    name: 'a port that only one cluster has is served',
    file: `${FOLDER}/merge/ports.ts`,
    find: '!kept.some((other) => excludes(other.port, port)) : isCommon;',
    replace: '!kept.some((other) => excludes(other.port, port)) : true;',
    foundBy: merge,
  },
  {
    name: 'a Service of another type is exported all the same',
    file: `${FOLDER}/merge/merge.ts`,
    find: 'const included = sorted.filter(({ type }) => type === oldest.type);',
    replace: 'const included = sorted;',
    foundBy: merge,
  },
  {
    name: 'a cluster stays in the status after it took its export back',
    file: `${FOLDER}/decision/import-side.ts`,
    find: '...refused.filter((cluster) => before.includes(cluster))',
    replace: '...before',
    foundBy: part,
  },
  {
    name: 'the aggregate outlives its last exporter',
    file: `${FOLDER}/decision/import-side.ts`,
    find: 'if (aggregate === undefined || refused.some((cluster) => before.includes(cluster))) return [];',
    replace: 'return [];',
    foundBy: part,
  },
  {
    name: 'an import goes because its record was refused',
    file: `${FOLDER}/decision/import-side.ts`,
    find: 'if (refusedOf(broker).some((cluster) => clusters.includes(cluster))) return [];',
    replace: '',
    foundBy: decision,
  },
  {
    name: 'a refused record of any cluster pins an import',
    file: `${FOLDER}/decision/import-side.ts`,
    find: 'refusedOf(broker).some((cluster) => clusters.includes(cluster))',
    replace: 'refusedOf(broker).length > 0',
    foundBy: decision,
  },
  {
    name: 'a slice goes because another of its cluster was refused',
    file: `${FOLDER}/decision/import-side.ts`,
    find: 'if (broker.slices.some(isRefused)) return [];',
    replace: '',
    foundBy: decision,
  },
  {
    name: 'a stale import looks like a fresh one',
    file: `${FOLDER}/decision/import-side.ts`,
    find: 'return staleWrites(observed, broker.reason, settings, now);',
    replace: 'return [];',
    foundBy: part,
  },
  {
    name: 'imports go into namespaces that take no part',
    file: `${FOLDER}/decision/import-side.ts`,
    find: 'if (!canImportInto(namespace, settings.namespaces)) return removal(observed, settings, () => []);',
    replace: '',
    foundBy: decision,
  },
  {
    name: 'any cluster is believed to have older software',
    file: `${FOLDER}/decision/migration.ts`,
    find: 'about.cluster === own || !older.clusters.includes(about.cluster)) continue;',
    replace: 'about.cluster === own) continue;',
    foundBy: decision,
  },
  {
    name: 'our import of before goes while others still need it',
    file: `${FOLDER}/decision/migration.ts`,
    find: 'if (copyCount === 0 || service === undefined)',
    replace: 'if (true)',
    foundBy: decision,
  },
  {
    name: 'an export that had lost comes before the winner at a rebuilt broker',
    file: `${FOLDER}/decision/export-side.ts`,
    find: 'broker.ownRecord === undefined && mustWaitForOthers(observed, local, now)',
    replace: 'false',
    foundBy: part,
  },
  {
    name: 'an export of another type waits for clusters that are only on the import',
    file: `${FOLDER}/decision/decide.ts`,
    find: "isPending && writes.some(({ at }) => at === 'broker')",
    replace: 'isPending && writes.length > 0',
    foundBy: decision,
  },
  {
    name: 'slices are put behind a Service that is not ours',
    file: `${FOLDER}/decision/derived-service.ts`,
    find: 'return found === undefined || ownDerived(observed) !== undefined;',
    replace: 'return true;',
    foundBy: decision,
  },
  {
    name: 'a derived Service goes before its address is off the import',
    file: `${FOLDER}/decision/import-side.ts`,
    find: 'return [...kept, ...imports, ...removed, ...derivedWrites(observed, broker, merged, settings)];',
    replace: 'return [...derivedWrites(observed, broker, merged, settings), ...kept, ...imports, ...removed];',
    foundBy: decision,
  },
  {
    name: 'a derived Service is taken away on the word of an empty list',
    file: `${FOLDER}/decision/import-side.ts`,
    find: '[...preconditions, noImport(observed, settings)]',
    replace: 'preconditions',
    foundBy: decision,
  },
  {
    name: 'the share of this cluster stays behind a derived Service after its export went',
    file: `${FOLDER}/decision/export-side.ts`,
    find: '[...ownImportedSlices(observed, settings), ...observed.derivedSlices]',
    replace: 'ownImportedSlices(observed, settings)',
    foundBy: derived,
  },
  {
    name: 'the address of a derived Service is taken for one that another controller gave',
    file: `${FOLDER}/decision/write.ts`,
    find: 'spec.ips === undefined && !(DERIVED_IPS in (existing.metadata.annotations ?? {}))',
    replace: 'spec.ips === undefined',
    foundBy: decision,
  },
  {
    name: 'labels that an export no longer has stay on the import',
    file: `${FOLDER}/decision/write.ts`,
    find: 'Object.keys(readTexts(before) ?? {}).filter((name) => !(name in wanted));',
    replace: 'Object.keys(readTexts(before) ?? {}).filter(() => wanted === undefined);',
    foundBy: decision,
  },
  {
    name: 'others are merged without us while our record is yet to be written',
    file: `${FOLDER}/decision/decide.ts`,
    find: 'if (isHalf && isListed(observed, settings))',
    replace: 'if (isHalf && isListed(observed, settings) === undefined)',
    foundBy: decision,
  },
  {
    name: 'a union has two ports of one name',
    file: `${FOLDER}/merge/ports.ts`,
    find: "if ((left.name ?? '') === (right.name ?? '')) return true;",
    replace: '',
    foundBy: merge,
  },
  {
    name: 'the broker is asked about every name that a tenant invents',
    file: `${FOLDER}/decision/preconditions.ts`,
    find: '.slice(0, MOST_ASKED)',
    replace: '',
    foundBy: { unit: `${FOLDER}/decision/decide.test.ts` },
  },
  {
    name: 'each slice goes on the grounds of all clusters',
    file: `${FOLDER}/decision/import-side.ts`,
    find: 'preconditionsFor([clusterOf(slice)])',
    replace: 'preconditions',
    foundBy: { unit: `${FOLDER}/decision/decide.test.ts` },
  },
  {
    name: 'one export fills the room of its whole cluster with slices',
    file: `${FOLDER}/decision/export-side.ts`,
    find: 'if (slices.length <= MOST_SLICES) return slices;',
    replace: 'if (slices.length >= 0) return slices;',
    foundBy: { unit: `${FOLDER}/decision/decide.test.ts` },
  },
  {
    name: 'what is derived outlives its import while the broker is away',
    file: `${FOLDER}/decision/import-side.ts`,
    find: `  if (broker.state === 'unavailable') {
    // A derived`,
    replace: `  if (broker.state === 'unavailable') {
    if (imported === undefined) return [];
    // A derived`,
    foundBy: { unit: `${FOLDER}/decision/derived-service.test.ts` },
  },
  {
    name: 'the share of this cluster outlives a setting that was turned off while the broker is away',
    file: `${FOLDER}/decision/export-side.ts`,
    find: ': staleShare(observed, settings);',
    replace: ': [];',
    foundBy: decision,
  },
];
