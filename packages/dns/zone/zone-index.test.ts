import { type ServiceImport, SERVICE_NAME, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import type { EndpointSlice } from '@fairlead/kube';
import { encode } from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Query, RECORD_TYPES } from '../wire/index.ts';
import { answersOf, NameTable } from './name-table.ts';
import type { RecordSet } from './record-set.ts';
import type { ZoneSettings } from './settings.ts';
import { serviceRecords } from './service-records.ts';
import { ZoneIndex } from './zone-index.ts';

const settings: ZoneSettings = {
  zone: 'clusterset.local',
  cluster: 'a',
  seconds: 5,
  clusterSpecificNames: true,
  weights: new Map(),
  olderClusters: ['b'],
  olderNamespace: 'old',
  nameServerAddresses: [],
  serial: 1,
};

const port = { name: 'http', port: 80, protocol: 'TCP' } as const;

function serviceImport(name: string, type: 'ClusterSetIP' | 'Headless', older: boolean): ServiceImport {
  const labels = {
    'lighthouse.submariner.io/sourceCluster': 'b',
    'lighthouse.submariner.io/sourceName': name,
    'lighthouse.submariner.io/sourceNamespace': 'shop',
  };
  const metadata = older ? { namespace: 'old', name: `${name}-shop-b`, labels } : { namespace: 'shop', name };
  return { metadata, spec: { type, ports: [port], ...(older && { ips: ['10.77.0.1'] }) } };
}

function slice(name: string, cluster: string, suffix: number, hosts: readonly number[]): EndpointSlice {
  return {
    metadata: {
      namespace: 'shop',
      name: `${name}.${suffix}.${cluster}`,
      labels: { [SERVICE_NAME]: name, [SOURCE_CLUSTER]: cluster },
    },
    addressType: 'IPv4',
    endpoints: hosts.map((host) => ({
      addresses: [`10.0.${suffix}.${host}`],
      conditions: { ready: host % 3 !== 0 },
      ...(host % 2 === 0 && { hostname: `host-${host}` }),
    })),
    ports: [port],
  };
}

const service = fc.constantFrom('web', 'mail');
const anImport = fc
  .tuple(service, fc.constantFrom('ClusterSetIP' as const, 'Headless' as const), fc.boolean())
  .map(([name, type, older]) => serviceImport(name, type, older));
const aSlice = fc
  .tuple(service, fc.constantFrom('a', 'b', 'c.d', 'Not_One'), fc.nat(2), fc.uniqueArray(fc.nat(6), { maxLength: 4 }))
  .map(([name, cluster, suffix, hosts]) => slice(name, cluster, suffix, hosts));
type Change =
  | { readonly kind: 'set import' | 'remove import'; readonly object: ServiceImport }
  | { readonly kind: 'set slice' | 'remove slice'; readonly object: EndpointSlice };
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom('set import' as const, 'remove import' as const), object: anImport }),
  fc.record({ kind: fc.constantFrom('set slice' as const, 'remove slice' as const), object: aSlice }),
);

function make(index: ZoneIndex, one: Change): void {
  switch (one.kind) {
    case 'set import':
      return index.setImport(one.object);
    case 'remove import':
      return index.removeImport(one.object);
    case 'set slice':
      return index.setSlice(one.object);
    case 'remove slice':
      return index.removeSlice(one.object);
  }
}

class Written {
  readonly names = new Map<string, readonly RecordSet[]>();
  set(name: string, sets: readonly RecordSet[] | undefined): void {
    if (sets === undefined) this.names.delete(name);
    else this.names.set(name, sets);
  }
}

const SEED = 42;
const query = new Query(SEED);

function find(table: NameTable, name: string) {
  const bytes = encode({ type: 'query', questions: [{ type: 'A', name }] });
  query.read(bytes);
  return table.find(query, bytes);
}

describe('the index of the zone', () => {
  it('is the same whether it followed all changes or began with their result', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(change, fc.option(fc.nat(12))), { maxLength: 40 }), (changes) => {
        const followed = new Written();
        const table = new NameTable(settings.zone, SEED);
        const index = new ZoneIndex(settings, {
          set: (name, sets) => {
            followed.set(name, sets);
            table.set(name, sets);
          },
        });
        const left = new Map<string, Change>();
        // One walk after the other, each in pieces between which objects change.
        let steps = index.steps();
        for (const [one, names] of changes) {
          make(index, one);
          for (let step = 0; step < (names ?? 0); step += 1) if (steps.next().done === true) steps = index.steps();
          const { namespace, name } = one.object.metadata;
          const key = `${one.kind.endsWith('import')} ${namespace}/${name}`;
          if (one.kind.startsWith('set')) left.set(key, one);
          else left.delete(key);
        }
        while (steps.next().done !== true);
        index.flush();

        const fresh = new Written();
        const begun = new ZoneIndex(settings, fresh);
        for (const one of [...left.values()].toReversed()) make(begun, one);
        begun.flush();
        expect(Object.fromEntries(followed.names)).toEqual(Object.fromEntries(fresh.names));
        expect(index.services).toBe(begun.services);

        // The table has these names and all above them, and no others.
        const all = new Set<string>();
        for (const name of fresh.names.keys()) {
          for (let above = name; above.endsWith(settings.zone); above = above.slice(above.indexOf('.') + 1))
            all.add(above);
        }
        for (const name of all) {
          const found = find(table, name);
          const types = found === undefined ? undefined : answersOf(found).map(({ type }) => type);
          expect(types).toEqual((fresh.names.get(name) ?? []).map(({ type }) => RECORD_TYPES[type]));
          expect(found?.isSet).toBe(fresh.names.has(name));
        }
        expect(table.size).toBe(fresh.names.size);
        for (const [one] of changes) {
          const name = `${one.object.metadata.name}.shop.svc.clusterset.local`;
          expect(find(table, name) !== undefined).toBe(all.has(name));
        }
      }),
    );
  });

  it('replaces nothing but the names that an endpoint is behind', () => {
    const table = new NameTable(settings.zone, SEED);
    const index = new ZoneIndex(settings, table);
    for (const name of ['web', 'mail']) {
      index.setImport(serviceImport(name, 'Headless', false));
      for (const [at, cluster] of ['a', 'b', 'c'].entries()) index.setSlice(slice(name, cluster, at, [1, 2, 4]));
    }
    index.flush();
    const before = table.replaced;
    index.setSlice(slice('web', 'b', 1, [1, 2]));
    index.flush();
    // A and SRV of web, and of b.web; SRV of _http._tcp.web, and of _http._tcp.b.web; host-4 is gone.
    expect(table.replaced - before).toBe(6);
    index.setSlice(slice('web', 'b', 1, [1, 2]));
    index.flush();
    expect(table.replaced - before).toBe(6);
  });

  it('stops after each name, so that queries can be answered between any two', () => {
    const written = new Written();
    const index = new ZoneIndex(settings, written);
    for (const name of ['x', 'y']) {
      index.setImport(serviceImport(name, 'Headless', false));
      index.setSlice(slice(name, 'a', 0, [1, 2, 4, 5]));
    }
    let size = written.names.size;
    let records = 0;
    for (const looked of index.steps()) {
      expect(written.names.size - size).toBeLessThanOrEqual(1);
      size = written.names.size;
      records += looked;
    }
    expect(written.names.has('host-4.a.y.shop.svc.clusterset.local')).toBe(true);
    // 28 records are made, and then set, at eight names; and each Service counts.
    expect(records).toBe(2 * (28 + 28 + 8 + 1));
  });

  it('leaves the names of a Service as they were whose objects cannot be read, and goes on with all others', () => {
    const written = new Written();
    const unreadable: string[] = [];
    const index = new ZoneIndex(settings, written, (service) => unreadable.push(service));
    for (const name of ['x', 'y']) {
      index.setImport(serviceImport(name, 'Headless', false));
      index.setSlice(slice(name, 'a', 0, [1]));
    }
    index.flush();
    const { endpoints: _, ...rest } = slice('x', 'a', 0, [1]);
    index.setSlice({
      ...rest,
      get endpoints(): never {
        throw new Error('odd');
      },
    });
    index.setSlice(slice('y', 'a', 0, [1, 4]));
    index.flush();
    expect(unreadable).toEqual(['shop/x']);
    expect(written.names.has('x.shop.svc.clusterset.local')).toBe(true);
    expect(written.names.has('host-4.a.y.shop.svc.clusterset.local')).toBe(true);
    index.setSlice(slice('x', 'a', 0, [1, 4]));
    index.flush();
    expect(written.names.has('host-4.a.x.shop.svc.clusterset.local')).toBe(true);
  });

  it('comes to an end, though a Service never stands still', () => {
    const index = new ZoneIndex(settings, new Written());
    index.setImport(serviceImport('x', 'ClusterSetIP', false));
    let steps = 0;
    for (const _ of index.steps()) {
      index.setSlice(slice('x', 'a', 0, [steps]));
      steps += 1;
      if (steps === 100) break;
    }
    expect(steps).toBeLessThan(100);
    expect(index.isInStep).toBe(false);
  });

  it('has 4,000 slices of a Service at most, and others when some of these go', () => {
    const index = new ZoneIndex(settings, new Written());
    const many = Array.from({ length: 4_100 }, (_, at) => {
      const one = slice('x', `c${at}`, 0, [1]);
      return { ...one, metadata: { ...one.metadata, name: `x-${at}` } };
    });
    index.setImport(serviceImport('x', 'Headless', false));
    for (const one of many) index.setSlice(one);
    const names = () => index.view('shop', 'x')?.slices.map(({ metadata }) => metadata.name) ?? [];
    expect(names()).toHaveLength(4_000);
    const view = index.view('shop', 'x');
    expect(view === undefined ? [] : serviceRecords(view, settings).leftOut).toEqual([
      '100 EndpointSlices: they are more than 4000',
    ]);
    for (const one of [...many.slice(0, 150), ...many.slice(4_050)]) index.removeSlice(one);
    expect(names().toSorted()).toEqual(
      many
        .slice(150, 4_050)
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    );
    expect(index.view('shop', 'x')?.slicesBeyond).toBe(0);
    for (const one of many) index.removeSlice(one);
    index.removeImport(serviceImport('x', 'Headless', false));
    index.flush();
    expect(index.services).toBe(0);
  });
});
