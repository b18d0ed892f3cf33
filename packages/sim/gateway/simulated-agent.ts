import { createHash } from 'node:crypto';
import {
  type Clock,
  FairleadError,
  type HttpRequest,
  type HttpResponse,
  type HttpTransport,
  sleep,
} from '@fairlead/control';

/** Written after the protocol's page, and not with its code: two readings of it meet here. */
export interface SimulatedServer {
  readonly address: string;
  readonly protocol: string;
  readonly port: number;
  readonly service: string;
  readonly backends: readonly { readonly address: string; readonly port: number }[];
  readonly affinitySeconds?: number;
  readonly sourceRanges?: readonly string[];
  readonly preservesClientAddress: boolean;
}

export interface SimulatedGeneration {
  readonly epoch: number;
  readonly number: number;
}

type Servers = ReadonlyMap<string, SimulatedServer>;

interface Frontend {
  readonly address: string;
  readonly protocol: string;
  readonly port: number;
}

type Request =
  | {
      readonly kind: 'whole';
      readonly generation: SimulatedGeneration;
      readonly virtualServers: readonly SimulatedServer[];
    }
  | {
      readonly kind: 'delta';
      readonly generation: SimulatedGeneration;
      readonly since: SimulatedGeneration;
      readonly put: readonly SimulatedServer[];
      readonly remove: readonly Frontend[];
    };

/** The agent of a gateway, without a kernel: keeps what it took as on a disk, and can be given bad days. */
export class SimulatedAgent implements HttpTransport {
  readonly #clock: Clock;
  #generation: SimulatedGeneration | undefined;
  /** Of the leaders that it heard of. */
  #epoch = 0;
  #servers: Servers = new Map();
  #life = 0;
  /** Whether nothing listens there. */
  isDead = false;
  /** How long it takes to apply something. */
  applyMilliseconds = 0;
  /** Whether its answers get lost, after it has done what it was told. */
  losesAnswers = false;
  /** Whether it answers 429 to whatever it is told. */
  isOverloaded = false;
  /** Whether it says that it cannot serve what it took. */
  isBroken = false;
  /** Frontends that it does not take, such as `192.0.2.1 TCP/80`, or not with this virtual server. */
  refuses: (frontend: string, server?: SimulatedServer) => boolean = () => false;
  /** Is told what it served before and after each configuration that it took. */
  onTaken: (before: Servers, after: Servers) => void = () => {};
  /** How many configurations it took. */
  taken = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get generation(): SimulatedGeneration | undefined {
    return this.#generation;
  }

  /** What it serves, by frontend. */
  get servers(): Servers {
    return this.#servers;
  }

  /** From now on it has a good day. */
  recover(): void {
    this.isDead = false;
    this.applyMilliseconds = 0;
    this.losesAnswers = false;
    this.isBroken = false;
    this.isOverloaded = false;
    this.refuses = () => false;
  }

  /** Starts again with what it kept; what it was doing, it never did. */
  restart(): void {
    this.#life += 1;
  }

  /** Loses what it serves, and says nothing of it. */
  tamper(): void {
    this.#servers = new Map();
  }

  /** Starts again on an empty disk. */
  forget(): void {
    this.restart();
    this.#generation = undefined;
    this.#epoch = 0;
    this.#servers = new Map();
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const life = this.#life;
    this.#requireAlive(life);
    if (request.url.endsWith('/v1/config') && this.applyMilliseconds > 0) {
      await sleep(this.#clock, this.applyMilliseconds, request.signal);
      this.#requireAlive(life);
    }
    const answer = this.answer(request);
    if (request.method === 'PUT' && this.losesAnswers) throw unreachable('the answer was lost');
    return answer;
  }

  /** At once, whatever its day is like. */
  answer({ method, url, body = '' }: HttpRequest): HttpResponse {
    const { pathname } = new URL(url);
    if (method === 'GET' && pathname === '/v1/status') return respond(200, this.#status());
    if (method === 'PUT' && pathname === '/v1/leader') return this.#announce(JSON.parse(body));
    if (method !== 'PUT' || pathname !== '/v1/config') return respond(404, { error: 'no such path' });
    if (this.isOverloaded) return respond(429, { message: 'too many requests' });
    return this.#take(JSON.parse(body));
  }

  #requireAlive(life: number): void {
    if (this.isDead || life !== this.#life) throw unreachable('nothing listens there');
  }

  #status(): object {
    const generation = this.#generation;
    const heldAddresses = [...new Set([...this.#servers.values()].map(({ address }) => address))];
    const programmed = !this.isBroken;
    const epoch = this.#epoch;
    if (generation === undefined) return { epoch, programmed, heldAddresses };
    return { generation, epoch, digest: digestOf(this.#servers.values()), programmed, heldAddresses };
  }

  #announce({ epoch }: { readonly epoch: number }): HttpResponse {
    this.#epoch = Math.max(this.#epoch, epoch);
    return respond(this.#epoch === epoch ? 200 : 409, { epoch: this.#epoch });
  }

  #take(request: Request): HttpResponse {
    const has = this.#generation;
    if (request.generation.epoch < this.#epoch) return this.#refuse('older-generation', []);
    this.#epoch = request.generation.epoch;
    if (has !== undefined && !isAfter(request.generation, has)) return this.#refuse('older-generation', []);
    if (request.kind === 'delta' && !isSame(request.since, has)) return this.#refuse('unknown-generation', []);
    const put = request.kind === 'whole' ? request.virtualServers : request.put;
    const refused = put.filter((one) => this.refuses(keyOf(one), one));
    if (refused.length > 0) return this.#refuse('not-allowed', refused);
    const servers = new Map(request.kind === 'whole' ? [] : this.#servers);
    if (request.kind === 'delta') for (const frontend of request.remove) servers.delete(keyOf(frontend));
    for (const one of put) servers.set(keyOf(one), one);
    const before = this.#servers;
    this.#servers = servers;
    this.#generation = request.generation;
    this.taken += 1;
    this.onTaken(before, servers);
    return respond(200, { kind: 'taken', generation: request.generation });
  }

  #refuse(code: string, at: readonly SimulatedServer[]): HttpResponse {
    const errors = at.map(({ address, protocol, port }) => {
      const frontend = { address, protocol, port };
      const current = this.#servers.get(keyOf(frontend));
      return { frontend, code, message: 'it is not on the list', ...(current === undefined ? {} : { current }) };
    });
    const generation = this.#generation === undefined ? {} : { generation: this.#generation };
    return respond(409, { kind: 'refused', code, message: `refused: ${code}`, errors, ...generation });
  }
}

function keyOf({ address, protocol, port }: Frontend): string {
  return `${address} ${protocol}/${port}`;
}

function isAfter(one: SimulatedGeneration, other: SimulatedGeneration): boolean {
  return one.epoch === other.epoch ? one.number > other.number : one.epoch > other.epoch;
}

function isSame(one: SimulatedGeneration, other: SimulatedGeneration | undefined): boolean {
  return one.epoch === other?.epoch && one.number === other.number;
}

/** The sum of the hashes of all virtual servers, each spelled in one way. */
function digestOf(servers: Iterable<SimulatedServer>): string {
  let sum = 0n;
  for (const one of servers) {
    const spelled = JSON.stringify([
      one.address,
      one.protocol,
      one.port,
      one.service,
      one.backends.map(({ address, port }) => `${address} ${port}`).toSorted(),
      one.affinitySeconds ?? null,
      one.sourceRanges?.toSorted() ?? null,
      one.preservesClientAddress,
    ]);
    sum += BigInt(`0x${createHash('sha256').update(spelled).digest('hex').slice(0, 32)}`);
  }
  return (sum % 2n ** 128n).toString(16).padStart(32, '0');
}

function respond(status: number, body: object): HttpResponse {
  const text = Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield text;
    })(),
  };
}

function unreachable(message: string): FairleadError {
  return new FairleadError(message, { verdict: 'retriable', code: 'connection-refused' });
}
