import type { Defect } from '../../defect.ts';

const BALANCERS = 'packages/azure/local-backends/load-balancers';
const foundBy = { unit: 'packages/azure/local-backends/failed-operations' };

/** What Azure accepted, and failed at afterwards. */
export const failedOperationsDefects: readonly Defect[] = [
  {
    name: 'a load balancer that Azure failed at counts as made',
    file: `${BALANCERS}/plan.ts`,
    find: 'changed.size === 0 && current !== undefined && hasFailed(current)',
    replace: 'false',
    foundBy,
  },
  {
    name: 'a security group that Azure failed at counts as written',
    file: `${BALANCERS}/plan.ts`,
    find: 'changed.size === 0 && hasFailed(group)',
    replace: 'false',
    foundBy,
  },
  {
    name: 'a public address that Azure failed at counts as made',
    file: `${BALANCERS}/request-bodies/public-addresses.ts`,
    find: ' && !hasFailed(there)',
    replace: '',
    foundBy,
  },
  {
    name: 'a security group in which nothing is ours is written because Azure failed at it',
    file: `${BALANCERS}/plan.ts`,
    find: '(list) => list.length > 0',
    replace: '() => true',
    foundBy: { unit: `${BALANCERS}/plan.test.ts` },
  },
  {
    name: 'a Service is let go although Azure failed at taking away what it had',
    file: `${BALANCERS}/plan.ts`,
    find: "kind === 'absent' || isAny(things)",
    replace: 'isAny(things)',
    foundBy: { unit: `${BALANCERS}/plan.test.ts` },
  },
  {
    name: 'a Service that stays is told to be done although Azure failed at what it was to leave',
    file: `${BALANCERS}/plan.ts`,
    find: ' || failedWrites?.isFor(id, mark) === true',
    replace: '',
    foundBy,
  },
  {
    name: 'a Service is blamed for a load balancer in state Failed on which it has nothing',
    file: `${BALANCERS}/plan.ts`,
    find: '(children) => children !== NO_CHILDREN',
    replace: '() => true',
    foundBy: { unit: `${BALANCERS}/plan.test.ts` },
  },
  {
    name: 'a 429 for what Azure is still at work on is bisected, too',
    file: `${BALANCERS}/apply.ts`,
    find: 'refusal?.status === 400 && refusal.codes.includes(NOT_PROVISIONED)',
    replace: 'refusal?.codes.includes(NOT_PROVISIONED)',
    foundBy: { unit: 'packages/azure/local-backends/failures' },
  },
  {
    name: 'a pool that Azure failed at is told to be updated, and is not written again',
    file: 'packages/azure/local-backends/backend-pools/pool-writer.ts',
    find: 'if (changed === undefined && !hasFailed(pool)) return;',
    replace: 'if (changed === undefined) return;',
    foundBy,
  },
  {
    name: 'a second write that Azure fails at makes forget for whom the first was',
    file: `${BALANCERS}/failed-writes.ts`,
    find: 'new Set([...(this.#marks.get(id) ?? []), ...marks])',
    replace: 'new Set(marks)',
    foundBy: { unit: `${BALANCERS}/failed-writes` },
  },
  {
    name: 'a write that Azure failed at is remembered for ever',
    file: `${BALANCERS}/failed-writes.ts`,
    find: '    this.#marks.delete(id);\n',
    replace: '',
    foundBy: { unit: `${BALANCERS}/failed-writes` },
  },
  {
    name: 'of those for whom a write was that Azure failed at, only the first is remembered',
    file: `${BALANCERS}/apply.ts`,
    find: 'marksOf(targets, write)',
    replace: 'marksOf(targets, write).slice(0, 1)',
    foundBy,
  },
  {
    name: 'who has left a resource at the second attempt is blamed for what Azure fails at there later',
    file: `${BALANCERS}/apply.ts`,
    find: 'if (isShared(write)) options.failedWrites.succeeded(write.id);',
    replace: '',
    foundBy,
  },
  {
    name: 'what Azure failed at in a security group is not remembered',
    file: `${BALANCERS}/apply.ts`,
    find: "write.kind === 'put-security-group' || write.kind === 'put-load-balancer'",
    replace: "write.kind === 'put-load-balancer'",
    foundBy,
  },
  {
    name: 'what Azure failed at in a load balancer is not remembered',
    file: `${BALANCERS}/apply.ts`,
    find: "write.kind === 'put-security-group' || write.kind === 'put-load-balancer'",
    replace: "write.kind === 'put-security-group'",
    foundBy,
  },
  {
    name: 'all Services that are worked on together are blamed for what Azure fails at later',
    file: `${BALANCERS}/apply.ts`,
    find: 'targets.filter(({ subject }) => subjects.includes(subject)).map(({ mark }) => mark)',
    replace: 'targets.map(({ mark }) => mark)',
    foundBy,
  },
];
