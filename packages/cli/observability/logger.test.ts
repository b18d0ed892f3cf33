import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { runCommand } from '../../../scripts/run-command.ts';
import { paletteFor } from '../render/palette.ts';
import { createLogger, openLog } from './logger.ts';
import { readableLine } from './readable-line.ts';

it('tells what is wrong with an error, however it is logged', () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  logger.error({ error: new TypeError('a defect') }, 'failed');
  logger.child({ part: 'gateway' }).warn({ error: 'no route' }, 'failed');
  const [defect, words] = lines.map((line): unknown => JSON.parse(line));
  expect(defect).toMatchObject({ error: { error: 'a defect', stack: expect.stringContaining('logger.test') } });
  expect(words).toMatchObject({ part: 'gateway', error: 'no route' });
});

it('has levels as words', () => {
  const lines: string[] = [];
  createLogger('info', { write: (line) => void lines.push(line) }).warn({}, 'careful');
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([{ level: 'warn', msg: 'careful' }]);
});

it('is readable on a terminal', () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(readableLine(line)) });
  logger.child({ part: 'gateway' }).info({ object: 'shop/web', reason: 'Ensured It' }, 'Reachable at 192.0.2.1.');
  expect(lines.join('')).toMatch(
    /^\d\d:\d\d:\d\dZ info  Reachable at 192\.0\.2\.1\. part=gateway object=shop\/web reason="Ensured It"\n$/,
  );
});

it('quotes a field of which it would be unclear where it ends', () => {
  const fields = { plain: 'a-b', selector: 'app=web', said: 'a "b"', count: 2 };
  expect(readableLine(JSON.stringify({ msg: 'found', ...fields }))).toContain(
    'found plain=a-b selector="app=web" said="a \\"b\\"" count=2\n',
  );
});

it('moves nothing on a terminal, whatever a tenant wrote', () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(readableLine(line)) });
  logger.info({ reason: '\u001b[2J\u009b1A\u202e', other: 'a b\u009b' }, 'refused: \u001b[2J\nforged');
  expect(lines.join('')).toMatch(
    /^\S+ info {2}refused: \\u001b\[2J forged reason=\\u001b\[2J\\u009b1A\\u202e other="a b\\u009b"\n$/,
  );
});

it('has no colours but its own', () => {
  const palette = paletteFor(true, {});
  const line = JSON.stringify({ level: 'warn', msg: 'refused\u001b[32m', reason: '\u001b[32mfine' });
  const own = `${palette.careful('warn ')} refused\\u001b[32m ${palette.faint('reason=\\u001b[32mfine')}`;
  expect(readableLine(line, palette)).toBe(` ${own}\n`);
});

it('is opened once, however often a command that is watched looks', () => {
  const before = process.listenerCount('exit');
  for (let look = 0; look < 20; look += 1) openLog('error');
  expect(process.listenerCount('exit')).toBeLessThanOrEqual(before + 1);
});

it('is JSON where no person looks, and tells a hundred equal warnings as one with a count', async () => {
  const logger = pathToFileURL(join(import.meta.dirname, 'logger.ts')).href;
  const program = `
    import { openLog } from '${logger}';
    const log = openLog('info');
    for (let time = 0; time < 100; time += 1) log.warn({ code: 'timeout' }, 'the cloud is silent');
    process.exit();`;
  const { stderr } = await runCommand(process.execPath, ['--input-type=module', '--eval', program]);
  const lines = stderr
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(lines).toMatchObject([
    { level: 'warn', msg: 'the cloud is silent', code: 'timeout' },
    { level: 'warn', msg: 'the cloud is silent', code: 'timeout', count: 99 },
  ]);
});
