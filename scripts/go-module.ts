import { tmpdir } from 'node:os';
import { findGo, GoError, runGo } from './go-toolchain.ts';
import { type Report, reportToStderr, withProgress } from './progress.ts';

/** A Go module whose files are read, not built. */
export interface GoModule {
  readonly path: string;
  readonly version: string;
  /** Of its content, as a go.sum has it: `h1:...`. */
  readonly sum: string;
}

/** The folder with the module's files: downloaded once, then from Go's own cache. Throws a GoError. */
export async function goModuleDirectory(module: GoModule, report: Report = reportToStderr): Promise<string> {
  const { path, version, sum } = module;
  const run = await withProgress(
    `downloading ${path}`,
    () => '',
    report,
    () => runGo(findGo(), ['mod', 'download', '-json', `${path}@${version}`], tmpdir()),
  );
  const told: unknown = run.stdout === '' ? undefined : JSON.parse(run.stdout);
  const { Dir: directory, Sum: found, Error: problem } = fieldsOf(told);
  if (run.code !== 0 || directory === undefined) {
    const why = problem ?? run.stderr.trim();
    throw new GoError('network', `Go could not download ${path}: ${why}. Check the network (and GOPROXY).`);
  }
  if (found !== sum) throw new GoError('compile', `${path}@${version} is not the module it was: its sum is ${found}`);
  return directory;
}

function fieldsOf(value: unknown): Readonly<Record<'Dir' | 'Sum' | 'Error', string | undefined>> {
  const text = (name: string): string | undefined => {
    const field: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    return typeof field === 'string' ? field : undefined;
  };
  return { Dir: text('Dir'), Sum: text('Sum'), Error: text('Error') };
}
