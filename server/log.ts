import { type Logger, pino } from 'pino';
import { redactText } from './redact.ts';

/** Structured logs on standard output, one JSON object a line; errors are scrubbed of tokens. */
export function createLog(level: string, destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: null,
    serializers: { err: describeError },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  return destination === undefined ? pino(options) : pino(options, destination);
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
