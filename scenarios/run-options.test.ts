import { describe, expect, it } from 'vitest';
import { parseOptions } from './run-options.ts';

const parse = (line: string) => parseOptions(line.split(' ').filter((word) => word !== ''));

describe('the options of a run', () => {
  it('have sensible defaults', () => {
    expect(parse('kube')).toEqual({
      scenario: 'kube',
      from: 1,
      all: false,
      json: false,
      shrink: false,
      history: false,
      help: false,
    });
  });

  it('take numbers and switches', () => {
    expect(parse('kube --seeds 2000 --from 7 --jobs 2 --json')).toMatchObject({
      seeds: 2000,
      from: 7,
      jobs: 2,
      json: true,
    });
    expect(parse('kube --seed 0 --shrink --history')).toMatchObject({ seed: 0, shrink: true, history: true });
    expect(parse('--all --seeds 300')).toMatchObject({ all: true, seeds: 300 });
  });

  it.each([
    ['kube --seeds many', '--seeds many: write a whole number, 1 or more'],
    ['kube --seeds 0', 'write a whole number, 1 or more'],
    ['kube --seed=-3', '--seed -3: write a whole number, 0 or more'],
    ['kube election', 'one scenario at a time, or --all: leave out election'],
    ['--all kube', '--all runs every scenario: leave out kube'],
    ['kube --shrink', '--shrink is about one seed: add --seed N'],
    ['kube --history', '--history is about one seed: add --seed N'],
    ['kube --seed 1 --seeds 5', 'leave out one'],
    ['kube --colour', "Unknown option '--colour'"],
  ])('say what is wrong with «%s»', (line, message) => {
    expect(() => parse(line)).toThrow(message);
  });
});
