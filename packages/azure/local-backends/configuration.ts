import { z } from 'zod';
import { apiVersionSince, azureSection, type CloudConfiguration, namesOneCloud, ONE_CLOUD } from '../arm/index.ts';

/** The oldest in which a backend pool names the network that its addresses are in. */
const FIRST_API_VERSION = '2022-07-01';

/** Where `loadBalancerBackendPoolUpdateIntervalInSeconds` is not set. */
const DEFAULT_UPDATE_INTERVAL_SECONDS = 30;
/** Where `loadBalancerBackendPoolUpdateMaxRetries` is not set. */
const DEFAULT_UPDATE_MAX_RETRIES = 3;

const loadBalancer = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,78}[A-Za-z0-9_])?$/, 'is no name of a load balancer in Azure')
    .describe('Its name in Azure. It is created when it is not there.'),
  frontends: z
    .enum(['public', 'internal'])
    .default('public')
    .describe('Which Services it takes: Azure does not mix public and internal frontends.'),
});

export const localBackendsConfiguration = z
  .strictObject({
    ...azureSection,
    loadBalancers: z
      .array(loadBalancer)
      .min(1)
      .refine((list) => new Set(list.map(({ name }) => name.toLowerCase())).size === list.length, {
        message: 'names a load balancer twice',
      })
      .describe('The standard load balancers that Services are placed on, in order of preference.'),
    zones: z
      .array(z.string().regex(/^[1-9]$/, 'is no zone of a region: use "1", "2" or "3"'))
      .min(1)
      .optional()
      .describe('The availability zones of new addresses. Unset: as Azure does it in the region.'),
    leadingEdge: z
      .boolean()
      .default(true)
      .describe('Whether the first change of a quiet backend pool is sent at once, not on the next tick.'),
    comparisonIntervalSeconds: z
      .int()
      .min(0)
      .default(300)
      .describe('How often all of Azure is compared with what should be there; 0: never.'),
    resourceLock: z
      .boolean()
      .default(true)
      .describe('Whether to take the Lease kube-system/aks-managed-resource-locker before changing anything.'),
  })
  .refine(namesOneCloud, ONE_CLOUD)
  .refine(...apiVersionSince(FIRST_API_VERSION, 'in older ones a backend pool names no network'));

export type LocalBackendsConfiguration = z.infer<typeof localBackendsConfiguration>;
export type ConfiguredLoadBalancer = LocalBackendsConfiguration['loadBalancers'][number];
export type FrontendScope = ConfiguredLoadBalancer['frontends'];

/** How the updater of backend pools goes about it. */
export interface UpdaterSettings {
  readonly intervalMilliseconds: number;
  /** Extra attempts after a first one that failed in a way worth repeating. */
  readonly maxRetries: number;
  readonly leadingEdge: boolean;
}

export function updaterSettings(cloud: CloudConfiguration, leadingEdge: boolean): UpdaterSettings {
  const { loadBalancerBackendPoolUpdateIntervalInSeconds: seconds = 0 } = cloud;
  const { loadBalancerBackendPoolUpdateMaxRetries: retries = DEFAULT_UPDATE_MAX_RETRIES } = cloud;
  return {
    intervalMilliseconds: (seconds > 0 ? seconds : DEFAULT_UPDATE_INTERVAL_SECONDS) * 1000,
    maxRetries: Math.max(0, retries),
    leadingEdge,
  };
}
