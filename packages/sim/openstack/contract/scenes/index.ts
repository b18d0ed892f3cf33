import type { Scene } from '../scene.ts';
import { floatingIpScenes } from './floating-ips.ts';
import { identityScenes } from './identity.ts';
import { loadBalancerScenes } from './load-balancers.ts';
import { portScenes } from './ports.ts';
import { securityGroupScenes } from './security-groups.ts';

/** Everything a client can see of Keystone, Neutron and Octavia, as far as the simulation claims to have it. */
export const contractScenes: readonly Scene[] = [
  ...identityScenes,
  ...portScenes,
  ...floatingIpScenes,
  ...securityGroupScenes,
  ...loadBalancerScenes,
];
