import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { FairleadError, type HttpTransport, seededRandom, VirtualClock } from '@fairlead/control';
import { SimulatedKube } from '@fairlead/sim/kube';
import {
  type ContractEndpoint,
  isJsonObject,
  type JsonObject,
  objectOf,
  Stage,
  textOf,
} from '@fairlead/sim/kube/contract';
import { BERTHS, DEFINITION } from './kinds/index.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const POLL_MILLISECONDS = 5;
const PATIENCE_MILLISECONDS = 20_000;

/** A simulated API server that nobody used before, with a namespace. */
export async function simulatedSide(namespace: string): Promise<ContractEndpoint> {
  const clock = new VirtualClock();
  const kube = new SimulatedKube({ clock, random: seededRandom(1) });
  const endpoint: ContractEndpoint = {
    transport: kube.transport(),
    url: 'http://kubernetes',
    headers: {},
    async wait(milliseconds) {
      await clock.advance(milliseconds);
      await nextTurn();
    },
  };
  await define(endpoint);
  await makeNamespace(endpoint, namespace);
  return endpoint;
}

/** A real API server, which all runs share; each has a namespace of its own. */
export class RealSide {
  readonly endpoint: ContractEndpoint;
  readonly #prefix: string;
  readonly #ahead: Promise<string>[] = [];
  #count = 0;

  constructor(transport: HttpTransport, url: string, prefix: string) {
    this.endpoint = { transport, url, headers: {}, wait: (milliseconds) => wait(milliseconds) };
    this.#prefix = prefix;
  }

  async prepare(): Promise<void> {
    await define(this.endpoint);
  }

  /** A namespace of which the cluster's controllers have made what they make. Some are made ahead: it takes a while. */
  async namespace(): Promise<string> {
    while (this.#ahead.length < 4) this.#ahead.push(this.#make());
    return (await this.#ahead.shift()) ?? this.#make();
  }

  /** Gives back what other namespaces want as well: node ports, addresses, names of nodes. */
  async release(namespace: string): Promise<void> {
    const stage = new Stage(this.endpoint, namespace);
    const services = `/api/v1/namespaces/${namespace}/services`;
    for (const name of await namesIn(stage, services)) await remove(stage, `${services}/${name}`);
    const nodes = await namesIn(stage, '/api/v1/nodes');
    for (const name of nodes) if (name.startsWith(namespace)) await remove(stage, `/api/v1/nodes/${name}`);
  }

  async #make(): Promise<string> {
    this.#count += 1;
    const name = `${this.#prefix}-${String(this.#count).padStart(5, '0')}`;
    await makeNamespace(this.endpoint, name);
    return name;
  }
}

async function namesIn(stage: Stage, path: string): Promise<readonly string[]> {
  const { items } = await stage.quietly('GET', path);
  if (!Array.isArray(items)) return [];
  const objects: readonly JsonObject[] = items.filter(isJsonObject);
  return objects.map((item) => encodeURIComponent(textOf(objectOf(item.metadata).name)));
}

async function remove(stage: Stage, path: string): Promise<void> {
  const contentType = 'application/merge-patch+json';
  try {
    await stage.call('PATCH', path, { metadata: { finalizers: null } }, { contentType });
    await stage.call('DELETE', path);
  } catch (error) {
    // Writing a Service that was created through its status makes the real server panic: that one has to stay.
    if (!(error instanceof FairleadError) || error.verdict !== 'retriable') throw error;
  }
}

async function define(endpoint: ContractEndpoint): Promise<void> {
  const stage = new Stage(endpoint, 'default');
  await stage.quietly('POST', DEFINITIONS, DEFINITION);
  const versions = ['v1', 'v2'];
  for (const version of versions) await until(stage, `/apis/${BERTHS.group}/${version}/${BERTHS.plural}`);
}

async function makeNamespace(endpoint: ContractEndpoint, namespace: string): Promise<void> {
  const stage = new Stage(endpoint, namespace);
  await stage.quietly('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await until(stage, `/api/v1/namespaces/${namespace}/serviceaccounts/default`);
  await until(stage, `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`);
}

/** Waits until there is something at the path. */
async function until(stage: Stage, path: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MILLISECONDS; waited += POLL_MILLISECONDS) {
    const { kind } = await stage.quietly('GET', path);
    if (kind !== undefined && kind !== 'Status') return;
    await stage.wait(POLL_MILLISECONDS);
  }
  throw new Error(`waited in vain for ${path}`);
}
