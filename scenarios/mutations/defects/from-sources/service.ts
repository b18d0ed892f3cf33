import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `service` alone, before any of its tests was looked at. */
export const serviceDefectsFromSources: readonly Defect[] = [
  {
    name: 'the finalizer goes before the status is taken back',
    file: 'packages/service/service-writes.ts',
    find: "return [...withdraw, { name: 'let-go', ifItDiesHere, patch: { metadata: letGo } }];",
    replace: "return [{ name: 'let-go', ifItDiesHere, patch: { metadata: letGo } }, ...withdraw];",
    foundBy: { unit: 'packages/service' },
  },
  {
    name: 'what was gathered of a Service survives the removal of one of its slices',
    file: 'packages/service/endpoints/endpoint-index.ts',
    find: `    if (slices.size === 0) this.#services.delete(serviceKey);
    else this.#services.set(serviceKey, { slices });
`,
    replace: `    if (slices.size === 0) this.#services.delete(serviceKey);
`,
    foundBy: { unit: 'packages/service/endpoints' },
  },
  {
    name: 'endpoints that are not ready take traffic when nothing says that they do not serve',
    file: 'packages/service/endpoints/endpoint-selection.ts',
    find: 'endpoint.serving && endpoint.terminating);',
    replace: 'endpoint.serving);',
    foundBy: { unit: 'packages/service/endpoints' },
  },
  {
    name: 'the cache of Services forgets when they were created',
    file: 'packages/service/projections.ts',
    find: "'resourceVersion', 'creationTimestamp', 'deletionTimestamp'] as const;",
    replace: "'resourceVersion', 'deletionTimestamp'] as const;",
    foundBy: { unit: 'packages/service' },
  },
  {
    name: 'of two parts the one that came last owns a Service',
    file: 'packages/service/claim/class-claim.ts',
    find: 'service.metadata.finalizers?.find(isOwnerFinalizer)',
    replace: 'service.metadata.finalizers?.findLast(isOwnerFinalizer)',
    foundBy: { unit: 'packages/service/claim' },
  },
  {
    name: 'our own companion finalizer is taken for that of a cloud provider',
    file: 'packages/service/claim/class-claim.ts',
    find: 'if (!held && rules.isDefault && hasFinalizer(service, CLOUD_PROVIDER_FINALIZER))',
    replace: 'if (rules.isDefault && hasFinalizer(service, CLOUD_PROVIDER_FINALIZER))',
    foundBy: { unit: 'packages/service/claim' },
  },
  {
    name: 'an ingress without ipMode counts as different from VIP',
    file: 'packages/service/status/service-status.ts',
    find: "ipMode: ip === undefined ? undefined : (ipMode ?? 'VIP'),",
    replace: 'ipMode: ip === undefined ? undefined : ipMode,',
    foundBy: { unit: 'packages/service/status' },
  },
  {
    name: 'one family that is open makes the other open, too',
    file: 'packages/service/demands/source-ranges.ts',
    find: "if (families.every(open)) return { kind: 'any' };",
    replace: "if (families.some(open)) return { kind: 'any' };",
    foundBy: { unit: 'packages/service/demands' },
  },
  {
    name: 'annotations that are too long are cut and not refused',
    file: 'packages/service/claim/part-annotations.ts',
    find: 'let room = MAXIMUM_CHARACTERS + 1;',
    replace: 'let room = MAXIMUM_CHARACTERS;',
    foundBy: { unit: 'packages/service/projections' },
  },
  {
    name: 'the first condition we write replaces those of others',
    file: 'packages/service/status/service-status.ts',
    find: 'if (present === undefined) return [...conditions, wanted];',
    replace: 'if (present === undefined) return [wanted];',
    foundBy: { unit: 'packages/service/service-writes' },
  },
];
