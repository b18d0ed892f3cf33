import type { Scene } from '../scene.ts';
import { floatingIpScenes } from './floating-ips.ts';
import { identityScenes } from './identity.ts';
import { portScenes } from './ports.ts';

/** Everything a client can see of Keystone and Neutron, as far as the simulation claims to have it. */
export const contractScenes: readonly Scene[] = [...identityScenes, ...portScenes, ...floatingIpScenes];
