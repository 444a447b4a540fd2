/**
 * `npm run token`: permanent tokens by access to the database alone (D24), whether or not the service runs.
 * The JWT is the last line of standard output; everything else goes to standard error.
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../clock.ts';
import { openDatabase } from '../database/open.ts';
import { keyMaterial } from '../local-keys.ts';
import { createLog } from '../log.ts';
import type { Parts } from '../parts.ts';
import { explainStart } from '../process.ts';
import { loadSettings } from '../settings.ts';
import { rootToken } from './root-token.ts';
import { loadSigningKeys } from './signing-keys.ts';
import { deleteToken, findOwner, listAppTokens, setKey } from './token.queries.ts';

const USAGE = `npm run token                      print the permanent token of the built-in user (level 10)
npm run token -- --owner ID        … of another user, by character id
npm run token -- --list            list application tokens
npm run token -- --revoke UUID     delete a token with all that descend from it
npm run token -- --reissue UUID    sign an application token anew with the present key
`;

type Tools = Pick<Parts, 'db' | 'keys' | 'clock'>;
type Options = ReturnType<typeof readOptions>;

/** What goes wrong by what was typed, not by a fault. */
class Mistake extends Error {}

function readOptions() {
  try {
    return parseArgs({
      options: {
        owner: { type: 'string' },
        list: { type: 'boolean' },
        revoke: { type: 'string' },
        reissue: { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new Mistake(`${(error as Error).message}\n\n${USAGE}`);
  }
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options.help) return print(USAGE);
  const settings = loadSettings();
  const database = await openDatabase(settings, createLog('silent'), {
    applicationName: 'castellan token',
    poolSize: 1,
  });
  try {
    const material = await keyMaterial(settings);
    const keys = await loadSigningKeys(material.tokenSigningKeys, settings.baseUrl, systemClock);
    print(await run({ db: database.db, keys, clock: systemClock }, options));
  } finally {
    await database.close();
  }
}

async function run(tools: Tools, options: Options): Promise<string> {
  if (options.list) return list(tools);
  if (options.revoke !== undefined) return revoke(tools, asUuid(options.revoke));
  if (options.reissue !== undefined) return reissue(tools, asUuid(options.reissue));
  return `${await rootToken(tools, await ownerOf(tools, options.owner ?? '0'))}\n`;
}

async function ownerOf({ db }: Tools, text: string): Promise<number> {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id))
    throw new Mistake(`--owner wants a character id, not ${JSON.stringify(text)}.\n`);
  if ((await findOwner(db, id)) === undefined) throw new Mistake(`There is no user ${id}.\n`);
  return id;
}

async function list({ db }: Tools): Promise<string> {
  const tokens = await listAppTokens(db);
  const lines = tokens.map(({ token_type, uuid, character_name, callback, comments }) =>
    [token_type, uuid, character_name, callback ?? '-', comments ?? ''].join('\t'),
  );
  return lines.map((line) => `${line}\n`).join('');
}

async function revoke({ db }: Tools, uuid: string): Promise<string> {
  if (!(await deleteToken(db, uuid))) throw new Mistake(`There is no token ${uuid}.\n`);
  return `revoked ${uuid} and all that descended from it\n`;
}

async function reissue({ db, keys }: Tools, uuid: string): Promise<string> {
  const token = await setKey(db, uuid, keys.currentKid);
  if (token === undefined) throw new Mistake(`There is no token ${uuid}.\n`);
  return `${await keys.sign(token)}\n`;
}

function asUuid(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) {
    throw new Mistake(`${JSON.stringify(text)} is not a UUID.\n`);
  }
  return text.toLowerCase();
}

function print(text: string): void {
  process.stdout.write(text);
}

main().catch((error: unknown) => {
  process.stderr.write(error instanceof Mistake ? error.message : explainStart(error));
  process.exitCode = 1;
});
