import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { claimRules } from './desired.ts';
import { explainOutcome } from './explain.ts';
import { partPlan } from './part-plan.ts';
import { stepsFor } from './plan.ts';
import { staticAddresses } from './static-addresses.ts';
import { survey } from './survey.ts';

/** With FAIRLEAD_UPDATE_GOLDEN=1 the outputs are rewritten: read the difference before committing it. */
const rewrites = process.env['FAIRLEAD_UPDATE_GOLDEN'] === '1';
const folder = new URL('testdata/', import.meta.url);
const clock = { now: () => Date.UTC(2026, 0, 3) };

interface World {
  readonly pool: readonly string[];
  readonly services: readonly Service[];
}

async function translate(world: World): Promise<unknown> {
  const pool = await staticAddresses(world.pool).list(new AbortController().signal);
  const found = survey(pool, world.services, claimRules(undefined), clock);
  return {
    plan: partPlan(found, clock).changes,
    services: [...found.outcomes].map(([key, outcome]) => {
      const steps = stepsFor(outcome, clock);
      return {
        service: key,
        outcome: outcome.kind,
        steps: steps.map(({ name, subresource, patch }) => ({ name, subresource, patch })),
        why: explainOutcome(`Service ${key}`, outcome, steps),
      };
    }),
  };
}

describe('what the gateways do for a set of Services', () => {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.in.yaml'))
    .map((file) => file.slice(0, -'.in.yaml'.length));

  it.each(names)('%s', async (name) => {
    const world = parse(readFileSync(new URL(`${name}.in.yaml`, folder), 'utf8'));
    const output = stringify(await translate(world), { aliasDuplicateObjects: false, lineWidth: 0 });
    const expected = new URL(`${name}.out.yaml`, folder);
    if (rewrites) writeFileSync(expected, output);
    expect(output).toBe(readFileSync(expected, 'utf8'));
  });
});
