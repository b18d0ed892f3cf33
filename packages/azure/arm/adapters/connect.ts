import { SocketTransport } from '@fairlead/control/adapters';
import { ArmClient, type ArmClientOptions } from '../client.ts';
import { type CloudConfiguration, repeatPolicy } from '../cloud-configuration.ts';
import { cloudEndpoints } from '../clouds.ts';
import { chooseCredential } from '../credential-choice.ts';
import { tokenProviderFor } from './credentials.ts';

export type AzureEnvironment = Pick<ArmClientOptions, 'clock' | 'random' | 'metrics' | 'userAgent' | 'beforeCall'>;

/** A client, and the connections behind it. */
export interface AzureConnection extends AsyncDisposable {
  readonly client: ArmClient;
}

/** Gets ready to talk to the Azure that is configured: the first call connects and asks for a token. */
export function connectToAzure(configuration: CloudConfiguration, environment: AzureEnvironment): AzureConnection {
  const cloud = cloudEndpoints(configuration);
  const tokens = tokenProviderFor(chooseCredential(configuration), cloud);
  const repeats = repeatPolicy(configuration);
  const transport = new SocketTransport();
  const client = new ArmClient({
    ...environment,
    endpoint: cloud.endpoint,
    transport,
    ...(tokens === undefined ? {} : { tokens }),
    ...(repeats === undefined ? {} : { repeats }),
  });
  return { client, [Symbol.asyncDispose]: () => transport.close() };
}
