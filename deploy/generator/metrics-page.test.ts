import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { metricsPage } from './metrics-page.ts';
import { fairlead } from './program.ts';

const packages = join(import.meta.dirname, '..', '..', 'packages');

/** The packages of ours that the program is made of. */
async function packagesOf(name: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(name)) return found;
  found.add(name);
  const { dependencies } = JSON.parse(await readFile(join(packages, name, 'package.json'), 'utf8'));
  for (const dependency of Object.keys(dependencies)) {
    const own = /^@fairlead\/(.*)$/.exec(dependency)?.[1];
    if (own !== undefined) await packagesOf(own, found);
  }
  return found;
}

async function metricsDefinedIn(name: string): Promise<string[]> {
  const entries = await readdir(join(packages, name), { recursive: true });
  const sources = entries.filter(
    (entry) => entry.endsWith('.ts') && !/\.test\.ts$|node_modules|\btesting\b/.test(entry),
  );
  const texts = await Promise.all(sources.map((source) => readFile(join(packages, name, source), 'utf8')));
  return texts.flatMap((text) =>
    [
      ...text.matchAll(/(?:: MetricDefinition = \{\s*name: |callMetrics\(\s*)'([^']+)'(?:,\s*'(fairlead_[^']+)')?/g),
    ].flatMap(([, ...names]) => names.filter((found) => found !== undefined)),
  );
}

describe('metricsPage', () => {
  it('tells name, kind, labels and meaning of a metric', () => {
    const definition = { name: 'lamps_lit', kind: 'gauge', help: 'Lamps that are lit.', labels: ['colour'] } as const;
    const page = metricsPage({ ...fairlead, sharedMetrics: [{ title: 'Lamps', metrics: [definition] }] });
    expect(page).toContain('## Lamps\n');
    expect(page).toContain('| `lamps_lit` | gauge | `colour` | Lamps that are lit. |\n');
  });

  it('has every metric that the program can emit, once', async () => {
    const names = await Promise.all([...(await packagesOf('cli'))].map(metricsDefinedIn));
    const defined = names.flat().sort();
    expect(defined).toContain('fairlead_kube_watch_events_total');
    const documented = [...metricsPage(fairlead).matchAll(/^\| `(fairlead_\w+)`/gm)].map((match) => match[1] ?? '');
    expect(documented.sort()).toEqual(defined);
  });
});
