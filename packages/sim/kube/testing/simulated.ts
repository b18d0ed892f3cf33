import { type HttpRequest, readText, seededRandom, VirtualClock } from '@fairlead/control';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../json.ts';
import { SimulatedKube, type SimulatedKubeOptions } from '../simulated-kube.ts';

export interface Reply {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** A simulated API server and a short way to talk to it. */
export class Simulated {
  readonly clock = new VirtualClock();
  readonly kube: SimulatedKube;

  constructor(options: Partial<SimulatedKubeOptions> = {}) {
    this.kube = new SimulatedKube({ clock: this.clock, random: seededRandom(1), ...options });
  }

  async call(
    method: HttpRequest['method'],
    path: string,
    body?: Json,
    headers: HttpRequest['headers'] = {},
  ): Promise<Reply> {
    const response = await this.kube.transport().send({
      method,
      url: `http://kubernetes${path}`,
      headers: { 'content-type': 'application/json', 'user-agent': 'test/1', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await readText(response);
    const value = text.startsWith('{') ? parseJson(text) : {};
    return { status: response.status, headers: response.headers, body: isJsonObject(value) ? value : {} };
  }

  /** A patch of one of the four kinds. */
  patch(type: 'merge' | 'json' | 'strategic' | 'apply', path: string, body: Json): Promise<Reply> {
    return this.call('PATCH', path, body, { 'content-type': MEDIA_TYPES[type] ?? '' });
  }

  /** Opens a watch and collects what arrives. */
  watch(path: string): CollectedWatch {
    const abort = new AbortController();
    const request = { method: 'GET', url: `http://kubernetes${path}`, headers: {}, streaming: true } as const;
    const response = this.kube.handle({ ...request, signal: abort.signal });
    const watch: CollectedWatch = { status: response.status, events: [], ended: false, close: () => abort.abort() };
    const read = async (): Promise<void> => {
      const decoder = new TextDecoder();
      try {
        for await (const piece of response.body) watch.events.push(parseJson(decoder.decode(piece)));
      } catch (error) {
        if (!abort.signal.aborted) throw error;
      }
      watch.ended = true;
    };
    void read();
    return watch;
  }
}

export interface CollectedWatch {
  readonly status: number;
  readonly events: Json[];
  ended: boolean;
  close(): void;
}
