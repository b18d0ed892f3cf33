import { errorFields, type LogFields, type Logger } from '@fairlead/control';
import { destination, type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

/** Structured lines on standard error, so that standard output stays for what a command was asked. */
export function createLogger(
  level: 'debug' | 'info' | 'warn' | 'error',
  output: DestinationStream = destination({ fd: 2, sync: true }),
): Logger {
  // Of an Error, JSON shows nothing.
  const serializers = { error: (value: unknown) => (value instanceof Error ? errorFields(value) : value) };
  return adapt(pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, output));
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
