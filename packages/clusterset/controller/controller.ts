import {
  type ApiConnection,
  type CacheChange,
  type Controller,
  endpointSlices,
  type KubeObject,
  keyText,
  namespaces,
  type SharedCache,
  services,
} from '@fairlead/kube';
import { ClusterEvents, Health, type LeaderEnvironment, objectController } from '@fairlead/part';
import type { Settings } from '../decision/settings.ts';
import { globalIngressIps } from '../records/global-addresses.ts';
import { keptService } from '../records/local-export.ts';
import { isNamespaceAllowed } from '../records/trust.ts';
import { Applier } from './apply.ts';
import { BrokerLink } from './broker-link.ts';
import { Expectations, type Lookup } from './expectations.ts';
import type { SilencePolicy } from './liveness.ts';
import { brokerInStep } from './metrics.ts';
import { runMigration } from './migration.ts';
import { Reconciler } from './reconciler.ts';
import { accountOf } from '../membership/broker-objects.ts';
import { requestToken } from '../membership/token.ts';
import { type Probe, Silence } from './silence.ts';
import type { Store } from './store.ts';
import { keepTokenFresh } from './token-renewal.ts';
import {
  type BrokerState,
  derivedAs,
  derivedFor,
  importedFor,
  memberImportKeys,
  recordedFor,
  servedBy,
  slicedFor,
  View,
} from './view.ts';
import { Withdrawals } from './withdrawals.ts';

const CONCURRENT_SERVICES = 20;

export interface ControllerOptions {
  readonly settings: Settings;
  readonly whenSilent: SilencePolicy;
  readonly connection: ApiConnection;
  readonly probe: Probe;
}

/**
 * Exports and imports Services for as long as we lead. It begins with what is in the cluster; the broker comes in when
 * it answers, and until then the imports stay as they are.
 */
export async function runController(options: ControllerOptions, environment: LeaderEnvironment): Promise<void> {
  const { settings } = options;
  const { caches, clock, metrics, readiness, signal, client } = environment;
  metrics.set(brokerInStep, 0);
  const health = new Health(readiness);
  const member = {
    exports: caches.cache(settings.serviceExports),
    services: caches.projected(services, keptService),
    slices: caches.cache(endpointSlices),
    imports: caches.cache(settings.serviceImports),
    namespaces: caches.cache(namespaces),
  };
  const globalIps = settings.globalnet ? caches.cache(globalIngressIps) : undefined;
  const controller = objectController(environment, {
    name: 'clusterset',
    resource: settings.serviceExports,
    cache: member.exports,
    concurrency: CONCURRENT_SERVICES,
    failureReason: () => 'SyncServiceExportFailed',
  });
  const derived = member.imports.index('derived', settings.derivedServices ? derivedAs : () => []);
  controller.watch(member.services, (change) => [
    ...exported(change.key, member.exports),
    ...derivedFor(objectOf(change)),
    ...derived.get(change.key).map(({ metadata }) => keyText(metadata)),
  ]);
  controller.watch(member.slices, (change) => {
    const slice = objectOf(change);
    return [
      ...servedBy(slice).filter((key) => member.exports.get(key) !== undefined),
      ...importedFor(slice),
      ...derivedFor(slice),
    ];
  });
  controller.watch(member.imports, (change) => memberImportKeys(objectOf(change), settings));

  const uid = () => member.namespaces.get('kube-system')?.metadata.uid;
  const cluster = new ClusterEvents(environment);
  // Before the broker is read: what no namespace here wants is not kept.
  await member.namespaces.synced(signal);
  const takesPart = (name: string) =>
    isNamespaceAllowed(name, settings.namespaces) && member.namespaces.get(name) !== undefined;
  const onOverflow = (namespace: string, most: number) => {
    const note = `The namespace ${namespace} at the broker has more than ${most} objects: the rest is left out.`;
    environment.logger.warn({ namespace, most }, note);
    cluster.record({ type: 'Warning', reason: 'ExportsLeftOut', note });
  };
  const link = new BrokerLink({ ...environment, ...options, uid, takesPart, onOverflow });
  const view = new View(globalIps === undefined ? member : { ...member, globalIps }, link.caches, settings);
  if (globalIps !== undefined) {
    controller.watch(globalIps, (change) => {
      const { namespace = '' } = objectOf(change).metadata;
      return [...member.exports.keys()].filter((key) => key.startsWith(`${namespace}/`));
    });
  }
  controller.watch(member.namespaces, ({ key: namespace }) =>
    [...view.keys()].filter((key) => key.startsWith(`${namespace}/`)),
  );
  member.namespaces.subscribe((change) => {
    if (change.type === 'add' && takesPart(change.key)) link.want(change.key);
  });
  await controller.synced(signal);
  health.started();

  const onChange = (key: string) => controller.add(key);
  const policy = options.whenSilent;
  const silence = new Silence({ ...environment, ...options, policy, member, broker: link.caches, onChange });
  const stores: Readonly<Record<string, Store<KubeObject>>> = {
    'member serviceexports': member.exports,
    'member serviceimports': member.imports,
    'member endpointslices': member.slices,
    'member services': member.services,
    'broker serviceimports': link.caches.imports,
    'broker endpointslices': link.caches.slices,
  };
  const lookup: Lookup = (at, plural, key) => stores[`${at} ${plural}`]?.get(key);
  const clients = { member: client, broker: link.client };
  const reconciler = new Reconciler({
    ...environment,
    clients,
    settings,
    expectations: new Expectations(clock, lookup),
    withdrawals: new Withdrawals({ ...environment, cluster, view, requeue: onChange }),
    observe: (key) => view.observe(key, link.state, (other) => silence.standing(other, keyText(key))),
  });
  link.caches.leases.subscribe(() => silence.see());
  // What a cluster may claim has changed: what it exports may be believed now, or no longer.
  link.caches.registrations.subscribe(() => {
    for (const key of view.keys()) controller.add(key);
  });
  follow(link.caches.imports, recordedFor, controller);
  follow(link.caches.slices, slicedFor, controller);
  const onState = ({ state }: BrokerState) => {
    metrics.set(brokerInStep, state === 'in-step' ? 1 : 0);
    if (state === 'in-step') silence.startOver();
    for (const key of view.keys()) controller.add(key);
  };
  await Promise.all([
    controller.run((key, stop) => reconciler.reconcile(key, stop), signal),
    link.run(onState),
    keepTokenFresh({
      ...environment,
      namespace: settings.namespace,
      request: (stop) => requestToken(link.client, accountOf(settings), stop),
    }),
    runMigration({
      ...environment,
      settings,
      applier: new Applier({ ...environment, clients, expectations: { note() {} } }),
      view: () => {
        const isSeen = link.older?.hasSynced === true && link.state.state === 'in-step';
        return isSeen ? view.migration(link.older.list()) : undefined;
      },
    }),
    silence.run(() => link.state.state === 'in-step', signal),
  ]);
}

/** Has what changes at the broker looked at. */
function follow<Kind extends KubeObject>(
  cache: SharedCache<Kind>,
  keysOf: (object: Kind) => readonly string[],
  controller: Controller,
): void {
  cache.subscribe((change) => {
    for (const key of keysOf(objectOf(change))) controller.add(key);
  });
}

function objectOf<Kind>(change: CacheChange<Kind>): Kind {
  return change.type === 'delete' ? change.before : change.after;
}

/** A Service that no export asks for is no concern of ours. */
function exported(key: string, exports: SharedCache<KubeObject>): readonly string[] {
  return exports.get(key) === undefined ? [] : [key];
}
