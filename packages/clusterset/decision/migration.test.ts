import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import type { ServiceImport } from '../mcs/types.ts';
import { OLDER_COPY } from '../records/marks.ts';
import { type MigrationView, migrationOf } from './migration.ts';
import { testSettings } from '../testing/test-settings.ts';
import { describeWrite } from './write.ts';

const settings = { ...testSettings, older: { ...testSettings.older, clusters: ['old', 'own'] } };

/** As the older software of a cluster makes it. */
function older(namespace: string, cluster: string, changes: { labels?: object; ips?: readonly string[] } = {}) {
  const labels = {
    'lighthouse.submariner.io/sourceCluster': cluster,
    'lighthouse.submariner.io/sourceName': 'web',
    'lighthouse.submariner.io/sourceNamespace': 'shop',
    ...changes.labels,
  };
  const metadata = { namespace, name: `web-shop-${cluster}`, labels, resourceVersion: '1' };
  const ports = [{ name: 'http', protocol: 'TCP', port: 80 }] as const;
  const one: ServiceImport = { metadata, spec: { type: 'ClusterSetIP', ports, ips: changes.ips ?? ['10.9.0.1'] } };
  return one;
}
const atBroker = (cluster: string, changes = {}) => older('older-broker', cluster, changes);
const left = (cluster: string) => older('older', cluster);
const copy = (cluster: string) => older('older', cluster, { labels: OLDER_COPY });
const service: Service = {
  metadata: { namespace: 'shop', name: 'web' },
  spec: { clusterIP: '10.9.0.1', ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
};

function planned(view: Partial<MigrationView>) {
  const { writes, refused } = migrationOf(
    {
      atBroker: [],
      local: [],
      hasNamespace: () => true,
      isUpgraded: () => false,
      exported: () => service,
      ...view,
    },
    settings,
  );
  const texts = writes.map((write) => [describeWrite(write), ...write.preconditions.map(({ is }) => is)].join(' '));
  return [...texts, ...refused];
}

describe('the migration', () => {
  it('keeps a local copy of what a cluster that is not upgraded exports', () => {
    expect(planned({ atBroker: [atBroker('old')] })).toEqual(['create ServiceImport older/web-shop-old']);
    expect(planned({ atBroker: [atBroker('old')], local: [copy('old')] })).toEqual([]);
    const moved = atBroker('old', { ips: ['10.9.0.2'] });
    expect(planned({ atBroker: [moved], local: [copy('old')] })).toEqual(['update ServiceImport older/web-shop-old']);
  });

  it('removes the local copy when the cluster stands behind the aggregate, marking what is not ours first', () => {
    const isUpgraded = () => true;
    const view = { atBroker: [atBroker('old')], isUpgraded };
    expect(planned({ ...view, local: [left('old')] })).toEqual(['update ServiceImport older/web-shop-old']);
    expect(planned({ ...view, local: [copy('old')] })).toEqual(['delete ServiceImport older/web-shop-old']);
    expect(planned(view)).toEqual([]);
  });

  it('removes a copy whose original is gone, when the broker says so', () => {
    expect(planned({ local: [copy('old')] })).toEqual(['delete ServiceImport older/web-shop-old absent']);
  });

  it('keeps our own import true while a copy is left, takes it off the broker afterwards, and creates none', () => {
    const stale = atBroker('own', { ips: ['10.9.0.8'] });
    const view = { atBroker: [atBroker('old'), stale], local: [copy('old')] };
    expect(planned(view)).toEqual(['update ServiceImport older-broker/web-shop-own at the broker']);
    expect(planned({ ...view, atBroker: [atBroker('old'), atBroker('own')] })).toEqual([]);
    expect(planned({ atBroker: [stale] })).toEqual(['update ServiceImport older-broker/web-shop-own at the broker']);
    const marked = atBroker('own', { labels: OLDER_COPY });
    expect(planned({ atBroker: [marked] })).toEqual(['delete ServiceImport older-broker/web-shop-own at the broker']);
    expect(planned({ atBroker: [atBroker('old')], local: [copy('old')] })).toEqual([]);
  });

  it('believes no cluster that was not named, no other namespace, and touches nothing of theirs', () => {
    expect(planned({ atBroker: [atBroker('forged')], local: [left('forged')] })).toEqual([]);
    expect(planned({ atBroker: [older('shop', 'old')], local: [older('shop', 'old')] })).toEqual([]);
  });

  it('copies nothing into a clusterset without its namespace, and no special addresses', () => {
    expect(planned({ atBroker: [atBroker('old')], hasNamespace: () => false })).toEqual([]);
    const evil = atBroker('old', { ips: ['127.0.0.1'] });
    const reason = 'older-broker/web-shop-old: 127.0.0.1 is a loopback address';
    expect(planned({ atBroker: [evil] })).toEqual([reason]);
    expect(planned({ atBroker: [evil], local: [copy('old')] })).toEqual([reason]);
  });
});
