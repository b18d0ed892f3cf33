import type { Scene } from '../scene.ts';
import { accessScenes } from './access.ts';
import { applyScenes } from './apply.ts';
import { customResourceScenes } from './custom-resources.ts';
import { deletionScenes } from './deletion.ts';
import { endpointScenes } from './endpoints.ts';
import { objectScenes } from './objects.ts';
import { oddityScenes } from './oddities.ts';
import { patchScenes } from './patches.ts';
import { readingScenes } from './reading.ts';
import { scalingScenes } from './scaling.ts';
import { serviceScenes } from './services.ts';
import { workflowScenes } from './workflows.ts';

/** Everything a client can see of the API server, as far as the simulation claims to have it. */
export const contractScenes: readonly Scene[] = [
  ...serviceScenes,
  ...objectScenes,
  ...patchScenes,
  ...applyScenes,
  ...readingScenes,
  ...deletionScenes,
  ...customResourceScenes,
  ...endpointScenes,
  ...accessScenes,
  ...scalingScenes,
  ...workflowScenes,
  ...oddityScenes,
];
