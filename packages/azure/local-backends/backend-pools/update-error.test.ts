import { REPEATED_STATUSES } from '@fairlead/cloud';
import { FairleadError } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { ArmError } from '../../arm/index.ts';
import {
  classifyUpdateError,
  isRetriableBackendPoolUpdateError,
  newRetriableBackendPoolUpdateError,
} from './update-error.ts';

const refused = (status: number, retryAfterMilliseconds?: number) =>
  new ArmError('PUT backendAddressPools/web', {
    status,
    codes: ['Code'],
    message: '',
    verdict: 'retriable',
    correlationId: 'c',
    retryAfterMilliseconds,
  });
const retriable = { kind: 'retriable', retryAfterMilliseconds: undefined };
const gateClosed = new FairleadError('slow down', { verdict: 'retriable', code: 'throttle-gate-closed' });
const gateClosedFor = (retryAfterMilliseconds: number) =>
  new FairleadError('slow down', { verdict: 'retriable', code: 'throttle-gate-closed', retryAfterMilliseconds });
const timeout = new FairleadError('not done within 10 s', { verdict: 'retriable', code: 'deadline-exceeded' });

describe('what the updater does about a failure', () => {
  it.each([
    ['a pool that is not there', refused(404), { kind: 'stale' }],
    ['throttling that names a delay', refused(429, 60_000), { kind: 'retriable', retryAfterMilliseconds: 60_000 }],
    ['throttling that names none', refused(429), retriable],
    ['our own throttle gate', gateClosed, retriable],
    [
      'our own throttle gate, which knows its time',
      gateClosedFor(60_000),
      { kind: 'retriable', retryAfterMilliseconds: 60_000 },
    ],
    ['a conflict', refused(409), retriable],
    ['an etag that is out of date', refused(412), retriable],
    ['a refusal for good', refused(400), { kind: 'terminal' }],
    ['a permission that is missing', refused(403), { kind: 'terminal' }],
    ['an operation that Azure accepted and failed at', refused(200), { kind: 'terminal' }],
    ['no answer in time', timeout, { kind: 'terminal' }],
    ['an error that says it may be tried again', newRetriableBackendPoolUpdateError(timeout), retriable],
    ['a defect of ours', new TypeError('undefined is not a function'), { kind: 'terminal' }],
    ['something that is no error', 'oops', { kind: 'terminal' }],
  ])('%s', (_, error, verdict) => {
    expect(classifyUpdateError(error)).toEqual(verdict);
    expect(classifyUpdateError(new Error('wrapped', { cause: error }))).toEqual(verdict);
  });

  it.each(REPEATED_STATUSES)('gives up after %i, which the client has repeated already', (status) => {
    expect(classifyUpdateError(refused(status))).toEqual({ kind: 'terminal' });
  });

  it('keeps message and code of an error that it lets be tried again', () => {
    const marked = newRetriableBackendPoolUpdateError(timeout);
    expect(marked).toMatchObject({ message: timeout.message, code: timeout.code, verdict: 'retriable' });
    expect(isRetriableBackendPoolUpdateError(new Error('wrapped', { cause: marked }))).toBe(true);
    expect(isRetriableBackendPoolUpdateError(timeout)).toBe(false);
  });
});
