import type { Clock, HttpRequest, HttpResponse, HttpTransport, Random } from '@fairlead/control';
import { type ControllerOptions, startControllers } from './controllers/start.ts';
import { InternalClient } from './internal-client.ts';
import { namespaces } from './kinds/namespace.ts';
import { DEFAULT_RANGES, ServiceAllocator, type ServiceRanges } from './kinds/service/allocation.ts';
import { services } from './kinds/service/kind.ts';
import { ClusterPlayer, type PlayerOptions } from './players/cluster-player.ts';
import { type WorkloadOptions, WorkloadPlayer } from './players/workload-player.ts';
import { Registry } from './registry.ts';
import type { AccessOptions, Authorize } from './server/access/access.ts';
import { roleAccess } from './server/access/role-access.ts';
import { type Answer, toResponse } from './server/answer.ts';
import { ApiServer } from './server/api-server.ts';
import type { ServerState } from './server/state.ts';
import { Store } from './store/store.ts';
import { addressRange } from './validation/addresses.ts';

export interface SimulatedKubeOptions extends Pick<AccessOptions, 'tokens'> {
  readonly clock: Clock;
  readonly random: Random;
  readonly serviceRanges?: ServiceRanges;
  /** Everything is allowed unless this says no; `roles` goes by the Roles and bindings in the cluster. */
  readonly authorize?: Authorize | 'roles';
  /** What the cluster does by itself; false for an API server all alone. */
  readonly controllers?: ControllerOptions | false;
  /** How many writes to a kind are remembered for watches. */
  readonly historyLength?: number;
}

const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** A Kubernetes API server that lives in memory and in simulated time. */
export class SimulatedKube {
  readonly #state: ServerState;
  readonly #server: ApiServer;

  constructor(options: SimulatedKubeOptions) {
    const { clock, random, serviceRanges = DEFAULT_RANGES, historyLength, controllers = {}, tokens } = options;
    const store = new Store(historyLength);
    const allocator = new ServiceAllocator(serviceRanges, random);
    this.#state = { clock, random, store, registry: new Registry(store), services: allocator };
    const authorize = options.authorize === 'roles' ? roleAccess(store) : options.authorize;
    this.#server = new ApiServer(this.#state, { ...(tokens && { tokens }), ...(authorize && { authorize }) });
    if (controllers !== false) startControllers(this.#state, controllers);
    this.#bootstrap(serviceRanges);
  }

  /** Answers one request, at once. */
  handle(request: HttpRequest): HttpResponse {
    return toResponse(this.answer(request), request);
  }

  /** As `handle`, before it becomes a response. */
  answer(request: HttpRequest): Answer {
    return this.#server.handle(request);
  }

  /** A way to send requests without sockets and without delay: the network between is simulated elsewhere. */
  transport(): HttpTransport {
    return {
      send: async (request) => {
        request.signal?.throwIfAborted();
        return this.handle(request);
      },
    };
  }

  /** Forgets the history: watches and lists from before now are answered with 410. */
  compact(): void {
    this.#state.store.compact();
  }

  /** The version of the latest write. */
  get resourceVersion(): number {
    return this.#state.store.resourceVersion;
  }

  /** The version of the latest write to objects of a kind; of any write, where the kind is not served. */
  lastWriteTo({ group, version, plural }: { group: string; version: string; plural: string }): number {
    const { registry, store } = this.#state;
    const kind = registry.find(group, version, plural);
    return kind === undefined ? store.resourceVersion : store.lastWriteTo(kind.collection);
  }

  /** Plays nodes and pods, in place of kubelets and a scheduler. */
  player(options: PlayerOptions = {}): ClusterPlayer {
    return new ClusterPlayer(this.client('kubelet'), this.#state.store, this.#state.clock, options);
  }

  /** Keeps pods running for Deployments, and behind Services that no Deployment has pods for. */
  playWorkloads(player: ClusterPlayer, options: WorkloadOptions = {}): void {
    new WorkloadPlayer(this.#state, player, options).start();
  }

  /** The API without a server between, for what acts inside the cluster. */
  client(manager: string): InternalClient {
    return new InternalClient(this.#state, manager);
  }

  #bootstrap(ranges: ServiceRanges): void {
    const client = this.client('kube-apiserver');
    for (const name of SYSTEM_NAMESPACES) client.create(namespaces, { metadata: { name } });
    client.create(services, {
      metadata: {
        name: 'kubernetes',
        namespace: 'default',
        labels: { component: 'apiserver', provider: 'kubernetes' },
      },
      spec: {
        clusterIP: addressRange(ranges.clusterIPs[0]).at(1),
        ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
      },
    });
  }
}
