import { type Clock, withDeadline } from '@fairlead/control';

export interface AccessToken {
  readonly text: string;
  /** Wall time in milliseconds. */
  readonly expiresAt: number;
}

/** Where tokens come from. Rejects with a FairleadError that says what is wrong with the credentials. */
export interface TokenProvider<Token extends AccessToken = AccessToken> {
  newToken(signal: AbortSignal): Promise<Token>;
}

const DEADLINE_MILLISECONDS = 30_000;
/** Renewed this long before it expires, so that none expires on its way. */
const MARGIN_MILLISECONDS = 300_000;
/** However often the cloud refuses a token, no new one is asked for more often than this. */
const RENEWAL_INTERVAL_MILLISECONDS = 5_000;

/** Keeps a token until it is about to expire; asks for one at a time, and keeps the old one while that fails. */
export class TokenCache<Token extends AccessToken = AccessToken> {
  readonly #cloud: string;
  readonly #provider: TokenProvider<Token>;
  readonly #clock: Clock;
  #held: Token | undefined;
  #loading: Promise<Token> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** `cloud` is its name, for messages. */
  constructor(cloud: string, provider: TokenProvider<Token>, clock: Clock) {
    this.#cloud = cloud;
    this.#provider = provider;
    this.#clock = clock;
  }

  async current(): Promise<Token> {
    const held = this.#held;
    if (held !== undefined && !this.#isDue(held)) return held;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    try {
      return await this.#loading;
    } catch (error) {
      if (held !== undefined && this.#clock.now() < held.expiresAt) return held;
      throw error;
    }
  }

  /** The cloud refused this token. True when asking again may give another. */
  renew(refused: AccessToken): boolean {
    if (this.#held !== refused) return true;
    if (this.#clock.monotonic() - this.#askedAt < RENEWAL_INTERVAL_MILLISECONDS) return false;
    this.#held = undefined;
    return true;
  }

  /** With a deadline of its own: the call that asked first may be over while others still wait for the token. */
  async #load(): Promise<Token> {
    this.#askedAt = this.#clock.monotonic();
    const limit = { name: `getting an access token for ${this.#cloud}`, milliseconds: DEADLINE_MILLISECONDS };
    this.#held = await withDeadline(this.#clock, limit, undefined, (signal) => this.#provider.newToken(signal));
    return this.#held;
  }

  /** While a renewal fails, the old token is used and the next renewal waits a little. */
  #isDue({ expiresAt }: AccessToken): boolean {
    const left = expiresAt - this.#clock.now();
    if (left > MARGIN_MILLISECONDS) return false;
    return left <= 0 || this.#clock.monotonic() - this.#askedAt >= RENEWAL_INTERVAL_MILLISECONDS;
  }
}
