import { expect, it } from 'vitest';
import { problemsOf } from './service-report.ts';

it('a Service that cannot be read is for the operator to see to', () => {
  expect(problemsOf({ unreadable: 0 })).toEqual([]);
  expect(problemsOf({ unreadable: 1 })[0]).toMatch(/^a Service cannot be read, /);
  expect(problemsOf({ unreadable: 3 })[0]).toMatch(/^3 Services cannot be read, /);
});
