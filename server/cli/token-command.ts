/**
 * `npm run token`: manages permanent tokens with nothing but access to the database (D24), whether or not the service
 * runs. The JWT is the last line of standard output; everything else is written to standard error.
 */
import type { Kysely } from 'kysely';
import { type CompleteSettings, loadSettings } from '../config/settings.ts';
import { openDatabase } from '../database/open.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { ensureEventPartitions } from '../event/partitions.ts';
import { loadSigningKeys, type SigningKeys } from '../keys/signing-keys.ts';
import { createLog } from '../observability/log.ts';
import { explainStart } from '../process/lifecycle.ts';
import { findService } from '../process/running-service.queries.ts';
import { noStandIns, type StartStandIns } from '../process/stand-ins.ts';
import type { Services } from '../services/services.ts';
import { CannotStart } from '../shared/cannot-start.ts';
import { systemClock } from '../shared/clock.ts';
import { rootToken } from '../token/root-token.ts';
import { findOwner, listAppTokens, setKey } from '../token/token.queries.ts';
import { deleteTokenTold } from '../token/token.ts';
import { readArguments } from './command-line.ts';

const USAGE = `npm run token                      print the permanent token of the built-in user (level 10)
npm run token -- --owner ID        … of another user, by character id
npm run token -- --list            list application tokens
npm run token -- --revoke UUID     delete a token with all that descend from it
npm run token -- --reissue UUID    sign an application token again with the present key
`;

type Tools = Pick<Services, 'db' | 'keys' | 'clock'>;

const OPTIONS = {
  owner: { type: 'string' },
  list: { type: 'boolean' },
  revoke: { type: 'string' },
  reissue: { type: 'string' },
} as const;
interface Options {
  readonly owner?: string;
  readonly list?: boolean;
  readonly revoke?: string;
  readonly reissue?: string;
}

async function tokenCommand(startStandIns: StartStandIns): Promise<void> {
  const given = readArguments(USAGE, { options: OPTIONS });
  if (given === undefined) return;
  const log = createLog('silent');
  const { settings, stop } = await startStandIns(loadSettings(), log, 'token');
  try {
    const database = await openDatabase(settings.databaseUrl, log, {
      applicationName: 'castellan token',
      poolSize: 1,
    });
    try {
      // It may be the first to write events, and months after the service made partitions.
      await ensureEventPartitions(database.db, systemClock.now(), log);
      const keys = await keysOfService(database.db, settings);
      process.stdout.write(await run({ db: database.db, keys, clock: systemClock }, given.values));
    } finally {
      await database.close();
    }
  } finally {
    await stop();
  }
}

/**
 * The signing keys of the service that runs on this database, however it was started, so that it accepts the token
 * (D24).
 *
 * @throws CannotStart when they are not known here
 */
async function keysOfService(db: Kysely<Database>, settings: CompleteSettings): Promise<SigningKeys> {
  const service = await findService(db);
  const keys = await loadSigningKeys(
    settings.tokenSigningKeys,
    service?.base_url ?? settings.baseUrl,
    systemClock,
  );
  if (service !== undefined && !keys.signingKids.some((kid) => service.key_ids.includes(kid))) {
    throw new CannotStart(
      `The service that runs here knows other signing keys (${service.key_ids.join(', ')}): ` +
        'give this command the TOKEN_SIGNING_KEYS and the DATA_DIR of the service.',
    );
  }
  return keys;
}

async function run(tools: Tools, options: Options): Promise<string> {
  if (options.list) return list(tools);
  if (options.revoke !== undefined) return revoke(tools, asUuid(options.revoke));
  if (options.reissue !== undefined) return reissue(tools, asUuid(options.reissue));
  return `${await rootToken(tools, await ownerOf(tools, options.owner ?? '0'))}\n`;
}

async function ownerOf({ db }: Tools, text: string): Promise<number> {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) {
    throw new CannotStart(`--owner wants a character id, not ${JSON.stringify(text)}.`);
  }
  if ((await findOwner(db, id)) === undefined) throw new CannotStart(`There is no user ${id}.`);
  return id;
}

async function list({ db }: Tools): Promise<string> {
  const tokens = await listAppTokens(db);
  const lines = tokens.map(({ token_type, uuid, character_name, callback, comments }) =>
    [token_type, uuid, character_name, callback ?? '-', comments ?? ''].join('\t'),
  );
  return lines.map((line) => `${line}\n`).join('');
}

async function revoke({ db, clock }: Tools, uuid: string): Promise<string> {
  if (!(await inTransaction(db, (tx) => deleteTokenTold(tx, uuid, clock.now()))))
    throw new CannotStart(`There is no token ${uuid}.`);
  return `revoked ${uuid} and all that descended from it\n`;
}

async function reissue({ db, keys }: Tools, uuid: string): Promise<string> {
  const token = await setKey(db, uuid, keys.currentKid);
  if (token === undefined) throw new CannotStart(`There is no token ${uuid}.`);
  return `${await keys.sign(token)}\n`;
}

function asUuid(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) {
    throw new CannotStart(`${JSON.stringify(text)} is not a UUID.`);
  }
  return text.toLowerCase();
}

/** `npm run token`; wrong arguments are reported without a stack trace. */
export function runTokenCommand(startStandIns: StartStandIns = noStandIns): void {
  tokenCommand(startStandIns).catch((error: unknown) => {
    process.stderr.write(explainStart(error));
    process.exitCode = 1;
  });
}
