import { renderTable } from '@fairlead/control';
import {
  type ConfiguredInvocation,
  definePart,
  type LeaderEnvironment,
  type LeaderPart,
  type Part,
  type PartStatus,
  type ReadEnvironment,
  readClusterId,
} from '@fairlead/part';
import { problemsOf } from '@fairlead/service';
import { longestMillisecondsOf, type OpenAzure, type OpenedAzure, openToRead, openToRun } from '../arm/index.ts';
import { SERVICE_GATEWAY_CLASS } from './cluster/desired.ts';
import { type ServiceGatewayConfiguration, serviceGatewayConfiguration } from './configuration.ts';
import { ServiceGatewayController } from './controller.ts';
import { demoScene } from './demo.ts';
import { nrpName } from './engine/nrp-key.ts';
import { serviceGatewayMetrics } from './metrics.ts';
import { permissions } from './permissions.ts';
import { serviceGatewayEvents } from './report/events.ts';
import { explain } from './report/explain.ts';
import { partPlan } from './report/part-plan.ts';
import { type Snapshot, takeSnapshot } from './report/snapshot.ts';
import { type GatewayScope, gatewayScope, PART_NAME } from './scope.ts';

/** The Azure service gateway, as the command line sees it. `openAzure` is how it gets to Azure. */
export function serviceGatewayPart(openAzure: OpenAzure): Part<LeaderPart> {
  return definePart({
    name: PART_NAME,
    summary: 'Gives Services load balancers, and pods egress gateways, through an Azure service gateway.',
    loadBalancerClass: SERVICE_GATEWAY_CLASS,
    schema: serviceGatewayConfiguration,
    permissions,
    customResources: [],
    metrics: serviceGatewayMetrics,
    events: serviceGatewayEvents,
    explains: ['service', 'pod'],
    commands: [
      {
        name: 'egress',
        summary: 'Lists the egress gateways, with their public addresses and how many pods leave by each.',
        needs: 'configuration',
        run: (invocation) => listEgress(openAzure, invocation),
      },
    ],
    demo: demoScene,
    configure: (configuration): LeaderPart => ({
      runs: 'leader',
      longestWriteMilliseconds: longestMillisecondsOf(['PUT', 'DELETE', 'POST'], configuration),
      start: (environment) => run(openAzure, configuration, environment),
      plan: async (environment) =>
        partPlan(await look(openAzure, configuration, environment), configuration, environment.clock),
      explain: async (environment, subject) => {
        if (subject.kind !== 'service' && subject.kind !== 'pod') return undefined;
        return explain(await look(openAzure, configuration, environment), subject);
      },
      status: async (environment) => statusOf(await look(openAzure, configuration, environment)),
    }),
  });
}

async function run(
  openAzure: OpenAzure,
  configuration: ServiceGatewayConfiguration,
  environment: LeaderEnvironment,
): Promise<void> {
  await using azure = await openToRun(openAzure, configuration, PART_NAME, environment);
  const scope = await scopeOf(azure, configuration, environment);
  await new ServiceGatewayController({ environment, azure: azure.client, scope, configuration }).run();
}

async function look(
  openAzure: OpenAzure,
  configuration: ServiceGatewayConfiguration,
  environment: ReadEnvironment,
): Promise<Snapshot> {
  await using azure = await openToRead(openAzure, configuration, PART_NAME, environment.clock);
  const scope = await scopeOf(azure, configuration, environment);
  return await takeSnapshot({ environment, azure: azure.client, scope, configuration });
}

async function scopeOf(
  { cloud }: OpenedAzure,
  configuration: ServiceGatewayConfiguration,
  { client, signal }: ReadEnvironment,
): Promise<GatewayScope> {
  return gatewayScope(configuration, cloud, await readClusterId(configuration.clusterId, client, { signal }));
}

function statusOf({ engine, repository, orphans, gatewayExists, services }: Snapshot): PartStatus {
  const unreadable = [...services.values()].filter(({ kind }) => kind === 'unreadable').length;
  const { tracker } = engine;
  const refused = [...engine.states.values()].filter(({ kind }) => kind === 'Parked').length;
  const missing = tracker.wanted.except(tracker.existing).length;
  const outOfStep = tracker.locationChanges().length;
  const summary = !gatewayExists
    ? 'the service gateway is not there yet'
    : missing + outOfStep > 0
      ? `${missing} services are not there yet, ${outOfStep} addresses differ`
      : 'everything is as wanted';
  return {
    summary: refused > 0 ? `${summary}; ${refused} services are refused` : summary,
    problems: problemsOf({ unreadable }),
    figures: {
      'Services wanted': tracker.wanted.inbound.size,
      'Egress gateways wanted': tracker.wanted.outbound.size,
      'Services and gateways in Azure': tracker.existing.inbound.size + tracker.existing.outbound.size,
      'Public addresses': [...repository.inventory.present('publicIPAddresses')].length,
      'Addresses that differ': outOfStep,
      Refused: refused,
      Leftovers: orphans.services.size + orphans.addresses.size,
    },
  };
}

async function listEgress(
  openAzure: OpenAzure,
  { configuration, environment, print }: ConfiguredInvocation<ServiceGatewayConfiguration>,
): Promise<void> {
  const { engine, repository } = await look(openAzure, configuration, environment);
  const rows = [...engine.tracker.wanted.outbound].map((egress) => {
    const addresses = repository.knownAddresses(egress).join(',') || 'none yet';
    return [nrpName(egress), addresses, String([...engine.tracker.pods.podsOf(egress)].length)];
  });
  for (const line of renderTable([['GATEWAY', 'ADDRESSES', 'PODS'], ...rows])) print(line);
}
