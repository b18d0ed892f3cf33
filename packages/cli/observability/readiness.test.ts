import { expect, it } from 'vitest';
import { ReadinessBoard } from './readiness.ts';

it('all are ready when the last of them is, and not before', async () => {
  const board = new ReadinessBoard();
  const [one, two] = [board.add('one'), board.add('two')];
  const told: string[] = [];
  void board.allReady.then(() => told.push('all'));
  one.set({ ready: true });
  await Promise.resolve();
  expect(told).toEqual([]);
  expect(board.overall).toEqual({ ready: false, reason: 'two: starting' });
  two.set({ ready: true });
  await Promise.resolve();
  expect(told).toEqual(['all']);
});
