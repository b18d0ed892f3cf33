import { type HttpRequest, type HttpResponse, type HttpTransport, readText } from '@fairlead/control';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import type { CustomResourceDefinition } from '@fairlead/kube';
import { serveEmulator } from '@fairlead/sim/cloud/http';
import { SimulatedKube } from '@fairlead/sim/kube';
import { serveKube } from '@fairlead/sim/kube/http';
import { OpenStackEmulator } from '@fairlead/sim/openstack';
import { z } from 'zod';

export const NAMESPACE = 'default';

/** What reached one server. */
interface Traffic {
  readonly calls: number;
  readonly writes: number;
  readonly bytes: number;
}

/** Requests by the server that they were for: `octavia`, `neutron`, `kubernetes`; those to log in and to lead apart. */
class Counter {
  readonly #lines = new Map<string, number>();
  readonly #bytes = new Map<string, number>();

  note(server: string, line: string, bytes: number): void {
    const key = `${server} ${line}`;
    this.#lines.set(key, (this.#lines.get(key) ?? 0) + 1);
    this.#bytes.set(server, (this.#bytes.get(server) ?? 0) + bytes);
  }

  clear(): void {
    this.#lines.clear();
    this.#bytes.clear();
  }

  /** How often a line was noted that begins so, such as `octavia POST members`. */
  count(beginning: string): number {
    let sum = 0;
    for (const [line, count] of this.#lines) if (line.startsWith(beginning)) sum += count;
    return sum;
  }

  of(server: string): Traffic {
    const calls = this.count(`${server} `);
    return { calls, writes: calls - this.count(`${server} GET`), bytes: this.#bytes.get(server) ?? 0 };
  }

  get lines(): readonly string[] {
    return [...this.#lines].map(([line, count]) => `${line} ${count}`).toSorted();
  }
}

/** A simulated API server that counts what it is asked from outside. */
class CountedKube extends SimulatedKube {
  readonly counter = new Counter();

  override handle(request: HttpRequest): HttpResponse {
    const { pathname, searchParams } = new URL(request.url, 'http://kube');
    const [resource = ''] = /[^/]+(?:\/status)?$/.exec(pathname.replace(/\/namespaces\/[^/]+(?=\/)/, '')) ?? [];
    const isWatch = searchParams.has('watch') || request.streaming === true;
    // What every leader does by the clock, and what a cache holds open, is no answer to a change.
    const server = /leases|accessreviews|events$/.test(pathname) || isWatch ? 'background' : 'kubernetes';
    const kind = /services|kuryrloadbalancers|pods|endpointslices/.exec(pathname)?.[0] ?? resource;
    const status = pathname.endsWith('/status') || /"\/status/.test(request.body ?? '') ? '/status' : '';
    this.counter.note(server, `${request.method} ${kind}${status}`, request.body?.length ?? 0);
    return super.handle(request);
  }

  /** Creates or changes something as a user would, uncounted. */
  byHand(method: 'POST' | 'PUT' | 'PATCH' | 'GET', path: string, body?: object): Promise<unknown> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { accept: 'application/json', 'content-type': type };
    const request = {
      method,
      url: `http://kube${path}`,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    return readText(super.handle(request)).then((text) => {
      const answer: unknown = JSON.parse(text);
      const failed = z.object({ kind: z.literal('Status'), message: z.string() }).safeParse(answer);
      if (failed.success) throw new Error(`${method} ${path}: ${failed.data.message}`);
      return answer;
    });
  }
}

const textsOf = (objects: readonly Readonly<Record<string, unknown>>[], field: string): readonly string[] =>
  objects.map((object) => (typeof object[field] === 'string' ? object[field] : ''));

/** A cluster and an OpenStack on loopback, and what was asked of them. Octavia is at each change for so long. */
export async function startWorld(definition: CustomResourceDefinition, milliseconds: number) {
  await using started = new AsyncDisposableStack();
  const kube = new CountedKube({ clock: systemClock, random: systemRandom });
  const duration = { minimum: milliseconds, maximum: milliseconds };
  const emulator = new OpenStackEmulator({
    clock: systemClock,
    random: systemRandom,
    behaviour: { octavia: { duration, providers: ['amphora'] } },
  });
  const project = emulator.identity.addProject('demo');
  emulator.identity.addUser('demo', 'secret', [project]);
  const network_id = emulator.create('networks', { name: 'pods' }, project);
  const subnet = (cidr: string) => emulator.create('subnets', { network_id, ip_version: 4, cidr, name: cidr }, project);
  const [services, pods] = [subnet('10.2.0.0/16'), subnet('10.1.0.0/16')];
  const securityGroupId = emulator.create('security-groups', { name: 'pods' }, project);
  const counted: HttpTransport = {
    async send(request) {
      const { pathname } = new URL(request.url);
      const [, service = '', , , kind = ''] = pathname.split('/');
      const server = { 'load-balancer': 'octavia', network: 'neutron' }[service] ?? 'background';
      const response = await emulator.send(request);
      const text = await readText(response);
      const isMembers = /\/members(?:\/[^/]+)?$/.test(pathname);
      const last = service === 'network' ? (pathname.split('/')[3] ?? '') : isMembers ? 'members' : kind;
      kube.counter.note(server, `${request.method} ${last}`, (request.body?.length ?? 0) + text.length);
      return { ...response, body: wholeBody(text) };
    },
  };
  const openStackServer = started.use(await serveEmulator(counted));
  const kubeServer = started.use(await serveKube(kube));
  const { metadata, spec } = definition;
  await kube.byHand('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata,
    spec,
  });
  const running = started.move();
  return {
    kube,
    counter: kube.counter,
    kubeUrl: kubeServer.url,
    kubeconfig: kubeServer.kubeconfig,
    authUrl: `${openStackServer.endpoint}/identity/v3`,
    projectId: project.id,
    securityGroupId,
    subnets: { services, pods },
    /** The addresses of all members, with those of load balancers that Octavia is still at left out. */
    members(): readonly string[] {
      const ready = new Set(
        emulator
          .octaviaResources('loadbalancers')
          .filter((one) => one['provisioning_status'] === 'ACTIVE')
          .map((one) => one['id']),
      );
      const pools = new Set(
        emulator
          .octaviaResources('pools')
          .filter((pool) => ready.has(pool['loadbalancer_id'] ?? ''))
          .map((pool) => pool['id']),
      );
      return textsOf(
        emulator.octaviaResources('members').filter((member) => pools.has(member['pool_id'] ?? '')),
        'address',
      );
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

async function* wholeBody(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
