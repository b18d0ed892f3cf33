import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parts } from '../parts.ts';
import { readConfiguration } from './read.ts';

/** Pages that are named for what a reader looks for, and not for the part. */
const PAGES: Readonly<Record<string, string>> = { clusterset: 'multicluster' };

describe.each(parts)('the page of the part $name', ({ name, events }) => {
  const page = readFile(new URL(`../../../docs/${PAGES[name] ?? name}.md`, import.meta.url), 'utf8');

  it('begins with a configuration that is valid, and has the part in it', async () => {
    const example = /```yaml\n(.*?)```/s.exec(await page)?.[1] ?? '';
    expect(Object.keys(readConfiguration(example, `${name}.md`, parts).parts)).toEqual([name]);
  });

  it('tells of every Event', async () => {
    const text = await page;
    expect(events.map(({ reason }) => reason).filter((reason) => !text.includes(`\`${reason}\``))).toEqual([]);
  });
});
