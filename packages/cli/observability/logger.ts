import type { LogFields, Logger } from '@fairlead/control';
import { destination, type Logger as PinoLogger, pino } from 'pino';

/** Structured lines on standard error, so that standard output stays for what a command was asked. */
export function createLogger(level: 'debug' | 'info' | 'warn' | 'error'): Logger {
  const root = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    destination({ fd: 2, sync: true }),
  );
  return adapt(root);
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
