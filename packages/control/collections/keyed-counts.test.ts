import { expect, it } from 'vitest';
import { KeyedCounts } from './keyed-counts.ts';

it('counts by key, and all together', () => {
  const connections = new KeyedCounts<string>();
  expect(connections.get('10.0.0.1')).toBe(0);
  expect(connections.add('10.0.0.1', 1)).toBe(1);
  expect(connections.add('10.0.0.1', 1)).toBe(2);
  expect(connections.add('10.0.0.2', 1)).toBe(1);
  expect(connections.total).toBe(3);
  expect(connections.add('10.0.0.1', -1)).toBe(1);
  expect(connections.add('10.0.0.1', -1)).toBe(0);
  expect(connections.get('10.0.0.1')).toBe(0);
  expect(connections.total).toBe(1);
});
