import { requireIpAddress } from '@fairlead/control';
import { expect, it } from 'vitest';
import { queryFor } from '../testing/queries.ts';
import { Query } from '../wire/index.ts';
import { NameTable } from './name-table.ts';
import { FIXED, type RecordSet } from './record-set.ts';

const SEED = 42;
const ZONE = 'clusterset.local';
const sets: readonly RecordSet[] = [
  { type: 'A', seconds: 5, records: [{ type: 'A', address: requireIpAddress('10.1.0.1') }], order: FIXED },
];

it('finds every one of many names, and none that is gone', () => {
  const table = new NameTable(ZONE, SEED);
  const query = new Query(SEED);
  const isThere = (name: string) => {
    const bytes = queryFor(name.toUpperCase());
    query.read(bytes);
    return table.find(query, bytes) !== undefined;
  };
  const names = Array.from({ length: 5_000 }, (_, index) => `web-${index}.shop-${index % 50}.svc.${ZONE}`);
  for (const name of names) table.set(name, sets);
  expect(names.filter((name) => !isThere(name))).toEqual([]);
  expect([isThere(`web-5000.shop-0.svc.${ZONE}`), isThere(`shop-7.svc.${ZONE}`)]).toEqual([false, true]);
  const gone = names.filter((_, index) => index % 50 < 25);
  for (const name of gone) table.set(name, undefined);
  expect(names.filter(isThere)).toEqual(names.filter((name) => !gone.includes(name)));
  expect([isThere(`shop-7.svc.${ZONE}`), isThere(`shop-30.svc.${ZONE}`), table.size]).toEqual([false, true, 2_500]);
  for (const name of names) table.set(name, undefined);
  expect([names.some(isThere), isThere(ZONE), table.size]).toEqual([false, false, 0]);
});
