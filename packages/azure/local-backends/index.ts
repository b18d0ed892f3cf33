import { openAzure } from '../arm/adapters/index.ts';
import { localBackendsPart } from './part.ts';

export { localBackendsPart };

/** The part as it runs for real. */
export const azureLocalPart = localBackendsPart(openAzure);
