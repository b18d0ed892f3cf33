import type { Defect } from '../defect.ts';

const FOLDER = 'packages/service';
const writes = { unit: `${FOLDER}/service-writes` };

export const serviceDefects: readonly Defect[] = [
  {
    name: 'a Service that cannot be read ends its reader',
    file: `${FOLDER}/read-service.ts`,
    find: "if (findFairleadError(error) === undefined) return { kind: 'unreadable', claim, error };",
    replace: 'if (findFairleadError(error) === undefined) throw error;',
    foundBy: { unit: `${FOLDER}/read-service` },
  },
  {
    name: "another controller's finalizers are wiped when ours is put on",
    file: `${FOLDER}/service-writes.ts`,
    find: 'finalizers: [...finalizers, ...missing]',
    replace: 'finalizers: missing',
    foundBy: writes,
  },
  {
    name: "another controller's finalizers are wiped when ours is taken off",
    file: `${FOLDER}/service-writes.ts`,
    find: 'finalizers: left.length > 0 ? left : null',
    replace: 'finalizers: null',
    foundBy: writes,
  },
  {
    name: 'the finalizer goes before the status is withdrawn',
    file: `${FOLDER}/service-writes.ts`,
    find: "return [...withdraw, { name: 'let-go', ifItDiesHere, patch: { metadata: letGo } }];",
    replace: "return [{ name: 'let-go', ifItDiesHere, patch: { metadata: letGo } }, ...withdraw];",
    foundBy: writes,
  },
  {
    name: 'the finalizer of cloud providers is taken from the load balancer that serves next',
    file: `${FOLDER}/service-writes.ts`,
    find: ' || (one === CLOUD_PROVIDER_FINALIZER && hasMovedOn(claim))',
    replace: '',
    foundBy: writes,
  },
  {
    name: 'the conditions of others are lost',
    file: `${FOLDER}/status/service-status.ts`,
    find: 'if (present === undefined) return [...conditions, wanted];',
    replace: 'if (present === undefined) return [wanted];',
    foundBy: writes,
  },
  {
    name: 'the address of the next load balancer is wiped at a release',
    file: `${FOLDER}/status/service-status.ts`,
    find: 'hasMovedOn(claim) ? ingressOf(service) : []',
    replace: '[]',
    foundBy: writes,
  },
  {
    name: 'a status is written again although nothing differs',
    file: `${FOLDER}/status/service-status.ts`,
    find: 'if (!newIngress && !newConditions) return undefined;',
    replace: '',
    foundBy: writes,
  },
  {
    name: 'a refusal is left out of the list',
    file: `${FOLDER}/demands/refusals.ts`,
    find: "all.map(({ message }) => message).join('; ')",
    replace: 'first.message',
    foundBy: { unit: `${FOLDER}/read-service` },
  },
  {
    name: 'source ranges are silently dropped',
    file: `${FOLDER}/demands/refusals.ts`,
    find: "demands.sourceRanges.kind === 'only' && !capabilities.sourceRanges",
    replace: 'false',
    foundBy: { unit: `${FOLDER}/demands` },
  },
  {
    name: 'a claim is not renewed after the Service was held',
    file: `${FOLDER}/service-writes.ts`,
    find: "if (renewed?.state === 'claimed') return renewed;",
    replace: 'if (written !== undefined) return { ...claim, service: written };',
    foundBy: writes,
  },
  {
    name: 'the last pods of a rollout get no traffic',
    file: `${FOLDER}/endpoints/endpoint-selection.ts`,
    find: 'if (terminating.length > 0)',
    replace: 'if (false)',
    foundBy: { unit: `${FOLDER}/endpoints` },
  },
  {
    name: 'a slice that went to another Service stays with the first',
    file: `${FOLDER}/endpoints/endpoint-index.ts`,
    find: 'if (before !== undefined && before !== after) this.#remove(before, sliceKey);',
    replace: '',
    foundBy: { unit: `${FOLDER}/endpoints` },
  },
  {
    name: 'a Service that a cloud controller manager serves is taken',
    file: `${FOLDER}/claim/class-claim.ts`,
    find: '!held && rules.isDefault && hasFinalizer',
    replace: 'false && hasFinalizer',
    foundBy: { unit: `${FOLDER}/claim` },
  },
  {
    name: 'a Service of another part is taken',
    file: `${FOLDER}/claim/class-claim.ts`,
    find: 'owner !== undefined && owner !== finalizer',
    replace: 'false',
    foundBy: { unit: `${FOLDER}/claim` },
  },
  {
    name: 'a changed default orphans what a Service has outside',
    file: `${FOLDER}/claim/class-claim.ts`,
    find: 'if (held) {',
    replace: 'if (false) {',
    foundBy: { unit: `${FOLDER}/claim` },
  },
];
