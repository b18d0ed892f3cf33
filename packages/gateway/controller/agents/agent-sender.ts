import {
  Backoff,
  type BackoffPolicy,
  type Clock,
  codeOf,
  type Journal,
  type Logger,
  type Metrics,
  type Random,
  sleep,
  WakeablePause,
} from '@fairlead/control';
import { WorkSlices } from '@fairlead/kube';
import type { ConfigurationAnswer, FrontendError } from '../../protocol/answer.ts';
import { type Generation, isSameGeneration, type VirtualServer } from '../../protocol/configuration.ts';
import { deltaRequest } from '../../protocol/delta.ts';
import type { PoolServer } from '../backends/virtual-servers.ts';
import { pushesTotal } from '../metrics.ts';
import type { Gateway } from '../pools.ts';
import type { AgentClient } from './agent-client.ts';
import { AgentReach, type Reach } from './agent-reach.ts';
import { type Attempt, ConfirmedServers } from './confirmed-servers.ts';
import { RefusedFrontends } from './refused-frontends.ts';
import { AgentRefusal, SentGenerations } from './sent-generations.ts';
import type { VirtualServerTable } from './virtual-server-table.ts';

/** An agent that comes back hears within seconds what it missed. */
const BACKOFF: BackoffPolicy = { initialMilliseconds: 500, maximumMilliseconds: 15_000, factor: 2, jitter: 0.25 };
/** A clock that is set or drifts may leave a rest of a time that is over. */
const SHORTEST_PAUSE_MILLISECONDS = 10;

export interface AgentSenderOptions {
  readonly gateway: Gateway;
  /** The pools that it serves. */
  readonly pools: ReadonlySet<string>;
  readonly table: VirtualServerTable;
  readonly client: Pick<AgentClient, 'status' | 'announce' | 'put'>;
  /** Of our leadership; where the agent has seen a higher one, we go above that. */
  readonly epoch: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly journal: Journal;
  /** How often the agent is asked whether it still has what it confirmed; infinity: never. */
  readonly comparisonMilliseconds: number;
  /** Is told when the agent confirmed something, refused frontends, or can no longer be reached. */
  readonly onNews: (refused: readonly string[]) => void;
}

/** Keeps one agent in step with the table, by itself: no other agent waits for it. */
export class AgentSender {
  readonly gateway: Gateway;
  readonly #options: AgentSenderOptions;
  readonly #backoff: Backoff;
  readonly #slices: WorkSlices;
  /** Frontends that changed since what is confirmed. */
  #pending = new Set<string>();
  #confirmed: ConfirmedServers | undefined;
  /** The revision of the table up to which all is confirmed. */
  #confirmedRevision = -1;
  #attempt: Attempt | undefined;
  /** Whether the agent has to be asked what it has before it is sent anything. */
  #isInDoubt = true;
  /** False when the agent says that it took a configuration and cannot serve it. */
  #isServing = true;
  readonly #reach: AgentReach;
  readonly #generations: SentGenerations;
  readonly #refused: RefusedFrontends;
  readonly #untilMarked: WakeablePause;
  #onConfirmed = () => {};

  constructor(options: AgentSenderOptions) {
    this.gateway = options.gateway;
    this.#options = options;
    this.#backoff = new Backoff(options.random, BACKOFF);
    this.#slices = new WorkSlices(options.clock);
    this.#generations = new SentGenerations(options.epoch);
    this.#refused = new RefusedFrontends(options.clock);
    this.#reach = new AgentReach(options);
    this.#untilMarked = new WakeablePause(options.clock);
  }

  get serves(): ReadonlySet<string> {
    return this.#options.pools;
  }

  get reach(): Reach {
    return this.#reach.current;
  }

  /** Whether the agent has confirmed the table as it was then, with these, and serves what it took. */
  isServing(revision: number, servers: readonly PoolServer[]): boolean {
    if (!this.#isServing || !this.hasConfirmed(revision)) return false;
    // What it refused was left out of what it confirmed, also while it is offered anew.
    return servers.every(({ server }) => this.#confirmed?.serves(server));
  }

  /** Whether the agent has confirmed the table as it was then. */
  hasConfirmed(revision: number): boolean {
    return this.#confirmedRevision >= revision;
  }

  refusalOf(frontend: string): FrontendError | undefined {
    return this.#refused.errorOf(frontend);
  }

  /** These frontends changed in the table. */
  mark(frontends: Iterable<string>): void {
    for (const frontend of frontends) this.#pending.add(frontend);
    if (this.#pending.size > 0) this.#untilMarked.wake();
  }

  /** Until `stop` aborts; a call that is under way then comes to its end, unless `signal` aborts it. */
  async run(stop: AbortSignal, signal: AbortSignal): Promise<void> {
    const { clock, comparisonMilliseconds } = this.#options;
    let comparedAt = clock.monotonic();
    while (!stop.aborted) {
      try {
        if (clock.monotonic() - comparedAt >= comparisonMilliseconds) this.#isInDoubt = true;
        if (this.#isInDoubt) {
          comparedAt = clock.monotonic();
          await this.#look(signal);
        }
        this.mark(this.#refused.offerAgain());
        if (this.#pending.size > 0 && !stop.aborted) await this.#push(signal);
        this.#reach.succeeded();
        this.#backoff.reset();
        if (this.#pending.size === 0 && !this.#isInDoubt) {
          this.#onConfirmed();
          await this.#pause(comparedAt + comparisonMilliseconds - clock.monotonic(), stop);
        }
      } catch (error) {
        if (stop.aborted) return;
        await this.#fail(error, stop);
      }
    }
  }

  /** Until the agent has all that it is to have, which is told; or until `stop` aborts. */
  async runUntilConfirmed(stop: AbortSignal, signal: AbortSignal): Promise<boolean> {
    const confirmed = new AbortController();
    this.#onConfirmed = () => confirmed.abort();
    await this.run(AbortSignal.any([stop, confirmed.signal]), signal);
    return confirmed.signal.aborted;
  }

  /** Resolves when something changed, or it is time to look at the agent again. */
  async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    const until = Math.max(SHORTEST_PAUSE_MILLISECONDS, Math.min(milliseconds, this.#refused.offerAgainIn));
    await this.#untilMarked.wait(until, signal);
  }

  async #fail(failure: unknown, signal: AbortSignal): Promise<void> {
    const { clock, journal, gateway } = this.#options;
    const delay = this.#backoff.next();
    journal.recordError(`gateway ${gateway.name}`, failure);
    // What it was sent may have arrived, though the answer did not.
    if (this.#attempt !== undefined) this.#isInDoubt = true;
    this.#reach.failed(failure, isAnswer(failure));
    await sleep(clock, delay, signal).catch(() => {});
  }

  /** Finds out what the agent has: what we sent last, what we would send, or something else. */
  async #look(signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const first = await client.status(signal);
    const sent = this.#attempt?.generation;
    const isLost = sent !== undefined && (first.generation === undefined || !isSameGeneration(first.generation, sent));
    const { generation, digest, programmed, problem } = (await this.#generations.announce(
      first,
      isLost,
      this.#options,
      signal,
    ))
      ? await client.status(signal)
      : first;
    const attempt = this.#attempt;
    this.#attempt = undefined;
    const isAt = (other: Generation | undefined) =>
      generation !== undefined && other !== undefined && isSameGeneration(generation, other);
    if (attempt !== undefined && isAt(attempt.generation)) this.#confirm(attempt);
    else {
      if (attempt !== undefined) this.mark(attempt.frontends);
      if (!isAt(this.#confirmed?.generation) || digest !== this.#confirmed?.digest) {
        await this.#startFrom(generation, digest);
      }
    }
    this.#isInDoubt = false;
    this.#options.onNews([]);
    this.#setServing(programmed, problem);
  }

  /** All that it has is concerned, also what was confirmed long ago. */
  #setServing(isServing: boolean, problem: string | undefined): void {
    if (this.#isServing === isServing) return;
    const { logger, gateway, table, onNews } = this.#options;
    this.#isServing = isServing;
    if (isServing) logger.info({ gateway: gateway.name }, 'a gateway serves again what it took');
    else logger.warn({ gateway: gateway.name, problem }, 'a gateway does not serve what it took');
    onNews([...table.entries()].map(([frontend]) => frontend));
  }

  /** The agent has something that this leader did not send, or nothing: it is sent the whole unless that is the same. */
  async #startFrom(generation: Generation | undefined, digest: string | undefined): Promise<void> {
    this.#confirmed = undefined;
    this.#confirmedRevision = -1;
    this.#pending = new Set();
    const { revision } = this.#options.table;
    const wanted = new ConfirmedServers(generation ?? this.#generations.last);
    for (const [frontend, server] of this.#wanted()) {
      if (this.#slices.isOver) await this.#slices.pause();
      wanted.set(frontend, server);
    }
    if (generation !== undefined && digest === wanted.digest) {
      this.#confirmed = wanted;
      this.#confirmedRevision = revision;
    } else this.#pending.add(EVERYTHING);
  }

  async #push(signal: AbortSignal): Promise<void> {
    const { client, metrics, gateway } = this.#options;
    const prepared = await this.#prepare();
    if (prepared === undefined) return;
    const { attempt, body } = prepared;
    this.#attempt = attempt;
    const answer = await client.put(body, attempt.isWhole ? 'whole' : 'delta', signal);
    metrics.increment(pushesTotal, { gateway: gateway.name, result: answer.kind });
    this.#attempt = undefined;
    if (answer.kind === 'taken') {
      this.#confirm(attempt);
      this.#options.onNews([]);
      this.#setServing(true, undefined);
      return;
    }
    this.mark(attempt.isWhole ? [EVERYTHING] : attempt.frontends);
    this.#handleRefusal(answer, attempt);
  }

  /** The next request; undefined when the agent has all that it is to have. */
  async #prepare(): Promise<{ readonly attempt: Attempt; readonly body: string } | undefined> {
    const { revision } = this.#options.table;
    const frontends = this.#pending;
    this.#pending = new Set();
    const confirmed = this.#confirmed;
    const generation = this.#generations.next();
    if (confirmed === undefined) {
      const { servers, body } = await this.#whole(generation);
      this.#generations.sent(generation);
      return { attempt: { generation, revision, frontends, servers, isWhole: true }, body };
    }
    const { changes, servers } = confirmed.changesAt(frontends, (frontend) => this.#wantedAt(frontend));
    if (servers.size === 0) {
      this.#confirmedRevision = revision;
      this.#options.onNews([]);
      return undefined;
    }
    this.#generations.sent(generation);
    const body = JSON.stringify(deltaRequest(changes, confirmed.generation, generation));
    return { attempt: { generation, revision, frontends, servers, isWhole: false }, body };
  }

  async #whole(generation: Generation) {
    const servers = new Map<string, VirtualServer>();
    const texts: string[] = [];
    for (const [frontend, server] of this.#wanted()) {
      if (this.#slices.isOver) await this.#slices.pause();
      servers.set(frontend, server);
      texts.push(JSON.stringify(server));
    }
    const head = JSON.stringify({ kind: 'whole', generation }).slice(0, -1);
    return { servers, body: `${head},"virtualServers":[${texts.join(',')}]}` };
  }

  /** A copy: the table may change while it is walked through. */
  #wanted(): readonly (readonly [string, VirtualServer])[] {
    return [...this.#options.table.entries()].flatMap(([frontend]) => {
      const server = this.#wantedAt(frontend);
      return server === undefined ? [] : [[frontend, server] as const];
    });
  }

  /** What the agent is to have there. */
  #wantedAt(frontend: string): VirtualServer | undefined {
    const entry = this.#options.table.get(frontend);
    if (entry === undefined || !this.#options.pools.has(entry.pool)) {
      this.#refused.delete(frontend);
      return undefined;
    }
    return this.#refused.insteadOf(frontend, entry.server, this.#confirmed?.get(frontend));
  }

  #confirm(attempt: Attempt): void {
    const before = attempt.isWhole ? undefined : this.#confirmed;
    this.#confirmed = before ?? new ConfirmedServers(attempt.generation);
    this.#confirmed.follow(attempt);
    this.#confirmedRevision = attempt.revision;
    this.#pending.delete(EVERYTHING);
  }

  #handleRefusal(answer: Extract<ConfigurationAnswer, { kind: 'refused' }>, { servers }: Attempt): void {
    const { gateway } = this.#options;
    const { code, message, errors } = answer;
    if (code === 'unknown-generation' || code === 'older-generation') this.#isInDoubt = true;
    const blamed = this.#refused.add(errors, servers);
    this.#options.onNews(blamed);
    if (blamed.length > 0) return;
    throw new AgentRefusal(`the gateway ${gateway.name} refuses its configuration: ${message}`, {
      verdict: 'retriable',
      code: `gateway-${code}`,
    });
  }
}

/** Stands for all frontends: the agent is to be sent the whole. */
const EVERYTHING = '*';

/** Whether something listens there, though it did not take what it was sent: it may serve what it took before. */
function isAnswer(failure: unknown): boolean {
  return failure instanceof AgentRefusal || codeOf(failure) === 'agent-answer-unreadable';
}
