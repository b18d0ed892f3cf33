import { type CloudCall, withinLease } from '@fairlead/cloud';
import { definePart, type LeaderEnvironment, type LeaderPart, type Part, type ReadEnvironment } from '@fairlead/part';
import { describeServiceEvents, serviceKey } from '@fairlead/service';
import { longestMillisecondsOf, type OpenAzure, openToRead, openToRun } from '../arm/index.ts';
import { newRetriableBackendPoolUpdateError } from './backend-pools/update-error.ts';
import { updateEvents } from './backend-pools/update-reporter.ts';
import { type LocalBackendsConfiguration, localBackendsConfiguration } from './configuration.ts';
import { runController } from './controller.ts';
import { demoScene } from './demo.ts';
import { AZURE_LOCAL_CLASS } from './load-balancers/desired.ts';
import { localBackendsMetrics } from './metrics.ts';
import { PART_NAME } from './names.ts';
import { permissions } from './permissions.ts';
import { explainService } from './report/explain.ts';
import { partPlan } from './report/part-plan.ts';
import { partStatus, poolLines } from './report/part-status.ts';
import { type Snapshot, takeSnapshot } from './report/snapshot.ts';

/** Load balancers for local Services in Azure, as the command line sees them. `openAzure` is how it gets there. */
export function localBackendsPart(openAzure: OpenAzure): Part<LeaderPart> {
  const look = async (configuration: LocalBackendsConfiguration, environment: ReadEnvironment): Promise<Snapshot> => {
    await using azure = await openToRead(openAzure, configuration, PART_NAME, environment.clock);
    return await takeSnapshot(azure, configuration, environment);
  };
  return definePart<LocalBackendsConfiguration, LeaderPart>({
    name: PART_NAME,
    summary: 'Gives local Services a place on Azure load balancers, with pools that follow their nodes.',
    loadBalancerClass: AZURE_LOCAL_CLASS,
    schema: localBackendsConfiguration,
    permissions,
    customResources: [],
    metrics: localBackendsMetrics,
    events: [
      ...describeServiceEvents(
        'EnsuringLoadBalancer',
        'EnsuredLoadBalancer',
        'UpdatedLoadBalancer',
        'DeletingLoadBalancer',
        'DeletedLoadBalancer',
        'SyncLoadBalancerFailed',
        'DeleteLoadBalancerFailed',
        'LoadBalancerRefused',
        'ServiceQuarantined',
        'DeletionHeldBack',
      ),
      ...Object.entries(updateEvents).map(([reason, { meaning }]) => ({ reason, meaning })),
    ],
    explains: ['service'],
    commands: [
      {
        name: 'pools',
        summary: 'Lists the backend pools, the Services they are for, and whether they are in step.',
        needs: 'configuration',
        async run({ configuration, environment, print }) {
          for (const line of poolLines(await look(configuration, environment))) print(line);
        },
      },
    ],
    demo: demoScene,
    configure: (configuration) => ({
      runs: 'leader',
      longestWriteMilliseconds: longestMillisecondsOf(['PUT', 'DELETE'], configuration),
      async start(environment) {
        const beforeCall = retriableWithinLease(environment);
        await using azure = await openToRun(openAzure, configuration, PART_NAME, environment, beforeCall);
        await runController(azure, configuration, environment);
      },
      plan: async (environment) => partPlan(await look(configuration, environment), environment.clock),
      explain: async (environment, subject) => {
        if (subject.kind !== 'service') return undefined;
        return explainService(serviceKey(subject), await look(configuration, environment));
      },
      status: async (environment) => partStatus(await look(configuration, environment)),
    }),
  });
}

/** What is held back because the Lease is about to end, the updater may try again. */
function retriableWithinLease({ leadership }: LeaderEnvironment): (call: CloudCall) => void {
  const check = withinLease(leadership);
  return (call) => {
    try {
      check(call);
    } catch (error) {
      throw newRetriableBackendPoolUpdateError(error);
    }
  };
}
