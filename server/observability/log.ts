import { type Logger, pino } from 'pino';
import type { Settings } from '../config/settings.ts';
import { traceFields } from '../tracing/tracing.ts';
import { print } from './output.ts';
import { redactText } from './redact.ts';

interface Destination {
  write(line: string): void;
}

/**
 * The log of a process, on standard output: text for people where that is a terminal and not production, else JSON
 * lines; LOG_FORMAT chooses one of them.
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

/** Structured logs, one JSON object a line; errors are scrubbed of tokens. */
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

/** What a log line says of an error: never the parameters of a statement or a request's headers. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return redactText(String(error));
  return {
    type: error.name,
    message: redactText(error.message),
    ...('code' in error && { code: error.code }),
    stack: redactText(error.stack ?? ''),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
