import type { Defect } from '../../defect.ts';

const LOCAL = 'packages/azure/local-backends';
const POOLS = `${LOCAL}/backend-pools`;
const BALANCERS = `${LOCAL}/load-balancers`;
const pools = { unit: POOLS };
const sim = { sim: 'local-backends', seeds: 200 } as const;

export const localBackendsDefects: readonly Defect[] = [
  {
    name: 'a pool is written without saying what it was made from',
    file: `${POOLS}/backend-pool-updater.ts`,
    find: 'const precondition = etag === undefined ? {} : { ifMatch: etag };',
    replace: 'const precondition = etag === undefined ? {} : {};',
    foundBy: { ...sim, seeds: 10 },
  },
  {
    name: 'a replica that no longer leads takes the lock of the Azure resources from the one that does',
    file: `${LOCAL}/azure-resource-locker.ts`,
    find: 'return leasedWrite(this.#options.leadership, `fairlead-${PART_NAME}`, signal);',
    replace: 'return { signal, fieldManager: `fairlead-${PART_NAME}`, deadlineMilliseconds: 4_000 };',
    foundBy: { unit: `${LOCAL}/azure-resource-locker` },
  },
  {
    name: 'a load balancer is written without saying what it was made from',
    file: `${BALANCERS}/apply.ts`,
    find: 'return etag === undefined ? {} : { ifMatch: etag };',
    replace: 'return etag === undefined ? {} : {};',
    foundBy: { ...sim, seeds: 10 },
  },
  {
    name: 'a retry is never counted',
    file: `${POOLS}/operation-queue.ts`,
    find: 'retryCount: operation.retryCount + 1',
    replace: 'retryCount: operation.retryCount + 0',
    foundBy: pools,
  },
  {
    name: 'there is one retry more than the budget has',
    file: `${POOLS}/operation-queue.ts`,
    find: 'retryCount >= maxRetries',
    replace: 'retryCount > maxRetries',
    foundBy: { ...sim, seeds: 100 },
  },
  {
    name: 'a pool that is busy is given up at once',
    file: `${POOLS}/update-error.ts`,
    find: '    case 409:\n',
    replace: '',
    foundBy: pools,
  },
  {
    name: 'a server that fails is tried again by the updater, too',
    file: `${POOLS}/update-error.ts`,
    find: '    case 409:\n',
    replace: '    case 500:\n    case 503:\n    case 409:\n',
    foundBy: pools,
  },
  {
    name: 'a pool that is not there is told as a failure',
    file: `${POOLS}/update-error.ts`,
    find: 'return STALE;',
    replace: 'return TERMINAL;',
    foundBy: pools,
  },
  {
    name: 'a refusal that nothing can change is tried again',
    file: `${POOLS}/update-error.ts`,
    find: '    default:\n      return TERMINAL;',
    replace: '    default:\n      return NEXT_TICK;',
    foundBy: pools,
  },
  {
    name: 'only the first Service of a group is told',
    file: `${POOLS}/update-reporter.ts`,
    find: 'for (const key of distinctServices(operations)) {\n      const service = serviceOf(key);',
    replace: 'for (const key of distinctServices(operations).slice(0, 1)) {\n      const service = serviceOf(key);',
    foundBy: pools,
  },
  {
    name: 'the finalizer is recorded after Azure was written',
    file: `${BALANCERS}/reconcile-pass.ts`,
    find: 'await this.#forEach((task, service) => this.#hold(task, service));\n    const targets = this.#going().flatMap(({ key, outcome }) => targetOf(key, outcome) ?? []);\n    const after = await this.#converge(targets, detached);',
    replace:
      'const targets = this.#going().flatMap(({ key, outcome }) => targetOf(key, outcome) ?? []);\n    const after = await this.#converge(targets, detached);\n    await this.#forEach((task, service) => this.#hold(task, service));',
    foundBy: { ...sim, seeds: 10 },
  },
  {
    name: 'the finalizer is released before Azure was cleaned',
    file: `${BALANCERS}/service-writes.ts`,
    find: "if (outcome.kind !== 'serve') return [];",
    replace:
      "if (outcome.kind === 'release') return releaseWrites(outcome.claim);\n  if (outcome.kind !== 'serve') return [];",
    foundBy: { ...sim, seeds: 50 },
  },
  {
    name: 'a public address is deleted while a frontend holds it',
    file: `${BALANCERS}/plan.ts`,
    find: "target.kind === 'detached' || index.isHeld(id)",
    replace: "target.kind === 'detached'",
    foundBy: { unit: LOCAL },
  },
  {
    name: 'a priority that a rule of another has is given again',
    file: `${BALANCERS}/request-bodies/security-rules.ts`,
    find: "return direction.toLowerCase() === 'inbound';",
    replace: "return direction === 'Inbound';",
    foundBy: { ...sim, seeds: 50 },
  },
  {
    name: 'entries of other programs are taken out of a pool',
    file: `${POOLS}/pool-entries.ts`,
    find: 'return isOurs ? [] : [entry];',
    replace: 'return isOurs || true ? [] : [entry];',
    foundBy: pools,
  },
  {
    name: 'a Service may show an address before it has all of them',
    file: `${BALANCERS}/reconcile-pass.ts`,
    find: 'if (addresses.length === target.wanted.families.length) return addresses;',
    replace: 'if (addresses.length > 0) return addresses;',
    foundBy: { unit: LOCAL },
  },
  {
    name: 'a load balancer that another program has just made is overwritten',
    file: `${BALANCERS}/apply.ts`,
    find: "const isNew = write.etag === undefined ? ({ ifNoneMatch: '*' } as const) : {};",
    replace: 'const isNew = {};',
    foundBy: { unit: LOCAL },
  },
  {
    name: 'nobody is blamed alone when Azure refuses several Services at once',
    file: `${BALANCERS}/apply.ts`,
    find: "if (!isShared || verdictOf(error) !== 'terminal') return false;",
    replace: 'if (isShared || verdictOf(error)) return false;',
    foundBy: { unit: LOCAL },
  },
  {
    name: 'a throttled updater waits at the gate with both locks in its hands',
    file: `${POOLS}/backend-pool-updater.ts`,
    find: "throttle: 'refuse',",
    replace: "throttle: 'wait',",
    foundBy: pools,
  },
  {
    name: 'a run takes only the pools it was asked for, and the others queue for the locks again',
    file: `${POOLS}/backend-pool-updater.ts`,
    find: 'const isTaken = (pool: PoolKey) => this.#leadingEdge.isDue(pool);',
    replace:
      'const isTaken = (pool: PoolKey) => (pools === undefined || pools.has(pool)) && this.#leadingEdge.isDue(pool);',
    foundBy: pools,
  },
  {
    name: 'the lock is shared with the cloud-controller-manager',
    file: `${LOCAL}/azure-resource-locker.ts`,
    find: "const HOLDER = 'fairlead-azure-local';",
    replace: "const HOLDER = 'cloud-controller-manager';",
    foundBy: { unit: `${LOCAL}/azure-resource-locker` },
  },
  {
    name: 'rules of others are not counted when a Service is placed',
    file: `${BALANCERS}/outcome.ts`,
    find: 'owner === undefined || !asked.has(owner)',
    replace: 'owner !== undefined && !asked.has(owner)',
    foundBy: { unit: `${LOCAL}/controller` },
  },
  {
    name: 'a security group gets more rules than Azure takes',
    file: `${BALANCERS}/request-bodies/security-rules.ts`,
    find: 'if (placed.length > 0 && kept.length + placed.length > MOST_RULES) throw tooManyRules();',
    replace: '',
    foundBy: { unit: BALANCERS },
  },
  {
    name: 'a throttled reconcile waits at the gate with both locks in its hands',
    file: `${BALANCERS}/apply.ts`,
    find: "record, throttle: 'refuse' }));",
    replace: 'record }));',
    foundBy: { unit: `${LOCAL}/failures` },
  },
];
