import type { ArmClient, ArmClientOptions } from '../client/client.ts';
import type { CloudConfiguration } from '../configuration/cloud-configuration.ts';

/** Where a part's section of the configuration says how to get to Azure: in itself, or in an azure.json. */
export interface CloudSource {
  readonly cloud?: CloudConfiguration | undefined;
  readonly cloudFile?: string | undefined;
}

/** What a way to Azure needs from its surroundings. */
export type AzureSurroundings = Pick<ArmClientOptions, 'clock' | 'random' | 'metrics' | 'userAgent' | 'beforeCall'>;

/** A client, the cloud it talks to, and the connections behind it. */
export interface OpenedAzure extends AsyncDisposable {
  readonly client: ArmClient;
  readonly cloud: CloudConfiguration;
}

/** Gets ready to talk to the Azure that is configured; a simulation has its own. */
export type OpenAzure = (source: CloudSource, surroundings: AzureSurroundings) => Promise<OpenedAzure>;
