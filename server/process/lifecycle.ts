import pg from 'pg';
import type { Logger } from 'pino';
import { isUnreachable, isUntrusted } from '../database/errors.ts';
import { allTaken, outliveReaders } from '../observability/output.ts';
import { redactText } from '../observability/redact.ts';
import { CannotStart } from '../shared/cannot-start.ts';
import { messageOf } from '../shared/message-of.ts';

/** Milliseconds after which a stop is aborted, in addition to a drain: more than it waits for work on tokens. */
const STOP_WITHIN = 11_500;

/**
 * Milliseconds within which further signals are ignored: one Ctrl-C under npm arrives twice, from the terminal and from
 * npm.
 */
const ONE_KEYSTROKE = 1_000;

/** Runs a service process to its end: exit code 0, or 1 with the reason on standard error. */
export async function runProgram(main: () => Promise<void>): Promise<never> {
  outliveReaders();
  let code = 0;
  try {
    await main();
  } catch (error) {
    process.stderr.write(explainStart(error));
    code = 1;
  }
  await allTaken();
  process.exit(code);
}

/**
 * Logs a rejection that nobody waited for. By default it would end the process and every other request in it, as a
 * library can make happen that reads something between two calls that fail.
 */
export function outliveRejections(log: Logger): void {
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a rejection was not handled'));
}

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP (the terminal was closed), with its name. A second one ends the
 * process as soon as what must not be lost is done; a third one, or a stop that hangs, at once.
 *
 * @param drainMillis the longest that a drain before the stop takes
 * @param last what must not be lost
 */
export function untilStopped(
  log: Logger,
  drainMillis = 0,
  last: (signal: NodeJS.Signals) => Promise<unknown> = async () => undefined,
): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let heard = 0;
    let heardAt = Number.NEGATIVE_INFINITY;
    const onSignal = (signal: NodeJS.Signals) => {
      if (performance.now() - heardAt <= ONE_KEYSTROKE) return;
      heardAt = performance.now();
      heard += 1;
      if (heard > 2) process.exit(1);
      log.info({ signal }, heard === 1 ? 'asked to stop' : 'asked to stop again');
      if (heard === 2) return void last(signal).finally(() => process.exit(1));
      setTimeout(() => {
        log.error('the stop took too long; cut short');
        process.exit(1);
      }, STOP_WITHIN + drainMillis).unref();
      resolve(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}

/** pg's message where the server asks for a password. */
const NO_PASSWORD = /^SASL: .*password must be a/;

/** The message for a failed start: one sentence when the reason is known, otherwise the redacted stack trace. */
export function explainStart(error: unknown): string {
  if (error instanceof CannotStart) return `${error.message}\n`;
  if (!(error instanceof Error)) return `${redactText(String(error))}\n`;
  if (isUntrusted(error)) {
    return `The certificate of the database is not accepted: ${redactText(error.message)} (sslmode and sslrootcert of DATABASE_URL, docs/deploying.md)\n`;
  }
  if (NO_PASSWORD.test(error.message)) return 'The database wants a password: DATABASE_URL has none.\n';
  if (isUnreachable(error)) return `The database cannot be reached: ${redactText(messageOf(error))}\n`;
  if (isForbidden(error) || isForbidden(error.cause)) {
    return `The role of DATABASE_URL may not do what castellan needs: ${redactText(error.message)}\n`;
  }
  const cause = error.cause instanceof Error ? `\nCaused by ${error.cause.stack}` : '';
  return `${redactText(`${error.stack ?? error.message}${cause}`)}\n`;
}

/** Whether the error is PostgreSQL's insufficient_privilege. */
function isForbidden(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42501';
}
