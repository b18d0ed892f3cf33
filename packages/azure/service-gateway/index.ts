import { openAzure } from '../arm/adapters/index.ts';
import { serviceGatewayPart } from './part.ts';

/** The part as it runs for real. */
export const azureServiceGatewayPart = serviceGatewayPart(openAzure);
