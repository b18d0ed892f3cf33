const QUIET_MS = 2_000;
const EVERY_MS = 10_000;

export type Report = (line: string) => void;

export function reportToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** "1 package", "2 packages". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Runs `work`. Nothing is said about work that is quick; after two seconds a line says what is going on, and so does
 * another every ten seconds, and one at the end.
 */
export async function withProgress<Result>(
  what: string,
  detail: () => string,
  report: Report,
  work: () => Promise<Result>,
): Promise<Result> {
  const started = performance.now();
  let lines = 0;
  const say = (ending = ''): void => {
    const parts = [detail(), formatDuration(performance.now() - started)].filter((part) => part !== '');
    report(`${what}: ${parts.join(', ')}${ending}`);
    lines += 1;
  };
  let timer = setTimeout(function next() {
    say();
    timer = setTimeout(next, EVERY_MS);
  }, QUIET_MS);
  try {
    const result = await work();
    if (lines > 0) say(', done');
    return result;
  } finally {
    clearTimeout(timer);
  }
}
