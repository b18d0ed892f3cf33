import { requireIpAddress } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import { describe, expect, it } from 'vitest';
import type { AllocationRequest } from './allocation-request.ts';
import { Allocator } from './allocation.ts';
import { DEFAULT_POOL, isL2PortId, type L2Port } from './l2-port.ts';
import type { NamespaceLimits } from './namespace-use.ts';

const ADDRESSES = 1_000;
const WAITING = 2_000;

function l2Port(text: string): L2Port {
  const address = requireIpAddress(text);
  if (!isL2PortId(address)) throw new Error(`${text} is no id`);
  return {
    id: address,
    pool: DEFAULT_POOL,
    address,
    ingress: address,
    family: text.includes(':') ? 'IPv6' : 'IPv4',
  };
}

const pool = Array.from({ length: ADDRESSES }, (_, index) => l2Port(`10.0.${index >> 8}.${index & 255}`));
const pool6 = Array.from({ length: ADDRESSES }, (_, index) => l2Port(`fd00::${index.toString(16)}`));

function request(name: string, port: number, changes: Partial<AllocationRequest> = {}): AllocationRequest {
  return {
    service: `tenant/${name}`,
    pool: DEFAULT_POOL,
    isPoolAsked: false,
    permittedPools: [DEFAULT_POOL],
    families: ['IPv4'],
    everyFamilyRequired: true,
    l4Ports: [{ protocol: 'TCP', port }],
    exclusive: false,
    requestedAddresses: [],
    createdAt: '',
    ...changes,
  };
}

/** Milliseconds of the processor, the least of some attempts: others' garbage may be collected in one. */
function leastOf(attempts: number, work: () => void): number {
  const cpu = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const took = Array.from({ length: attempts }, () => {
    const begun = cpu();
    work();
    return cpu() - begun;
  });
  return Math.min(...took);
}

/** All addresses have a Service alone on them, and many wait; then one of those leaves, again and again. */
function leaving(
  waiting: (index: number) => AllocationRequest,
  limits: NamespaceLimits = {},
  l2Ports: readonly L2Port[] = pool,
): { readonly milliseconds: number; readonly served: readonly number[] } {
  const allocator = new Allocator(l2Ports, limits);
  const settle = (key: ServiceKey) => allocator.settle(key, allocator.holding(key));
  for (let index = 0; index < ADDRESSES; index += 1) {
    allocator.assign({ ...request(`first-${index}`, 80, { exclusive: true }), service: `first-${index}/web` });
    settle(`first-${index}/web`);
  }
  for (let index = 0; index < WAITING; index += 1) allocator.assign(waiting(index));
  const served: number[] = [];
  let next = ADDRESSES;
  const milliseconds = leastOf(5, () => {
    next -= 1;
    allocator.release(`first-${next}/web`);
    served.push(settle(`first-${next}/web`).length);
  });
  return { milliseconds, served };
}

describe('when a Service leaves an address while 2,000 others wait for one', () => {
  it('gives it to one of those that want it alone, without holding up others for more than 50 ms', () => {
    const { milliseconds, served } = leaving((index) => request(`${index}`, 80, { exclusive: true }));
    expect(served).toEqual([1, 1, 1, 1, 1]);
    expect(milliseconds).toBeLessThan(50);
  });

  it('also where each has another port', () => {
    const { milliseconds, served } = leaving((index) => request(`${index}`, index + 1, { exclusive: true }));
    expect(served).toEqual([1, 1, 1, 1, 1]);
    expect(milliseconds).toBeLessThan(50);
  });

  it('also where they share it', () => {
    const { milliseconds, served } = leaving((index) => request(`${index}`, (index % 100) + 1));
    expect(served).toEqual([100, 100, 100, 100, 100]);
    expect(milliseconds).toBeLessThan(50);
  });

  it('also where it is not enough for any of them', () => {
    const families = ['IPv4', 'IPv6'] as const;
    const { milliseconds, served } = leaving(
      (index) => ({ ...request(`${index}`, index + 1, { exclusive: index % 2 === 0 }), families }),
      {},
      [...pool, l2Port('fd00::1')],
    );
    // Two families are wanted, and the only address of the other one is soon taken.
    expect(Math.max(...served.slice(1))).toBeLessThanOrEqual(1);
    expect(milliseconds).toBeLessThan(50);
  });

  it('also where their namespace may have no more', () => {
    const limits = { addresses: 1, exclusiveAddresses: 1 };
    const { milliseconds, served } = leaving((index) => request(`${index}`, index + 1, { exclusive: true }), limits, [
      ...pool,
      ...pool6,
    ]);
    expect(served).toEqual([1, 0, 0, 0, 0]);
    expect(milliseconds).toBeLessThan(50);
  });
});
