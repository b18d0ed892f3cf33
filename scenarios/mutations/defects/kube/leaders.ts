import type { Defect } from '../../defect.ts';

const FOLDER = 'packages/kube';
const leader = { unit: `${FOLDER}/leader` };

export const kubeLeadingDefects: readonly Defect[] = [
  {
    name: 'a leader counts on all of the time that the others wait',
    file: `${FOLDER}/leader/election.ts`,
    find: 'const VALID_FRACTION = 0.9;',
    replace: 'const VALID_FRACTION = 1;',
    foundBy: leader,
  },
  {
    name: 'a label on the Lease keeps a dead holder in office',
    file: `${FOLDER}/leader/lease-observation.ts`,
    find: 'const record = recordOf(lease);',
    replace: "const record = lease.metadata.resourceVersion ?? '';",
    foundBy: leader,
  },
  {
    name: 'a renewal counts from its answer instead of from its request',
    file: `${FOLDER}/leader/election.ts`,
    find: 'leadership.extend(startedAt);',
    replace: 'leadership.extend(momentOf(clock));',
    foundBy: leader,
  },
  {
    name: 'a Lease that was taken counts from the answer instead of from the request',
    file: `${FOLDER}/leader/election.ts`,
    find: 'this.#term, startedAt)',
    replace: 'this.#term, momentOf(clock))',
    foundBy: leader,
  },
  {
    name: 'the Lease is given back while a write that it covered may be on its way',
    file: `${FOLDER}/leader/election.ts`,
    find: 'await sleep(clock, this.#leadership?.coveredMilliseconds ?? 0);',
    replace: '',
    foundBy: leader,
  },
  {
    name: 'the Lease is taken whatever its version is by now',
    file: `${FOLDER}/leader/election.ts`,
    find: 'metadata: { ...versionOf(lease), annotations',
    replace: 'metadata: { annotations',
    foundBy: leader,
  },
  {
    name: 'a late renewal takes the Lease back from a new holder',
    file: `${FOLDER}/leader/election.ts`,
    find: 'metadata: versionOf(holding.lease), spec: this.#renewal()',
    replace: 'spec: this.#renewal()',
    foundBy: leader,
  },
  {
    name: 'to give the Lease back takes it from who holds it by now',
    file: `${FOLDER}/leader/election.ts`,
    find: '{ metadata: versionOf(lease), spec }',
    replace: '{ spec }',
    foundBy: leader,
  },
  {
    name: 'a Lease that was deleted is taken at once',
    file: `${FOLDER}/leader/lease-observation.ts`,
    find: 'this.#deleted = { holder,',
    replace: 'void { holder,',
    foundBy: leader,
  },
  {
    name: 'clocks that disagree are believed',
    file: `${FOLDER}/leader/leadership.ts`,
    find: 'Math.abs(byWall - byMonotonic) > slack ? Number.POSITIVE_INFINITY : ',
    replace: '',
    foundBy: leader,
  },
  {
    name: 'a Lease that may have been made and deleted since is made again at once',
    file: `${FOLDER}/leader/election.ts`,
    find: 'this.#observation.mayExist();',
    replace: '',
    foundBy: leader,
  },
  {
    name: 'a new Lease begins with an epoch that was used before',
    file: `${FOLDER}/leader/lease-observation.ts`,
    find: ', highestKnown + 1',
    replace: '',
    foundBy: leader,
  },
  {
    name: 'each leadership leaves a listener behind',
    file: `${FOLDER}/leader/election.ts`,
    find: "signal.removeEventListener('abort', onStop);",
    replace: '',
    foundBy: leader,
  },
  {
    name: 'a short write makes the Lease forget a long one that it covered',
    file: `${FOLDER}/leader/leadership.ts`,
    find: 'Math.max(this.#coveredUntil, this.#clock.monotonic() + milliseconds)',
    replace: 'this.#clock.monotonic() + milliseconds',
    foundBy: leader,
  },
  {
    name: 'a leader that is told to stop leads on',
    file: `${FOLDER}/leader/election.ts`,
    find: "signal.addEventListener('abort', onStop, { once: true });",
    replace: '',
    foundBy: leader,
  },
  {
    name: 'a Lease that was made anew is taken for the one before',
    file: `${FOLDER}/leader/lease-observation.ts`,
    find: 'if (this.#observed?.uid !== uid) this.#observeDeletion();',
    replace: '',
    foundBy: leader,
  },
  {
    name: 'a candidate that stood by ends when it may no longer read the Lease',
    file: `${FOLDER}/leader/election.ts`,
    find: `    if (holder !== undefined) {
      this.#reached = true;
`,
    replace: `    if (holder !== undefined) {
`,
    foundBy: leader,
  },
  {
    name: 'why a Lease cannot be made is forgotten while one that was deleted is waited for',
    file: `${FOLDER}/leader/election.ts`,
    find: 'if (holder !== undefined && found !== undefined) this.#succeed();',
    replace: 'if (holder !== undefined) this.#succeed();',
    foundBy: leader,
  },
  {
    name: 'a leader leads on under another epoch than its Lease names',
    file: `${FOLDER}/leader/election.ts`,
    find: 'holderOf(lease) !== this.#identity || epochOf(lease) !== leadership.epoch',
    replace: 'holderOf(lease) !== this.#identity',
    foundBy: leader,
  },
  {
    name: 'an epoch that another client lowered is gone by',
    file: `${FOLDER}/leader/lease-observation.ts`,
    find: 'this.#highestEpoch = Math.max(this.#highestEpoch, epochOf(lease));',
    replace: 'this.#highestEpoch = epochOf(lease);',
    foundBy: leader,
  },
];
