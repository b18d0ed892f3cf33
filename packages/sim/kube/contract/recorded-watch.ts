import type { HttpResponse } from '@fairlead/control';
import { type Json, parseJson, valueAt } from '../../json.ts';
import type { ContractEndpoint } from './endpoint.ts';

const POLL_MILLISECONDS = 20;
const PATIENCE_MILLISECONDS = 10_000;

/** Servers send bookmarks when they like, but for the one that ends the initial events. */
function isTold(event: Json): boolean {
  if (valueAt(event, 'type') !== 'BOOKMARK') return true;
  return valueAt(event, 'object', 'metadata', 'annotations') !== undefined;
}

/** A watch whose events are taken as the scene needs them. */
export class RecordedWatch {
  readonly #abort: AbortController;
  readonly #endpoint: ContractEndpoint;
  readonly #record: (label: string, events: readonly Json[]) => void;
  readonly #events: Json[] = [];
  #ended = false;

  constructor(
    response: HttpResponse,
    abort: AbortController,
    endpoint: ContractEndpoint,
    record: (label: string, events: readonly Json[]) => void,
  ) {
    this.#abort = abort;
    this.#endpoint = endpoint;
    this.#record = record;
    void this.#read(response);
  }

  /** Waits for so many events and writes them down. */
  async take(count: number): Promise<void> {
    await this.#until(() => this.#events.length >= count || this.#ended, `${count} events`);
    this.#record(`${count} events`, this.#events.splice(0, count));
  }

  /** Waits until the server ends the watch, and writes down what came until then. */
  async takeAll(): Promise<void> {
    await this.#until(() => this.#ended, 'the end of the watch');
    this.#record('all events', this.#events.splice(0));
  }

  /** Writes down what comes until the watch ends, or for a while once so many events have come. */
  async takeFor(milliseconds: number, count: number): Promise<void> {
    for (let waited = 0; waited < milliseconds; waited += POLL_MILLISECONDS) {
      await this.#endpoint.wait(POLL_MILLISECONDS);
      if (this.#ended || this.#events.length >= count) break;
    }
    this.#record('events', this.#events.splice(0));
  }

  close(): void {
    this.#abort.abort(new Error('the scene has seen enough'));
  }

  async #until(isDone: () => boolean, what: string): Promise<void> {
    for (let waited = 0; !isDone(); waited += POLL_MILLISECONDS) {
      if (waited > PATIENCE_MILLISECONDS) {
        throw new Error(`waited in vain for ${what}; so far: ${JSON.stringify(this.#events)}`);
      }
      await this.#endpoint.wait(POLL_MILLISECONDS);
    }
  }

  async #read(response: HttpResponse): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const piece of response.body) {
        const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n');
        rest = lines.pop() ?? '';
        this.#events.push(...lines.map(parseJson).filter(isTold));
      }
      if (rest.trim() !== '') this.#events.push(parseJson(rest));
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error;
    } finally {
      this.#ended = true;
    }
  }
}
