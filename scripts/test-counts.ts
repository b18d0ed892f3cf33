export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

/** The counts in what Vitest's JSON reporter wrote. A file that failed before its first test counts as one failure. */
export function readTestCounts(report: unknown): TestCounts {
  const [passed, failed] = [numberField(report, 'numPassedTests'), numberField(report, 'numFailedTests')];
  const files = field(report, 'testResults');
  if (passed === undefined || failed === undefined || !Array.isArray(files)) {
    throw new TypeError('not a report of the JSON reporter');
  }
  return { passed, failed: failed + files.filter(failedBeforeItsTests).length };
}

function failedBeforeItsTests(file: unknown): boolean {
  const tests = field(file, 'assertionResults');
  return (
    field(file, 'status') === 'failed' &&
    Array.isArray(tests) &&
    !tests.some((test) => field(test, 'status') === 'failed')
  );
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function numberField(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === 'number' ? found : undefined;
}
