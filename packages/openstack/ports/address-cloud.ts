import { withinLease } from '@fairlead/cloud';
import { noMetrics, seededRandom } from '@fairlead/control';
import type { AddressCloud } from '@fairlead/gateway';
import { readClusterId } from '@fairlead/part';
import { NeutronClient, type OpenStackSession, type SessionOptions } from '../client/index.ts';
import { NeutronAddresses } from './provider.ts';
import { type CloudSection, cloudSection, poolSection } from './section.ts';

/** The part whose addresses these are: it is in their marks. */
const PART = 'gateway';

/** Gets ready to talk to the OpenStack that is configured; a simulation has its own. */
export type OpenSession = (
  source: Pick<CloudSection, 'cloudsFile' | 'cloud'>,
  dependencies: Omit<SessionOptions, 'transport' | 'cloud'>,
) => Promise<AsyncDisposable & { readonly session: OpenStackSession }>;

/** OpenStack, as the gateway part has its addresses made. */
export function openStackAddresses(openSession: OpenSession): AddressCloud {
  return {
    sections: { cloud: cloudSection, pool: poolSection },
    async open(section, pools, environment) {
      const { clusterId, ...source } = cloudSection.parse(section ?? {});
      const { client, clock, random = seededRandom(clock.now()), metrics = noMetrics, leadership } = environment;
      const { signal, logger, journal } = environment;
      const cluster = await readClusterId(clusterId, client, { signal });
      const lease = leadership === undefined ? {} : { beforeCall: withinLease(leadership) };
      const opened = await openSession(source, { clock, random, metrics, userAgent: `fairlead ${PART}`, ...lease });
      return new NeutronAddresses({
        neutron: new NeutronClient(opened.session),
        cluster,
        part: PART,
        pools: pools.map(({ name, openstack }) => ({ name, section: poolSection.parse(openstack) })),
        mayWrite: leadership !== undefined,
        clock,
        journal,
        logger,
        close: async () => opened[Symbol.asyncDispose](),
      });
    },
  };
}
