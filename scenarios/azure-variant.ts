import { type IpFamily, randomPick, seededRandom } from '@fairlead/control';
import type { ArmBehaviour } from '@fairlead/sim/azure';

/** In what the worlds of an Azure scenario differ from seed to seed, beside what happens in them. */
export interface Variant {
  /** Whether the part compares with Azure again and again. Where it never does, each step has to be right by itself. */
  readonly comparison: 'often' | 'default' | 'off';
  /** The family of most addresses. */
  readonly family: IpFamily;
  /** Operations take seconds, as they do in Azure. */
  readonly isSlow: boolean;
  readonly pageSize: number;
}

/** For histories that are written down. */
export const PLAIN: Variant = { comparison: 'often', family: 'IPv4', isSlow: false, pageSize: 100 };

/** The same for a seed each time, and drawn apart: it changes nothing else that is drawn from the seed. */
export function variantOf(seed: number): Variant {
  const random = seededRandom(seed);
  return {
    comparison: randomPick(random, ['often', 'often', 'default', 'off'] as const),
    family: randomPick(random, ['IPv4', 'IPv4', 'IPv6'] as const),
    isSlow: random.next() < 0.25,
    pageSize: randomPick(random, [1, 2, 3, 100]),
  };
}

/** What of the variant is Azure's. */
export function behaviourOf({ isSlow, pageSize }: Variant): Partial<ArmBehaviour> {
  return { pageSize, ...(isSlow ? { operationTime: { minimum: 1_000, maximum: 10_000 } } : {}) };
}

export function otherFamily(family: IpFamily): IpFamily {
  return family === 'IPv4' ? 'IPv6' : 'IPv4';
}
