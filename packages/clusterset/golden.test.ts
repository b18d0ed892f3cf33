import { GoldenFolder } from '@fairlead/control/testing';
import type { EndpointSlice, Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import type { ServiceExport } from './mcs/types.ts';
import { type Export, merge } from './merge/merge.ts';
import type { PortPolicy } from './merge/ports.ts';
import { exportedSlices } from './records/exported-slices.ts';
import { readLocalExport } from './records/local-export.ts';
import { recordLabels } from './records/marks.ts';
import { recordContent } from './records/record.ts';
import { trustRecord } from './records/trust.ts';

/** One cluster: its objects, and when the broker got its record. */
interface Member {
  readonly cluster: string;
  readonly since: string;
  readonly serviceExport: ServiceExport;
  readonly service?: Service;
  readonly slices?: readonly EndpointSlice[];
}

interface World {
  readonly portPolicy?: PortPolicy;
  readonly members: readonly Member[];
}

const rules = { clusterset: 'blue', brokerNamespace: 'broker', ownRanges: [] };

/** The way of an export: its cluster's record and slices, and what all clusters make of the records. */
function translate({ portPolicy, members }: World): unknown {
  const exports: Export[] = [];
  const clusters = members.map(({ cluster, since, serviceExport, service, slices = [] }) => {
    const local = readLocalExport(serviceExport, service, cluster, true);
    if (local.kind === 'invalid') return { cluster, valid: local.valid };
    const { namespace = '', name } = serviceExport.metadata;
    const key = { namespace, name };
    const content = recordContent(local.fields);
    const metadata = {
      name: `${name}.${namespace}`,
      namespace: `broker-m-${cluster}`,
      creationTimestamp: since,
      labels: recordLabels(key, 'blue', cluster),
      annotations: content.annotations,
    };
    const read = trustRecord({ metadata, spec: content.spec }, rules);
    if (read.kind === 'trusted') exports.push(read.value);
    return { cluster, record: content, slices: exportedSlices(local.service, slices) };
  });
  const { import: merged, verdicts } = merge(exports, portPolicy);
  return { clusters, import: merged, verdicts: Object.fromEntries(verdicts) };
}

function isWorld(document: unknown): document is World {
  return typeof document === 'object' && document !== null && 'members' in document;
}

describe('what a clusterset makes of exports', () => {
  const folder = new GoldenFolder(new URL('testdata/', import.meta.url));

  it.each(folder.names)('%s', async (name) => {
    const { actual, expected } = await folder.pair(name, async (documents) => {
      const [world] = documents.filter(isWorld);
      return world === undefined ? 'there is no world' : translate(world);
    });
    expect(actual).toBe(expected);
  });
});
