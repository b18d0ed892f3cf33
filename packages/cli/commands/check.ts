import { FairleadError, messageOf, unusedProxy } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import type { Part } from '@fairlead/part';
import { clusterFindings } from '../check/cluster.ts';
import { type Finding, renderFinding, well, wrong } from '../check/finding.ts';
import { partFindings } from '../check/parts.ts';
import { type Format, renderValue } from '../render/format.ts';
import { neededPermissions } from '../running.ts';
import type { Output } from '../terminal.ts';
import { look } from './read-only.ts';

/** `fairlead check`: everything that has to be right before it can work, a line each. Tells whether all is. */
export async function checkCommand(
  file: string,
  parts: readonly Part[],
  format: Format,
  signal: AbortSignal,
  { print, palette }: Output,
): Promise<{ readonly isWell: boolean }> {
  const findings: Finding[] = [];
  const add = (found: readonly Finding[]) => {
    findings.push(...found);
    if (format === 'table') for (const finding of found) print(renderFinding(finding, palette));
  };
  const unused = unusedProxy(process.env);
  // Others may need it: it is worth a line, and nothing to fail for.
  if (unused !== undefined) add([well('proxy', unused)]);
  try {
    await look(file, parts, signal, async (seen) => {
      const { configuration, active, cluster } = seen;
      add([well('configuration', `${file} is well; parts: ${active.map(({ part }) => part.name).join(', ')}`)]);
      const { namespace } = configuration.leaderElection;
      add(
        await clusterFindings(
          cluster,
          namespace,
          neededPermissions(configuration, active),
          () => systemClock.now(),
          signal,
        ),
      );
      add(await partFindings(seen, signal));
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof FairleadError)) throw error;
    const about = error.code.startsWith('configuration') ? 'configuration' : 'cluster';
    add(
      messageOf(error)
        .split('\n')
        .map((line) => wrong(about, line)),
    );
  }
  if (format !== 'table') print(renderValue(format, findings));
  return { isWell: findings.every(({ isWell }) => isWell) };
}
