import { errorFields, type LogFields, type Logger } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { destination, type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { paletteFor } from '../render/palette.ts';
import { readableLine } from './readable-line.ts';
import { Repeats } from './repeats.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const opened = new Map<LogLevel, Logger>();

/**
 * The log of a program that runs: on standard error, so that standard output stays for what a command was asked. A
 * terminal gets lines for people, everything else JSON. A command that is watched asks for it at every look.
 */
export function openLog(level: LogLevel): Logger {
  const log = opened.get(level) ?? openNew(level);
  opened.set(level, log);
  return log;
}

function openNew(level: LogLevel): Logger {
  const output = destination({ fd: 2, sync: true });
  const palette = paletteFor(process.stderr.isTTY, process.env);
  const lines = { write: (line: string) => output.write(readableLine(line, palette)) };
  return withoutRepeats(createLogger(level, process.stderr.isTTY ? lines : output));
}

/** The same line again and again is told once a minute; one about many objects at once is told of all together. */
function withoutRepeats(logger: Logger): Logger {
  const ofMany = new Repeats(systemClock, { windowMilliseconds: 1_000, apartFrom: 'object' });
  const again = new Repeats(systemClock, { windowMilliseconds: 60_000 });
  process.once('exit', () => {
    again.flush();
    ofMany.flush();
  });
  return again.before(ofMany.before(logger));
}

/** Structured lines, one for each message. */
export function createLogger(level: LogLevel, output: DestinationStream): Logger {
  // Of an Error, JSON shows nothing.
  const serializers = { error: (value: unknown) => (value instanceof Error ? errorFields(value) : value) };
  const formatters = { level: (label: string) => ({ level: label }) };
  return adapt(pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers, formatters }, output));
}

function adapt(logger: PinoLogger): Logger {
  return {
    debug: (fields: LogFields, message: string) => logger.debug(fields, message),
    info: (fields: LogFields, message: string) => logger.info(fields, message),
    warn: (fields: LogFields, message: string) => logger.warn(fields, message),
    error: (fields: LogFields, message: string) => logger.error(fields, message),
    child: (fields: LogFields) => adapt(logger.child(fields)),
  };
}
