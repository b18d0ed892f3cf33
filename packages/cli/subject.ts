import { FairleadError } from '@fairlead/control';
import type { Subject } from '@fairlead/part';

/** The names people use for the kinds they ask about. */
const KINDS: Readonly<Record<string, string>> = {
  service: 'service',
  services: 'service',
  svc: 'service',
  pod: 'pod',
  pods: 'pod',
  po: 'pod',
};

/** Reads `service default/web`, `service/web` or `svc web -n default`, as kubectl's users write it. */
export function parseSubject(words: readonly string[], namespace: string | undefined): Subject {
  const [kindText = '', name = ''] = words.length === 1 ? splitOnce(words[0] ?? '') : words;
  const kind = KINDS[kindText.toLowerCase()] ?? kindText.toLowerCase();
  const [before, after] = splitOnce(name);
  if (kind === '' || name === '' || words.length > 2 || after === '') {
    throw new FairleadError('name what you ask about, such as: fairlead why service default/web', {
      verdict: 'terminal',
      code: 'usage',
    });
  }
  if (after === undefined) return { kind, namespace: namespace ?? 'default', name: before };
  return { kind, namespace: before, name: after };
}

function splitOnce(text: string): [string, string?] {
  const slash = text.indexOf('/');
  return slash < 0 ? [text] : [text.slice(0, slash), text.slice(slash + 1)];
}
