import { MCS_GROUP } from '@fairlead/clusterset/mcs';
import { codeOf, messageOf } from '@fairlead/control';
import { keyText } from '@fairlead/kube';
import {
  type ConfiguredInvocation,
  definePart,
  type Explanation,
  type Part,
  type Permission,
  type ReadEnvironment,
  type ReplicaPart,
  type Subject,
} from '@fairlead/part';
import { type DnsConfiguration, dnsConfiguration } from './configuration.ts';
import { demoScene } from './demo.ts';
import { dnsMetrics } from './metrics.ts';
import { answerReport, parseType, serviceLines } from './report/answer-report.ts';
import { takeSnapshot } from './report/snapshot.ts';
import { zoneStatus } from './report/zone-status.ts';
import { runServer, zoneSettings } from './run-server.ts';
import type { Sockets } from './server/index.ts';

const permissions: readonly Permission[] = [
  {
    group: MCS_GROUP,
    resources: ['serviceimports'],
    verbs: ['get', 'list', 'watch'],
    scope: 'cluster',
    because: 'The names of the zone are those of ServiceImports.',
  },
  {
    group: 'discovery.k8s.io',
    resources: ['endpointslices'],
    verbs: ['get', 'list', 'watch'],
    scope: 'cluster',
    because: 'The addresses that clusters export are in EndpointSlices.',
  },
];

/** The DNS server of the clusterset, as the command line sees it. `sockets` is how it gets to the network. */
export function dnsPart(sockets: Sockets): Part<ReplicaPart> {
  return definePart({
    name: 'dns',
    summary: 'Answers DNS for the Services of the clusterset: clusterset.local.',
    standalone: {
      command: 'dns',
      summary: 'Runs the DNS server of the clusterset, and nothing else.',
      isReplaceable: true,
    },
    schema: dnsConfiguration,
    permissions,
    metrics: dnsMetrics,
    events: [],
    explains: ['serviceimport'],
    demo: demoScene,
    commands: [
      {
        name: 'query',
        summary: 'Tells what would be answered to a question, and why.',
        arguments: [
          { name: '<name>', summary: 'such as web.shop.svc.clusterset.local' },
          { name: '[type]', summary: 'A unless told otherwise' },
        ],
        needs: 'configuration',
        run: query,
      },
    ],
    configure: (configuration): ReplicaPart => ({
      runs: 'everywhere',
      start: (environment) => runServer(configuration, sockets, environment),
      // It answers, and changes nothing.
      plan: async () => ({ changes: [] }),
      explain: (environment, subject) => explain(configuration, environment, subject),
      async status(environment) {
        try {
          return zoneStatus(await takeSnapshot(zoneSettings(configuration, 1), environment));
        } catch (error) {
          if (codeOf(error) !== 'mcs-not-installed') throw error;
          return { summary: 'every query fails', figures: {}, problems: [messageOf(error)] };
        }
      },
    }),
  });
}

async function query({
  configuration,
  environment,
  words,
  print,
}: ConfiguredInvocation<DnsConfiguration>): Promise<void> {
  const [name = '', type = 'A'] = words;
  const asked = parseType(type);
  const snapshot = await takeSnapshot(zoneSettings(configuration, 1), environment);
  for (const line of answerReport(snapshot, name, asked, configuration.forward !== undefined)) print(line);
}

async function explain(
  configuration: DnsConfiguration,
  environment: ReadEnvironment,
  { kind, namespace = '', name }: Subject,
): Promise<Explanation | undefined> {
  if (kind !== 'serviceimport') return undefined;
  const snapshot = await takeSnapshot(zoneSettings(configuration, 1), environment);
  const dnsName = `${name}.${namespace}.svc.${snapshot.settings.zone}`;
  const sets = snapshot.names.get(dnsName);
  if (snapshot.index.view(namespace, name) === undefined) return undefined;
  const hasAddress = sets?.some(({ type }) => type === 'A' || type === 'AAAA') === true;
  const subject = `ServiceImport ${keyText({ namespace, name })}`;
  return {
    answer: hasAddress ? `${subject} is answered as ${dnsName}.` : `${subject} has no address that could be answered.`,
    state: hasAddress ? 'as-wanted' : 'working',
    wanted: [`${dnsName} leads to the clusters that have ready endpoints.`],
    there: serviceLines(snapshot, namespace, name),
    ...(!hasAddress && { waitsFor: 'a cluster with ready endpoints' }),
  };
}
