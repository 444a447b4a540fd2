import type { Logger } from 'pino';
import { isUnreachable } from './database/errors.ts';
import { redactText } from './redact.ts';
import { SettingsError } from './settings.ts';
import { KeysRemoved } from './token/key-rotation.ts';

/** Why a start fails, in words that its operator can act on; told without a trace. */
export class CannotStart extends Error {}

/** A stop that takes longer than this is cut short. */
const STOP_WITHIN = 9_500;

/** A Ctrl-C under npm arrives twice, from the terminal and from npm; only a later one is impatience. */
const ONE_KEYSTROKE = 1_000;

/** Resolves at the first SIGINT or SIGTERM; a second one, or a stop that hangs, ends the process at once. */
export function untilStopped(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      if (askedAt !== undefined) {
        if (performance.now() - askedAt > ONE_KEYSTROKE) process.exit(1);
        return;
      }
      askedAt = performance.now();
      log.info({ signal }, 'asked to stop');
      setTimeout(() => {
        log.error('the stop took too long; cut short');
        process.exit(1);
      }, STOP_WITHIN).unref();
      resolve();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}

/** What the operator reads when a start fails: the plain reason where we know it, else the scrubbed trace. */
export function explainStart(error: unknown): string {
  if ([SettingsError, KeysRemoved, CannotStart].some((known) => error instanceof known)) {
    return `${(error as Error).message}\n`;
  }
  if (!(error instanceof Error)) return `${redactText(String(error))}\n`;
  if (isUnreachable(error)) return `The database cannot be reached: ${redactText(error.message)}\n`;
  const cause = error.cause instanceof Error ? `\nCaused by ${error.cause.stack}` : '';
  return `${redactText(`${error.stack ?? error.message}${cause}`)}\n`;
}
