import { type HttpRequest, type HttpTransport, Journal, noMetrics, silentLogger } from '@fairlead/control';
import type { ApiConnection } from '@fairlead/kube';
import { type LeaderEnvironment, type LeaderPart, type PartRunOptions, runPart } from '@fairlead/part';
import type { Incarnation } from '@fairlead/sim';
import { connectToKubernetes } from './kubernetes.ts';

/** Where the replicas of every part keep their Leases. */
export const LEASE_NAMESPACE = 'fairlead-system';

const LEASE_MILLISECONDS = 15_000;

/**
 * Runs a part as the program does: in the lead while it holds the Lease, and on standby else. Fails when it reads or
 * writes anything but its Lease while it does not lead: caches, Events and work end with the leadership. `server` is the
 * cluster it runs in, where there are several.
 */
export function runReplica(
  part: string,
  configured: LeaderPart,
  incarnation: Incarnation,
  server?: string,
): Promise<void> {
  let leading = AbortSignal.abort();
  const start = (environment: LeaderEnvironment) => {
    leading = environment.signal;
    return configured.start(environment);
  };
  const watched = (transport: HttpTransport): HttpTransport => ({
    send(request) {
      if (leading.aborted && isForLeaders(request)) {
        const sentence = `${request.method} ${request.url}, although it does not lead`;
        incarnation.later(0, () => {
          throw new Error(sentence);
        });
      }
      return transport.send(request);
    },
  });
  return runPart(
    { ...configured, start },
    environmentOf(part, incarnation, connectToKubernetes(incarnation, watched, server)),
    incarnation.signal,
  );
}

/** What the program gives a part that it runs, in a simulated process. */
export function environmentOf(
  part: string,
  { clock, random, name }: Incarnation,
  connection: ApiConnection,
): PartRunOptions {
  return {
    part,
    connection,
    clock,
    random,
    logger: silentLogger,
    metrics: noMetrics,
    journal: new Journal(clock),
    readiness: { set() {} },
    namespace: LEASE_NAMESPACE,
    replica: name,
    leaseDurationMilliseconds: LEASE_MILLISECONDS,
  };
}

/** All but the Lease, and the question of a replica that gave it back whether it can read again. */
function isForLeaders({ url, signal }: HttpRequest): boolean {
  return signal?.aborted !== true && !/\/leases\b|[?&](limit|timeoutSeconds)=1(&|$)/.test(url);
}
