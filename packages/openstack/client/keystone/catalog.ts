import { FairleadError } from '@fairlead/control';
import { z } from 'zod';
import type { OpenStackCloud } from '../configuration/cloud.ts';

/** The services whose APIs we speak. */
export type ServiceType = 'network' | 'load-balancer';

export const catalogShape = z.array(
  z.object({
    type: z.string(),
    endpoints: z.array(
      z.object({
        interface: z.string(),
        url: z.string(),
        region_id: z.string().nullish(),
        region: z.string().nullish(),
      }),
    ),
  }),
);

export type Catalog = z.infer<typeof catalogShape>;

/** Where a service is, without a slash at the end. Throws when the catalog does not say so. */
export function endpointOf(catalog: Catalog, cloud: OpenStackCloud, service: ServiceType): string {
  const override = cloud.endpoints.get(service);
  if (override !== undefined) return withoutSlash(override);
  const offered = catalog.filter(({ type }) => type === service).flatMap(({ endpoints }) => endpoints);
  if (offered.length === 0) {
    const types = [...new Set(catalog.map(({ type }) => type))].sort().join(', ');
    throw noEndpoint(`the cloud ${cloud.name} has no service of the type "${service}": it has ${types || 'none'}`);
  }
  const regions = [...new Set(offered.map(regionOf))].sort();
  const inRegion = cloud.region === undefined ? offered : offered.filter((one) => regionOf(one) === cloud.region);
  if (inRegion.length === 0) {
    const known = regions.map((region) => `"${region}"`).join(', ');
    throw noEndpoint(
      `the cloud ${cloud.name} has no service "${service}" in the region "${cloud.region}", but in ${known}`,
    );
  }
  const fitting = inRegion.filter((one) => one.interface === cloud.interface);
  if (new Set(fitting.map(regionOf)).size > 1) {
    throw noEndpoint(`the cloud ${cloud.name} has several regions, ${regions.join(', ')}: set region_name to one`);
  }
  const [chosen] = fitting;
  if (chosen !== undefined) return withoutSlash(chosen.url);
  const interfaces = [...new Set(inRegion.map((one) => one.interface))].sort().join(', ');
  throw noEndpoint(
    `the service "${service}" of the cloud ${cloud.name} has no ${cloud.interface} endpoint, but ${interfaces}`,
  );
}

/**
 * Where an API of this version begins: catalogs have the address of the service with a version at its end, another
 * version, or none.
 */
export function apiRoot(endpoint: string, version: string): string {
  return `${unversioned(endpoint)}/${version}`;
}

/** Where the service lists its versions. */
export function unversioned(endpoint: string): string {
  return endpoint.replace(/\/v\d+(?:\.\d+)?$/, '');
}

function regionOf({ region_id, region }: Catalog[number]['endpoints'][number]): string {
  return region_id ?? region ?? '';
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** An operator may add the service while we run. */
function noEndpoint(message: string): FairleadError {
  return new FairleadError(message, { verdict: 'retriable', code: 'openstack-endpoint-missing' });
}
