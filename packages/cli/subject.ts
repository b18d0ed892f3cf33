import { FairleadError } from '@fairlead/control';
import type { Subject } from '@fairlead/part';

/** The names people use for the kinds they ask about. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['services', 'service'],
  ['svc', 'service'],
  ['pods', 'pod'],
  ['po', 'pod'],
]);

/**
 * Reads `service default/web`, `service/web` or `svc web -n default`, as kubectl's users write it. `explained` are the
 * kinds that there is something to say about.
 */
export function parseSubject(
  words: readonly string[],
  namespace: string | undefined,
  explained: readonly string[],
): Subject {
  const [kindText = '', name = ''] = words.length === 1 ? splitOnce(words[0] ?? '') : words;
  const kind = KINDS.get(kindText.toLowerCase()) ?? kindText.toLowerCase();
  const [before, after] = splitOnce(name);
  if (kind === '' || name === '' || words.length > 2 || before === '' || after === '' || after?.includes('/')) {
    throw usage('name what you ask about, such as: fairlead why service default/web');
  }
  if (!explained.includes(kind)) {
    throw usage(`nothing is known about a ${kind}; ask about: ${explained.join(', ')}`);
  }
  if (after !== undefined && namespace !== undefined && namespace !== before) {
    throw usage(`${name} is in the namespace ${before}, and --namespace says ${namespace}`);
  }
  if (after === undefined) return { kind, namespace: namespace ?? 'default', name: before };
  return { kind, namespace: before, name: after };
}

function usage(message: string): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code: 'usage' });
}

function splitOnce(text: string): [string, string?] {
  const slash = text.indexOf('/');
  return slash < 0 ? [text] : [text.slice(0, slash), text.slice(slash + 1)];
}
