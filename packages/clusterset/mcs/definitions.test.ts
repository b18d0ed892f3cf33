import { customResourceDefinitions, isInvalid, type KubeObject, namespaces, statusOf } from '@fairlead/kube';
import { TestCluster } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import { mcsDefinitions } from './definitions.ts';
import { MCS_VERSIONS, type ServiceExport, type ServiceImport, serviceExports, serviceImports } from './types.ts';

async function served() {
  const cluster = new TestCluster();
  await cluster.client.create(namespaces, { metadata: { name: 'shop' } });
  for (const definition of mcsDefinitions) await cluster.client.create(customResourceDefinitions, definition);
  await cluster.clock.advance(1_000);
  return cluster.client;
}

const key = { namespace: 'shop', name: 'web' };

describe('the Multi-Cluster Services API', () => {
  it.each(MCS_VERSIONS)('takes exports in %s, and shows them in both versions', async (version) => {
    const client = await served();
    const exportedLabels = { team: 'blue' };
    await client.create<ServiceExport>(serviceExports(version), { metadata: key, spec: { exportedLabels } });
    const condition = { type: 'Conflict', status: 'True', reason: 'PortConflict,TypeConflict', message: '' } as const;
    const conditions = [{ ...condition, lastTransitionTime: '2026-11-15T12:00:00Z' }];
    await client.patchMerge<ServiceExport>(statusOf(serviceExports(version)), key, { status: { conditions } });
    for (const other of MCS_VERSIONS) {
      const { spec, status } = await client.get(serviceExports(other), key);
      expect({ spec, status }).toEqual({ spec: { exportedLabels }, status: { conditions } });
    }
  });

  it('keeps everything that an import can say', async () => {
    const client = await served();
    const spec: ServiceImport['spec'] = {
      type: 'ClusterSetIP',
      ports: [{ name: 'http', protocol: 'TCP', appProtocol: 'h2c', port: 80 }],
      ips: ['192.0.2.1'],
      ipFamilies: ['IPv4'],
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } },
      internalTrafficPolicy: 'Cluster',
      trafficDistribution: 'PreferClose',
    };
    const created = await client.create<ServiceImport>(serviceImports('v1beta1'), { metadata: key, spec });
    expect(created.spec).toEqual(spec);
    const status = { clusters: [{ cluster: 'a' }, { cluster: 'b' }] };
    const written = await client.update(statusOf(serviceImports('v1beta1')), { ...created, status });
    expect(written.status).toEqual(status);
  });

  it('refuses an import without a spec', async () => {
    const client = await served();
    const create = client.create<KubeObject>(serviceImports('v1beta1'), { metadata: key });
    await expect(create).rejects.toSatisfy(isInvalid);
  });

  it('refuses an import of a type that there is not', async () => {
    const client = await served();
    const body = { metadata: key, spec: { type: 'Anycast', ports: [] } };
    const create = client.create<KubeObjectOf>(serviceImports('v1beta1'), body);
    await expect(create).rejects.toSatisfy(isInvalid);
  });
});

/** What a client of no types sends. */
type KubeObjectOf = { readonly metadata: { readonly name: string }; readonly spec: object };
