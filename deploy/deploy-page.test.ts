import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fairlead } from './generator/program.ts';
import { valuesSchema } from './generator/values.ts';

describe('docs/deploy.md', async () => {
  const page = await readFile(join(import.meta.dirname, '..', 'docs', 'deploy.md'), 'utf8');
  const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
  const schema = valuesSchema(fairlead.parts);

  it.each(examples)('has values that the chart takes:\n%s', (text) => {
    const { configuration = {}, ...values } = parse(text);
    const parts = { gateway: { addresses: ['192.0.2.10'] } };
    const whole = { ...values, configuration: { parts, ...configuration } };
    expect(schema.safeParse(whole).error?.issues.map(({ message, path }) => `${path.join('.')}: ${message}`)).toEqual(
      undefined,
    );
  });

  it('names values that there are', () => {
    const known = Object.keys(schema.shape);
    const named = [...page.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) => cell.match(/`\w+/g) ?? []);
    expect(named.length).toBeGreaterThan(10);
    expect(named.map((name) => name.slice(1)).filter((name) => !known.includes(name))).toEqual([]);
  });

  it('tells how to raise the level of the log', () => {
    expect(examples.map((text): unknown => parse(text))).toContainEqual({ configuration: { log: { level: 'debug' } } });
  });
});
