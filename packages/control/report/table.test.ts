import { expect, it } from 'vitest';
import { renderTable } from './table.ts';

it('lines up columns, and leaves nothing behind the last cell', () => {
  const rows = [
    ['NAME', 'PORTS', 'STATE'],
    ['a-long-name', 'TCP/80', ''],
    ['b', '', 'free'],
  ];
  expect(renderTable(rows)).toEqual([
    'NAME         PORTS   STATE', //
    'a-long-name  TCP/80',
    'b                    free',
  ]);
});
