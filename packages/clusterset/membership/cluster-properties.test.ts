import { customResourceDefinitions } from '@fairlead/kube';
import { TestCluster } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { propertySteps, removeProperties } from './cluster-properties.ts';

const { signal } = new AbortController();
const member = { clusterset: 'blue', cluster: 'berlin' };

async function setUp(isServed: boolean) {
  const { client, clock } = new TestCluster();
  const value = { type: 'object', properties: { value: { type: 'string' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec: value } };
  if (isServed) {
    await client.create(customResourceDefinitions, {
      metadata: { name: 'clusterproperties.about.k8s.io' },
      spec: {
        group: 'about.k8s.io',
        scope: 'Cluster',
        names: { plural: 'clusterproperties', singular: 'clusterproperty', kind: 'ClusterProperty' },
        versions: [{ name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    });
    await clock.advance(1_000);
  }
  const join = async (one: typeof member) => {
    const steps = await propertySteps(client, one, signal);
    for (const step of steps) await step.run(signal);
    return steps.map(({ text }) => text);
  };
  return { client, join };
}

describe('the properties of a cluster', () => {
  it('say which cluster of which clusterset it is, in the version that it serves', async () => {
    const { client, join } = await setUp(true);
    expect(await join(member)).toEqual([
      'create ClusterProperty cluster.clusterset.k8s.io of this cluster: berlin',
      'create ClusterProperty clusterset.k8s.io of this cluster: blue',
    ]);
    expect(await join(member)).toEqual([]);
    const removals = await removeProperties(client, signal);
    for (const step of removals) await step.run(signal);
    expect(removals).toHaveLength(2);
    expect(await removeProperties(client, signal)).toEqual([]);
  });

  it('are refused where the cluster has another name', async () => {
    const { join } = await setUp(true);
    await join(member);
    await expect(join({ ...member, cluster: 'paris' })).rejects.toThrow(
      'the ClusterProperty cluster.clusterset.k8s.io of this cluster is "berlin", and not "paris"',
    );
  });

  it('are left out where the cluster does not serve them', async () => {
    const { client, join } = await setUp(false);
    expect(await join(member)).toEqual([]);
    expect(await removeProperties(client, signal)).toEqual([]);
  });
});
