import type { Dice } from './dice.ts';
import type { FuzzedKind } from './kinds/index.ts';

/** Pages and versions of a list; `<page>` stands for the token that the first page ended with. */
export const PAGING: readonly (readonly string[])[] = [
  [],
  ['limit=1'],
  ['limit=2'],
  ['limit=0'],
  ['limit=-1'],
  ['limit=x'],
  ['limit=9223372036854775808'],
  ['limit=1', 'continue=<page>'],
  ['continue=<page>'],
  ['continue=x'],
  ['resourceVersion=0'],
  ['resourceVersion=0', 'limit=1'],
  ['resourceVersion=<start>', 'resourceVersionMatch=NotOlderThan'],
  ['resourceVersion=<start>', 'resourceVersionMatch=Exact'],
  ['resourceVersion=<start>', 'limit=1'],
  ['resourceVersion=<start>'],
  ['resourceVersion=x'],
  ['resourceVersionMatch=Exact'],
  ['resourceVersion=0', 'resourceVersionMatch=Exact'],
  ['sendInitialEvents=true'],
];

/** Where a watch begins. */
export const WATCH_STARTS: readonly (readonly string[])[] = [
  ['resourceVersion=<start>'],
  ['resourceVersion=<start>'],
  ['resourceVersion=<start>', 'allowWatchBookmarks=true'],
  [],
  ['resourceVersion=0'],
  ['resourceVersion=x'],
  ['sendInitialEvents=true', 'resourceVersionMatch=NotOlderThan', 'allowWatchBookmarks=true'],
  ['sendInitialEvents=true', 'resourceVersionMatch=NotOlderThan'],
  ['sendInitialEvents=false', 'resourceVersionMatch=NotOlderThan', 'resourceVersion=<start>'],
  ['sendInitialEvents=true'],
  ['resourceVersionMatch=Exact', 'resourceVersion=<start>'],
  ['limit=1', 'resourceVersion=<start>'],
];

const LABEL_SELECTORS = [
  'app=web',
  'app!=web',
  'app in (web,db)',
  'app notin (web)',
  '!tier',
  'tier',
  'tier=',
  'constructor',
  '!constructor',
  '__proto__',
  'toString=x',
  'app>1',
  'app=a b',
  'app in ()',
  'app in (web',
  'a=b=c',
  'x/y/z',
  '=',
  ',',
  'app,',
  'app==web',
  'app=-',
];

const FIELD_SELECTORS = [
  'metadata.name=a',
  'metadata.name!=a',
  'metadata.namespace=<ns>',
  'spec.nodeName=node',
  'spec.type=NodePort',
  'constructor=x',
  'metadata.name',
  'metadata.name=a=b',
  'metadata.name==a',
  'metadata.name=a\\,b',
  'involvedObject.name=a',
  'regarding.name=a',
  'reportingController=fuzz.test/me',
  'status.phase!=Running',
];

/** The query of a list, a watch or the deletion of a collection, with nothing in it that other runs have made. */
export function listQuery(dice: Dice, kind: FuzzedKind, options: readonly string[], withSelectors = true): string {
  const labels = [
    ...(kind.ownLabels ?? []),
    ...(withSelectors && dice.chance(0.3) ? [dice.pick(...LABEL_SELECTORS)] : []),
  ];
  const fields = [
    ...(kind.namespaced ? [] : ['metadata.name=<ns>-a']),
    ...(kind.ownFields ?? []),
    ...(withSelectors && dice.chance(0.15) ? [dice.pick(...FIELD_SELECTORS)] : []),
  ];
  return queryOf([
    ...options,
    ...(labels.length > 0 ? [`labelSelector=${encoded(labels)}`] : []),
    ...(fields.length > 0 ? [`fieldSelector=${encoded(fields)}`] : []),
  ]);
}

/** The query of a create, an update or a patch. */
export function writeQuery(dice: Dice, kind: FuzzedKind, what: 'create' | 'update'): string {
  const fieldManager = `fieldManager=${dice.pick('me', 'a%00b', 'a%0Ab', 'x'.repeat(129), '%C3%A9')}`;
  const fieldValidation = `fieldValidation=${dice.pick('Strict', 'Strict', 'Ignore', 'Warn', 'x')}`;
  const force = what === 'update' ? ['force=true'] : [];
  const options = dice.some(0.06, fieldManager, fieldValidation, ...force);
  return queryOf([dryRunOption(dice, kind, 'create'), ...options].filter((option) => option !== ''));
}

/** Empty where the request shall take effect. */
export function dryRunOption(dice: Dice, kind: FuzzedKind, what: 'create' | 'delete'): string {
  if (kind.onlyDryRun?.includes(what) === true) return 'dryRun=All';
  return dice.chance(0.07) ? dice.pick('dryRun=All', 'dryRun=x', 'dryRun=') : '';
}

function queryOf(options: readonly string[]): string {
  return options.length === 0 ? '' : `?${options.join('&')}`;
}

function encoded(requirements: readonly string[]): string {
  return encodeURIComponent(requirements.join(',')).replaceAll('%3Cns%3E', '<ns>');
}
