import { FairleadError, findFairleadError, messageOf } from '@fairlead/control';
import { failure } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { findArmError } from '../../arm/index.ts';
import { AzureBench } from '../testing/azure-bench.ts';
import { withStableMessage } from './azure-errors.ts';

/** As Azure's refusal comes from the client. */
function refusedRegistration({ clock, repository }: AzureBench): Promise<unknown> {
  const request = { isDelete: true, service: { name: 'web', properties: { serviceType: 'Inbound' } } } as const;
  return failure(clock, repository.updateServices([request], {}));
}

describe('withStableMessage', () => {
  it('gives what Azure said without the id of the call, and with all that is decided by', async () => {
    const bench = new AzureBench();
    const busy = { kind: 'refuse', status: 409, code: 'Busy', headers: { 'retry-after': '7' } } as const;
    bench.azure.faults.next({ kind: 'updateServices' }, busy);
    const error = await refusedRegistration(bench);
    const told = withStableMessage(error);
    expect(messageOf(error)).toMatch(/\(409 Busy, correlation [0-9a-f-]{36}\)$/);
    expect(messageOf(told)).toMatch(/\(409 Busy\)$/);
    expect(findFairleadError(told)).toMatchObject({
      verdict: 'retriable',
      code: 'Busy',
      retryAfterMilliseconds: 7_000,
    });
    expect(findArmError(told)).toBe(error);
  });

  it('leaves alone what Azure itself says of correlations', async () => {
    const bench = new AzureBench();
    const message = 'Busy with another call, correlation unknown (try later)';
    bench.azure.faults.next({ kind: 'updateServices' }, { kind: 'refuse', status: 409, code: 'Busy', message });
    const error = await refusedRegistration(bench);
    expect(messageOf(withStableMessage(error))).toBe(`POST updateServices/sgw: ${message} (409 Busy)`);
  });

  it('leaves everything else as it is', () => {
    const own = new FairleadError('the service gateway is not there', {
      verdict: 'retriable',
      code: 'gateway-missing',
    });
    for (const error of [own, new TypeError('a defect'), 'no error at all'])
      expect(withStableMessage(error)).toBe(error);
  });
});
