import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { CompleteSettings } from '../config/settings.ts';
import { openDatabase } from '../database/open.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { ensureEventPartitions } from '../event/partitions.ts';
import { loadSigningKeys, type SigningKeys } from '../keys/signing-keys.ts';
import { findService } from '../process/running-service.queries.ts';
import type { Services } from '../services/services.ts';
import { CannotStart } from '../shared/cannot-start.ts';
import { systemClock } from '../shared/clock.ts';
import { rootToken } from '../token/root-token.ts';
import { findOwner, listAppTokens, setKey } from '../token/token.queries.ts';
import { deleteTokenTold } from '../token/token.ts';

type Tools = Pick<Services, 'db' | 'keys' | 'clock'>;

/** What to do; without any of them, print the permanent token of the built-in user. */
interface Options {
  readonly owner?: string;
  readonly list?: boolean;
  readonly revoke?: string;
  readonly reissue?: string;
}

/** Does what the options of `npm run token` ask for; returns what it prints (D24). */
export async function manageTokens(
  settings: CompleteSettings,
  log: Logger,
  options: Options,
): Promise<string> {
  const database = await openDatabase(settings.databaseUrl, log, {
    applicationName: 'castellan token',
    poolSize: 1,
  });
  try {
    // It may be the first to write events, and months after the service made partitions.
    await ensureEventPartitions(database.db, systemClock.now(), log);
    const signs = options.list !== true && options.revoke === undefined;
    const keys = await keysOfService(database.db, settings, signs);
    return await run({ db: database.db, keys, clock: systemClock }, options);
  } finally {
    await database.close();
  }
}

/**
 * The signing keys of the service that runs on this database, however it was started, so that it accepts the token
 * (D24).
 *
 * @param signs whether a token is to be signed, which takes a current key that the service knows
 * @throws CannotStart when they are not known here, or the current one not there
 */
async function keysOfService(
  db: Kysely<Database>,
  settings: CompleteSettings,
  signs: boolean,
): Promise<SigningKeys> {
  const service = await findService(db);
  // In production the address is always given, and what a restored copy says of a service is of the one that was dumped.
  const announced = settings.production ? undefined : service?.base_url;
  const keys = await loadSigningKeys(settings.tokenSigningKeys, announced ?? settings.baseUrl, systemClock);
  if (service !== undefined && !keys.signingKids.some((kid) => service.key_ids.includes(kid))) {
    throw new CannotStart(
      `The service that runs here knows other signing keys (${service.key_ids.join(', ')}): ` +
        'give this command the TOKEN_SIGNING_KEYS and the DATA_DIR of the service.',
    );
  }
  if (signs && service !== undefined && !service.key_ids.includes(keys.currentKid)) {
    throw new CannotStart(
      `The service that runs here does not know the signing key ${keys.currentKid} yet, and would refuse the token: ` +
        'restart it first with the present TOKEN_SIGNING_KEYS.',
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

/** Text from outside may neither begin a line of its own nor send escape sequences to the terminal. */
const harmless = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');

async function list({ db }: Tools): Promise<string> {
  const tokens = await listAppTokens(db);
  const lines = tokens.map(({ token_type, uuid, character_name, callback, comments }) =>
    [token_type, uuid, character_name, callback ?? '-', comments ?? ''].map(harmless).join('\t'),
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
