import { type HttpRequest, type HttpResponse, readText } from '@fairlead/control';
import { isJsonObject, type Json, type JsonObject, objectOf, parseJson } from '../../json.ts';
import type { ContractEndpoint } from './endpoint.ts';
import { Normalizer } from './normalizer.ts';
import { RecordedWatch } from './recorded-watch.ts';

/** What a server answered, without what no two servers agree on. */
export interface TranscriptEntry {
  readonly request: string;
  readonly status?: number;
  readonly warning?: string;
  readonly body?: Json;
  readonly events?: readonly Json[];
}

export interface CallOptions {
  readonly contentType?: string;
  readonly accept?: string;
  readonly userAgent?: string;
  /** Whom to act for. */
  readonly user?: string;
}

const POLL_MILLISECONDS = 50;
const PATIENCE_MILLISECONDS = 30_000;

/** Where a scene plays: sends requests, each in a namespace of the scene's own, and writes down the answers. */
export class Stage {
  readonly namespace: string;
  readonly #endpoint: ContractEndpoint;
  readonly #normalizer: Normalizer;
  readonly #entries: TranscriptEntry[] = [];

  constructor(endpoint: ContractEndpoint, namespace: string) {
    this.#endpoint = endpoint;
    this.namespace = namespace;
    this.#normalizer = new Normalizer(namespace);
  }

  get transcript(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  get(path: string, options: CallOptions = {}): Promise<JsonObject> {
    return this.call('GET', path, undefined, options);
  }

  post(path: string, body: Json | string, options: CallOptions = {}): Promise<JsonObject> {
    return this.call('POST', path, body, options);
  }

  put(path: string, body: Json): Promise<JsonObject> {
    return this.call('PUT', path, body, {});
  }

  delete(path: string, body?: Json): Promise<JsonObject> {
    return this.call('DELETE', path, body, {});
  }

  jsonPatch(path: string, body: Json | string): Promise<JsonObject> {
    return this.call('PATCH', path, body, { contentType: 'application/json-patch+json' });
  }

  mergePatch(path: string, body: Json | string): Promise<JsonObject> {
    return this.call('PATCH', path, body, { contentType: 'application/merge-patch+json' });
  }

  strategicPatch(path: string, body: Json | string): Promise<JsonObject> {
    return this.call('PATCH', path, body, { contentType: 'application/strategic-merge-patch+json' });
  }

  apply(path: string, body: Json | string): Promise<JsonObject> {
    return this.call('PATCH', path, body, { contentType: 'application/apply-patch+yaml' });
  }

  /** Sends a request and keeps its answer out of the transcript. */
  async quietly(method: HttpRequest['method'], path: string, body?: Json): Promise<JsonObject> {
    const { text } = await this.#send(method, path, body, {});
    return text.startsWith('{') ? objectOf(parseJson(text)) : {};
  }

  /** Asks until the answer is as expected, and writes that one down. Fails when it never is. */
  async eventually(path: string, isExpected: (body: JsonObject) => boolean): Promise<JsonObject> {
    for (let waited = 0; ; waited += POLL_MILLISECONDS) {
      const body = await this.quietly('GET', path);
      if (isExpected(body)) return this.get(path);
      if (waited > PATIENCE_MILLISECONDS) {
        throw new Error(`${path} did not become what the scene waits for: ${JSON.stringify(body)}`);
      }
      await this.#endpoint.wait(POLL_MILLISECONDS);
    }
  }

  wait(milliseconds: number): Promise<void> {
    return this.#endpoint.wait(milliseconds);
  }

  /** Opens a watch; the events that are taken from it are written down. */
  async watch(path: string): Promise<RecordedWatch> {
    const abort = new AbortController();
    const request = { ...this.#request('GET', path, undefined, {}), signal: abort.signal, streaming: true };
    const response = await this.#endpoint.transport.send(request);
    const watch = new RecordedWatch(response, abort, this.#endpoint, (label, events) => {
      this.#entries.push({
        request: `${label} of GET ${this.#normalizer.text(path)}`,
        status: response.status,
        events: events.map((event) => this.#normalizer.value(event)),
      });
    });
    return watch;
  }

  /** Sends any request, and writes down the answer. */
  async call(
    method: HttpRequest['method'],
    path: string,
    body?: Json | string,
    options: CallOptions = {},
  ): Promise<JsonObject> {
    const { response, text } = await this.#send(method, path, body, options);
    const { warning } = response.headers;
    this.#entries.push({
      request: `${method} ${this.#normalizer.text(path)}`,
      status: response.status,
      ...(warning !== undefined && { warning: this.#normalizer.text(warning) }),
      body: this.#normalizer.body(text),
    });
    const value = text.startsWith('{') ? parseJson(text) : {};
    return isJsonObject(value) ? value : {};
  }

  async #send(
    method: HttpRequest['method'],
    path: string,
    body: Json | string | undefined,
    options: CallOptions,
  ): Promise<{ response: HttpResponse; text: string }> {
    const response = await this.#endpoint.transport.send(this.#request(method, path, body, options));
    return { response, text: await readText(response) };
  }

  #request(
    method: HttpRequest['method'],
    path: string,
    body: Json | string | undefined,
    { contentType = 'application/json', accept = 'application/json', userAgent = 'contract/1.0', user }: CallOptions,
  ): HttpRequest {
    const acting = user === undefined ? {} : { 'impersonate-user': user };
    const headers = { ...this.#endpoint.headers, ...acting, accept, 'user-agent': userAgent };
    const url = `${this.#endpoint.url}${path}`;
    if (body === undefined) return { method, url, headers };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { method, url, headers: { ...headers, 'content-type': contentType }, body: text };
  }
}
