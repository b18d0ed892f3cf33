import { type Clock, messageOf } from '@fairlead/control';
import type { PlannedChange } from '@fairlead/part';
import type { ServiceKey } from '@fairlead/service';
import type { AgentStatus } from '../../protocol/answer.ts';
import { frontendKey } from '../../protocol/configuration.ts';
import { ConfigurationDigest } from '../../protocol/digest.ts';
import { AgentClient } from '../agents/agent-client.ts';
import type { ClusterView } from '../backends/cluster-view.ts';
import { shownServers } from '../backends/shown-servers.ts';
import { type PoolServer, virtualServersFor } from '../backends/virtual-servers.ts';
import type { AgentConnector } from '../controller.ts';
import type { Gateway } from '../pools.ts';
import type { Snapshot } from '../snapshot.ts';

/** A gateway as it is now, beside what it should have. */
export interface GatewayReport {
  readonly gateway: Gateway;
  readonly pools: ReadonlySet<string>;
  /** How many virtual servers it is to have. */
  readonly wanted: number;
  /** Absent when it could not be asked; then `failure` says why. */
  readonly status?: AgentStatus;
  readonly failure?: string;
  /** Whether it has exactly what it should. */
  readonly isInStep: boolean;
}

/** What the gateways are to do for a Service now: what was decided, unless the brake keeps it as it is shown. */
export function wantedServers(
  key: ServiceKey,
  snapshot: Snapshot,
  held: ReadonlySet<ServiceKey>,
  cluster: ClusterView,
): readonly PoolServer[] {
  const outcome = snapshot.outcomes.get(key);
  if (outcome === undefined) return [];
  if (held.has(key)) return shownServers(outcome.claim.service, snapshot, cluster);
  return outcome.kind === 'serve' ? virtualServersFor(outcome, snapshot.pools, cluster) : [];
}

/** Asks every gateway what it has. */
export async function reportGateways(
  snapshot: Snapshot,
  held: ReadonlySet<ServiceKey>,
  cluster: ClusterView,
  connect: AgentConnector,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly GatewayReport[]> {
  const { outcomes, pools } = snapshot;
  const servers = new Map<string, PoolServer>();
  for (const one of [...outcomes.keys()].flatMap((key) => wantedServers(key, snapshot, held, cluster))) {
    if (!servers.has(frontendKey(one.server))) servers.set(frontendKey(one.server), one);
  }
  const gateways = new Map(pools.flatMap((pool) => pool.gateways.map((gateway) => [gateway.name, gateway])));
  const reports = [...gateways.values()].map(async (gateway): Promise<GatewayReport> => {
    const its = pools.filter((pool) => pool.gateways.some(({ name }) => name === gateway.name));
    const names = new Set(its.map(({ name }) => name));
    const wanted = [...servers.values()].filter(({ pool }) => names.has(pool));
    const digest = new ConfigurationDigest();
    for (const { server } of wanted) digest.add(server);
    const base = { gateway, pools: names, wanted: wanted.length };
    // It is only asked: no Lease is needed for that.
    const client = new AgentClient({
      gateway,
      transport: connect(gateway),
      clock,
      leadership: { covers: () => false },
    });
    try {
      const status = await client.status(signal);
      return { ...base, status, isInStep: status.digest === digest.text };
    } catch (error) {
      return { ...base, failure: messageOf(error), isInStep: false };
    }
  });
  return Promise.all(reports);
}

/** What a leader that started now would tell the gateways. */
export function gatewayChanges(reports: readonly GatewayReport[]): readonly PlannedChange[] {
  return reports.flatMap(({ gateway, wanted, status, failure, isInStep }): readonly PlannedChange[] => {
    if (isInStep) return [];
    const change = { subject: `Gateway ${gateway.name}`, writes: 1 };
    if (failure !== undefined) return [{ ...change, action: 'update', detail: `cannot be asked: ${failure}` }];
    const action = status?.generation === undefined ? 'create' : 'update';
    return [{ ...change, action, detail: `is sent ${wanted} virtual servers` }];
  });
}
