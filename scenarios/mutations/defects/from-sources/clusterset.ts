import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `clusterset` alone, before any of its tests was looked at. */
export const clustersetDefectsFromSources: readonly Defect[] = [
  {
    name: 'while the broker cannot be read, a missing cluster comes to have left',
    file: 'packages/clusterset/controller/liveness.ts',
    find: `    this.#missing.clear();
`,
    replace: '',
    foundBy: { unit: 'packages/clusterset/controller/liveness.test.ts' },
  },
  {
    name: 'an export is taken back record first',
    file: 'packages/clusterset/decision/export-side.ts',
    find: `          ...remove('broker', endpointSlices, broker.ownSlices, preconditions),
          ...remove('broker', settings.brokerImports, [broker.ownRecord], preconditions),`,
    replace: `          ...remove('broker', settings.brokerImports, [broker.ownRecord], preconditions),
          ...remove('broker', endpointSlices, broker.ownSlices, preconditions),`,
    foundBy: { unit: 'packages/clusterset/decision' },
  },
  {
    name: 'a cluster that claims them may lead to loopback addresses',
    file: 'packages/clusterset/records/trust.ts',
    find: '    special?.what === RESERVED && claims.get(cluster)?.some((range) => rangeContains(range, parsed.address));',
    replace: '    special !== undefined && claims.get(cluster)?.some((range) => rangeContains(range, parsed.address));',
    foundBy: { unit: 'packages/clusterset/records' },
  },
  {
    name: 'what changed since it was decided upon is deleted',
    file: 'packages/clusterset/controller/apply.ts',
    find: `    const { uid, resourceVersion } = object.metadata;
    const preconditions = {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    };`,
    replace: `    const { uid } = object.metadata;
    const preconditions = {
      ...(uid !== undefined && { uid }),
    };`,
    foundBy: { unit: 'packages/clusterset/controller/apply.test.ts' },
  },
  {
    name: 'a range within that of another cluster is taken for free',
    file: 'packages/clusterset/membership/membership.ts',
    find: 'left.first <= right.last && right.first <= left.last',
    replace: 'left.first <= right.first && right.first <= left.last',
    foundBy: { unit: 'packages/clusterset/membership' },
  },
  {
    name: 'the endpoints of a cluster that is back are not used again',
    file: 'packages/clusterset/controller/silence.ts',
    find: `    const concerned = new Set([...this.#silent, ...silent]);
    this.#silent = silent;
`,
    replace: `    this.#silent = silent;
    const concerned = new Set([...this.#silent, ...silent]);
`,
    foundBy: { unit: 'packages/clusterset/part.test.ts' },
  },
  {
    name: 'a broker of which one collection cannot be read is not blind',
    file: 'packages/clusterset/controller/broker-link.ts',
    find: 'const isBlind = all.some((status) => status.isBlind);',
    replace: 'const isBlind = all.every((status) => status.isBlind);',
    foundBy: { unit: 'packages/clusterset/part.test.ts' },
  },
  {
    name: 'the brake on all clusters together forgets what it gathered',
    file: 'packages/clusterset/controller/withdrawals.ts',
    find: 'if (clusters.has(of) || (of === ALL && clusters.size > 0)) continue;',
    replace: 'if (clusters.has(of)) continue;',
    foundBy: { unit: 'packages/clusterset/controller/withdrawals.test.ts' },
  },
  {
    name: 'an address of one family is exported for pods of the other',
    file: 'packages/clusterset/records/local-export.ts',
    find: `    ({ addressType, endpoints }) =>
      addressType === family && (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false),`,
    replace: `    ({ addressType, endpoints }) =>
      (addressType === family || addressType === 'IPv4') &&
      (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false),`,
    foundBy: { unit: 'packages/clusterset/golden.test.ts' },
  },
  {
    name: 'one cluster that is missing is not looked for again',
    file: 'packages/clusterset/controller/reconciler.ts',
    find: 'observed.broker.missing.size > 0;',
    replace: 'observed.broker.missing.size > 1;',
    foundBy: { unit: 'packages/clusterset/part.test.ts' },
  },
  {
    name: 'a namespace that was left out and not remembered lacks nothing',
    file: 'packages/clusterset/controller/selection.ts',
    find: ' || this.#leftOut.size >= this.#options.most',
    replace: '',
    foundBy: { unit: 'packages/clusterset/controller/selection.test.ts' },
  },
  {
    name: 'what does not fit is told for each object',
    file: 'packages/clusterset/controller/selection.ts',
    find: 'if (!this.#overflowing.has(place)) onOverflow',
    replace: 'onOverflow',
    foundBy: { unit: 'packages/clusterset/controller/selection.test.ts' },
  },
  {
    name: 'what is gone from the broker keeps its room',
    file: 'packages/clusterset/controller/selection.ts',
    find: "this.#kept.get(metadata.namespace ?? '')?.delete(keyText(metadata));",
    replace: 'void metadata;',
    foundBy: { unit: 'packages/clusterset/controller/selection.test.ts' },
  },
  {
    name: 'a write that a cache never shows is waited for without end',
    file: 'packages/clusterset/controller/expectations.ts',
    find: 'const PATIENCE_MILLISECONDS = 10_000;',
    replace: 'const PATIENCE_MILLISECONDS = 10_000_000;',
    foundBy: { unit: 'packages/clusterset/controller/expectations.test.ts' },
  },
  {
    name: 'a write is not seen in what came after it',
    file: 'packages/clusterset/controller/expectations.ts',
    find: '>= 0;',
    replace: '=== 0;',
    foundBy: { unit: 'packages/clusterset/controller/expectations.test.ts' },
  },
  {
    name: 'what the server fills into a slice is a difference',
    file: 'packages/clusterset/decision/write.ts',
    find: 'jsonEqual(existing.ports?.map(portWithDefaults) ?? [], ports.map(portWithDefaults))',
    replace: 'jsonEqual(existing.ports ?? [], ports)',
    foundBy: { unit: 'packages/clusterset/decision/write.test.ts' },
  },
  {
    name: 'what the server fills into an import is a difference',
    file: 'packages/clusterset/decision/write.ts',
    find: 'return { ...spec, ports: (ports ?? []).map(portWithDefaults) };',
    replace: 'return { ...spec, ports: ports ?? [] };',
    foundBy: { unit: 'packages/clusterset/decision/write.test.ts' },
  },
  {
    name: 'a silent cluster is asked at a pod that is not ready',
    file: 'packages/clusterset/controller/silence.ts',
    find: 'trusted.value.endpoints.find(({ conditions }) => conditions?.ready !== false)?.addresses[0]',
    replace: 'trusted.value.endpoints[0]?.addresses[0]',
    foundBy: { unit: 'packages/clusterset/part.test.ts' },
  },
  {
    name: 'what an export says of silence is not heeded',
    file: 'packages/clusterset/controller/silence.ts',
    find: 'parsePolicy(member.imports.get(key)?.metadata.annotations?.[WHEN_SILENT]) ?? policy',
    replace: '(void member, void key, policy)',
    foundBy: { unit: 'packages/clusterset/part.test.ts' },
  },
  {
    name: 'a token that an operator wrote meanwhile is written over',
    file: 'packages/clusterset/controller/token-renewal.ts',
    find: '{ ...secret, data: {',
    replace: '{ metadata: { namespace, name: SECRET }, data: {',
    foundBy: { unit: 'packages/clusterset/controller/token-renewal.test.ts' },
  },
  {
    name: 'a condition is longer than an API server takes',
    file: 'packages/clusterset/merge/conflict.ts',
    find: "cut(conflicts.map(({ text }) => `${text}.`).join(' '), LONGEST_MESSAGE)",
    replace: "conflicts.map(({ text }) => `${text}.`).join(' ')",
    foundBy: { unit: 'packages/clusterset/merge' },
  },
  {
    name: 'a cluster that has a port twice counts as two',
    file: 'packages/clusterset/merge/ports.ts',
    find: 'if (offer.clusters.at(-1) !== cluster) offer.clusters.push(cluster);',
    replace: 'offer.clusters.push(cluster);',
    foundBy: { unit: 'packages/clusterset/merge' },
  },
  {
    name: 'a cluster that leaves deletes an aggregate of any version',
    file: 'packages/clusterset/membership/membership.ts',
    find: 'await client.delete(IMPORTS, aggregate.metadata, { uid, resourceVersion, signal })',
    replace: 'await client.delete(IMPORTS, aggregate.metadata, { signal })',
    foundBy: { unit: 'packages/clusterset/membership' },
  },
  {
    name: 'chance decides which of too many slices are imported',
    file: 'packages/clusterset/decision/import-side.ts',
    find: `    .toSorted((left, right) => (left.slice.suffix < right.slice.suffix ? -1 : 1))
`,
    replace: '',
    foundBy: { unit: 'packages/clusterset/decision/decide.test.ts' },
  },
  {
    name: 'a derived Service follows a list that may be incomplete',
    file: 'packages/clusterset/decision/import-side.ts',
    find: `  const { writes } = derivedService(observed, merged.import.spec, settings);
  return onPreconditions(writes, lost, observed, broker, settings);`,
    replace: '  return derivedService(observed, merged.import.spec, settings).writes;',
    foundBy: { unit: 'packages/clusterset/decision/derived-service.test.ts' },
  },
  {
    name: 'what is held back holds back the endpoints of other clusters',
    file: 'packages/clusterset/controller/reconciler.ts',
    find: 'const kept = heldMilliseconds === 0 ? writes : writes.filter((write) => clustersLostBy([write]).size === 0);',
    replace: 'const kept = heldMilliseconds === 0 ? writes : [];',
    foundBy: { unit: 'packages/clusterset/part.test.ts' },
  },
  {
    name: 'the slices of a cluster that lost a conflict stay imported',
    file: 'packages/clusterset/decision/import-side.ts',
    find: "if (!verdict.isExported) return remove('member', endpointSlices, [slice]);",
    replace: 'if (!verdict.isExported) return [];',
    foundBy: { unit: 'packages/clusterset/decision/decide.test.ts' },
  },
  {
    name: 'an export that lost a conflict keeps its endpoints at the broker',
    file: 'packages/clusterset/decision/export-side.ts',
    find: 'verdict.isExported ? taken(reached) : []',
    replace: 'taken(reached)',
    foundBy: { unit: 'packages/clusterset/decision/decide.test.ts' },
  },
  {
    name: 'an export that is being deleted goes on',
    file: 'packages/clusterset/decision/export-side.ts',
    find: ' || serviceExport.metadata.deletionTimestamp !== undefined) {',
    replace: ') {',
    foundBy: { unit: 'packages/clusterset/part.test.ts' },
  },
  {
    name: 'all clusters keep the aggregate at the same time',
    file: 'packages/clusterset/controller/reconciler.ts',
    find: 'rank * TURN_MILLISECONDS',
    replace: '0 * rank',
    foundBy: { unit: 'packages/clusterset/part.test.ts' },
  },
];
