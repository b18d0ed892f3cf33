import { openAzure } from '../arm/adapters/index.ts';
import { serviceGatewayPart } from './part.ts';

export { serviceGatewayPart };

/** The part as it runs for real. */
export const azureServiceGatewayPart = serviceGatewayPart(openAzure);
