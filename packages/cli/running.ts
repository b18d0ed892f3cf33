import { hostname } from 'node:os';
import { type Clock, Journal, type Logger, type Random } from '@fairlead/control';
import {
  type NodePartOptions,
  type PartRunOptions,
  type Permission,
  readClusterId,
  runNodePart,
  runPart,
  type Standing,
} from '@fairlead/part';
import { type Cluster, version } from './cluster.ts';
import type { Configuration } from './configuration/schema.ts';
import type { ActivePart } from './configured-parts.ts';
import { buildInfo, PrometheusMetrics } from './observability/metrics.ts';
import { ReadinessBoard } from './observability/readiness.ts';
import { readEnvironment } from './read-environment.ts';
import { type JournalAccess, JournalGuard } from './server/journal-guard.ts';
import { statusRoutes } from './server/routes.ts';
import { hostOf, isLoopback, type StatusServer, startStatusServer } from './server/status-server.ts';

export interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** All parts, running on one cluster. */
export interface Running {
  readonly server: StatusServer;
  readonly readiness: ReadinessBoard;
  /** Resolves when the signal has aborted and everything has ended. */
  readonly ended: Promise<void>;
}

/** What every part needs besides its own permissions: its Lease and Events. */
export const commonPermissions: readonly Permission[] = [
  {
    group: 'coordination.k8s.io',
    resources: ['leases'],
    verbs: ['get', 'create', 'patch'],
    scope: 'own-namespace',
    because: 'Each part has a Lease, so that only one replica works at a time.',
  },
  {
    group: 'events.k8s.io',
    resources: ['events'],
    verbs: ['create', 'patch'],
    scope: 'cluster',
    because: 'Events tell the owner of an object what happened to it.',
  },
];

/** To answer `why` where the journal asks for tokens. */
export const answerPermissions: readonly Permission[] = [
  {
    group: 'authentication.k8s.io',
    resources: ['tokenreviews'],
    verbs: ['create'],
    scope: 'cluster',
    because: 'Who asks for the journal shows a token, and the API server tells whose it is.',
  },
  {
    group: 'authorization.k8s.io',
    resources: ['subjectaccessreviews'],
    verbs: ['create'],
    scope: 'cluster',
    because: 'Only who may read an object is told what was done about it.',
  },
  {
    group: '',
    resources: ['namespaces'],
    verbs: ['get'],
    scope: 'cluster',
    because: 'By the UID of kube-system, who asks can tell that it is the right cluster.',
  },
];

/** Where only the same machine can ask, no token is needed, unless the configuration says so. */
function journalAccess({ http: { listen, journal } }: Configuration): JournalAccess {
  return journal ?? (isLoopback(hostOf(listen)) ? 'loopback' : 'token');
}

/** All that has to be allowed before we start. */
export function neededPermissions(configuration: Configuration, active: readonly ActivePart[]): readonly Permission[] {
  const answering = journalAccess(configuration) === 'token' ? answerPermissions : [];
  return [...commonPermissions, ...answering, ...active.flatMap(({ part }) => part.permissions)];
}

/** What `why` compares clusters by: their addresses differ from place to place. */
async function clusterIdOf(cluster: Cluster | undefined, signal: AbortSignal): Promise<string> {
  if (cluster === undefined) return '';
  return readClusterId(undefined, cluster.client, { signal, deadlineMilliseconds: 5_000 }).catch(() => '');
}

/**
 * Starts the status server and all parts. They end when the signal aborts: Leases are given back, calls aborted. Without
 * a cluster, only parts that run on a node are there.
 */
export async function startRunning(
  configuration: Configuration,
  cluster: Cluster | undefined,
  active: readonly ActivePart[],
  { clock, random, logger }: Surroundings,
  signal: AbortSignal,
): Promise<Running> {
  const metrics = new PrometheusMetrics();
  metrics.observeProcess();
  metrics.set(buildInfo, 1, { version, node: process.version });
  const readiness = new ReadinessBoard();
  const journals = new Map(active.map(({ part }) => [part.name, new Journal(clock)]));
  const standings = new Map<string, Standing>();
  const { listen } = configuration.http;
  const routes = statusRoutes({
    clusterId: () => clusterIdOf(cluster, signal),
    readiness,
    metrics,
    journals,
    guard: new JournalGuard(journalAccess(configuration), cluster?.client, clock),
    standing: (name) => standings.get(name) ?? { kind: 'stands-by' },
    async explain(name, subject) {
      const configured = active.find(({ part }) => part.name === name)?.configured;
      if (configured === undefined || configured.runs === 'node' || cluster === undefined) return undefined;
      return configured.explain(readEnvironment(configuration, cluster, clock, logger, signal), subject);
    },
  });
  const server = await startStatusServer(listen, routes);
  logger.info({ server: server.url, cluster: cluster?.name, parts: active.map(({ part }) => part.name) }, 'running');
  const runs = active.map(({ part, configured }) => {
    for (const definition of part.metrics) metrics.declare(definition);
    const journal = journals.get(part.name) ?? new Journal(clock);
    const shared = { part: part.name, clock, random, logger, metrics, journal, readiness: readiness.add(part.name) };
    const onStanding = (standing: Standing) => standings.set(part.name, standing);
    return runActive(configured, { ...shared, onStanding }, configuration, cluster, signal);
  });
  const ended = Promise.all(runs).then(() => server.close());
  return { server, readiness, ended };
}

function runActive(
  configured: ActivePart['configured'],
  shared: NodePartOptions & Pick<PartRunOptions, 'onStanding'>,
  { leaderElection, defaultClass }: Configuration,
  cluster: Cluster | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (configured.runs === 'node') return runNodePart(configured, shared, signal);
  if (cluster === undefined) throw new TypeError(`the part ${shared.part} runs in a cluster`);
  const options = {
    ...shared,
    connection: cluster.connection,
    namespace: leaderElection.namespace,
    replica: hostname(),
    leaseDurationMilliseconds: leaderElection.leaseDurationSeconds * 1000,
    ...(defaultClass === undefined ? {} : { defaultClass }),
  };
  return runPart(configured, options, signal);
}
