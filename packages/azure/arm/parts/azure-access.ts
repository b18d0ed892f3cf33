import { type CloudCall, withinLease } from '@fairlead/cloud';
import { type Clock, noMetrics, seededRandom } from '@fairlead/control';
import type { LeaderEnvironment } from '@fairlead/part';
import type { ArmClient, ArmClientOptions } from '../client/client.ts';
import type { CloudConfiguration } from '../configuration/cloud-configuration.ts';
import type { CloudSource } from './azure-section.ts';

/** What a way to Azure is made with. */
export type AzureDependencies = Pick<ArmClientOptions, 'clock' | 'random' | 'metrics' | 'userAgent' | 'beforeCall'>;

/** A client, the cloud it talks to, and the connections behind it. */
export interface OpenedAzure extends AsyncDisposable {
  readonly client: ArmClient;
  readonly cloud: CloudConfiguration;
}

/** Gets ready to talk to the Azure that is configured; a simulation has its own. */
export type OpenAzure = (source: CloudSource, dependencies: AzureDependencies) => Promise<OpenedAzure>;

/** For a part that runs: no write starts that the Lease may not outlive, unless the part has a check of its own. */
export function openToRun(
  openAzure: OpenAzure,
  source: CloudSource,
  part: string,
  { clock, random, metrics, leadership }: LeaderEnvironment,
  beforeCall: (call: CloudCall) => void = withinLease(leadership),
): Promise<OpenedAzure> {
  return openAzure(source, { clock, random, metrics, userAgent: userAgentOf(part), beforeCall });
}

/** For a command that only reads: nothing is counted. */
export function openToRead(
  openAzure: OpenAzure,
  source: CloudSource,
  part: string,
  clock: Clock,
): Promise<OpenedAzure> {
  const random = seededRandom(clock.now());
  return openAzure(source, { clock, random, metrics: noMetrics, userAgent: userAgentOf(part) });
}

function userAgentOf(part: string): string {
  return `fairlead ${part}`;
}
