import { keyText, services } from '@fairlead/kube';
import { type ConfiguredPart, definePart, type PartStatus, type ReadEnvironment } from '@fairlead/part';
import { describeServiceEvents } from '@fairlead/service';
import { type GatewayConfiguration, gatewayConfiguration } from './configuration.ts';
import { runController } from './controller.ts';
import { demoScene } from './demo.ts';
import { claimRules, GATEWAY_CLASS, serviceKey } from './desired.ts';
import { explainOutcome } from './explain.ts';
import { gatewayMetrics } from './metrics.ts';
import { partPlan } from './part-plan.ts';
import { stepsFor } from './plan.ts';
import { staticAddresses } from './static-addresses.ts';
import { type Survey, survey } from './survey.ts';

/** The gateway nodes' controller, as the command line sees it. */
export const gatewayPart = definePart<GatewayConfiguration>({
  name: 'gateway',
  summary: 'Gives Services the addresses of gateway nodes, by protocol and port.',
  loadBalancerClass: GATEWAY_CLASS,
  schema: gatewayConfiguration,
  permissions: [
    {
      group: '',
      resources: ['services'],
      verbs: ['get', 'list', 'watch', 'patch'],
      scope: 'cluster',
      because: 'It reads Services, and records the address and its finalizer on those of its class.',
    },
    {
      group: '',
      resources: ['services/status'],
      verbs: ['patch'],
      scope: 'cluster',
      because: 'It publishes the address in the status of the Service.',
    },
  ],
  customResources: [],
  metrics: gatewayMetrics,
  events: describeServiceEvents(
    'EnsuredLoadBalancer',
    'AddressUnavailable',
    'SyncLoadBalancerFailed',
    'DeletionHeldBack',
    'LoadBalancerRefused',
    'DeletedLoadBalancer',
  ),
  explains: ['service'],
  commands: [
    {
      name: 'addresses',
      summary: 'Lists the addresses of the pool, and the Services on each.',
      run: listAddresses,
    },
  ],
  demo: demoScene,
  configure,
});

function configure(configuration: GatewayConfiguration): ConfiguredPart {
  return {
    start: (environment) => runController(staticAddresses(configuration.addresses), environment),
    plan: async (environment) => partPlan(await look(configuration, environment), environment.clock),
    explain: async (environment, subject) => {
      if (subject.kind !== 'service') return undefined;
      const outcome = (await look(configuration, environment)).outcomes.get(serviceKey(subject));
      if (outcome === undefined) return undefined;
      return explainOutcome(`Service ${keyText(subject)}`, outcome, stepsFor(outcome, environment.clock));
    },
    status: async (environment) => statusOf(await look(configuration, environment), environment),
  };
}

async function look(configuration: GatewayConfiguration, environment: ReadEnvironment): Promise<Survey> {
  const { client, signal, defaultClass, clock } = environment;
  const pool = await staticAddresses(configuration.addresses).list(signal);
  const { items } = await client.list(services, { signal });
  return survey(pool, items, claimRules(defaultClass), clock);
}

/** What is so now, not what is to be: a Service counts as served when nothing is left to be written. */
function statusOf({ outcomes }: Survey, { clock }: ReadEnvironment): PartStatus {
  const counts = { served: 0, lacking: 0, refused: 0, working: 0 };
  for (const outcome of outcomes.values()) {
    if (outcome.kind === 'foreign' || outcome.kind === 'unreadable') continue;
    if (outcome.kind === 'release' || stepsFor(outcome, clock).length > 0) counts.working += 1;
    else if (outcome.kind === 'refuse') counts.refused += 1;
    else if (outcome.shortfall !== undefined) counts.lacking += 1;
    else counts.served += 1;
  }
  const { served, lacking, refused, working } = counts;
  const isWell = lacking + refused + working === 0;
  return {
    summary: isWell ? 'every Service has what it asks for' : 'not every Service has what it asks for',
    figures: {
      'Services served': served,
      'Services served in part': lacking,
      'Services without an address': refused,
      'Services with writes to come': working,
    },
  };
}

/** As the Services show them. */
async function listAddresses(
  configuration: GatewayConfiguration,
  { client, signal }: ReadEnvironment,
  print: (line: string) => void,
): Promise<void> {
  const { items } = await client.list(services, { signal });
  const shownOn = (address: string) =>
    items.filter(({ status }) => status?.loadBalancer?.ingress?.some(({ ip }) => ip === address));
  for (const { address } of await staticAddresses(configuration.addresses).list(signal)) {
    const names = shownOn(address).map(({ metadata }) => keyText(metadata));
    print(`${address}  ${names.length === 0 ? 'free' : names.join(', ')}`);
  }
}
