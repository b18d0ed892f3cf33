import { describe, expect, it } from 'vitest';
import { readTestCounts } from './test-counts.ts';

const test = (status: string) => ({ status, title: 'a test' });
const report = (passed: number, failed: number, ...testResults: unknown[]) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  testResults,
});

describe('readTestCounts', () => {
  it('takes the counts of the report', () => {
    const failing = { status: 'failed', assertionResults: [test('passed'), test('failed')] };
    expect(readTestCounts(report(1, 1, failing))).toEqual({ passed: 1, failed: 1 });
  });

  it('counts a file that could not be loaded, or whose hooks failed, as one failure', () => {
    const unloadable = { status: 'failed', assertionResults: [] };
    const hookFailed = { status: 'failed', assertionResults: [test('passed')] };
    expect(readTestCounts(report(1, 0, unloadable, hookFailed))).toEqual({ passed: 1, failed: 2 });
  });

  it('refuses what is not a report', () => {
    expect(() => readTestCounts({ success: true })).toThrow(TypeError);
  });
});
