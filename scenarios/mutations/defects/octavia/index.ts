import type { Defect } from '../../defect.ts';
import { octaviaBalancerDefects } from './balancer.ts';
import { octaviaClientDefects } from './client.ts';
import { octaviaDetailDefects } from './details.ts';
import { octaviaHandlerDefects } from './handlers.ts';
import { octaviaMoveDefects } from './moves.ts';
import { octaviaTenantDefects } from './tenants.ts';
import { octaviaUpkeepDefects } from './upkeep.ts';

/** In the load balancers of Octavia. */
export const octaviaDefects: readonly Defect[] = [
  ...octaviaClientDefects,
  ...octaviaBalancerDefects,
  ...octaviaHandlerDefects,
  ...octaviaDetailDefects,
  ...octaviaMoveDefects,
  ...octaviaTenantDefects,
  ...octaviaUpkeepDefects,
];
