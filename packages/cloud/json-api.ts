import type { MetricDefinition, Verdict } from '@fairlead/control';
import { callMetrics } from './call-metrics.ts';
import { CallScope } from './call-scope.ts';
import { CloudError, isNotFound, pageText } from './cloud-error.ts';
import { CloudConnection, type CloudConnectionOptions } from './connection.ts';
import type { CloudDialect } from './dialect.ts';
import { type CallVerb, type CloudCallOptions, type CloudRequest, isWrite, what } from './request.ts';

const DEFAULT_DEADLINE_MILLISECONDS = 30_000;

const metrics = callMetrics('fairlead_json_api_calls_total', 'fairlead_json_api_call_seconds', 'plain JSON APIs');

export const jsonApiMetrics: readonly MetricDefinition[] = Object.values(metrics);

export interface JsonApiOptions extends CloudConnectionOptions {
  /** What people call it: `the address desk`. */
  readonly name: string;
  /** Scheme, host, port, and where its paths begin. */
  readonly endpoint: string;
}

/**
 * A client of an API that speaks plain JSON over HTTP: `kind` is the first segment of the path, `name` the second. Has
 * all that every client of a cloud shares; an API with ways of its own gets a dialect of its own.
 */
export class JsonApi {
  readonly #options: JsonApiOptions;
  readonly #connection: CloudConnection<CloudRequest>;

  constructor(options: JsonApiOptions) {
    this.#options = options;
    this.#connection = new CloudConnection(dialectOf(options.name), options);
  }

  /** Undefined when there is no such resource; without a name, what is listed under the kind. */
  async get(kind: string, name?: string, options: CloudCallOptions = {}): Promise<unknown> {
    try {
      return await this.#send(name === undefined ? 'LIST' : 'GET', 'GET', kind, name, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  put(kind: string, name: string, body: object, options: CloudCallOptions = {}): Promise<unknown> {
    return this.#send('PUT', 'PUT', kind, name, options, body);
  }

  /** That there is no such resource is as good. */
  async delete(kind: string, name: string, options: CloudCallOptions = {}): Promise<void> {
    try {
      await this.#send('DELETE', 'DELETE', kind, name, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #send(
    verb: CallVerb,
    method: 'GET' | 'PUT' | 'DELETE',
    kind: string,
    name: string | undefined,
    { signal, deadlineMilliseconds = DEFAULT_DEADLINE_MILLISECONDS, throttle = 'wait', record }: CloudCallOptions,
    body?: object,
  ): Promise<unknown> {
    const { clock, endpoint } = this.#options;
    const path = [kind, ...(name === undefined ? [] : [name])].map(encodeURIComponent).join('/');
    const url = `${endpoint.replace(/\/+$/, '')}/${path}`;
    const request = { verb, kind, subject: name ?? '', method, url, account: endpoint, throttle, record, body };
    const scope = new CallScope(clock, what(request), deadlineMilliseconds, signal);
    return (await this.#connection.send(request, scope)).body;
  }
}

function dialectOf(name: string): CloudDialect<CloudRequest> {
  return {
    cloud: name,
    server: name,
    metrics,
    side: (verb) => (isWrite(verb) ? 'writes' : 'reads'),
    headers: ({ headers }, token) => ({
      accept: 'application/json',
      ...headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token.text}` }),
    }),
    refusal(request, { status, text, retryAfterMilliseconds }) {
      const said = pageText(text);
      return new CloudError(`${what(request)}: ${said === '' ? 'refused' : said} (${status})`, {
        status,
        code: `http-${status}`,
        verdict: verdictFor(status),
        isThrottling: status === 429,
        mayHaveTakenEffect: request.mayHaveTakenEffect,
        ...(retryAfterMilliseconds === undefined ? {} : { retryAfterMilliseconds }),
      });
    },
    pauseMilliseconds: () => 0,
  };
}

/** What another client changed meanwhile, and credentials that are on their way, may be well later. */
function verdictFor(status: number): Verdict {
  const mayBeWellLater = [401, 403, 408, 409, 412, 429].includes(status) || status >= 500;
  return mayBeWellLater ? 'retriable' : 'terminal';
}
