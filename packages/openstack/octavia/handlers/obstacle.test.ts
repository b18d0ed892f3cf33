import { expect, it } from 'vitest';
import { PROGRAMMED } from '../resource/types.ts';
import { obstacleTold } from './obstacle.ts';

const message = 'It is held: the load balancer one is in ERROR.';
const told = { type: PROGRAMMED, status: 'False', reason: 'LoadBalancerInError', message } as const;
const status = { conditions: [{ ...told, lastTransitionTime: '2026-01-01T00:00:00Z' }] };
const metadata = { namespace: 'shop', name: 'web' };

it('holds who leaves and says so, and nobody else, whatever a tenant writes there', () => {
  const leaving = { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
  expect(obstacleTold({ metadata: leaving, status })).toEqual({ status: 'False', reason: told.reason, message });
  expect(obstacleTold({ metadata, status })).toBeUndefined();
});
