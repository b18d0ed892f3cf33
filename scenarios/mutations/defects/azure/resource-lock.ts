import type { Defect } from '../../defect.ts';

const FILE = 'packages/azure/local-backends/azure-resource-locker.ts';
const unit = { unit: 'packages/azure/local-backends/azure-resource-locker' };

export const resourceLockDefects: readonly Defect[] = [
  {
    name: 'a lock of the Azure resources that could not be given back is left to expire',
    file: FILE,
    find: '      this.#tellKept(error);\n      this.#giveBackLater(acquireTime);',
    replace: '      this.#tellKept(error);',
    foundBy: { sim: 'local-backends', seeds: 1, from: 740_164 },
  },
  {
    name: 'a lock of the Azure resources is left to expire when the answer by which it was taken is lost',
    file: FILE,
    find: 'if (codeOf(error) !== LOCKED_CODE) this.#giveBackLater(acquireTime);',
    replace: '',
    foundBy: unit,
  },
  {
    name: 'a replica gives the lock of the Azure resources back that another replica has taken since',
    file: FILE,
    find: ' || lease.spec.acquireTime !== acquireTime',
    replace: '',
    foundBy: unit,
  },
  {
    name: 'a lock of the Azure resources is given back later although another component has it',
    file: FILE,
    find: 'lease?.spec?.holderIdentity !== HOLDER || lease.spec.acquireTime',
    replace: 'lease?.spec?.acquireTime',
    foundBy: unit,
  },
  {
    name: 'who no longer leads goes on giving back the lock of the Azure resources',
    file: FILE,
    find: 'AbortSignal.any([stop.signal, this.#options.leadership.signal])',
    replace: 'stop.signal',
    foundBy: unit,
  },
  {
    name: 'a lock of the Azure resources is given back while it is held again',
    file: FILE,
    find: '    this.#leftover?.stop.abort();\n    await this.#leftover?.given;\n',
    replace: '',
    foundBy: unit,
  },
  {
    name: 'a lock of the Azure resources that expired is given back for ever',
    file: FILE,
    find: 'clock.monotonic() < expiresAt && !signal.aborted',
    replace: '!signal.aborted',
    foundBy: unit,
  },
  {
    name: 'what gives the lock of the Azure resources back is given up half-way, and arrives when it is held again',
    file: FILE,
    find: 'this.#whileLeading(leadership.signal)',
    replace: 'this.#whileLeading(signal)',
    foundBy: unit,
  },
  {
    name: 'a lock of the Azure resources is taken before what gives it back has arrived',
    file: FILE,
    find: '    await this.#leftover?.given;\n',
    replace: '',
    foundBy: unit,
  },
  {
    name: 'a lock of the Azure resources is tried to be given back for a second',
    file: FILE,
    find: 'DURATION_SECONDS * 1_000',
    replace: 'DURATION_SECONDS',
    foundBy: unit,
  },
  {
    name: 'who came too late for the lock of the Azure resources gives it back later',
    file: FILE,
    find: 'if (codeOf(error) !== LOCKED_CODE) this.#giveBackLater(acquireTime);',
    replace: 'this.#giveBackLater(acquireTime);',
    foundBy: unit,
  },
];
