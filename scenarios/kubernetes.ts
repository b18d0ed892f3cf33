import type { HttpRequest, HttpTransport } from '@fairlead/control';
import {
  type ApiConnection,
  collectionPath,
  KubeClient,
  type KubeObject,
  type Lease,
  leases,
  type Resource,
} from '@fairlead/kube';
import { ANY_SERVER, connectionOver } from '@fairlead/kube/testing';
import { leaseName } from '@fairlead/part';
import { type Incarnation, kubernetesDialect, type Simulation } from '@fairlead/sim';
import { SimulatedKube } from '@fairlead/sim/kube';

/** The name under which processes reach the API server. */
export const KUBE = 'kube';

/** A simulated Kubernetes, seen by a test that has no network in between. */
export interface Cluster {
  readonly kube: SimulatedKube;
  readonly editor: KubeClient;
  /** All objects of a kind as they are at this moment: for invariants, which are asked after every step. */
  readonly objects: <Kind extends KubeObject>(resource: Resource<Kind>) => readonly Kind[];
}

/** `name` is that under which processes reach it, where there are several. */
export function serveKubernetes(simulation: Simulation, name = KUBE): Cluster {
  const { clock } = simulation;
  const kube = new SimulatedKube({ clock, random: simulation.random(name) });
  const objects = sightOf(kube);
  const transport = kube.transport();
  const send: HttpTransport['send'] = (request) => {
    const holder = otherHolder(request, objects(leases));
    if (holder !== undefined) {
      const write = `${request.method} ${new URL(request.url).pathname} of ${request.headers['user-agent']}`;
      simulation.fail('only the leader writes', `${write} arrives while ${holder} holds the Lease`);
    }
    return transport.send(request);
  };
  simulation.serve(name, { send }, { dialect: kubernetesDialect });
  const editor = new KubeClient(connectionOver(kube.transport(), clock, 'editor'), clock);
  return { kube, editor, objects };
}

/** Who holds the Lease of the part while another replica's write arrives. Events are a courtesy, and may come late. */
function otherHolder({ method, url, headers }: HttpRequest, all: readonly Lease[]): string | undefined {
  if (method === 'GET' || /\/(leases|events)\b/.test(url)) return undefined;
  const holders = all.flatMap(({ metadata, spec }) =>
    metadata.name.startsWith(leaseName('')) ? (spec?.holderIdentity?.split('_')[0] ?? []) : [],
  );
  return holders.find((holder) => holder !== headers['user-agent']);
}

/** The way of a simulated process to the API server, with `wire` in between. */
export function connectToKubernetes(
  incarnation: Incarnation,
  wire: (transport: HttpTransport) => HttpTransport = (transport) => transport,
  server = KUBE,
): ApiConnection {
  return connectionOver(wire(incarnation.connect(server)), incarnation.clock, incarnation.name);
}

interface Sight {
  readonly version: number;
  /** The items as the server wrote them. */
  readonly text: string;
  readonly list: unknown;
}

/** Sees everything at once; looking again costs little while nothing of the kind was written. */
function sightOf(kube: SimulatedKube): Cluster['objects'] {
  const sights = new Map<string, Sight>();
  return (resource) => {
    const path = collectionPath(resource);
    const version = kube.lastWriteTo(resource);
    let sight = sights.get(path);
    if (sight?.version !== version) {
      const answer = kube.answer({ method: 'GET', url: `${ANY_SERVER}${path}`, headers: {} });
      const body = 'body' in answer ? answer.body : '';
      const at = body.indexOf('"items":');
      // A kind that is not served yet has none.
      const text = at < 0 ? '"items":[]}' : body.slice(at);
      sight = { version, text, list: text === sight?.text ? sight.list : JSON.parse(`{${text}`) };
      sights.set(path, sight);
    }
    return isListOf(resource, sight.list) ? sight.list.items : [];
  };
}

/** The server lists under a path what the resource says is there. */
function isListOf<Kind extends KubeObject>(
  _resource: Resource<Kind>,
  list: unknown,
): list is { readonly items: readonly Kind[] } {
  return typeof list === 'object' && list !== null && 'items' in list && Array.isArray(list.items);
}
