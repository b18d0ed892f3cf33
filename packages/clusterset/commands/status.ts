import { type Clock, renderTable } from '@fairlead/control';
import type { PartCommand } from '@fairlead/part';
import type { ClusterSetConfiguration } from '../configuration.ts';
import type { Connect } from '../controller/broker-link.ts';
import { describeWrite } from '../decision/write.ts';
import { isLeaving } from '../records/marks.ts';
import { type Snapshot, takeSnapshot } from '../snapshot.ts';

export function statusCommand(connect: Connect): PartCommand<ClusterSetConfiguration> {
  return {
    name: 'status',
    summary: 'Shows the clusters of the clusterset, their age, and what they export, import, and wait for.',
    needs: 'configuration',
    async run({ configuration, environment, clock, print }) {
      for (const line of statusLines(await takeSnapshot(configuration, connect, environment), clock)) print(line);
    },
  };
}

/** For people: a table of the clusters, then one of the Services. */
export function statusLines(
  { settings, broker, state, decisions }: Snapshot,
  clock: Pick<Clock, 'now'>,
): readonly string[] {
  const clusters = broker.leases.list().map((lease) => {
    const { name, creationTimestamp = '' } = lease.metadata;
    const days = Math.floor((clock.now() - Date.parse(creationTimestamp)) / 86_400_000);
    const renewed = Date.parse(lease.spec?.renewTime ?? '');
    const seen = Number.isNaN(renewed)
      ? 'never seen'
      : `last seen ${Math.max(0, Math.round((clock.now() - renewed) / 1000))} s ago`;
    const isOwn = name === settings.cluster ? ', this cluster' : '';
    return [name, `${days} days`, `${isLeaving(lease) ? 'has left' : seen}${isOwn}`];
  });
  const services = [...decisions].map(([key, { observed, decision }]) => {
    const { clusters: exporting = [], spec } = decision.merged.import ?? {};
    const ports = (spec?.ports ?? []).map(({ protocol = 'TCP', port }) => `${protocol}/${port}`);
    const conflict = [...decision.merged.verdicts.values()][0]?.conditions.find(({ type }) => type === 'Conflict');
    const told = [
      ...(observed.serviceExport === undefined ? [] : [`here: ${decision.exported.state}`]),
      ...(conflict?.status === 'True' ? [`conflict: ${conflict.reason}`] : []),
      ...[...decision.writes, ...decision.aggregate].slice(0, 1).map((write) => `waits for: ${describeWrite(write)}`),
    ];
    return [key, ports.join(','), exporting.join(',') || 'no cluster', told.join('; ')];
  });
  const how = state.state === 'unavailable' ? state.reason : 'in step with the broker';
  return [
    `Clusterset ${settings.clusterset}: ${how}`,
    '',
    ...renderTable([['CLUSTER', 'MEMBER FOR', 'STATE'], ...clusters]),
    '',
    ...renderTable([['SERVICE', 'PORTS', 'EXPORTED BY', 'STATE'], ...services]),
  ];
}
