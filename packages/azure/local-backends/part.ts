import { type CloudCall, withinLease } from '@fairlead/cloud';
import {
  type ConfiguredInvocation,
  definePart,
  type LeaderEnvironment,
  type LeaderPart,
  type Part,
  type PartStatus,
  type ReadEnvironment,
} from '@fairlead/part';
import { describeServiceEvents, serviceKey } from '@fairlead/service';
import { type OpenAzure, openToRead, openToRun } from '../arm/index.ts';
import { newRetriableBackendPoolUpdateError } from './backend-pools/update-error.ts';
import { updateEvents } from './backend-pools/update-reporter.ts';
import { type LocalBackendsConfiguration, localBackendsConfiguration } from './configuration.ts';
import { runController } from './controller.ts';
import { demoScene } from './demo.ts';
import { poolNameFor } from './load-balancers/child-resources.ts';
import { AZURE_LOCAL_CLASS } from './load-balancers/desired.ts';
import { localBackendsMetrics } from './metrics.ts';
import { PART_NAME } from './names.ts';
import { permissions } from './permissions.ts';
import { explainService } from './report/explain.ts';
import { partPlan, poolsOutOfStep, writesFor } from './report/part-plan.ts';
import { type Survey, takeSurvey } from './report/snapshot.ts';

/** Load balancers for local Services in Azure, as the command line sees them. `openAzure` is how it gets there. */
export function localBackendsPart(openAzure: OpenAzure): Part<LeaderPart> {
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
        'EndpointsIgnored',
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
        run: (invocation) => listPools(openAzure, invocation),
      },
    ],
    demo: demoScene,
    configure: (configuration) => configure(openAzure, configuration),
  });
}

function configure(openAzure: OpenAzure, configuration: LocalBackendsConfiguration): LeaderPart {
  return {
    runs: 'leader',
    start: (environment) => run(openAzure, configuration, environment),
    plan: async (environment) => partPlan(await look(openAzure, configuration, environment), environment.clock),
    explain: async (environment, subject) => {
      if (subject.kind !== 'service') return undefined;
      return explainService(serviceKey(subject), await look(openAzure, configuration, environment));
    },
    status: async (environment) => statusOf(await look(openAzure, configuration, environment)),
  };
}

async function run(
  openAzure: OpenAzure,
  configuration: LocalBackendsConfiguration,
  environment: LeaderEnvironment,
): Promise<void> {
  const beforeCall = beforeCallOf(environment);
  await using azure = await openToRun(openAzure, configuration, PART_NAME, environment, beforeCall);
  await runController(azure, configuration, environment);
}

/** What is held back because the Lease is about to end, the updater may try again. */
function beforeCallOf({ leadership }: LeaderEnvironment): (call: CloudCall) => void {
  const check = withinLease(leadership);
  return (call) => {
    try {
      check(call);
    } catch (error) {
      throw newRetriableBackendPoolUpdateError(error);
    }
  };
}

async function look(
  openAzure: OpenAzure,
  configuration: LocalBackendsConfiguration,
  environment: ReadEnvironment,
): Promise<Survey> {
  await using azure = await openToRead(openAzure, configuration, PART_NAME, environment.clock);
  return await takeSurvey(azure, configuration, environment);
}

function statusOf(survey: Survey): PartStatus {
  const counts = { served: 0, working: 0, refused: 0, released: 0 };
  let outOfStep = 0;
  for (const [key, decision] of survey.decisions) {
    if (decision.kind === 'release') counts.released += 1;
    else if (decision.kind === 'refuse' || decision.kind === 'unreadable') counts.refused += 1;
    else if (decision.kind === 'serve') {
      outOfStep += poolsOutOfStep(key, decision, survey).length;
      const hasAddress = (decision.claim.service.status?.loadBalancer?.ingress ?? []).length > 0;
      if (hasAddress && writesFor(survey, key).length === 0) counts.served += 1;
      else counts.working += 1;
    }
  }
  const isWell = counts.working + counts.refused + counts.released + outOfStep === 0;
  return {
    summary: isWell ? 'everything is as wanted' : 'not everything is as wanted',
    figures: {
      'Services served': counts.served,
      'Services with writes to come': counts.working,
      'Services refused': counts.refused,
      'Services being released': counts.released,
      'Backend pools out of step': outOfStep,
      'Load balancers': survey.observed.loadBalancers.size,
    },
  };
}

async function listPools(
  openAzure: OpenAzure,
  { configuration, environment, print }: ConfiguredInvocation<LocalBackendsConfiguration>,
): Promise<void> {
  const survey = await look(openAzure, configuration, environment);
  for (const [key, decision] of survey.decisions) {
    if (decision.kind !== 'serve') continue;
    const outOfStep = poolsOutOfStep(key, decision, survey);
    for (const family of decision.wanted.families) {
      const name = poolNameFor(survey.site, decision.wanted, family);
      const nodes = survey.backends.addresses(key, family).length;
      const state = outOfStep.includes(name) ? 'out of step' : 'in step';
      print(`${decision.loadBalancer}/${name}  ${key}  ${nodes} nodes  ${state}`);
    }
  }
}
