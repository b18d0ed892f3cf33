import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { alertsPage } from './alerts-page.ts';
import { CUSTOM_RESOURCES, chartFiles } from './chart.ts';
import { metricsPage } from './metrics-page.ts';
import { permissionsPage } from './permissions-page.ts';
import type { Program } from './program.ts';

const CHART = 'deploy/chart/fairlead';

/** A file that is not what it should be. */
export interface Outdated {
  /** From the root of the checkout. */
  readonly path: string;
  /** What it should hold; undefined when there should be no such file. */
  readonly content: string | undefined;
}

/** The generated files under `root` that do not follow from the program. */
export async function outdatedFiles(root: string, program: Program): Promise<Outdated[]> {
  const wanted = new Map([
    ...[...chartFiles(program)].map(([path, content]): [string, string] => [`${CHART}/${path}`, content]),
    ['docs/alerts.md', alertsPage(program)],
    ['docs/metrics.md', metricsPage(program)],
    ['docs/permissions.md', permissionsPage(program)],
  ]);
  const outdated: Outdated[] = [];
  for (const [path, content] of wanted) {
    const found = await readFile(join(root, path), 'utf8').catch(() => undefined);
    if (found !== content) outdated.push({ path, content });
  }
  for (const path of await filesBelow(root, `${CHART}/${CUSTOM_RESOURCES}`)) {
    if (!wanted.has(path)) outdated.push({ path, content: undefined });
  }
  return outdated;
}

export async function bringUpToDate(root: string, { path, content }: Outdated): Promise<void> {
  const whole = join(root, path);
  if (content === undefined) {
    await rm(whole);
    return;
  }
  await mkdir(dirname(whole), { recursive: true });
  await writeFile(whole, content);
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
