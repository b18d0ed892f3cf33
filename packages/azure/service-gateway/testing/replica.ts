import { withinLease } from '@fairlead/cloud';
import type { Journal } from '@fairlead/control';
import type { LeaderEnvironment, Readiness } from '@fairlead/part';
import { TestLeader } from '@fairlead/part/testing';
import type { ArmEmulator } from '@fairlead/sim/azure';
import { ArmClient, clientOptionsOf } from '../../arm/index.ts';
import { serviceGatewayConfiguration } from '../configuration.ts';
import { ServiceGatewayController } from '../controller.ts';
import type { Engine } from '../engine/engine.ts';
import { gatewayScope } from '../scope.ts';
import { group, scope } from './azure-bench.ts';
import type { GatewayCluster } from './cluster.ts';

const NETWORK = { ...group, location: scope.location, vnetName: 'net', subnetName: 'nodes' };

/** The controller in the lead on a simulated cluster and an emulated Azure, until it is stopped. */
export class Replica {
  readonly #cluster: GatewayCluster;
  readonly #leader: TestLeader;
  #controller: ServiceGatewayController | undefined;

  constructor(cluster: GatewayCluster, azure: ArmEmulator, section: object = {}, defaultClass?: string) {
    this.#cluster = cluster;
    const configuration = serviceGatewayConfiguration.parse({ cloud: NETWORK, defaultOutbound: false, ...section });
    const start = (environment: LeaderEnvironment) => {
      const client = new ArmClient({
        ...environment,
        ...clientOptionsOf(configuration),
        endpoint: 'https://arm.test',
        userAgent: 'test',
        transport: azure,
        beforeCall: withinLease(environment.leadership),
      });
      const { egressAddresses } = gatewayScope(configuration, NETWORK, scope.cluster);
      const own = { ...scope, egressAddresses };
      this.#controller = new ServiceGatewayController({ environment, azure: client, scope: own, configuration });
      return this.#controller.run();
    };
    this.#leader = new TestLeader(cluster, start, defaultClass === undefined ? {} : { defaultClass });
  }

  get engine(): Engine {
    if (this.#controller === undefined) throw new Error('it does not lead');
    return this.#controller.engine;
  }

  get journal(): Journal {
    return this.#leader.journal;
  }

  get readiness(): Readiness {
    return this.#leader.readiness;
  }

  /** Whether the Lease is long enough for a call. */
  set mayWrite(mayWrite: boolean) {
    this.#leader.mayWrite = mayWrite;
  }

  /** Resolves when what was under way has ended. */
  stop(): Promise<void> {
    return this.#leader.stop();
  }

  /** Lets time pass until nothing is left to do. */
  async settle(limitMilliseconds = 60_000): Promise<void> {
    const { clock } = this.#cluster;
    const { engine } = this;
    await clock.advance(200);
    const isSettled = () =>
      this.readiness.ready &&
      engine.oldestUnsettledSince === undefined &&
      engine.tracker.locationChanges().length === 0;
    if (!(await clock.runUntil(isSettled, limitMilliseconds))) {
      const states = Object.fromEntries([...engine.states].map(([key, { kind }]) => [key, kind]));
      throw new Error(`not settled: ${JSON.stringify(states)} ${JSON.stringify(this.readiness)}`);
    }
    // What follows in the cluster: status, finalizers.
    await clock.advance(200);
  }
}
