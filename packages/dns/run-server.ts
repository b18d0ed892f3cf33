import { joinHostPort, messageOf, randomInteger } from '@fairlead/control';
import type { ReplicaEnvironment } from '@fairlead/part';
import { followCluster } from './cluster/follow-cluster.ts';
import { type DnsConfiguration, socketAddresses, zoneName } from './configuration.ts';
import { Counts, DnsServer, Forwarder, Responder, type Sockets } from './server/index.ts';
import { NameTable, ZoneIndex, type ZoneSettings } from './zone/index.ts';

/** How the zone is to be made. Servers of one zone need not agree on the serial: there are no transfers. */
export function zoneSettings(configuration: DnsConfiguration, serial: number): ZoneSettings {
  const {
    zone,
    cluster,
    ttlSeconds,
    clusterSpecificNames,
    weights,
    olderClusters,
    olderNamespace,
    nameServerAddresses,
  } = configuration;
  return {
    zone: zoneName(zone),
    ...(cluster !== undefined && { cluster }),
    seconds: ttlSeconds,
    clusterSpecificNames,
    weights: new Map(Object.entries(weights)),
    olderClusters,
    olderNamespace,
    nameServerAddresses,
    serial,
  };
}

/**
 * Serves until the signal aborts. It listens before it knows anything, and says so by SERVFAIL: a client asks another
 * server then, where a port that is closed would look like a name that is not there to some. But where another process
 * answers on the same sockets, it leaves that to it until it can answer as well.
 */
export async function runServer(
  configuration: DnsConfiguration,
  sockets: Sockets,
  environment: ReplicaEnvironment,
): Promise<void> {
  const { clock, random, metrics, logger, readiness, signal } = environment;
  const settings = zoneSettings(configuration, Math.floor(clock.now() / 1_000));
  const seed = randomInteger(random, 0, 0x7fffffff);
  const table = new NameTable(settings.zone, seed);
  const counts = new Counts();
  const { udpPayloadBytes: udpBytes, forward, tcp, listen, logQueries: logsQueries } = configuration;
  const forwards = forward !== undefined;
  const responder = new Responder({ settings, table, counts, seed, udpBytes, forwards });
  const forwarder = forwards
    ? new Forwarder({
        servers: socketAddresses(forward.servers),
        timeoutMilliseconds: forward.timeoutSeconds * 1_000,
        exchange: (asked) => sockets.exchange(asked),
        counts,
        clock,
        random,
        signal,
      })
    : undefined;
  const limits = { ...tcp, idleMilliseconds: tcp.idleSeconds * 1_000 };
  const server = new DnsServer({ ...environment, responder, counts, forwarder, sockets, tcp: limits, logsQueries });
  const open = async () => {
    const local = await server.listen(socketAddresses(listen));
    logger.info(
      { listen: local.map(({ address, port }) => joinHostPort(address, port)), zone: settings.zone },
      'listening',
    );
  };
  if (!sockets.areHandedOver) await open();
  try {
    const startedAt = clock.monotonic();
    const index = new ZoneIndex(settings, table, (service, error) => {
      logger.error({ service, error: messageOf(error) }, 'the names of a Service cannot be worked out: they stay');
    });
    await followCluster(index, table, environment);
    responder.isReady = true;
    if (sockets.areHandedOver) await open();
    readiness.set({ ready: true });
    const milliseconds = Math.round(clock.monotonic() - startedAt);
    logger.info({ names: table.size, services: index.services, milliseconds }, 'answering');
    await aborted(signal);
  } catch (error) {
    if (!signal.aborted) logger.error({ error: messageOf(error) }, 'the zone cannot be followed');
    throw error;
  } finally {
    await server.close();
    counts.flush(metrics);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
