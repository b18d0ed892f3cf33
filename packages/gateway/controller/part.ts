import { keyText, services } from '@fairlead/kube';
import { type ConfiguredInvocation, definePart, type LeaderPart, type ReadEnvironment } from '@fairlead/part';
import { describeServiceEvents, serviceKey, servicePermissions } from '@fairlead/service';
import { staticAddresses } from './addresses/static-addresses.ts';
import { type GatewayConfiguration, gatewayConfiguration } from './configuration.ts';
import { runController } from './controller.ts';
import { demoScene } from './demo.ts';
import { claimRules, GATEWAY_CLASS } from './desired.ts';
import { gatewayMetrics } from './metrics.ts';
import { writesFor } from './plan.ts';
import { explainOutcome } from './report/explain.ts';
import { partPlan, partStatus } from './report/part-plan.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';

/** The gateway nodes' controller, as the command line sees it. */
export const gatewayPart = definePart({
  name: 'gateway',
  summary: 'Gives Services the addresses of gateway nodes, by protocol and port.',
  loadBalancerClass: GATEWAY_CLASS,
  schema: gatewayConfiguration,
  permissions: servicePermissions,
  metrics: gatewayMetrics,
  events: describeServiceEvents(
    'EnsuredLoadBalancer',
    'AddressUnavailable',
    'AssignmentIgnored',
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
      needs: 'configuration',
      run: listAddresses,
    },
  ],
  demo: demoScene,
  configure: (configuration): LeaderPart => ({
    runs: 'leader',
    start: (environment) =>
      runController(staticAddresses(configuration.addresses), configuration.namespaceLimits, environment),
    plan: async (environment) => partPlan(await look(configuration, environment), environment.clock),
    explain: async (environment, subject) => {
      if (subject.kind !== 'service') return undefined;
      const outcome = (await look(configuration, environment)).outcomes.get(serviceKey(subject));
      if (outcome === undefined) return undefined;
      return explainOutcome(`Service ${keyText(subject)}`, outcome, writesFor(outcome, environment.clock));
    },
    status: async (environment) => partStatus(await look(configuration, environment), environment.clock),
  }),
});

async function look(configuration: GatewayConfiguration, environment: ReadEnvironment): Promise<Snapshot> {
  const { client, signal, defaultClass, clock } = environment;
  const pool = await staticAddresses(configuration.addresses).list(signal);
  const { items } = await client.list(services, { signal });
  const limits = configuration.namespaceLimits;
  return takeSnapshot({ pool, limits, services: items, rules: claimRules(defaultClass) }, clock);
}

/** As the Services show them. */
async function listAddresses({
  configuration,
  environment: { client, signal },
  print,
}: ConfiguredInvocation<GatewayConfiguration>): Promise<void> {
  const { items } = await client.list(services, { signal });
  const shownOn = (address: string) =>
    items.filter(({ status }) => status?.loadBalancer?.ingress?.some(({ ip }) => ip === address));
  for (const { address } of await staticAddresses(configuration.addresses).list(signal)) {
    const names = shownOn(address).map(({ metadata }) => keyText(metadata));
    print(`${address}  ${names.length === 0 ? 'free' : names.join(', ')}`);
  }
}
