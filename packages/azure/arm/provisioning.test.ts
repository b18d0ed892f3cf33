import { describe, expect, it } from 'vitest';
import { hasFailed, isUnderWay } from './provisioning.ts';

const inState = (provisioningState: string) => ({ properties: { provisioningState } });

describe('the state of a resource', () => {
  it.each(['Creating', 'Updating', 'Deleting', 'updating'])('says in %s that Azure is still at work on it', (state) => {
    expect([isUnderWay(inState(state)), hasFailed(inState(state))]).toEqual([true, false]);
  });

  it.each(['Failed', 'Canceled', 'canceled'])('says in %s that what was written is not done', (state) => {
    expect([isUnderWay(inState(state)), hasFailed(inState(state))]).toEqual([false, true]);
  });

  it('says that it is done where it has succeeded, or has no state', () => {
    for (const resource of [inState('Succeeded'), { properties: {} }]) {
      expect([isUnderWay(resource), hasFailed(resource)]).toEqual([false, false]);
    }
  });
});
