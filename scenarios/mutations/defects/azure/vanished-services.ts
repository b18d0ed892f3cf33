import type { Defect } from '../../defect.ts';

const LOAD_BALANCERS = 'packages/azure/local-backends/load-balancers';
const VANISHED = { unit: 'packages/azure/local-backends/vanished-services.test.ts' };

/** What is left when owners take our finalizer off, or let a Service become another's. */
export const vanishedServicesDefects: readonly Defect[] = [
  {
    name: 'what is left of a vanished Service that was never served whole waits for the comparison',
    file: `${LOAD_BALANCERS}/reconciler.ts`,
    find: "if (kind === 'serve') this.#served.set",
    replace: "if (kind === 'serve' && failure === undefined) this.#served.set",
    foundBy: VANISHED,
  },
  {
    name: 'what is left of a vanished Service that Azure did not let go waits for the comparison',
    file: `${LOAD_BALANCERS}/reconciler.ts`,
    find: "else if (kind === 'release' && failure === undefined) this",
    replace: "else if (kind === 'release') this",
    foundBy: VANISHED,
  },
  {
    name: 'what is left of a vanished Service that was refused at last waits for the comparison',
    file: `${LOAD_BALANCERS}/reconciler.ts`,
    find: "else if (kind === 'release' && failure",
    replace: 'else if (failure',
    foundBy: VANISHED,
  },
  {
    name: 'what is left of a vanished Service is forgotten when Azure keeps it once',
    file: `${LOAD_BALANCERS}/reconciler.ts`,
    find: 'return this.#guard.heldCount === 0 && failures.size === 0;',
    replace: 'return this.#guard.heldCount === 0;',
    foundBy: VANISHED,
  },
  {
    name: 'a vanished Service is looked for with each change of what is in its place',
    file: `${LOAD_BALANCERS}/reconciler.ts`,
    find: '    this.#served.delete(key);\n    this.#options.vanished',
    replace: '    this.#options.vanished',
    foundBy: VANISHED,
  },
  {
    name: 'the pool of a vanished Service follows the pods of what is in its place',
    file: `${LOAD_BALANCERS}/reconciler.ts`,
    find: '      pools.forget(key);\n      settled.delete(key);',
    replace: '      settled.delete(key);',
    foundBy: VANISHED,
  },
  {
    name: 'the pool of a Service that Azure does not let go follows its pods',
    file: `${LOAD_BALANCERS}/reconcile-pass.ts`,
    find: "if (task.outcome.kind !== 'serve' || task.failure",
    replace: 'if (task.failure',
    foundBy: VANISHED,
  },
  {
    name: 'a Service is tried ever more seldom for what Azure refused to many',
    file: `${LOAD_BALANCERS}/apply.ts`,
    find: 'return !isShared && findArmError',
    replace: 'return findArmError',
    foundBy: { unit: `${LOAD_BALANCERS}/apply.test.ts` },
  },
  {
    name: 'a Service is tried ever more seldom for what Azure has never seen',
    file: `${LOAD_BALANCERS}/apply.ts`,
    find: '!isShared && findArmError(error) !== undefined && ',
    replace: '!isShared && ',
    foundBy: { unit: `${LOAD_BALANCERS}/apply.test.ts` },
  },
];
