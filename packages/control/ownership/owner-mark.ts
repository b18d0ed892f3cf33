import { FairleadError } from '../errors.ts';

/** Which cluster something outside belongs to: by default the UID of its kube-system namespace. */
export type ClusterId = string & { readonly brand: 'ClusterId' };

/** The UID of a Service: a Service made again under the same name is another one. */
export type ServiceUid = string & { readonly brand: 'ServiceUid' };

/** Whose something outside is. Only what carries our own cluster and part is ever changed or deleted. */
export interface OwnerMark {
  readonly cluster: ClusterId;
  /** The part of Fairlead that made it: two parts may share an account and must not sweep each other's things away. */
  readonly part: string;
  /** Absent on what serves the whole cluster. */
  readonly service?: ServiceUid;
}

/** Every API takes these as they are: no escaping, so that nothing can be written one way and read back another. */
const PLAIN = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,38}[A-Za-z0-9])?$/;

const CLUSTER_TAG = 'fairlead-cluster';
const PART_TAG = 'fairlead-part';
const SERVICE_TAG = 'fairlead-service';

/** Descriptions are cut here by the strictest API. */
const LONGEST_TEXT = 255;

/** Throws when the text cannot be part of an owner mark. */
export function clusterId(text: string): ClusterId {
  if (!isClusterId(text)) throw notPlain('cluster id', text);
  return text;
}

/** Throws when the text cannot be part of an owner mark. */
export function serviceUid(text: string): ServiceUid {
  if (!isServiceUid(text)) throw notPlain('Service UID', text);
  return text;
}

/** Whether the mark is of this cluster and part, spelled exactly so; never for something without a mark. */
export function isOurs(mark: OwnerMark | undefined, us: Pick<OwnerMark, 'cluster' | 'part'>): boolean {
  return mark !== undefined && mark.cluster === us.cluster && mark.part === us.part;
}

/** For APIs whose tags have names and values. */
export function ownerTags(mark: OwnerMark): Readonly<Record<string, string>> {
  return Object.fromEntries(pairsOf(mark));
}

/** For APIs whose tags are words; each has at most 57 characters. */
export function ownerTagList(mark: OwnerMark): readonly string[] {
  return pairsOf(mark).map(([name, value]) => `${name}=${value}`);
}

/** For APIs that have nothing but a description: the mark, then a note for people, as much of it as fits. */
export function ownerText(mark: OwnerMark, note: string): string {
  const pairs = pairsOf(mark).map(([name, value]) => `${name}=${value}`);
  const harmlessNote = note.replaceAll('[', '(').replaceAll(']', ')');
  return `[${pairs.join(' ')}] ${harmlessNote}`.slice(0, LONGEST_TEXT).trimEnd();
}

/** Tag names are compared without regard to case: some APIs change it. */
export function readOwnerTags(tags: Readonly<Record<string, string>>): OwnerMark | undefined {
  return markFrom(Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value] as const));
}

export function readOwnerTagList(tags: readonly string[]): OwnerMark | undefined {
  return markFrom(tags.map(splitPair));
}

/** Finds the mark wherever it stands in the text; two of them are none, as it cannot be said which counts. */
export function readOwnerText(text: string): OwnerMark | undefined {
  const marks = [...text.matchAll(/\[(fairlead-[^[\]]*)\]/g)];
  const content = marks[0]?.[1];
  if (marks.length !== 1 || content === undefined) return undefined;
  return markFrom(content.split(' ').map(splitPair));
}

function pairsOf(mark: OwnerMark): readonly (readonly [string, string])[] {
  if (!PLAIN.test(mark.part)) throw notPlain('part', mark.part);
  const shared = [
    [CLUSTER_TAG, mark.cluster],
    [PART_TAG, mark.part],
  ] as const;
  return mark.service === undefined ? shared : [...shared, [SERVICE_TAG, mark.service]];
}

/** A mark that is incomplete, malformed or there twice is none: what is not surely ours is left alone. */
function markFrom(pairs: readonly (readonly [string, string])[]): OwnerMark | undefined {
  const cluster = valueOf(pairs, CLUSTER_TAG);
  const part = valueOf(pairs, PART_TAG);
  const service = valueOf(pairs, SERVICE_TAG);
  if (cluster === undefined || !isClusterId(cluster)) return undefined;
  if (part === undefined || !PLAIN.test(part)) return undefined;
  if (service === undefined) return hasName(pairs, SERVICE_TAG) ? undefined : { cluster, part };
  return isServiceUid(service) ? { cluster, part, service } : undefined;
}

/** The value under the name, if it is there exactly once. */
function valueOf(pairs: readonly (readonly [string, string])[], name: string): string | undefined {
  let found: string | undefined;
  for (const [candidate, value] of pairs) {
    if (candidate !== name) continue;
    if (found !== undefined) return undefined;
    found = value;
  }
  return found;
}

function hasName(pairs: readonly (readonly [string, string])[], name: string): boolean {
  return pairs.some(([candidate]) => candidate === name);
}

function splitPair(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  return equals < 0 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)];
}

function isClusterId(text: string): text is ClusterId {
  return PLAIN.test(text);
}

function isServiceUid(text: string): text is ServiceUid {
  return PLAIN.test(text);
}

function notPlain(what: string, text: string): FairleadError {
  const rule =
    'use up to 40 letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit';
  return new FairleadError(`${JSON.stringify(text)} cannot be a ${what}: ${rule}`, {
    verdict: 'terminal',
    code: 'invalid-owner-mark',
  });
}
