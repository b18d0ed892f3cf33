import { readText, seededRandom, VirtualClock } from '@fairlead/control';
import { ArmEmulator } from '@fairlead/sim/azure';
import type { Recording } from './recordings.ts';

/** Longer than any operation of the emulator takes. */
const LATER = 60_000;
const LINKS = ['azure-asyncoperation', 'location'] as const;
/** What a client goes by, beside the status. */
const STEERING = ['etag', 'retry-after', 'x-ms-failure-cause', ...LINKS];
const REMAINING = 'x-ms-ratelimit-remaining-';

/** Where in the answer of which interaction: `body.properties.probes`. */
export interface Difference {
  readonly id: number;
  readonly what: string;
}

/** Plays a recording on the emulator as it is by default, and tells what it answers otherwise than Azure did. */
export async function replay({ group, interactions }: Recording): Promise<readonly Difference[]> {
  const clock = new VirtualClock();
  const emulator = new ArmEmulator({ clock, random: seededRandom(1), groups: [group] });
  const given = new Map<string, string>();
  const differences: Difference[] = [];
  for (const { id, request, response } of interactions) {
    const poll = /\/(?:operations|operationResults)\//.exec(request.url)?.[0];
    if (poll !== undefined) await clock.advance(LATER);
    const answered = await emulator.send({
      method: request.method,
      url: poll === undefined ? request.url : (given.get(poll) ?? request.url),
      headers: Object.fromEntries(request.headers),
      ...(request.body === '' ? {} : { body: request.body }),
    });
    for (const name of LINKS) {
      const link = answered.headers[name];
      if (link !== undefined) given.set(name === 'location' ? '/operationResults/' : '/operations/', link);
    }
    const ours = seen(answered.status, new Map(Object.entries(answered.headers)), await readText(answered));
    const theirs = seen(response.code, response.headers, response.body);
    differences.push(...differencesBetween(ours, theirs).map((what) => ({ id, what })));
  }
  return differences;
}

/** All places at which two answers differ, as one text each, without the values. */
function differencesBetween(ours: Seen, theirs: Seen): readonly string[] {
  const places = new Set([...ours.keys(), ...theirs.keys()]);
  return [...places].filter((place) => ours.get(place) !== theirs.get(place));
}

type Seen = ReadonlyMap<string, string>;

/** What a client sees of an answer, place by place, with what differs by its nature made alike. */
function seen(status: number, headers: ReadonlyMap<string, string>, text: string): Seen {
  const places = new Map([['status', String(status)]]);
  for (const [name, value] of headers) {
    if (name.startsWith(REMAINING)) places.set(`header ${name}`, 'a number');
    else if (STEERING.includes(name)) places.set(`header ${name}`, alike(value));
  }
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  collect('body', body, places);
  return places;
}

function collect(place: string, value: unknown, places: Map<string, string>): void {
  if (Array.isArray(value)) {
    places.set(place, `${value.length} items`);
    for (const [index, item] of value.entries()) collect(`${place}[${index}]`, item, places);
    return;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) collect(`${place}.${name}`, inner, places);
    return;
  }
  // The words of an error are Azure's own; its codes are compared.
  if (place.endsWith('.message') || place.endsWith('.ipAddress')) places.set(place, 'a text');
  else if (value !== undefined) places.set(place, alike(JSON.stringify(value)));
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const SIGNATURE = /&[a-z]=[^&]*/g;

function alike(text: string): string {
  return text.replaceAll(UUID, 'UUID').replace(/^"?https:.*$/, (link) => link.replaceAll(SIGNATURE, ''));
}
