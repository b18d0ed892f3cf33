import { type Clock, noMetrics, seededRandom, silentLogger, sleep, VirtualClock } from '@fairlead/control';
import { SimulatedKube } from '@fairlead/sim/kube';
import { KubeClient } from '../api/client.ts';
import type { ApiConnection } from '../api/connection.ts';
import { namespaces, services } from '../api/resources.ts';
import { CacheFactory } from '../cache/cache-factory.ts';
import type { Service } from '../types/service.ts';
import { connectionOver } from './connection-over.ts';

/** A simulated API server in virtual time, with a namespace `shop`, and what the code of a controller stands on. */
export class SimulatedCluster {
  readonly clock = new VirtualClock();
  readonly random = seededRandom(1);
  readonly logger = silentLogger;
  readonly metrics = noMetrics;
  readonly connection: ApiConnection;
  readonly client: KubeClient;
  /** Requests to these paths wait until the path is taken out and time passes. */
  readonly stalled = new Set<string>();
  readonly #stop = new AbortController();

  private constructor() {
    const kube = new SimulatedKube({ clock: this.clock, random: seededRandom(7) });
    const direct = connectionOver(kube.transport(), this.clock);
    this.client = new KubeClient(direct, this.clock);
    this.connection = {
      send: async (request) => {
        while (this.stalled.has(request.path)) await sleep(this.clock, 100, request.signal);
        return direct.send(request);
      },
    };
  }

  static async start(): Promise<SimulatedCluster> {
    const cluster = new SimulatedCluster();
    await cluster.client.create(namespaces, { metadata: { name: 'shop' } });
    return cluster;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  stop(): void {
    this.#stop.abort(new Error('the test is over'));
  }

  caches(signal = this.signal, clock: Clock = this.clock): CacheFactory {
    const { connection, random, logger, metrics } = this;
    return new CacheFactory({ connection, clock, random, logger, metrics, signal });
  }

  createService(name: string, more: Partial<Service['metadata']> = {}): Promise<Service> {
    const spec = { ports: [{ port: 80, protocol: 'TCP' as const }] };
    return this.client.create(services, { metadata: { namespace: 'shop', name, ...more }, spec });
  }
}
