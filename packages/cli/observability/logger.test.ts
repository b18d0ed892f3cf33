import { expect, it } from 'vitest';
import { createLogger } from './logger.ts';

it('tells what is wrong with an error, however it is logged', () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  logger.error({ error: new TypeError('a defect') }, 'failed');
  logger.child({ part: 'gateway' }).warn({ error: 'no route' }, 'failed');
  const [defect, words] = lines.map((line): unknown => JSON.parse(line));
  expect(defect).toMatchObject({ error: { error: 'a defect', stack: expect.stringContaining('logger.test') } });
  expect(words).toMatchObject({ part: 'gateway', error: 'no route' });
});
