import { messageOf } from '@fairlead/control';
import { configMaps, endpointSlices, KubeClient, leases, namespaces, services } from '@fairlead/kube';
import type { ReadEnvironment } from '@fairlead/part';
import type { ClusterSetConfiguration } from './configuration.ts';
import type { Connect } from './controller/broker-link.ts';
import { ListedStore } from './controller/store.ts';
import {
  type BrokerState,
  type BrokerStores,
  type MemberStores,
  type Standing,
  membershipState,
  View,
} from './controller/view.ts';
import { type Decision, decide } from './decision/decide.ts';
import { type Migration, migrationOf } from './decision/migration.ts';
import type { Observation } from './decision/observation.ts';
import type { ServiceImport } from './mcs/types.ts';
import type { Settings } from './decision/settings.ts';
import { CLUSTERSET, isLeaving } from './records/marks.ts';
import { globalIngressIps } from './records/global-addresses.ts';
import { readSettings } from './settings.ts';

/** Everything at one moment, and what would be done about it. */
export interface Snapshot {
  readonly settings: Settings;
  readonly broker: BrokerStores;
  readonly state: BrokerState;
  readonly migration: Migration;
  /** How many imports there are, of each cluster and in all. */
  readonly view: Pick<View, 'importCount' | 'imports'>;
  /** By key, in order. */
  readonly decisions: ReadonlyMap<string, { readonly observed: Observation; readonly decision: Decision }>;
}

/** Reads this cluster and the broker, and decides for every Service as a leader would. Only reads. */
export async function takeSnapshot(
  configuration: ClusterSetConfiguration,
  connect: Connect,
  { client, clock, logger, signal }: ReadEnvironment,
): Promise<Snapshot> {
  const settings = await readSettings(configuration, client, { signal });
  const member: MemberStores = {
    exports: new ListedStore((await client.list(settings.serviceExports, { signal })).items),
    services: new ListedStore((await client.list(services, { signal })).items),
    slices: new ListedStore((await client.list(endpointSlices, { signal })).items),
    imports: new ListedStore((await client.list(settings.serviceImports, { signal })).items),
    namespaces: new ListedStore((await client.list(namespaces, { signal })).items),
  };
  const globalIps = settings.globalnet
    ? { globalIps: new ListedStore((await client.list(globalIngressIps, { signal })).items) }
    : {};
  const uid = member.namespaces.get('kube-system')?.metadata.uid;
  const { broker, state, older } = await readBroker(configuration, settings, connect, { clock, signal, uid });
  const view = new View({ ...member, ...globalIps }, broker, settings);
  const standing = (cluster: string): Standing => {
    const lease = broker.leases.get(`${settings.brokerNamespace}/${cluster}`);
    if (lease === undefined) return 'missing';
    return isLeaving(lease) ? 'left' : 'alive';
  };
  const keys = [...view.keys()].toSorted();
  const decisions = keys.flatMap((text) => {
    const [namespace = '', name = ''] = text.split('/');
    try {
      const observed = view.observe({ namespace, name }, state, standing);
      return [[text, { observed, decision: decide(observed, settings, clock.now()) }] as const];
    } catch (error) {
      logger.error({ service: text, error: messageOf(error) }, 'nothing can be decided for a Service');
      return [];
    }
  });
  const migration: Migration =
    state.state === 'unavailable' ? { writes: [], refused: [] } : migrationOf(view.migration(older), settings);
  return { settings, broker, state, migration, view, decisions: new Map(decisions) };
}

async function listOlder(client: KubeClient, { brokerImports }: Settings, namespace: string, signal: AbortSignal) {
  return (await client.list(brokerImports, { namespace, signal })).items;
}

const unavailable = (reason: string): BrokerState => ({ state: 'unavailable', reason, isLasting: true });

async function readBroker(
  configuration: ClusterSetConfiguration,
  settings: Settings,
  connect: Connect,
  { clock, signal, uid }: Pick<ReadEnvironment, 'clock' | 'signal'> & { readonly uid: string | undefined },
): Promise<{
  readonly broker: BrokerStores;
  readonly state: BrokerState;
  readonly older: readonly ServiceImport[];
}> {
  try {
    const connected = await connect(configuration.broker, signal);
    try {
      const client = new KubeClient(connected.connection, clock);
      const labelSelector = `${CLUSTERSET}=${settings.clusterset}`;
      const { brokerNamespace: namespace } = settings;
      const broker = {
        imports: new ListedStore((await client.list(settings.brokerImports, { labelSelector, signal })).items),
        slices: new ListedStore((await client.list(endpointSlices, { labelSelector, signal })).items),
        leases: new ListedStore((await client.list(leases, { namespace, labelSelector, signal })).items),
        registrations: new ListedStore((await client.list(configMaps, { namespace, labelSelector, signal })).items),
      };
      const { clusters, brokerNamespace } = settings.older;
      const older = clusters.length === 0 ? [] : await listOlder(client, settings, brokerNamespace, signal);
      return { broker, older, state: membershipState(broker, uid, settings) };
    } finally {
      await connected.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const none = new ListedStore([]);
    const broker = { imports: none, slices: none, leases: none, registrations: none };
    return { broker, older: [], state: unavailable(`The broker cannot be read: ${messageOf(error)}.`) };
  }
}
