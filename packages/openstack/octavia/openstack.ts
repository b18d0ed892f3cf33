import { withinLease } from '@fairlead/cloud';
import { type ClusterId, noMetrics, seededRandom } from '@fairlead/control';
import { type LeaderEnvironment, type ReadEnvironment, readClusterId } from '@fairlead/part';
import { NeutronClient, OctaviaClient } from '../client/index.ts';
import type { OpenSession } from '../ports/address-cloud.ts';
import type { OctaviaConfiguration } from './configuration.ts';
import type { LbaasDriver } from './drivers/lbaas-driver.ts';
import { OctaviaDriver } from './drivers/octavia-driver.ts';
import { readSite } from './drivers/read-site.ts';
import type { Site } from './drivers/site.ts';

/** The OpenStack that is configured. */
export interface OpenStack extends AsyncDisposable {
  readonly site: Site;
  readonly lbaas: LbaasDriver;
  readonly neutron: NeutronClient;
}

/** Opens it, to be read, or to be written while the Lease lasts. */
export async function openOpenStack(
  openSession: OpenSession,
  configuration: OctaviaConfiguration,
  environment: ReadEnvironment & Partial<Pick<LeaderEnvironment, 'random' | 'metrics' | 'leadership'>>,
): Promise<OpenStack> {
  const { client, clock, signal, leadership } = environment;
  const { random = seededRandom(clock.now()), metrics = noMetrics } = environment;
  const cluster: ClusterId = await readClusterId(configuration.clusterId, client, { signal });
  const lease = leadership === undefined ? {} : { beforeCall: withinLease(leadership) };
  const opened = await openSession(configuration, { clock, random, metrics, userAgent: 'fairlead octavia', ...lease });
  try {
    const { session } = opened;
    const neutron = new NeutronClient(session);
    const octavia = new OctaviaClient(session);
    const site = await readSite({ session, neutron, octavia }, configuration, cluster, signal);
    const lbaas = new OctaviaDriver(octavia);
    return { site, lbaas, neutron, [Symbol.asyncDispose]: async () => opened[Symbol.asyncDispose]() };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}
