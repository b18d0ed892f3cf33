import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { fairlead } from './program.ts';
import { valuesSchema } from './values.ts';
import { valuesFile } from './values-file.ts';

const write = (schema: z.ZodType): string => valuesFile(z.toJSONSchema(schema, { io: 'input' }));

describe('valuesFile', () => {
  it('shows each value with its default and its purpose', () => {
    const schema = z.strictObject({
      lamp: z
        .strictObject({ colour: z.enum(['red', 'green']).default('red').describe('What ships see.'), lit: z.boolean() })
        .prefault({ lit: true })
        .describe('The lamp on the tower.'),
      keepers: z.array(z.string()).default(['day', 'night']),
    });
    expect(write(schema)).toBe(`# The lamp on the tower.
lamp:
  # What ships see. One of red, green.
  colour: red
  lit: null

keepers:
  - day
  - night
`);
  });

  it('comments out what has no default, whole sections too', () => {
    const tower = z.strictObject({ height: z.number().describe('In metres.') }).optional();
    const schema = z.strictObject({ parts: z.strictObject({ tower: tower.describe('A tower.') }).prefault({}) });
    expect(write(schema)).toBe(`parts: {}
  # A tower.
  # tower:
  #   # In metres.
  #   height: null
`);
  });

  it('breaks long lines of what a value is for', () => {
    const schema = z.strictObject({ name: z.string().default('').describe('word '.repeat(60).trim()) });
    const lines = write(schema).trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
  });

  it('says of the chart what its schema takes for granted', () => {
    const schema = valuesSchema(fairlead.parts);
    const values: unknown = parse(write(schema));
    const withPart = { parts: { gateway: { addresses: ['192.0.2.1'] } } };
    const complete = z.looseObject({ configuration: z.looseObject({}) }).parse(values);
    const configuration = { ...complete.configuration, ...withPart };
    expect(schema.parse({ ...complete, configuration })).toEqual(schema.parse({ configuration: withPart }));
  });
});
