import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { ArmError } from '../../arm/index.ts';
import { AzureRefusals, type Refusal } from './azure-refusals.ts';

const CALL = 'PUT loadBalancers';
const refusal = (code: string) => () => {
  const details = { status: 400, codes: [code], message: 'No.', verdict: 'terminal', correlationId: 'x' } as const;
  return Promise.reject(new ArmError(CALL, details));
};

describe('what Azure refuses whatever is in it', () => {
  it('is over when Azure has something else to say about what was sent', async () => {
    const clock = new VirtualClock();
    const told: Refusal[] = [];
    const refusals = new AzureRefusals(clock, (news) => void told.push(news));
    await expect(refusals.run(CALL, refusal('FeatureNotEnabled'))).rejects.toMatchObject({ code: 'azure-refuses' });
    expect(refusals.isBlocked(CALL)).toBe(true);
    await clock.advance(60_000);
    await expect(refusals.run(CALL, refusal('InvalidThing'))).rejects.toMatchObject({ code: 'InvalidThing' });
    expect(refusals.isBlocked(CALL)).toBe(false);
    expect(told.at(-1)).toBeUndefined();
    await expect(refusals.run(CALL, async () => 'taken')).resolves.toBe('taken');
  });
});
