import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `clusterset` alone, before any of its tests was looked at. */
export const clustersetDefectsFromSources: readonly Defect[] = [
  {
    name: 'while the broker cannot be read, a missing cluster comes to have left',
    file: 'packages/clusterset/controller/liveness.ts',
    find: `    this.#missingSince.clear();
`,
    replace: '',
    foundBy: { unit: 'packages/clusterset/controller/liveness.test.ts' },
  },
  {
    name: 'an export is taken back record first',
    file: 'packages/clusterset/decision/export-side.ts',
    find: `          ...remove('broker', endpointSlices, broker.ownSlices, grounds),
          ...remove('broker', settings.brokerImports, [broker.ownRecord], grounds),`,
    replace: `          ...remove('broker', settings.brokerImports, [broker.ownRecord], grounds),
          ...remove('broker', endpointSlices, broker.ownSlices, grounds),`,
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
];
