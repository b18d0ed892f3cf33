import type { Random } from '../random.ts';

/** The system's randomness. */
export const systemRandom: Random = { next: () => Math.random() };
