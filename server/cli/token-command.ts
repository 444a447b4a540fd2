/**
 * `npm run token`: manages permanent tokens with nothing but access to the database (D24), whether or not the service
 * runs. The JWT is the last line of standard output; everything else is written to standard error.
 */
import { loadSettings } from '../config/settings.ts';
import { createLog } from '../observability/log.ts';
import { outliveReaders } from '../observability/output.ts';
import { explainStart } from '../process/lifecycle.ts';
import { noStandIns, type StartStandIns } from '../process/stand-ins.ts';
import { CannotStart } from '../shared/cannot-start.ts';
import { readArguments } from './command-line.ts';

const USAGE = `npm run token                      print the permanent token of the built-in user (level 10)
npm run token -- --owner ID        … of another user, by character id
npm run token -- --list            list application tokens
npm run token -- --revoke UUID     delete a token with all that descend from it
npm run token -- --reissue UUID    sign an application token again with the present key

It does one of these at a time.
`;

const OPTIONS = {
  owner: { type: 'string' },
  list: { type: 'boolean' },
  revoke: { type: 'string' },
  reissue: { type: 'string' },
} as const;

async function tokenCommand(startStandIns: StartStandIns): Promise<void> {
  const given = readArguments(USAGE, { options: OPTIONS });
  if (given === undefined) return;
  const options = Object.keys(given.values);
  refuseSeveral(options);
  const log = createLog('silent');
  const purpose = options.length === 0 ? 'first-token' : 'token';
  const { settings, stop } = await startStandIns(loadSettings(), log, purpose);
  try {
    // Loading it takes most of the time; wrong settings and `--help` are handled before.
    const { manageTokens } = await import('./manage-tokens.ts');
    process.stdout.write(await manageTokens(settings, log, given.values));
  } finally {
    await stop();
  }
}

/** The options exclude each other: one of several would be done, and the others, such as a revocation, would not. */
function refuseSeveral(options: readonly string[]): void {
  if (options.length < 2) return;
  const named = options.map((option) => `--${option}`).join(' and ');
  throw new CannotStart(`${named} cannot be given together.\n\n${USAGE.trimEnd()}`);
}

/** `npm run token`; wrong arguments are reported without a stack trace. */
export function runTokenCommand(startStandIns: StartStandIns = noStandIns): void {
  outliveReaders();
  tokenCommand(startStandIns).catch((error: unknown) => {
    process.stderr.write(explainStart(error));
    process.exitCode = 1;
  });
}
