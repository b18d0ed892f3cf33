import { describe, expect, it } from 'vitest';
import { type PollTarget, progressOfPoll, progressOfWrite } from './long-running.ts';

const url = 'https://arm.test/resource';
const status = { 'azure-asyncoperation': 'https://arm.test/operations/1' };
const result = { location: 'https://arm.test/operationResults/1' };
const resource = (provisioningState: string) => ({ id: '/x', properties: { provisioningState } });
const error = { code: 'AllocationFailed', message: 'No  room.' };
const follow = (style: PollTarget['style'], link: string) => ({ state: 'running', poll: { style, url: link } });

describe('the first answer to a write', () => {
  it.each([
    ['a finished PUT', 'PUT', 200, {}, resource('Succeeded'), { state: 'done' }],
    [
      'a finished PUT that still has links',
      'PUT',
      201,
      { ...status, ...result },
      resource('Succeeded'),
      { state: 'done' },
    ],
    ['a PUT without a state', 'PUT', 200, {}, { id: '/x' }, { state: 'done' }],
    [
      'a PUT under way',
      'PUT',
      201,
      { ...status, ...result },
      resource('Updating'),
      follow('status', 'https://arm.test/operations/1'),
    ],
    ['a PUT with a location', 'PUT', 202, result, undefined, follow('result', 'https://arm.test/operationResults/1')],
    ['a PUT under way without links', 'PUT', 200, {}, resource('Updating'), follow('resource', url)],
    ['a PUT accepted without anything', 'PUT', 202, {}, undefined, follow('resource', url)],
    ['a PUT that failed at once', 'PUT', 200, {}, resource('Failed'), { state: 'failed' }],
    ['a finished DELETE', 'DELETE', 200, result, undefined, { state: 'done' }],
    ['a DELETE of nothing', 'DELETE', 204, {}, undefined, { state: 'done' }],
    [
      'a DELETE under way',
      'DELETE',
      202,
      { ...status, ...result },
      undefined,
      follow('status', 'https://arm.test/operations/1'),
    ],
    ['a DELETE accepted without links', 'DELETE', 202, {}, undefined, follow('resource', url)],
    [
      'a POST that is done, with links',
      'POST',
      200,
      { ...status, ...result },
      { status: 'Succeeded' },
      { state: 'done' },
    ],
    ['a POST without content', 'POST', 204, {}, undefined, { state: 'done' }],
    ['a POST under way', 'POST', 202, result, undefined, follow('result', 'https://arm.test/operationResults/1')],
    ['a POST accepted without links', 'POST', 202, {}, undefined, { state: 'done' }],
    ['a POST that failed with status 200', 'POST', 200, {}, { status: 'Failed', error }, { state: 'failed' }],
  ] as const)('%s', (_, method, code, headers, body, expected) => {
    expect(progressOfWrite({ method, url }, { status: code, headers, body })).toMatchObject(expected);
  });
});

describe('the answer to a poll', () => {
  it.each([
    ['a status under way', 'status', 200, {}, { status: 'InProgress' }, follow('status', url)],
    ['a status it does not know', 'status', 200, {}, { status: 'Resolving' }, follow('status', url)],
    [
      'a status that moved',
      'status',
      200,
      status,
      { status: 'InProgress' },
      follow('status', 'https://arm.test/operations/1'),
    ],
    ['a success', 'status', 200, {}, { status: 'Succeeded' }, { state: 'done', body: undefined }],
    ['a failure with status 200', 'status', 200, {}, { status: 'Failed', error }, { state: 'failed' }],
    ['a cancellation', 'status', 200, {}, { status: 'Canceled' }, { state: 'failed' }],
    [
      'a result not there yet',
      'result',
      202,
      result,
      undefined,
      follow('result', 'https://arm.test/operationResults/1'),
    ],
    ['a result that tells a status', 'result', 200, {}, { status: 'InProgress' }, follow('result', url)],
    ['a result', 'result', 200, {}, resource('Succeeded'), { state: 'done', body: resource('Succeeded') }],
    ['no content', 'result', 204, {}, undefined, { state: 'done' }],
    ['a failed result with status 200', 'result', 200, {}, { status: 'Failed', error }, { state: 'failed' }],
    ['a resource under way', 'resource', 200, {}, resource('Deleting'), follow('resource', url)],
    ['a resource that is done', 'resource', 200, {}, resource('Succeeded'), { state: 'done' }],
    ['a resource that failed', 'resource', 200, {}, resource('Failed'), { state: 'failed' }],
  ] as const)('%s', (_, style, code, headers, body, expected) => {
    expect(progressOfPoll({ style, url }, { status: code, headers, body })).toMatchObject(expected);
  });

  it('tells why it failed', () => {
    const told = progressOfPoll(
      { style: 'status', url },
      { status: 200, headers: {}, body: { status: 'Failed', error } },
    );
    expect(told).toEqual({ state: 'failed', failure: { codes: ['AllocationFailed'], message: 'No room.' } });
    const silent = progressOfPoll({ style: 'status', url }, { status: 200, headers: {}, body: { status: 'Canceled' } });
    expect(silent).toEqual({ state: 'failed', failure: { codes: ['ProvisioningCanceled'], message: '' } });
  });
});
