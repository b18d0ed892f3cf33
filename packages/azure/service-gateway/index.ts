import { openAzure } from './adapters/open-azure.ts';
import { serviceGatewayPart } from './part.ts';

export type { AzureSurroundings, OpenAzure, OpenedAzure } from './azure-access.ts';
export { type ServiceGatewayConfiguration, serviceGatewayConfiguration } from './configuration.ts';
export { serviceGatewayPart } from './part.ts';

/** The part as it runs for real. */
export const azureServiceGatewayPart = serviceGatewayPart(openAzure);
