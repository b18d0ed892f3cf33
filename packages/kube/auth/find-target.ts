import { FairleadError } from '@fairlead/control';
import type { Host } from './host.ts';
import { inClusterTarget } from './in-cluster.ts';
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig, selectContext } from './kubeconfig.ts';
import type { KubeTarget } from './target.ts';

/** Which cluster is meant, where the user says so. */
export interface TargetChoice {
  /** A path; without it the usual places are searched. */
  readonly kubeconfig?: string;
  /** Without it, the current one. */
  readonly context?: string;
}

/**
 * Where the cluster is and who we are in it. The first of these that is there: the kubeconfig named, those of
 * KUBECONFIG, the Pod we run in, ~/.kube/config.
 */
export async function findTarget(host: Host, choice: TargetChoice = {}): Promise<KubeTarget> {
  if (choice.kubeconfig !== undefined) {
    const text = await host.readFile(choice.kubeconfig);
    if (text === undefined) throw missing(`${choice.kubeconfig} does not exist: correct the path`);
    return selectContext(parseKubeconfig(choice.kubeconfig, text), choice.context);
  }
  const listed = (host.environment('KUBECONFIG') ?? '').split(':').filter((path) => path !== '');
  if (listed.length > 0) {
    const found = await readAll(host, listed);
    if (found.length === 0) throw missing(`${listed.join(', ')} (from KUBECONFIG) does not exist: correct KUBECONFIG`);
    return selectContext(mergeKubeconfigs(found), choice.context);
  }
  const inCluster = choice.context === undefined ? await inClusterTarget(host) : undefined;
  if (inCluster !== undefined) return inCluster;
  const usual = `${host.homeDirectory}/.kube/config`;
  const [found] = await readAll(host, [usual]);
  if (found !== undefined) return selectContext(found, choice.context);
  throw missing(`not found: name one, set KUBECONFIG, or create ${usual}; this is not a Pod of a cluster either`);
}

/** Of the files of a list those that are not there do not count, as with kubectl. */
async function readAll(host: Host, paths: readonly string[]): Promise<readonly Kubeconfig[]> {
  const texts = await Promise.all(paths.map(async (path) => ({ path, text: await host.readFile(path) })));
  return texts.flatMap(({ path, text }) => (text === undefined ? [] : [parseKubeconfig(path, text)]));
}

function missing(what: string): FairleadError {
  return new FairleadError(`kubeconfig ${what}`, { verdict: 'terminal', code: 'kubeconfig-missing' });
}
