import type { ArmClient, ArmClientOptions, CloudConfiguration } from '../arm/index.ts';
import type { ServiceGatewayConfiguration } from './configuration.ts';

/** What a way to Azure needs from its surroundings. */
export type AzureSurroundings = Pick<ArmClientOptions, 'clock' | 'random' | 'metrics' | 'userAgent' | 'beforeCall'>;

/** A client, the cloud it talks to, and the connections behind it. */
export interface OpenedAzure extends AsyncDisposable {
  readonly client: ArmClient;
  readonly cloud: CloudConfiguration;
}

/** Gets ready to talk to the Azure that is configured; a simulation has its own. */
export type OpenAzure = (
  configuration: ServiceGatewayConfiguration,
  surroundings: AzureSurroundings,
) => Promise<OpenedAzure>;
