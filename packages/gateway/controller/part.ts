import { keyText, services } from '@fairlead/kube';
import { type ConfiguredPart, definePart, type ReadEnvironment } from '@fairlead/part';
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
    'LoadBalancerRefused',
    'DeletedLoadBalancer',
  ),
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
    status: async (environment) => {
      const { outcomes } = await look(configuration, environment);
      const count = (kind: string) => [...outcomes.values()].filter((outcome) => outcome.kind === kind).length;
      const served = count('serve');
      const refused = count('refuse');
      return {
        summary: refused === 0 ? `${served} Services have addresses` : `${refused} Services get no address`,
        figures: {
          'Services served': served,
          'Services refused': refused,
          'Services being released': count('release'),
        },
      };
    },
  };
}

async function look(configuration: GatewayConfiguration, environment: ReadEnvironment): Promise<Survey> {
  const { client, signal, defaultClass, clock } = environment;
  const pool = await staticAddresses(configuration.addresses).list(signal);
  const { items } = await client.list(services, { signal });
  return survey(pool, items, claimRules(defaultClass), clock);
}

async function listAddresses(
  configuration: GatewayConfiguration,
  environment: ReadEnvironment,
  print: (line: string) => void,
): Promise<void> {
  const { allocator } = await look(configuration, environment);
  const pool = await staticAddresses(configuration.addresses).list(environment.signal);
  for (const l2Port of pool) {
    const tenants = allocator.tenants(l2Port.id);
    print(`${l2Port.address}  ${tenants.length === 0 ? 'free' : tenants.join(', ')}`);
  }
}
