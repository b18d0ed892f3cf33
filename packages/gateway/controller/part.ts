import { FairleadError, type Hold } from '@fairlead/control';
import { WithdrawalBrake } from './withdrawal-brake.ts';
import { endpointSlices, keyText, nodes, services } from '@fairlead/kube';
import {
  type ConfiguredInvocation,
  clusterPermission,
  definePart,
  intervalOf,
  type LeaderPart,
  type Part,
  type Permission,
  type ReadEnvironment,
  Releases,
} from '@fairlead/part';
import {
  describeServiceEvents,
  type ServiceKey,
  serviceKey,
  servicePermissions,
  toServiceKey,
} from '@fairlead/service';
import { certificatesCommand } from '../agent/adapters/certificate-files.ts';
import { connectToAgents, readTextFile } from './adapters/connect.ts';
import type { AddressCloud, AddressProvider, CloudEnvironment } from './addresses/address-provider.ts';
import { staticAddresses } from './addresses/static-addresses.ts';
import { ClusterView } from './backends/cluster-view.ts';
import { type GatewayConfiguration, gatewayConfiguration } from './configuration.ts';
import { type AgentConnector, runController } from './controller.ts';
import { demoScene } from './demo.ts';
import { claimRules, formerPorts, GATEWAY_CLASS } from './desired.ts';
import { gatewayMetrics } from './metrics.ts';
import { progressWithoutAgents, writesFor } from './plan.ts';
import { poolSource } from './pool-source.ts';
import type { Pool } from './pools.ts';
import { addressLines } from './report/address-list.ts';
import { explainHeld, explainOutcome } from './report/explain.ts';
import { gatewayChanges, type GatewayReport, reportGateways, wantedServers } from './report/gateways.ts';
import { partPlan, partStatus } from './report/part-plan.ts';
import { parseClient, traceLines } from './report/trace.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';

/** What the part needs outside the cluster. */
export interface GatewayOutside {
  /** The ways to the agents: over sockets, unless a simulation stands there. */
  readonly connect: (configuration: GatewayConfiguration) => AgentConnector;
  /** The cloud that makes the addresses of pools that have a section for it. */
  readonly cloud?: AddressCloud | undefined;
  /** Where the addresses of all other pools come from: the lists of the configuration, unless a simulation has them. */
  readonly addresses?: (configuration: GatewayConfiguration, pools: readonly Pool[]) => AddressProvider;
  /** Reads the file of the pools. */
  readonly readFile?: (path: string) => Promise<string>;
}

const PART_NAME = 'gateway';

const permissions: readonly Permission[] = [
  ...servicePermissions,
  clusterPermission,
  {
    group: 'discovery.k8s.io',
    resources: ['endpointslices'],
    verbs: ['get', 'list', 'watch'],
    scope: 'cluster',
    because: 'It tells the gateways which pods stand behind a Service.',
  },
  {
    group: '',
    resources: ['nodes'],
    verbs: ['get', 'list', 'watch'],
    scope: 'cluster',
    because: 'It tells the gateways which nodes take connections, where they are sent to node ports.',
  },
];

/** The gateway nodes' controller, as the command line sees it. */
export function gatewayPart(cloud?: AddressCloud): Part<LeaderPart> {
  return gatewayPartWith({ connect: connectToAgents, readFile: readTextFile, cloud });
}

export function gatewayPartWith({
  connect,
  cloud,
  addresses = listedAddresses,
  readFile = noFile,
}: GatewayOutside): Part<LeaderPart> {
  const outside = { connect, cloud, addresses, readFile };
  return definePart({
    name: PART_NAME,
    summary: 'Gives Services the addresses of gateway nodes, by protocol and port, and has the gateways serve them.',
    loadBalancerClass: GATEWAY_CLASS,
    schema: gatewayConfiguration(cloud?.sections),
    permissions,
    metrics: gatewayMetrics,
    events: describeServiceEvents(
      'EnsuringLoadBalancer',
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
        summary: 'Lists the addresses of the pools, and the Services on each with their ports.',
        needs: 'configuration',
        run: (invocation) => listAddresses(outside, invocation),
      },
      {
        name: 'trace',
        summary: 'Tells which gateway, rule and backend a connection of a client meets.',
        arguments: [{ name: '<service>', summary: 'its namespace and name: shop/web' }],
        options: [{ flags: '--from <address:port>', summary: 'where the client connects from', isRequired: true }],
        needs: 'configuration',
        run: (invocation) => traceFlow(outside, invocation),
      },
      certificatesCommand,
    ],
    demo: demoScene,
    configure: (configuration): LeaderPart => ({
      runs: 'leader',
      start: (environment) => {
        const { namespaceLimits: limits } = configuration;
        const comparisonMilliseconds = intervalOf(configuration.comparisonIntervalSeconds);
        const source = poolSource(configuration, { ...outside, ...environment });
        const provider = (pools: readonly Pool[], signal: AbortSignal) =>
          openAddresses(outside, configuration, pools, { ...environment, signal });
        const settings = { source, provider, limits, connect: outside.connect(configuration), comparisonMilliseconds };
        return runController(settings, environment);
      },
      plan: async (environment) => {
        const { snapshot, hold, gateways } = await look(outside, configuration, environment);
        const { changes } = partPlan(snapshot, environment.clock);
        const held = hold === undefined ? {} : { heldBack: hold.message };
        return { ...held, changes: [...changes, ...gatewayChanges(gateways)] };
      },
      explain: async (environment, subject) => {
        if (subject.kind !== 'service') return undefined;
        const { snapshot, hold, gateways, cluster } = await look(outside, configuration, environment);
        const key = serviceKey(subject);
        const outcome = snapshot.outcomes.get(key);
        if (outcome === undefined) return undefined;
        const held = new Set(hold?.held);
        const servers = wantedServers(key, snapshot, held, cluster);
        const details = { servers, gateways, areAddressesMade: areMade(snapshot.pools) };
        const name = `Service ${keyText(subject)}`;
        if (hold !== undefined && held.has(key) && (outcome.kind === 'serve' || outcome.kind === 'refuse'))
          return explainHeld(name, outcome, hold.message, details);
        const writes = writesFor(outcome, environment.clock, progressWithoutAgents(outcome, snapshot.pools));
        return explainOutcome(name, outcome, writes, details);
      },
      status: async (environment) => {
        const { snapshot, hold, gateways } = await look(outside, configuration, environment);
        return partStatus(snapshot, gateways, environment.clock, hold);
      },
    }),
  });
}

type Outside = Required<GatewayOutside>;

/** Whether a cloud makes the addresses: those of all pools, or of none. */
function areMade(pools: readonly Pool[]): boolean {
  return pools.some(({ openstack }) => openstack !== undefined);
}

async function openAddresses(
  { cloud, addresses }: Pick<Outside, 'cloud' | 'addresses'>,
  configuration: GatewayConfiguration,
  pools: readonly Pool[],
  environment: CloudEnvironment,
): Promise<AddressProvider> {
  if (cloud === undefined || !areMade(pools)) return addresses(configuration, pools);
  return cloud.open(configuration.openstack, pools, environment);
}

function listedAddresses(_: GatewayConfiguration, pools: readonly Pool[]): AddressProvider {
  return staticAddresses(pools);
}

async function noFile(path: string): Promise<string> {
  throw new FairleadError(`${path} cannot be read here`, { verdict: 'terminal', code: 'no-files' });
}

interface Look {
  readonly snapshot: Snapshot;
  /** What a leader that started now would hold back; one that leads does. */
  readonly hold: Hold<ServiceKey> | undefined;
  readonly cluster: ClusterView;
  readonly gateways: readonly GatewayReport[];
}

async function look(
  outside: Outside,
  configuration: GatewayConfiguration,
  environment: ReadEnvironment,
): Promise<Look> {
  const { client, signal, defaultClass, clock } = environment;
  const pools = await poolSource(configuration, { ...outside, ...environment }).read();
  await using provider = await openAddresses(outside, configuration, pools, environment);
  const { items } = await client.list(services, { signal });
  const limits = configuration.namespaceLimits;
  const rules = claimRules(defaultClass);
  const l2Ports = await provider.list(signal, formerPorts(items, rules));
  const familiesOf = (pool: string) => provider.familiesOf?.(pool) ?? [];
  const snapshot = await takeSnapshot({ l2Ports, familiesOf, pools, limits, services: items, rules }, clock);
  const hold = await new WithdrawalBrake(clock, new Releases(PART_NAME)).judge(snapshot.outcomes);
  if (pools.every(({ gateways }) => gateways.length === 0)) {
    return { snapshot, hold, cluster: new ClusterView(), gateways: [] };
  }
  const [slices, allNodes] = await Promise.all([
    client.list(endpointSlices, { signal }),
    client.list(nodes, { signal }),
  ]);
  const cluster = new ClusterView(slices.items, allNodes.items);
  const connect = outside.connect(configuration);
  const gateways = await reportGateways(snapshot, new Set(hold?.held), cluster, connect, environment);
  return { snapshot, hold, cluster, gateways };
}

async function traceFlow(
  outside: Outside,
  { configuration, environment, words: [service = ''], options, print }: ConfiguredInvocation<GatewayConfiguration>,
): Promise<void> {
  const client = parseClient(String(options['from']));
  const { snapshot, hold, gateways, cluster } = await look(outside, configuration, environment);
  const key = toServiceKey(service);
  if (!snapshot.outcomes.has(key)) {
    const message = `there is no Service ${service}: write its namespace and name, such as shop/web`;
    throw new FairleadError(message, { verdict: 'terminal', code: 'not-found' });
  }
  const servers = wantedServers(key, snapshot, new Set(hold?.held), cluster);
  for (const line of traceLines(client, servers, gateways)) print(line);
}

/** As the Services show them. */
async function listAddresses(
  outside: Pick<Outside, 'cloud' | 'addresses' | 'readFile'>,
  { configuration, environment, print }: ConfiguredInvocation<GatewayConfiguration>,
): Promise<void> {
  const { client, signal } = environment;
  const pools = await poolSource(configuration, { ...outside, ...environment }).read();
  const { items } = await client.list(services, { signal });
  await using provider = await openAddresses(outside, configuration, pools, environment);
  for (const line of addressLines(await provider.list(signal), items)) print(line);
}
