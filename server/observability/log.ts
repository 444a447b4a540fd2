import { type Logger, pino } from 'pino';
import type { Settings } from '../config/settings.ts';
import { messageOf } from '../shared/message-of.ts';
import { traceFields } from '../tracing/tracing.ts';
import { print } from './output.ts';
import { redactText } from './redact.ts';

interface Destination {
  write(line: string): void;
}

/**
 * Opens the process's log on standard output: text in a terminal outside production, else JSON lines, unless LOG_FORMAT
 * says otherwise.
 */
export async function openLog({
  logLevel,
  logFormat,
  production,
}: Pick<Settings, 'logLevel' | 'logFormat' | 'production'>): Promise<Logger> {
  const forPeople = process.stdout.isTTY && !production ? 'pretty' : 'json';
  if ((logFormat ?? forPeople) === 'json') return createLog(logLevel);
  const { readableLog } = await import('./readable-log.ts');
  return createLog(logLevel, readableLog(print));
}

/** A structured logger, one JSON object per line; secrets are removed from errors. */
export function createLog(level: string, destination: Destination = { write: print }): Logger {
  const options = {
    level,
    base: null,
    serializers: { err: describeError },
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: traceFields,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  return pino(options, destination);
}

/** The fields of an error that are logged: never a statement's parameters or a request's headers. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return redactText(String(error));
  return {
    type: error.name,
    message: redactText(messageOf(error)),
    ...('code' in error && { code: error.code }),
    stack: redactText(error.stack ?? ''),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
