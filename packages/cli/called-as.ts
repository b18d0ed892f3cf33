import { basename } from 'node:path';

const KUBECTL_PLUGIN = 'kubectl-fairlead';

/** How usage lines name the program: kubectl runs one of another name for `kubectl fairlead`. */
export function nameOf([, script = '']: readonly string[]): string {
  return basename(script) === KUBECTL_PLUGIN ? 'kubectl fairlead' : 'fairlead';
}

/** What a person types to run it again, from the words it was started with. */
export function typedAs(
  words: readonly string[],
  { npm_lifecycle_event: npmScript, npm_config_local_prefix: checkout }: Readonly<Record<string, string | undefined>>,
): string {
  // Another terminal may be elsewhere.
  if (npmScript === 'start') return `npm start -s${checkout === undefined ? '' : ` --prefix ${checkout}`} --`;
  const [node = '', script = ''] = words;
  return [KUBECTL_PLUGIN, 'fairlead'].includes(basename(script)) ? nameOf(words) : `${node} ${script}`;
}
