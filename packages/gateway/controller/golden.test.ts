import { VirtualClock } from '@fairlead/control';
import { GoldenFolder } from '@fairlead/control/testing';
import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { staticAddresses } from './addresses/static-addresses.ts';
import { gatewayConfiguration, poolsOf } from './configuration.ts';
import { claimRules } from './desired.ts';
import { progressWithoutAgents, writesFor } from './plan.ts';
import { explainOutcome } from './report/explain.ts';
import { partPlan } from './report/part-plan.ts';
import { takeSnapshot } from './snapshot.ts';

const clock = new VirtualClock({ startsAt: Date.UTC(2026, 0, 3) });

interface World {
  readonly pool: readonly string[];
  readonly services: readonly Service[];
}

async function translate(world: World): Promise<unknown> {
  const pools = poolsOf(gatewayConfiguration().parse({ addresses: world.pool }));
  const l2Ports = await staticAddresses(pools).list(new AbortController().signal);
  const { services } = world;
  const found = await takeSnapshot({ l2Ports, pools, limits: {}, services, rules: claimRules(undefined) }, clock);
  return {
    plan: partPlan(found, clock).changes,
    services: [...found.outcomes].map(([key, outcome]) => {
      const writes = writesFor(outcome, clock, progressWithoutAgents(outcome, pools));
      return {
        service: key,
        outcome: outcome.kind,
        writes: writes.map(({ name, subresource, patch }) => ({ name, subresource, patch })),
        why: explainOutcome(`Service ${key}`, outcome, writes),
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
