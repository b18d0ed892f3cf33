import { SocketTransport } from '@fairlead/control/adapters';
import type { AzureDependencies } from '../parts/azure-access.ts';
import type { SectionClientOptions } from '../parts/azure-section.ts';
import { ArmClient } from '../client/client.ts';
import { authorityOf, withEnvironment } from '../configuration/azure-environment.ts';
import { type CloudConfiguration, repeatPolicy } from '../configuration/cloud-configuration.ts';
import { cloudEndpoints } from '../configuration/clouds.ts';
import { chooseCredential } from '../configuration/credential-choice.ts';
import { tokenProviderFor } from './credentials.ts';

/** A client, and the connections behind it. */
export interface AzureConnection extends AsyncDisposable {
  readonly client: ArmClient;
}

/** Gets ready to talk to the Azure that is configured: the first call connects and asks for a token. */
export function connectToAzure(
  configuration: CloudConfiguration,
  dependencies: AzureDependencies & SectionClientOptions,
): AzureConnection {
  const cloud = cloudEndpoints(configuration);
  const authorityHost = authorityOf(configuration, cloud.authorityHost, process.env);
  const choice = chooseCredential(withEnvironment(configuration, process.env), process.env);
  const tokens = tokenProviderFor(choice, { ...cloud, authorityHost });
  const repeats = repeatPolicy(configuration);
  const transport = new SocketTransport();
  const client = new ArmClient({
    ...dependencies,
    endpoint: cloud.endpoint,
    transport,
    ...(tokens === undefined ? {} : { tokens }),
    ...(repeats === undefined ? {} : { repeats }),
  });
  return { client, [Symbol.asyncDispose]: () => transport.close() };
}
