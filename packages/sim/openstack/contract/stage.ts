import { type HttpRequest, readText } from '@fairlead/control';
import { type Json, type JsonObject, listOf, objectOf, textOf, valueAt } from '../../json.ts';
import type { ContractCloud, ContractUser } from './endpoint.ts';
import { Normalizer } from './normalizer.ts';

/** What a cloud answered, without what no two clouds agree on. */
export interface TranscriptEntry {
  readonly request: string;
  readonly status: number;
  readonly body?: Json;
}

export interface CallOptions {
  readonly as?: ContractUser;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of that of the user. */
  readonly token?: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: JsonObject;
}

const POLL = 300;
const LONGEST_WAIT = 90_000;

/** Where a scene plays: sends requests, and writes down the answers. */
export class Stage {
  readonly cloud: ContractCloud;
  readonly #normalizer = new Normalizer();
  readonly #entries: TranscriptEntry[] = [];
  readonly #tokens = new Map<ContractUser, string>();
  /** Requests that take away what the scene made, the newest first. */
  readonly #undo: (() => Promise<unknown>)[] = [];

  constructor(cloud: ContractCloud) {
    this.cloud = cloud;
  }

  get transcript(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  get(path: string, options: CallOptions = {}): Promise<JsonObject> {
    return this.call('GET', path, undefined, options);
  }

  post(path: string, body: JsonObject | string, options: CallOptions = {}): Promise<JsonObject> {
    return this.call('POST', path, body, options);
  }

  put(path: string, body: JsonObject, options: CallOptions = {}): Promise<JsonObject> {
    return this.call('PUT', path, body, options);
  }

  delete(path: string, options: CallOptions = {}): Promise<JsonObject> {
    return this.call('DELETE', path, undefined, options);
  }

  /** Sends a request to Neutron, or below `/lbaas` to Octavia, and writes down the answer. */
  async call(
    method: HttpRequest['method'],
    path: string,
    body?: JsonObject | string,
    options: CallOptions = {},
  ): Promise<JsonObject> {
    const { status, text, body: answered } = await this.#send(method, path, body, options);
    const told = text === '' ? {} : { body: this.#normalizer.body(text) };
    this.#entries.push({ request: `${method} ${this.#normalizer.text(path)}`, status, ...told });
    return answered;
  }

  /** Sends a request that only sets the scene, and must succeed. */
  async quietly(
    method: HttpRequest['method'],
    path: string,
    body?: JsonObject,
    options: CallOptions = {},
  ): Promise<JsonObject> {
    const answer = await this.#send(method, path, body, options);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Logs in, and writes down what came of it: whom the token is for, or the refusal. */
  async login(label: string, auth: JsonObject | string): Promise<string> {
    const { status, text, headers, body } = await this.#keystone(
      'POST',
      '/auth/tokens',
      typeof auth === 'string' ? auth : { auth },
    );
    const token = valueAt(body, 'token');
    const told =
      token === undefined
        ? this.#normalizer.body(text)
        : {
            methods: listOf(valueAt(token, 'methods')).map(textOf).toSorted(),
            user: valueAt(token, 'user', 'name') ?? null,
            project: valueAt(token, 'project', 'name') ?? null,
            hasCatalog: listOf(valueAt(token, 'catalog')).length > 0,
          };
    this.note({ request: `login: ${label}`, status, body: told });
    return headers['x-subject-token'] ?? '';
  }

  /** Something about several requests that is to be the same everywhere. */
  note(entry: TranscriptEntry): void {
    this.#entries.push(entry);
  }

  async keystone(method: HttpRequest['method'], path: string, body?: JsonObject, headers = {}): Promise<JsonObject> {
    return (await this.#keystone(method, path, body, headers)).body;
  }

  /** The token of a user in their project. */
  async tokenOf(user: ContractUser): Promise<string> {
    const known = this.#tokens.get(user);
    if (known !== undefined) return known;
    const { headers, text } = await this.#keystone('POST', '/auth/tokens', { auth: this.passwordOf(user) });
    const token = headers['x-subject-token'];
    if (token === undefined) throw new Error(`${user} cannot log in: ${text}`);
    this.#tokens.set(user, token);
    return token;
  }

  async projectOf(user: ContractUser): Promise<string> {
    const token = await this.tokenOf(user);
    const { body } = await this.#keystone('GET', '/auth/tokens', undefined, {
      'x-auth-token': token,
      'x-subject-token': token,
    });
    return textOf(valueAt(body, 'token', 'project', 'id'));
  }

  passwordOf(user: ContractUser, project: string = user): JsonObject {
    const domain = { id: 'default' };
    const password = { user: { name: user, domain, password: this.cloud.passwords[user] } };
    return { identity: { methods: ['password'], password }, scope: { project: { name: project, domain } } };
  }

  /** Takes away all that the scene made. */
  async clear(): Promise<void> {
    for (const undo of this.#undo.toReversed()) await undo();
  }

  /** A network with a subnet of each of these ranges: its id, and those of the subnets. */
  async network(
    name: string,
    ...cidrs: readonly string[]
  ): Promise<{ readonly id: string; readonly subnets: readonly string[] }> {
    const id = textOf(valueAt(await this.quietly('POST', '/networks', { network: { name } }), 'network', 'id'));
    const subnets: string[] = [];
    for (const cidr of cidrs) {
      const subnet = { network_id: id, ip_version: cidr.includes(':') ? 6 : 4, cidr };
      subnets.push(textOf(valueAt(await this.quietly('POST', '/subnets', { subnet }), 'subnet', 'id')));
    }
    return { id, subnets };
  }

  /** Waits until Octavia is done with a load balancer and all that is below it, and has seen how they fare. */
  async settled(id: string): Promise<void> {
    await this.#until(`the load balancer ${id} is settled`, async () => {
      const { text, status } = await this.#send('GET', `/lbaas/loadbalancers/${id}/status`, undefined, {});
      return status === 200 && !/"provisioning_status": ?"PENDING|"operating_status": ?"OFFLINE"/.test(text);
    });
  }

  /** Waits until a load balancer is gone. */
  async gone(id: string): Promise<void> {
    await this.#until(`the load balancer ${id} is gone`, async () => {
      return (await this.#send('GET', `/lbaas/loadbalancers/${id}`, undefined, {})).status === 404;
    });
  }

  /** A router from the subnet to the network `public`: the id of that network. */
  async routeToPublic(subnetId: string): Promise<string> {
    const external = await this.publicNetwork();
    const router = { name: 'router', external_gateway_info: { network_id: external } };
    const id = textOf(valueAt(await this.quietly('POST', '/routers', { router }), 'router', 'id'));
    await this.quietly('PUT', `/routers/${id}/add_router_interface`, { subnet_id: subnetId });
    return external;
  }

  async publicNetwork(): Promise<string> {
    const listed = await this.quietly('GET', '/networks?name=public');
    return textOf(valueAt(listOf(listed['networks'])[0], 'id'));
  }

  async #send(
    method: HttpRequest['method'],
    path: string,
    body: JsonObject | string | undefined,
    { as = 'demo', headers = {}, token }: CallOptions,
  ): Promise<Answer> {
    if (typeof body === 'object') this.#normalizer.note(body);
    const credentials = token ?? (await this.tokenOf(as));
    const all = { ...(credentials === '' ? {} : { 'x-auth-token': credentials }), ...headers };
    const { networkUrl, loadBalancerUrl } = this.cloud;
    const root = path.startsWith('/lbaas/') ? loadBalancerUrl : networkUrl;
    const answer = await this.#exchange(method, `${root}${path}`, body, all);
    if (answer.status < 300) this.#remember(method, path, answer.body, body, as);
    return answer;
  }

  #remember(
    method: string,
    path: string,
    answer: JsonObject,
    body: JsonObject | string | undefined,
    as: ContractUser,
  ): void {
    const remove = (what: string) => this.#undo.push(() => this.#send('DELETE', what, undefined, { as }));
    if (path === '/lbaas/loadbalancers' && method === 'POST') {
      this.#undo.push(() => this.#deleteLoadBalancer(textOf(valueAt(answer, 'loadbalancer', 'id'))));
      return;
    }
    if (path.startsWith('/lbaas/quotas') && method === 'PUT') remove(path);
    // What is below a load balancer goes with it.
    if (path.startsWith('/lbaas/')) return;
    if (method === 'POST') remove(`${path}/${textOf(valueAt(objectOf(Object.values(answer)[0]), 'id'))}`);
    if (path.startsWith('/quotas') && method === 'PUT') remove(path);
    if (!path.endsWith('/add_router_interface') || typeof body !== 'object') return;
    const back = path.replace('/add_', '/remove_');
    this.#undo.push(() => this.#send('PUT', back, body, { as }));
  }

  async #deleteLoadBalancer(id: string): Promise<void> {
    await this.#until(`the load balancer ${id} can be deleted`, async () => {
      const { status } = await this.#send('DELETE', `/lbaas/loadbalancers/${id}?cascade=true`, undefined, {});
      return status !== 409;
    });
    await this.gone(id);
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let waited = 0; waited < LONGEST_WAIT; waited += POLL) {
      if (await holds()) return;
      await this.cloud.wait(POLL);
    }
    throw new Error(`waited in vain until ${what}`);
  }

  #keystone(method: HttpRequest['method'], path: string, body?: JsonObject | string, headers = {}): Promise<Answer> {
    return this.#exchange(method, `${this.cloud.authUrl}${path}`, body, headers);
  }

  async #exchange(
    method: HttpRequest['method'],
    url: string,
    body: JsonObject | string | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const response = await this.cloud.transport.send({
      method,
      url,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(text === undefined ? {} : { body: text }),
    });
    const answered = await readText(response);
    const parsed: Json = answered.startsWith('{') ? JSON.parse(answered) : {};
    return { status: response.status, headers: response.headers, text: answered, body: objectOf(parsed) };
  }
}
