import type { HttpRequest, HttpResponse } from '@fairlead/control';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import { ArmEmulator } from '@fairlead/sim/azure';
import { type EmulatorServer, serveEmulator } from '@fairlead/sim/cloud/http';
import { eventually } from './eventually.ts';

const SUBSCRIPTION = '00000000-0000-0000-0000-000000000000';
const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/cluster`;
const NETWORKS = `${GROUP}/providers/Microsoft.Network`;

/** A call that is stopped on its way to Azure, to look at the world meanwhile. */
export interface HeldCall {
  /** Resolves when Fairlead has made the call. */
  readonly arrived: () => Promise<void>;
  /** Lets it, and all like it, through. */
  readonly release: () => void;
}

interface Barrier {
  readonly method: string;
  readonly kind: string;
  readonly opened: PromiseWithResolvers<void>;
  hasArrived: boolean;
}

/** An emulated Azure with the network of the nodes in it, served on loopback. Its writes are long-running operations. */
export class EmulatedAzure implements AsyncDisposable {
  readonly emulator: ArmEmulator;
  readonly #barriers = new Set<Barrier>();
  #server: EmulatorServer | undefined;

  private constructor() {
    const behaviour = { operationTime: { minimum: 20, maximum: 60 } };
    this.emulator = new ArmEmulator({ clock: systemClock, random: systemRandom, groups: [GROUP], behaviour });
    const subnets = [{ name: 'nodes', properties: { addressPrefix: '10.0.0.0/16' } }];
    const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/8'] }, subnets };
    const network = { location: 'westeurope', properties };
    this.emulator.byHand({ method: 'PUT', path: this.idOf('virtualNetworks', 'net'), body: network });
  }

  static async start(): Promise<EmulatedAzure> {
    const azure = new EmulatedAzure();
    azure.#server = await serveEmulator({ send: (request) => azure.#send(request) });
    return azure;
  }

  /** As azure.json would have it. */
  get cloud(): object {
    return {
      subscriptionId: SUBSCRIPTION,
      resourceGroup: 'cluster',
      location: 'westeurope',
      vnetName: 'net',
      subnetName: 'nodes',
      resourceManagerEndpoint: this.#server?.endpoint,
    };
  }

  idOf(kind: string, name: string): string {
    return `${NETWORKS}/${kind}/${name}`;
  }

  /** Stops calls of this method and kind until they are released: `hold('PUT', 'loadBalancers')`. */
  hold(method: string, kind: string): HeldCall {
    const barrier: Barrier = { method, kind, opened: Promise.withResolvers<void>(), hasArrived: false };
    this.#barriers.add(barrier);
    return {
      arrived: async () => {
        await eventually(() => barrier.hasArrived, { describe: `${method} ${kind}` });
      },
      release: () => {
        this.#barriers.delete(barrier);
        barrier.opened.resolve();
      },
    };
  }

  /** What the gateway has: `10.1.0.1@10.0.0.1=web`. */
  located(gateway: string): readonly string[] {
    return [...this.emulator.gateway(this.idOf('serviceGateways', gateway)).locations]
      .flatMap(([location, addresses]) =>
        [...addresses].map(([address, services]) => `${address}@${location}=${services.join(',')}`),
      )
      .sort();
  }

  registered(gateway: string): readonly string[] {
    return [...this.emulator.gateway(this.idOf('serviceGateways', gateway)).services.keys()].sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { opened } of this.#barriers) opened.resolve();
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #send(request: HttpRequest): Promise<HttpResponse> {
    const segments = new URL(request.url).pathname.split('/');
    for (const barrier of this.#barriers) {
      if (barrier.method !== request.method || !segments.includes(barrier.kind)) continue;
      barrier.hasArrived = true;
      await barrier.opened.promise;
    }
    return this.emulator.send(request);
  }
}
