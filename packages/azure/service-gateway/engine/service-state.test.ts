import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedSpec, inboundSpec } from '../testing/specs.ts';
import {
  beginCreation,
  beginDeletion,
  beginUpdate,
  drift,
  fail,
  failDeletion,
  finishDeletion,
  isLive,
  isWanted,
  NO_WAIT,
  refuse,
  type ServiceState,
  succeed,
  unpark,
  requestDeletion,
  requestSpec,
} from './service-state.ts';

// Edge cases are numbered as in docs/azure-service-gateway.md.

const spec = inboundSpec('web');
const other = changedSpec('web', 81);
const failure = { code: 'bad', message: 'no' };
const wait = { failures: 1, notBefore: 1_000, failure: 'busy' };

describe('the states of a service', () => {
  it('lead from the first request to a service that is there', () => {
    const notStarted = requestSpec(undefined, spec);
    expect(notStarted).toEqual({ kind: 'NotStarted', spec, wait: NO_WAIT });
    if (notStarted.kind !== 'NotStarted') throw new Error('not reached');
    expect(succeed(beginCreation(notStarted))).toEqual({ kind: 'Created', spec });
  });

  it('edge case 1: a request to delete during creation is kept until the creation has ended, well or not', () => {
    const creating = requestDeletion(beginCreation({ kind: 'NotStarted', spec, wait: NO_WAIT }));
    if (creating.kind !== 'CreationInProgress') throw new Error('not reached');
    expect(isWanted(creating)).toBe(false);
    expect(succeed(creating).kind).toBe('DeletionPending');
    expect(fail(creating, { kind: 'retry', wait }).kind).toBe('DeletionPending');
    expect(fail(creating, { kind: 'park', failure }).kind).toBe('DeletionPending');
  });

  it('edge case 1: a request to delete during an update takes its addresses away at once', () => {
    const updating = beginUpdate({ kind: 'UpdatePending', spec, wait: NO_WAIT });
    expect(isLive(updating)).toBe(true);
    const unwanted = requestDeletion(updating);
    expect(isLive(unwanted)).toBe(false);
    if (unwanted.kind !== 'UpdateInProgress') throw new Error('not reached');
    expect(succeed(unwanted).kind).toBe('DeletionPending');
  });

  it('edge case 1: a recreation during deletion is carried out after it, and a flap cancels it', () => {
    const deleting = beginDeletion({ kind: 'DeletionPending', wait: NO_WAIT });
    const recreating = requestSpec(deleting, other);
    if (recreating.kind !== 'DeletionInProgress') throw new Error('not reached');
    expect(finishDeletion(recreating)).toEqual({ kind: 'NotStarted', spec: other, wait: NO_WAIT });
    expect(failDeletion(recreating, wait)).toEqual({ kind: 'NotStarted', spec: other, wait: NO_WAIT });
    const cancelled = requestDeletion(recreating);
    if (cancelled.kind !== 'DeletionInProgress') throw new Error('not reached');
    expect(finishDeletion(cancelled)).toBeUndefined();
  });

  it('give a newer request a chance of its own when the older one failed', () => {
    const creating = requestSpec(beginCreation({ kind: 'NotStarted', spec, wait }), other);
    if (creating.kind !== 'CreationInProgress') throw new Error('not reached');
    expect(fail(creating, { kind: 'park', failure })).toEqual({ kind: 'NotStarted', spec: other, wait: NO_WAIT });
    expect(succeed(creating)).toEqual({ kind: 'UpdatePending', spec: other, wait: NO_WAIT });
  });

  it('park what is refused until it asks for something else', () => {
    const parked = fail(beginUpdate({ kind: 'UpdatePending', spec, wait }), { kind: 'park', failure });
    expect(parked).toEqual({ kind: 'Parked', spec, serving: true, failure });
    expect(requestSpec(parked, spec)).toBe(parked);
    expect(requestSpec(parked, other)).toEqual({ kind: 'UpdatePending', spec: other, wait: NO_WAIT });
    expect(unpark(parked)).toEqual({ kind: 'UpdatePending', spec, wait: NO_WAIT });
  });

  it('edge case 14: a refused spec leaves what is there alone, and it stays deletable', () => {
    const refused = refuse({ kind: 'Created', spec }, failure);
    expect(refused).toEqual({ kind: 'Parked', spec: undefined, serving: true, failure });
    expect(isLive(refused)).toBe(true);
    expect(unpark(refused)).toBe(refused);
    expect(refuse(refused, failure)).toBe(refused);
    expect(requestDeletion(refused).kind).toBe('DeletionPending');
  });

  it('make a service anew that NRP has lost, and repair one that was changed', () => {
    const created: ServiceState = { kind: 'Created', spec };
    expect(drift(created, false).kind).toBe('NotStarted');
    expect(drift(created, true).kind).toBe('UpdatePending');
  });

  it('end where the last request points, whatever was asked for before and however operations ended', () => {
    const request = fc.constantFrom<(keyof typeof endings)[]>(
      'requestSpec',
      'requestSpec-other',
      'requestDeletion',
      'refuse',
    );
    const step: fc.Arbitrary<string> = fc.oneof(request, fc.constantFrom('begin', 'succeed', 'retry', 'park'));
    fc.assert(
      fc.property(fc.array(step), request, (steps, last) => {
        let state: ServiceState | undefined;
        for (const act of [...steps, last]) state = apply(state, act);
        for (let round = 0; round < 6; round += 1) state = apply(apply(state, 'begin'), 'succeed');
        // The request is told again, as every look at the Service does.
        state = apply(state, last);
        for (let round = 0; round < 6; round += 1) state = apply(apply(state, 'begin'), 'succeed');
        expect(endings[last](state), `${last} ended in ${state?.kind}`).toBe(true);
      }),
    );
  });
});

/** Created as asked for, or parked because the cloud refused this very request. */
const isSettledOn = (wanted: typeof spec) => (state: ServiceState | undefined) =>
  (state?.kind === 'Created' || state?.kind === 'Parked') && state.spec === wanted;

const endings = {
  requestSpec: isSettledOn(spec),
  'requestSpec-other': isSettledOn(other),
  requestDeletion: (state: ServiceState | undefined) => state === undefined,
  refuse: (state: ServiceState | undefined) => state?.kind === 'Parked',
};

function apply(state: ServiceState | undefined, act: string): ServiceState | undefined {
  switch (act) {
    case 'requestSpec':
      return requestSpec(state, spec);
    case 'requestSpec-other':
      return requestSpec(state, other);
    case 'requestDeletion':
      return requestDeletion(state);
    case 'refuse':
      return refuse(state, failure);
    case 'begin':
      return begun(state);
    default:
      return ended(state, act);
  }
}

function begun(state: ServiceState | undefined): ServiceState | undefined {
  if (state?.kind === 'NotStarted') return beginCreation(state);
  if (state?.kind === 'UpdatePending') return beginUpdate(state);
  if (state?.kind === 'DeletionPending') return beginDeletion(state);
  return state;
}

function ended(state: ServiceState | undefined, how: string): ServiceState | undefined {
  if (state?.kind === 'DeletionInProgress') {
    return how === 'succeed' ? finishDeletion(state) : failDeletion(state, wait);
  }
  if (state?.kind !== 'CreationInProgress' && state?.kind !== 'UpdateInProgress') return state;
  if (how === 'succeed') return succeed(state);
  return fail(state, how === 'park' ? { kind: 'park', failure } : { kind: 'retry', wait });
}
