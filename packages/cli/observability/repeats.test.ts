import { type LogFields, type Logger, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { type RepeatRule, Repeats } from './repeats.ts';

function world(rule: RepeatRule) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const printing = (level: string, inherited: LogFields): Logger['warn'] => {
    return (fields, message) => void lines.push(`${level} ${message} ${JSON.stringify({ ...inherited, ...fields })}`);
  };
  const loggerWith = (inherited: LogFields): Logger => ({
    debug: printing('debug', inherited),
    info: printing('info', inherited),
    warn: printing('warn', inherited),
    error: printing('error', inherited),
    child: (fields) => loggerWith({ ...inherited, ...fields }),
  });
  const repeats = new Repeats(clock, rule);
  return { clock, lines, repeats, logger: repeats.before(loggerWith({})) };
}

describe('a hundred equal warnings', () => {
  it('are one at once, and one with a count each time the window is over', async () => {
    const { clock, lines, logger } = world({ windowMilliseconds: 60_000 });
    for (let time = 0; time < 100; time += 1) {
      logger.warn({ code: 'timeout' }, 'the cloud is silent');
      await clock.advance(1_000);
    }
    await clock.advance(120_000);
    expect(lines).toEqual([
      'warn the cloud is silent {"code":"timeout"}',
      'warn the cloud is silent {"code":"timeout","count":59}',
      'warn the cloud is silent {"code":"timeout","count":40}',
    ]);
    logger.warn({ code: 'timeout' }, 'the cloud is silent');
    expect(lines).toHaveLength(4);
  });

  it('of different objects are told together', async () => {
    const { clock, lines, logger } = world({ windowMilliseconds: 1_000, apartFrom: 'object' });
    for (let index = 0; index < 48; index += 1) logger.warn({ object: `shop/web-${index}` }, 'Holding back.');
    logger.error({ object: 'shop/web-1' }, 'Holding back.');
    await clock.advance(1_000);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe('warn Holding back. {"object":"shop/web-0"}');
    expect(lines[2]).toMatch(/^warn Holding back\. \{"object":\["shop\/web-1",.*"shop\/web-47"\],"count":47\}$/);
  });

  it('of very many objects are several lines, with the name of each in one of them', async () => {
    const { clock, lines, logger } = world({ windowMilliseconds: 1_000, apartFrom: 'object' });
    for (let index = 0; index < 250; index += 1) logger.warn({ object: `shop/web-${index}` }, 'Refused.');
    await clock.advance(1_000);
    expect(lines.map((line) => /"count":(\d+)/.exec(line)?.[1])).toEqual([undefined, '100', '100', '49']);
    const named = lines.flatMap((line) => line.match(/shop\/web-\d+/g) ?? []);
    expect(new Set(named).size).toBe(250);
    expect(named).toHaveLength(250);
  });

  it('are no fewer than they are where they differ, or are not warnings', async () => {
    const { clock, lines, logger } = world({ windowMilliseconds: 1_000, apartFrom: 'object' });
    for (const port of [80, 443]) logger.warn({ port }, 'taken');
    for (const part of ['gateway', 'dns']) logger.child({ part }).warn({}, 'stopped');
    for (const object of ['a', 'b']) logger.info({ object }, 'Reachable.');
    for (const error of [new Error('one'), new Error('two')]) logger.error({ error }, 'failed');
    expect(lines).toHaveLength(8);
    for (const object of ['late', 'later']) logger.warn({ object }, 'refused');
    await clock.advance(1_000);
    expect(lines.slice(8)).toEqual(['warn refused {"object":"late"}', 'warn refused {"object":"later"}']);
  });

  it('are not lost when the process ends', () => {
    const { lines, logger, repeats } = world({ windowMilliseconds: 1_000 });
    for (let index = 0; index < 3; index += 1) logger.warn({}, 'silent');
    repeats.flush();
    expect(lines).toEqual(['warn silent {}', 'warn silent {"count":2}']);
  });
});
