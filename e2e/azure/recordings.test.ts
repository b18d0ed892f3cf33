import { findArmError } from '@fairlead/azure/arm';
import { beforeAll, describe, expect, it } from 'vitest';
import { KNOWN_DIFFERENCES, type KnownDifference, knownDifference } from './known-differences.ts';
import { decoded } from './recorded-azure.ts';
import { type Interaction, RECORDED_CLOUDS, RECORDED_KINDS, type Recording, readRecording } from './recordings.ts';
import { replay } from './replay.ts';

const recordings: Recording[] = [];

beforeAll(async () => {
  for (const kind of RECORDED_KINDS) {
    for (const cloud of RECORDED_CLOUDS) recordings.push(await readRecording(kind, cloud));
  }
});

describe('what the real Azure answered', () => {
  it('is what the emulator answers, in all 250 interactions, but for what is listed with its reason', async () => {
    const unknown: string[] = [];
    const used = new Set<KnownDifference>();
    for (const recording of recordings) {
      for (const { id, what } of await replay(recording)) {
        const known = knownDifference(recording, id, what);
        if (known === undefined) unknown.push(`${recording.kind} ${recording.cloud} ${id}: ${what}`);
        else used.add(known);
      }
    }
    expect(unknown).toEqual([]);
    expect(KNOWN_DIFFERENCES.filter((known) => !used.has(known))).toEqual([]);
    expect(recordings.reduce((sum, { interactions }) => sum + interactions.length, 0)).toBe(250);
  });

  it('is understood by our client', async () => {
    let understood = 0;
    for (const { interactions } of recordings) {
      for (const [index, interaction] of interactions.entries()) {
        const outcome = await decoded(interactions.slice(index));
        if (outcome === undefined) continue;
        understood += 1;
        expect(told(outcome)).toEqual(recorded(interaction));
      }
    }
    // The rest it never asks: networks, the children of one parent, tags alone.
    expect(understood).toBe(156);
  });
});

/** What our client tells its caller: the name of what it read, how many it listed, or Azure's code. */
function told(outcome: Awaited<ReturnType<typeof decoded>>): unknown {
  if (outcome === undefined) return undefined;
  if ('error' in outcome) return findArmError(outcome.error)?.code ?? String(outcome.error);
  const { value } = outcome;
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : 'done';
}

function recorded({ response }: Interaction): unknown {
  const body: unknown = response.body === '' ? {} : JSON.parse(response.body);
  const field = (name: string, from: unknown = body): unknown =>
    typeof from === 'object' && from !== null ? Reflect.get(from, name) : undefined;
  const error = field('error');
  if (error !== undefined) return field('code', error);
  const list = field('value');
  if (Array.isArray(list)) return list.length;
  return field('id') ?? 'done';
}
