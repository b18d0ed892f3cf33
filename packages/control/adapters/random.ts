import { randomInt } from 'node:crypto';
import type { Random } from '../random.ts';

const STEPS = 2 ** 48 - 1;

/** The system's randomness: what was drawn tells nothing of what will be, as ids of DNS queries need it. */
export const systemRandom: Random = { next: () => randomInt(STEPS) / STEPS };
