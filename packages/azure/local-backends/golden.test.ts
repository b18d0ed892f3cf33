import { GoldenFolder } from '@fairlead/control/testing';
import { endpointSlices, nodes, services } from '@fairlead/kube';
import { documentsOf } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { armId } from '../arm/index.ts';
import { BackendTracker } from './backend-pools/backend-tracker.ts';
import { desiredOptions } from './load-balancers/desired.ts';
import type { ObservedAzure } from './load-balancers/observed.ts';
import { decide, targetOf } from './load-balancers/outcome.ts';
import { callOf } from './load-balancers/plan.ts';
import { dryRun } from './report/dry-run.ts';
import { site } from './testing/wanted.ts';

const EMPTY_AZURE: ObservedAzure = {
  loadBalancers: new Map(),
  publicIps: new Map(),
  publicIpsElsewhere: new Map(),
  securityGroup: {
    id: armId('networkSecurityGroups', site.group, 'nodes'),
    name: 'nodes',
    location: site.location,
    properties: { securityRules: [] },
  },
};

/** What is decided for each Service, and every write by which it comes about in an Azure that has nothing yet. */
function translate(documents: readonly unknown[]): unknown {
  const cluster = documentsOf(services, documents);
  const backends = new BackendTracker();
  for (const node of documentsOf(nodes, documents)) backends.setNode(node);
  for (const slice of documentsOf(endpointSlices, documents)) backends.setSlice(slice);
  const options = desiredOptions(site, undefined);
  const outcomes = decide({ site, options, services: cluster, cluster, loadBalancers: new Map() });
  const targets = [...outcomes].flatMap(([key, outcome]) => targetOf(key, outcome) ?? []);
  const { writes } = dryRun({
    site,
    targets,
    observed: EMPTY_AZURE,
    backends,
  });
  return {
    services: [...outcomes].map(([service, outcome]) => {
      if (outcome.kind === 'refuse')
        return { service, refused: outcome.refusal.code, because: outcome.refusal.message };
      return {
        service,
        outcome: outcome.kind,
        ...(outcome.kind === 'serve' ? { on: outcome.target.loadBalancer } : {}),
      };
    }),
    writes: writes.map((write) => ({ call: callOf(write), ...('body' in write ? { body: write.body } : {}) })),
  };
}

describe('what local Services come to in Azure', () => {
  const folder = new GoldenFolder(new URL('testdata/', import.meta.url));

  it.each(folder.names)('%s', async (name) => {
    const { actual, expected } = await folder.pair(name, translate);
    expect(actual).toBe(expected);
  });
});
