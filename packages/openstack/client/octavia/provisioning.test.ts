import { describe, expect, it } from 'vitest';
import { provisioningOf } from './provisioning.ts';

describe('provisioningOf', () => {
  it.each([
    ['ACTIVE', { kind: 'active' }],
    ['ERROR', { kind: 'error' }],
    ['DELETED', { kind: 'deleted' }],
    ['PENDING_CREATE', { kind: 'pending', change: 'create' }],
    ['PENDING_UPDATE', { kind: 'pending', change: 'update' }],
    ['PENDING_DELETE', { kind: 'pending', change: 'delete' }],
    ['PENDING_SOMETHING_NEW', { kind: 'pending', change: 'update' }],
  ])('reads %s', (provisioning_status, state) => {
    expect(provisioningOf({ provisioning_status })).toEqual(state);
  });
});
