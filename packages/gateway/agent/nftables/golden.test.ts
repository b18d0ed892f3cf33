import { GoldenFolder } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { virtualServer } from '../../protocol/configuration.ts';
import { byFrontend, changesBetween } from '../../protocol/delta.ts';
import type { Applied } from './applied.ts';
import { deltaScript, elementScript, prepareScript, switchScript } from './scripts.ts';
import { Served } from './served.ts';

const input = z.strictObject({ before: z.array(virtualServer), after: z.array(virtualServer).optional() });

/** Chains that differ from another one in a number alone. */
const LIKE_OTHERS =
  /^\w+ (?:chain|rule) inet fairlead (?:stick\d-(?:1|420|2520|27720)-|stick\d-60-(?:60|600|3600|86400)|pick\d-(?:420|2520|27720))/;

/** The chains that differ in a number alone are told once, and of many slots the first few. */
function shortened(script: string): string {
  return script
    .split('\n')
    .filter((line) => !LIKE_OTHERS.test(line))
    .map((line) => line.replace(/(\{ (?:[^,]+, ){6}).*\}$/, '$1… }'))
    .join('\n');
}

function translate(document: unknown): unknown {
  const { before, after } = input.parse(document);
  const served = new Served(before);
  const first: Applied = { generation: { epoch: 3, number: 7 }, digest: served.digest, bank: 'a' };
  if (after === undefined) {
    return {
      prepare: shortened(prepareScript('a')),
      fill: shortened(elementScript('add', [...served.elements()], 'a')),
      switch: shortened(switchScript(first)),
    };
  }
  const changes = served.follow(changesBetween(byFrontend(before), byFrontend(after)));
  if (changes === undefined) throw new Error('too many for one step');
  const next: Applied = { generation: { epoch: 3, number: 8 }, digest: served.digest, bank: 'a' };
  return { delta: deltaScript(changes, first, next) };
}

describe('what nft is given', () => {
  const folder = new GoldenFolder(new URL('testdata/', import.meta.url));

  it.each(folder.names)('%s', async (name) => {
    const { actual, expected } = await folder.pair(name, ([document]) => translate(document));
    expect(actual).toBe(expected);
  });
});
