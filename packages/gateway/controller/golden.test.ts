import { GoldenFolder } from '@fairlead/control/testing';
import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { claimRules } from './desired.ts';
import { explainOutcome } from './explain.ts';
import { partPlan } from './part-plan.ts';
import { stepsFor } from './plan.ts';
import { staticAddresses } from './static-addresses.ts';
import { survey } from './survey.ts';

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

function isWorld(document: unknown): document is World {
  return typeof document === 'object' && document !== null && 'pool' in document && 'services' in document;
}

describe('what the gateways do for a set of Services', () => {
  const folder = new GoldenFolder(new URL('testdata/', import.meta.url));

  it.each(folder.names)('%s', async (name) => {
    const { actual, expected } = await folder.pair(name, async (documents) => {
      const [world] = documents.filter(isWorld);
      return world === undefined ? 'there is no world' : translate(world);
    });
    expect(actual).toBe(expected);
  });
});
