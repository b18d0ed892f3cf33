import { FairleadError } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { armErrorFromAnswer } from '../../arm/errors/arm-error.ts';
import { isRefusedAlone, mayBlameOneService } from './apply.ts';

const call = { what: 'PUT loadBalancers/one', correlationId: 'c1' };
const fromAzure = armErrorFromAnswer(call, 400, '{"error":{"code":"No","message":"no"}}', undefined);
const ours = new FairleadError('no', { verdict: 'terminal', code: 'no' });

describe('what Azure refuses', () => {
  it('is the Service’s own only where the write was for it alone, and Azure has seen it', () => {
    expect(isRefusedAlone({ error: fromAzure, isShared: false })).toBe(true);
    expect(isRefusedAlone({ error: fromAzure, isShared: true })).toBe(false);
    expect(isRefusedAlone({ error: ours, isShared: false })).toBe(false);
  });

  it('may be for the sake of one only where the write was for many', () => {
    expect(mayBlameOneService({ error: fromAzure, isShared: true })).toBe(true);
    expect(mayBlameOneService({ error: fromAzure, isShared: false })).toBe(false);
  });
});
