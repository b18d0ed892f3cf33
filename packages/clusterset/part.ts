import { keyText } from '@fairlead/kube';
import { clusterPermission, definePart, type LeaderPart, type Part, type Permission } from '@fairlead/part';
import { exportCommand, unexportCommand } from './commands/exports.ts';
import { joinCommand, leaveCommand } from './commands/membership.ts';
import { statusCommand } from './commands/status.ts';
import { clusterSetConfiguration } from './configuration.ts';
import type { Connect } from './controller/broker-link.ts';
import { runController } from './controller/controller.ts';
import { parsePolicy } from './controller/liveness.ts';
import { clustersetMetrics } from './controller/metrics.ts';
import type { Probe } from './controller/silence.ts';
import { demoScene } from './demo.ts';
import { mcsDefinitions } from './mcs/definitions.ts';
import { MCS_GROUP } from './mcs/types.ts';
import { explain, partPlan, partStatus } from './report.ts';
import { readSettings } from './settings.ts';
import { takeSnapshot } from './snapshot.ts';

/** What there is outside of the cluster. */
export interface Outside {
  readonly connect: Connect;
  readonly probe: Probe;
}

const READ = ['get', 'list', 'watch'] as const;
const WRITE = ['create', 'update', 'delete'] as const;

const permissions: readonly Permission[] = [
  {
    group: MCS_GROUP,
    resources: ['serviceexports'],
    verbs: READ,
    scope: 'cluster',
    because: 'A ServiceExport asks for a Service to be there in all clusters.',
  },
  {
    group: MCS_GROUP,
    resources: ['serviceexports/status'],
    verbs: ['update'],
    scope: 'cluster',
    because: 'Its conditions tell whether it is exported, and what it conflicts with.',
  },
  {
    group: MCS_GROUP,
    resources: ['serviceimports'],
    verbs: [...READ, ...WRITE],
    scope: 'cluster',
    because: 'What other clusters export is there as ServiceImports.',
  },
  {
    group: MCS_GROUP,
    resources: ['serviceimports/status'],
    verbs: ['update'],
    scope: 'cluster',
    because: 'The status of an import lists the clusters behind it.',
  },
  {
    group: '',
    resources: ['services', 'namespaces'],
    verbs: READ,
    scope: 'cluster',
    because: 'Services are exported from, and imported into, namespaces that are there.',
  },
  {
    group: '',
    resources: ['services'],
    verbs: WRITE,
    scope: 'cluster',
    because: 'With derivedServices, an import has a Service of its own; no other Service is ever written.',
  },
  {
    group: 'discovery.k8s.io',
    resources: ['endpointslices'],
    verbs: [...READ, ...WRITE],
    scope: 'cluster',
    because: 'Those of exported Services are read, and those of other clusters are made here.',
  },
  {
    group: 'submariner.io',
    resources: ['globalingressips'],
    verbs: READ,
    scope: 'cluster',
    because: 'Where Globalnet translates addresses, exports have the global ones.',
  },
  {
    group: '',
    resources: ['secrets'],
    verbs: ['get', 'update'],
    scope: 'own-namespace',
    because: 'The token for the broker is renewed in the Secret that fairlead join wrote.',
  },
];

/** Services of several clusters as one, as the command line sees it. */
export function clusterSetPart({ connect, probe }: Outside): Part<LeaderPart> {
  return definePart({
    name: 'clusterset',
    summary: 'Exports Services to other clusters, and imports theirs, over a passive broker.',
    schema: clusterSetConfiguration,
    permissions: [...permissions, clusterPermission],
    customResources: mcsDefinitions,
    metrics: clustersetMetrics,
    events: [
      {
        reason: 'ServiceExportConflict',
        meaning: 'Clusters export different things under the same name; the note says what counts.',
      },
      { reason: 'SyncServiceExportFailed', meaning: 'Exporting or importing it failed, and is tried again.' },
      {
        reason: 'DeletionHeldBack',
        meaning: 'Many imports would lose clusters at once; it is held back for ten minutes.',
      },
      { reason: 'ExportsLeftOut', meaning: 'Another cluster exports more than is read of one.' },
    ],
    commands: [joinCommand(connect), leaveCommand(connect), exportCommand, unexportCommand, statusCommand(connect)],
    demo: demoScene,
    explains: ['service', 'serviceexport', 'serviceimport'],
    configure: (configuration): LeaderPart => ({
      runs: 'leader',
      async start(environment) {
        const settings = await readSettings(configuration, environment.client, environment);
        const whenSilent = parsePolicy(configuration.whenSilent) ?? { kind: 'keep' };
        const broker = await connect(configuration.broker, environment.signal);
        try {
          await runController({ settings, whenSilent, connection: broker.connection, probe }, environment);
        } finally {
          await broker.close();
        }
      },
      plan: async (environment) => partPlan(await takeSnapshot(configuration, connect, environment), environment.clock),
      async explain(environment, subject) {
        const { decisions } = await takeSnapshot(configuration, connect, environment);
        const found = decisions.get(keyText(subject));
        return found === undefined ? undefined : explain(found);
      },
      status: async (environment) => partStatus(await takeSnapshot(configuration, connect, environment)),
    }),
  });
}
