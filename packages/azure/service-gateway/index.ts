import { openAzure } from './adapters/open-azure.ts';
import { serviceGatewayPart } from './part.ts';

/** The part as it runs for real. */
export const azureServiceGatewayPart = serviceGatewayPart(openAzure);
