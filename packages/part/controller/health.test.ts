import type { Readiness } from '../part.ts';
import { describe, expect, it } from 'vitest';
import { Health } from './health.ts';

function newHealth() {
  const told: Readiness[] = [];
  const health = new Health({ set: (readiness) => told.push(readiness) });
  return { health, last: () => told.at(-1) };
}

describe('Health', () => {
  it('says what the start waits for', () => {
    const { health, last } = newHealth();
    expect(last()).toMatchObject({ ready: false });
    health.starting('Azure cannot be read: no answer');
    expect(last()).toEqual({ ready: false, reason: 'Azure cannot be read: no answer' });
    health.started();
    expect(last()).toEqual({ ready: true });
  });

  it('takes one failure for chance, three in a row for a reason, and a success for the end of it', () => {
    const { health, last } = newHealth();
    health.started();
    const error = new Error('no answer');
    health.round('updating addresses', error);
    health.round('updating addresses', error);
    expect(last()).toEqual({ ready: true });
    health.round('updating addresses', error);
    expect(last()).toEqual({ ready: false, reason: 'updating addresses fails: no answer' });
    health.round('updating addresses', undefined);
    expect(last()).toEqual({ ready: true });
  });

  it('is not ready while something keeps it from its work, whatever its loops tell', () => {
    const { health, last } = newHealth();
    health.obstacle('the cloud refuses everything');
    expect(last()).toEqual({ ready: false, reason: 'the cloud refuses everything' });
    health.started();
    health.round('updating addresses', undefined);
    expect(last()).toEqual({ ready: false, reason: 'the cloud refuses everything' });
    health.obstacle(undefined);
    expect(last()).toEqual({ ready: true });
  });

  it('is not mended by another loop that goes well', () => {
    const { health, last } = newHealth();
    health.started();
    for (let round = 0; round < 3; round += 1) {
      health.round('the comparison', new Error('no answer'));
      health.round('updating addresses', undefined);
    }
    expect(last()).toEqual({ ready: false, reason: 'the comparison fails: no answer' });
  });
});
