import { describe, expect, it } from 'vitest';
import { serviceRecords } from './service-records.ts';
import { testSettings as settings } from '../testing/test-zone.ts';

describe('the records of a Service', () => {
  it('are of as many ports and addresses as a ServiceImport may have, and what is beyond is told', () => {
    const ports = Array.from({ length: 1_002 }, (_, at) => ({ name: `p${at}`, port: at + 1 }));
    const ips = Array.from({ length: 19 }, (_, at) => `10.96.0.${at + 1}`);
    const serviceImport = {
      metadata: { namespace: 'shop', name: 'db' },
      spec: { type: 'ClusterSetIP', ports, ips },
    } as const;
    const view = { namespace: 'shop', name: 'db', serviceImport, olderImports: [], slices: [] };
    const { names, leftOut } = serviceRecords(view, settings);
    const counts = names.get('db.shop.svc.clusterset.local')?.map(({ type, records }) => `${type} ${records.length}`);
    expect(counts).toEqual(['A 16', 'SRV 1000']);
    expect(leftOut).toEqual([
      '2 ports of the ServiceImport: they are more than 1000',
      '3 addresses of the ServiceImport: they are more than 16',
    ]);
  });
});
