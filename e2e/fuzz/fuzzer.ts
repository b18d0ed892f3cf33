import type { TranscriptEntry } from '@fairlead/sim/kube/contract';
import { type Difference, firstDifference, knownDifference, signatureOf } from './compare.ts';
import { requestsOf } from './generate.ts';
import type { KnownDifference } from './known-differences.ts';
import { playRequests, Unanswered } from './play.ts';
import type { FuzzRequest } from './request.ts';
import { shrink } from './shrink.ts';
import { type RealSide, simulatedSide } from './sides.ts';

/** What a seed has shown. */
export interface Finding {
  readonly seed: number;
  readonly signature: string;
  readonly requests: readonly FuzzRequest[];
  readonly difference: Difference;
}

/** Sends the same requests to a simulated and a real API server, and looks for answers that differ. */
export class Fuzzer {
  readonly #real: RealSide;
  readonly #known = new Map<KnownDifference, number>();
  #requests = 0;
  #unanswered = 0;

  constructor(real: RealSide) {
    this.#real = real;
  }

  /** How many requests each server has answered. */
  get requests(): number {
    return this.#requests;
  }

  /** How many requests made the real server break the connection: it has defects of its own. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** How often each known difference has shown. */
  get known(): ReadonlyMap<KnownDifference, number> {
    return this.#known;
  }

  /** The first unknown difference that the requests of a seed show, if any. Known ones are left out on the way. */
  async run(seed: number): Promise<Finding | undefined> {
    const found = await this.#find(requestsOf(seed));
    return found === undefined ? undefined : { seed, signature: signatureOf(found.difference), ...found };
  }

  /** The same finding in the fewest requests; undefined when it does not show again. */
  async shrunk({ seed, signature, requests }: Finding): Promise<Finding | undefined> {
    let last: Found | undefined;
    const stillDiffers = async (candidate: readonly FuzzRequest[]): Promise<boolean> => {
      const found = await this.#find(candidate);
      if (found === undefined || signatureOf(found.difference) !== signature) return false;
      last = found;
      return true;
    };
    if (!(await stillDiffers(requests))) return undefined;
    await shrink(requests, stillDiffers);
    return last === undefined ? undefined : { seed, signature, ...last };
  }

  async #find(given: readonly FuzzRequest[]): Promise<Found | undefined> {
    for (let requests = given; ; ) {
      const difference = await this.#compare(requests);
      if (difference === undefined) return undefined;
      const known = knownDifference(difference);
      if (known === undefined) return { requests: requests.slice(0, difference.index + 1), difference };
      this.#known.set(known, (this.#known.get(known) ?? 0) + 1);
      requests = requests.toSpliced(difference.index, 1);
    }
  }

  /** Undefined also where the real server has no answer at all: such a request is left out. */
  async #compare(requests: readonly FuzzRequest[]): Promise<Difference | undefined> {
    for (let left = requests; left.length > 0; ) {
      try {
        return await this.#compareOnce(left);
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        this.#unanswered += 1;
        left = left.slice(0, error.index);
      }
    }
    return undefined;
  }

  async #compareOnce(requests: readonly FuzzRequest[]): Promise<Difference | undefined> {
    const namespace = await this.#real.namespace();
    const simulated = await playRequests(requests, await simulatedSide(namespace), namespace);
    const real = await this.#playReal(requests, namespace, simulated);
    this.#requests += requests.length;
    return firstDifference(requests, simulated, real);
  }

  async #playReal(
    requests: readonly FuzzRequest[],
    namespace: string,
    simulated: readonly TranscriptEntry[],
  ): Promise<readonly TranscriptEntry[]> {
    try {
      return await playRequests(requests, this.#real.endpoint, namespace, simulated);
    } finally {
      await this.#real.release(namespace);
    }
  }
}

interface Found {
  readonly requests: readonly FuzzRequest[];
  readonly difference: Difference;
}
