import { dirname, resolve } from 'node:path';
import { FairleadError, isRecord } from '@fairlead/control';
import { parseDocument } from 'yaml';
import { clusterFrom, userFrom } from './kubeconfig-entries.ts';
import { Fields } from './kubeconfig-fields.ts';
import type { KubeTarget } from './target.ts';

/** A kubeconfig as it was read: an entry is looked into only when it is used, so that a broken one harms no other. */
export interface Kubeconfig {
  /** The files it was read from, for messages. */
  readonly source: string;
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, Fields>;
  readonly clusters: ReadonlyMap<string, Fields>;
  readonly users: ReadonlyMap<string, Fields>;
}

/** Understands one file. Paths in it are relative to the folder it is in. */
export function parseKubeconfig(path: string, text: string): Kubeconfig {
  const document = parseDocument(text, { prettyErrors: true });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const line = problem.linePos?.[0].line ?? 1;
    const [what = ''] = problem.message.split(/ at line \d+|\n/);
    throw invalid('kubeconfig-syntax', `${path} line ${line}: ${what}: correct the YAML`);
  }
  const root: unknown = document.toJS() ?? {};
  if (!isRecord(root)) throw invalid('kubeconfig-invalid', `${path} is not a kubeconfig: it must be a map`);
  const fields = new Fields(path, '', root, resolve(dirname(path)));
  return {
    source: path,
    currentContext: fields.text('current-context'),
    contexts: named(fields, 'contexts', 'context'),
    clusters: named(fields, 'clusters', 'cluster'),
    users: named(fields, 'users', 'user'),
  };
}

/** Several files as one. The first to name something decides it, as kubectl has it. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const backwards = [...configs].reverse();
  const merged = (entries: (config: Kubeconfig) => ReadonlyMap<string, Fields>) =>
    new Map(backwards.flatMap((config) => [...entries(config)]));
  return {
    source: configs.map((config) => config.source).join(', '),
    currentContext: configs.find((config) => config.currentContext !== undefined)?.currentContext,
    contexts: merged((config) => config.contexts),
    clusters: merged((config) => config.clusters),
    users: merged((config) => config.users),
  };
}

/** The cluster and user of a context: the one named, or the current one. */
export function selectContext(config: Kubeconfig, name?: string): KubeTarget {
  const chosen = name ?? config.currentContext;
  const known = [...config.contexts.keys()].sort();
  if (chosen === undefined) {
    const choice = known.length === 0 ? 'it has no contexts' : `name one of: ${known.join(', ')}`;
    throw invalid('kubeconfig-no-context', `${config.source} has no current-context: ${choice}`);
  }
  const context = config.contexts.get(chosen);
  if (context === undefined) {
    const choice = known.length === 0 ? 'it has none' : `it has: ${known.join(', ')}`;
    throw invalid('kubeconfig-unknown-context', `${config.source} has no context "${chosen}": ${choice}`);
  }
  const cluster = clusterFrom(entry(config, 'cluster', config.clusters, chosen, context.requiredText('cluster')));
  const user = context.text('user');
  return {
    source: `context "${chosen}" of ${config.source}`,
    cluster,
    user: user === undefined ? {} : userFrom(entry(config, 'user', config.users, chosen, user)),
    namespace: context.text('namespace') ?? 'default',
  };
}

function entry(
  config: Kubeconfig,
  kind: string,
  entries: ReadonlyMap<string, Fields>,
  context: string,
  name: string,
): Fields {
  const found = entries.get(name);
  if (found !== undefined) return found;
  const known = [...entries.keys()].sort().join(', ');
  throw invalid(
    `kubeconfig-unknown-${kind}`,
    `${config.source}: context "${context}" names the ${kind} "${name}", which it has not; it has: ${known || 'none'}`,
  );
}

/** The first of two entries of one name counts. */
function named(root: Fields, list: string, field: string): ReadonlyMap<string, Fields> {
  const entries = root.list(list).map((item) => [item.requiredText('name'), item.map(field)] as const);
  return new Map(entries.reverse());
}

function invalid(code: string, message: string): FairleadError {
  return new FairleadError(`kubeconfig ${message}`, { verdict: 'terminal', code });
}
