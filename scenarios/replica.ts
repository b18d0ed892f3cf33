import { Journal, noMetrics, silentLogger } from '@fairlead/control';
import { type LeaderPart, runPart } from '@fairlead/part';
import type { Incarnation } from '@fairlead/sim';
import { connectToKubernetes } from './kubernetes.ts';

/** Where the replicas of every part keep their Leases. */
export const LEASE_NAMESPACE = 'fairlead-system';

const LEASE_MILLISECONDS = 15_000;

/** Runs a part as the program does: in the lead while it holds the Lease, and on standby else. */
export function runReplica(part: string, configured: LeaderPart, incarnation: Incarnation): Promise<void> {
  const { clock, random, name, signal } = incarnation;
  return runPart(
    configured,
    {
      part,
      connection: connectToKubernetes(incarnation),
      clock,
      random,
      logger: silentLogger,
      metrics: noMetrics,
      journal: new Journal(clock),
      readiness: { set() {} },
      namespace: LEASE_NAMESPACE,
      replica: name,
      leaseDurationMilliseconds: LEASE_MILLISECONDS,
    },
    signal,
  );
}
