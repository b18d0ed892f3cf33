import type { Defect } from '../defect.ts';

const FOLDER = 'packages/clusterset';
const merge = { unit: `${FOLDER}/merge` };
const records = { unit: `${FOLDER}/records` };
const decision = { unit: `${FOLDER}/decision` };
const part = { unit: `${FOLDER}/part` };
const golden = { unit: `${FOLDER}/golden` };
const liveness = { unit: `${FOLDER}/controller/liveness` };

export const clustersetDefects: readonly Defect[] = [
  {
    name: 'precedence is what the exporter says it is',
    file: `${FOLDER}/records/record.ts`,
    find: "const { creationTimestamp: since = '' } = metadata;",
    replace: "const since = metadata.annotations?.['since'] ?? '';",
    foundBy: records,
  },
  {
    name: 'the youngest export decides',
    file: `${FOLDER}/merge/merge.ts`,
    find: 'compare(left.since, right.since)',
    replace: 'compare(right.since, left.since)',
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
    name: 'a lost conflict is never looked at again',
    file: `${FOLDER}/controller/controller.ts`,
    find: 'follow(link.caches.imports, recordedFor, controller);',
    replace: '',
    foundBy: part,
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
    name: 'a cluster that the broker forgot is taken out at once',
    file: `${FOLDER}/controller/liveness.ts`,
    find: '600_000',
    replace: '0',
    foundBy: part,
  },
  {
    name: 'an object is written whatever version it has by now',
    file: `${FOLDER}/controller/apply.ts`,
    find: "if (verb === 'update') return client.update(resource, object, options);",
    replace:
      "if (verb === 'update') return client.update(resource, { ...object, metadata: { ...object.metadata, resourceVersion: undefined } }, options);",
    foundBy: part,
  },
  {
    name: 'what is deleted rests upon the cache alone',
    file: `${FOLDER}/controller/apply.ts`,
    find: 'await this.#confirm(write, signal);',
    replace: '',
    foundBy: part,
  },
  {
    name: 'a stale import looks like a fresh one',
    file: `${FOLDER}/decision/import-side.ts`,
    find: 'broker.isLasting ? staleWrites(observed, broker.reason, settings, now) : []',
    replace: '[]',
    foundBy: part,
  },
  {
    name: 'imports go into namespaces that take no part',
    file: `${FOLDER}/decision/import-side.ts`,
    find: 'if (!canImportInto(namespace, settings.namespaces)) return removal(observed, settings, []);',
    replace: '',
    foundBy: part,
  },
  {
    name: 'host names of pods are dropped',
    file: `${FOLDER}/records/exported-slices.ts`,
    find: '...(hostname !== undefined && { hostname }),',
    replace: '',
    foundBy: golden,
  },
  {
    name: 'an address without pods behind it is exported',
    file: `${FOLDER}/records/exported-slices.ts`,
    find: 'isBacked(slices, addressType) ?',
    replace: 'true ?',
    foundBy: golden,
  },
  {
    name: 'a record counts in the name of another cluster',
    file: `${FOLDER}/records/trust.ts`,
    find: 'if (labels[SOURCE_CLUSTER] !== cluster)',
    replace: 'if (false)',
    foundBy: records,
  },
  {
    name: 'a cluster may export any address',
    file: `${FOLDER}/records/trust.ts`,
    find: 'return stolen === undefined ? undefined : `${text} ${stolen}`;',
    replace: 'return undefined;',
    foundBy: part,
  },
  {
    name: 'one cluster may fill the memory of all others',
    file: `${FOLDER}/controller/selection.ts`,
    find: 'if (!isOwn && !kept.has(id) && kept.size >= limit)',
    replace: 'if (false)',
    foundBy: part,
  },
  {
    name: 'what was left out is not read when its namespace comes',
    file: `${FOLDER}/controller/broker-link.ts`,
    find: 'this.caches.imports.relist();',
    replace: '',
    foundBy: part,
  },
  {
    name: 'special addresses are believed',
    file: `${FOLDER}/records/trust.ts`,
    find: 'if (special !== undefined)',
    replace: 'if (false)',
    foundBy: records,
  },
  {
    name: 'an export that had lost comes before the winner at a rebuilt broker',
    file: `${FOLDER}/decision/export-side.ts`,
    find: 'broker.ownRecord === undefined && mustWaitForOthers(observed, local, now)',
    replace: 'false',
    foundBy: part,
  },
  {
    name: 'a mass of withdrawals is not held back',
    file: `${FOLDER}/controller/reconciler.ts`,
    find: 'heldMilliseconds === 0 ? writes : writes.filter((write) => losesOf(write).length === 0)',
    replace: 'writes',
    foundBy: part,
  },
  {
    name: 'the brake counts the imports of all clusters as those of one',
    file: `${FOLDER}/controller/withdrawals.ts`,
    find: 'waitsFor(key, view.importCount(cluster))',
    replace: 'waitsFor(key, view.imports)',
    foundBy: { unit: `${FOLDER}/controller/withdrawals` },
  },
  {
    name: 'a cluster looks silent after the broker was away',
    file: `${FOLDER}/controller/liveness.ts`,
    find: 'for (const [cluster, { renewTime }] of this.#seen) this.#seen.set(cluster, { renewTime, at: now });',
    replace: '',
    foundBy: liveness,
  },
  {
    name: 'the same is written again before the cache has it',
    file: `${FOLDER}/controller/reconciler.ts`,
    find: 'if (waits > 0) return { afterMilliseconds: waits };',
    replace: '',
    foundBy: part,
  },
];
