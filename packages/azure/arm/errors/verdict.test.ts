import { isNotFound, resultOf } from '@fairlead/cloud';
import { StepFailure } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { ArmError, armErrorFromAnswer, armErrorFromOperation, findArmError } from './arm-error.ts';

const call = { what: 'PUT loadBalancers/web', correlationId: 'c' };
const body = (code: string, detail?: string) =>
  JSON.stringify({ error: { code, message: 'No.', details: detail === undefined ? [] : [{ code: detail }] } });

describe('the verdict on a refusal', () => {
  it.each([
    [400, 'InvalidRequestFormat', 'terminal', 'refused'],
    [422, 'UnprocessableEntity', 'terminal', 'refused'],
    [400, 'DuplicateLocationsInRequest', 'terminal', 'refused'],
    [400, 'ServiceWithOverlayMappingsCannotBeDeleted', 'terminal', 'refused'],
    [400, 'MultipleDefaultServicesNotAllowedInServiceGateway', 'terminal', 'refused'],
    [400, 'InvalidResourceReference', 'terminal', 'refused'],
    [403, 'RequestDisallowedByPolicy', 'terminal', 'unauthorized'],
    [400, 'PublicIPAddressCannotBeDeleted', 'retriable', 'refused'],
    [400, 'PublicIPCountLimitReached', 'retriable', 'refused'],
    [400, 'InUseNatGatewayCannotBeDeleted', 'retriable', 'refused'],
    [401, 'ExpiredAuthenticationToken', 'retriable', 'unauthorized'],
    [403, 'AuthorizationFailed', 'retriable', 'unauthorized'],
    [404, 'ResourceNotFound', 'terminal', 'not-found'],
    [409, 'AnotherOperationInProgress', 'retriable', 'conflict'],
    [412, 'PreconditionFailed', 'retriable', 'conflict'],
    [429, 'TooManyRequests', 'retriable', 'throttled'],
    [429, 'RetryableErrorDueToAnotherOperation', 'retriable', 'busy'],
    [408, 'Timeout', 'retriable', 'server-error'],
    [500, 'InternalServerError', 'retriable', 'server-error'],
    [507, 'InsufficientStorage', 'retriable', 'server-error'],
  ] as const)('%i %s is %s, and counted as %s', (status, code, verdict, result) => {
    const error = armErrorFromAnswer(call, status, body(code), undefined);
    expect(error).toMatchObject({ status, code, verdict });
    expect(resultOf(error)).toBe(result);
  });

  it('goes by what the caller makes of a resource that is not there', () => {
    const error = armErrorFromAnswer({ ...call, notFound: 'stale' }, 404, body('ResourceNotFound'), undefined);
    expect(error.verdict).toBe('stale');
    expect(isNotFound(error)).toBe(true);
  });

  it('looks for the code below the code', () => {
    const error = armErrorFromAnswer(call, 400, body('BadRequest', 'PublicIPAddressInUse'), undefined);
    expect(error).toMatchObject({
      code: 'BadRequest',
      codes: ['BadRequest', 'PublicIPAddressInUse'],
      verdict: 'retriable',
    });
    expect(error.message).toBe('PUT loadBalancers/web: No. (400 BadRequest/PublicIPAddressInUse, correlation c)');
  });

  it('makes one short line of whatever was in the way', () => {
    const page = `<html>\n<h1>Bad   gateway</h1>${' very'.repeat(200)}</html>`;
    const error = armErrorFromAnswer(call, 502, page, undefined);
    expect(error.code).toBe('http-502');
    expect(error.message).toMatch(/^PUT loadBalancers\/web: Bad gateway very[ a-z]*… \(502 http-502, correlation c\)$/);
    expect(armErrorFromAnswer(call, 500, '', undefined).message).toContain(': http-500 (500');
  });

  it.each([
    ['AllocationFailed', 'retriable'],
    ['InvalidRequestFormat', 'terminal'],
    ['DuplicateLocationsInRequest', 'terminal'],
    ['PublicIPAddressInUse', 'retriable'],
  ] as const)('%s at the end of an operation is %s', (code, verdict) => {
    expect(armErrorFromOperation(call, { codes: [code], message: '' })).toMatchObject({ status: 200, code, verdict });
  });

  it('is found inside what was made of it', () => {
    const error = armErrorFromAnswer(call, 404, body('ResourceNotFound'), undefined);
    const wrapped = new StepFailure('create', error);
    expect(findArmError(wrapped)).toBe(error);
    expect(findArmError(new Error('else'))).toBeUndefined();
    expect(isNotFound(wrapped)).toBe(true);
    expect(error).toBeInstanceOf(ArmError);
  });
});
