import { FairleadError } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import type { ArmTags } from '../types/index.ts';
import { annotationText, azureAnnotations } from './annotations.ts';

/** Azure's limits: of a resource, and in characters. */
const MOST_TAGS = 50;
const LONGEST_NAME = 512;
const LONGEST_VALUE = 256;
/** Those of a cluster, a part and a Service. */
const OWN_MARKS = 3;
const FORBIDDEN = /[<>%&\\?/\p{Cc}]/u;

/**
 * By these we, and cloud-provider-azure, which may run beside us, know whose an address is. All that begins as ours do
 * is ours, lest a mark that is yet to come is forged before.
 */
const MARKS = /^(fairlead-|k8s-azure-|(kubernetes-cluster-name|kubernetes-dns-label-service|service)$)/;

/**
 * The tags that the Service asks for on its public address. Throws a terminal error with this code, in plain words about
 * «it», for what it cannot have.
 */
export function addressTags(service: Service, code: string): ArmTags {
  const pieces = (annotationText(service, azureAnnotations.addressTags) ?? '').split(',');
  const pairs = pieces.filter((piece) => piece.trim() !== '').map(pairOf);
  const names = new Set(pairs.map(({ name }) => name.toLowerCase()));
  const problem =
    pairs.map(problemOf).find((found) => found !== undefined) ??
    (names.size < pairs.length ? 'has a tag twice, in whatever spelling: name each tag once' : undefined) ??
    (names.size > MOST_TAGS - OWN_MARKS
      ? `has ${names.size} tags: use ${MOST_TAGS - OWN_MARKS} at most, as Azure takes ${MOST_TAGS} with ours`
      : undefined);
  if (problem === undefined) return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
  const message = `its annotation ${azureAnnotations.addressTags} ${problem}`;
  throw new FairleadError(message, { verdict: 'terminal', code });
}

interface Pair {
  readonly piece: string;
  readonly name: string;
  readonly value: string;
  readonly isPair: boolean;
}

function pairOf(piece: string): Pair {
  const [name = '', value = '', ...more] = piece.split('=');
  const trimmed = value.trim();
  return {
    piece,
    name: name.trim(),
    // Azure reserves the word; with a space beside it, which the cloud provider leaves there, it is another.
    value: isNull(trimmed) ? value : trimmed,
    isPair: piece.includes('=') && more.length === 0,
  };
}

function problemOf({ piece, name, value, isPair }: Pair): string | undefined {
  if (!isPair || name === '') return `says ${shown(piece)}: write name=value, with commas in between`;
  if (isMark(name)) return `has the tag ${shown(name)}, which tells whose an address is: choose another name`;
  if (name.length > LONGEST_NAME)
    return `has the tag ${shown(name)}: use ${LONGEST_NAME} characters at most for a name`;
  if (FORBIDDEN.test(name))
    return `has the tag ${shown(name)}: a name cannot have <, >, %, &, \\, ?, / and control codes`;
  if (value.length > LONGEST_VALUE)
    return `has a long value for ${shown(name)}: use ${LONGEST_VALUE} characters at most`;
  if (isNull(value)) return `gives ${shown(name)} the value null, which Azure reserves: use another`;
  return undefined;
}

/** Letters that are one of ours in another case only, such as the dotless i, count as it. */
function isMark(name: string): boolean {
  return MARKS.test(name.toUpperCase().toLowerCase());
}

function isNull(value: string): boolean {
  return value.toLowerCase() === 'null';
}

function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

/** These tags beside those that are there. To Azure a name is the same in any case: the spelling that is there stays. */
export function withTags(there: ArmTags, added: ArmTags): ArmTags {
  const spelling = new Map(Object.keys(there).map((name) => [name.toLowerCase(), name]));
  const respelled = Object.entries(added).map(([name, value]) => [spelling.get(name.toLowerCase()) ?? name, value]);
  return Object.fromEntries([...Object.entries(there), ...respelled]);
}

/** Of the error for an address that has no room left. */
export const TOO_MANY_TAGS = 'too-many-tags';

/** Throws a terminal error where the public address would have more tags than Azure takes. */
export function requireRoomForTags(addressName: string, tags: ArmTags = {}): void {
  const count = Object.keys(tags).length;
  if (count <= MOST_TAGS) return;
  throw new FairleadError(
    `the public IP address ${addressName} would have ${count} tags, and Azure takes ${MOST_TAGS}: ` +
      'take some off it, or ask for fewer',
    { verdict: 'terminal', code: TOO_MANY_TAGS },
  );
}
