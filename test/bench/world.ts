import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { nameKey } from '../../server/database/name-key.ts';
import type { Database } from '../../server/database/tables.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { grantBinding } from '../../server/grant/grant.queries.ts';
import type { SignableToken } from '../../server/keys/signing-keys.ts';
import type { Vault } from '../../server/keys/vault.ts';
import { saveSnapshot } from '../../server/registry/save-snapshot.ts';

/** One alliance of 50 corporations with 200 characters each, in a coalition that lets them in. */
const CORPORATIONS = 50;
export const CHARACTERS = 200;
export const PEOPLE = CORPORATIONS * CHARACTERS;

export const ALLIANCE = 99_000_001;
export const COALITION = 'c0'.repeat(12);
/** The alliance's autogroup. */
export const AUTOGROUP = 'a0'.repeat(12);
/** Made by hand, of the caller, who owns them. */
export const GROUPS = 256;
export const GROUP_MEMBERS = 50;
export const group = (n: number) => `b0${n.toString(16).padStart(22, '0')}`;
export const corporation = (n: number) => 98_000_001 + n;
export const character = (n: number) => 2_100_000_001 + n;
export const nameOf = (n: number) => `Pilot Number ${n}`;

/** The caller: a user token of the first character, who may read everything. */
const CALLER = { id: character(0), level: 8 } as const;
export const TOKEN = '7b8f3a52-55a1-4c6e-9d3a-0c6d7f2b1e40';
const APPLICATION = '1d0c9b8a-7f6e-4d5c-8b3a-291807f6e5d4';

const DAY = 86_400_000;
const SCOPES = ['ext-skills.read_skills.v1', 'ext-wallet.read_character_wallet.v1'];

/** Fills an empty registry, a handful of statements in all; returns the caller's token, to be signed. */
export async function makeWorld(db: Kysely<Database>, kid: string, vault: Vault): Promise<SignableToken> {
  const now = new Date();
  await inTransaction(db, async (tx) => {
    await saveSnapshot(tx, findings(), now);
    await tx
      .insertInto('coalitions')
      .values({
        coalition_id: COALITION,
        coalition_name: 'The Coalition',
        name_key: nameKey('The Coalition'),
        ticker: 'CO',
        authorized_to_login: true,
      })
      .execute();
    await tx
      .insertInto('coalition_alliances')
      .values({ coalition_id: COALITION, alliance_id: ALLIANCE })
      .execute();
    await tx
      .updateTable('alliances')
      .set({ mandatory_ext_scopes: SCOPES as never })
      .execute();
    await tx.updateTable('groups').set({ group_id: AUTOGROUP }).where('alliance_id', '=', ALLIANCE).execute();
    await makeGroups(tx);
    await giveGrants(tx, vault);
    await tx
      .updateTable('users')
      .set({ clearance_level: CALLER.level })
      .where('character_id', '=', CALLER.id)
      .execute();
  });
  const token = await insertTokens(db, kid, now);
  // What autovacuum does in a service that has run for a while.
  await sql`vacuum analyze`.execute(db);
  return token;
}

function findings() {
  return {
    alliances: [
      {
        alliance_id: ALLIANCE,
        alliance_name: 'The Alliance',
        ticker: 'ALLY',
        executor_corporation_id: corporation(0),
      },
    ],
    corporations: Array.from({ length: CORPORATIONS }, (_, n) => ({
      corporation_id: corporation(n),
      corporation_name: `Corporation Number ${n}`,
      ticker: `CORP${n}`,
      alliance_id: ALLIANCE,
      ceo_id: character(n * CHARACTERS),
      ceo_name: nameOf(n * CHARACTERS),
    })),
    characters: Array.from({ length: PEOPLE }, (_, n) => ({
      character_id: character(n),
      character_name: nameOf(n),
      corporation_id: corporation(Math.floor(n / CHARACTERS)),
    })),
  };
}

/** A third has a refresh token with all scopes, a third one with too few, a third none. */
async function giveGrants(db: Kysely<Database>, vault: Vault): Promise<void> {
  const grants = Array.from({ length: PEOPLE }, (_, n) => character(n))
    .filter((id) => id % 3 < 2)
    .map((character_id) => {
      const grant_id = randomUUID();
      const encrypted = vault.encrypt('a refresh token', grantBinding(grant_id, 'refresh_token'));
      return { grant_id, character_id, refresh_token: `\\x${encrypted.toString('hex')}` };
    });
  await sql`
    insert into grants (grant_id, character_id, scopes, refresh_token)
    select grant_id, character_id, (${SCOPES}::text[])[1:2 - character_id % 3], refresh_token
    from jsonb_to_recordset(${JSON.stringify(grants)}::jsonb)
      as made(grant_id uuid, character_id bigint, refresh_token bytea)`.execute(db);
}

async function makeGroups(db: Kysely<Database>): Promise<void> {
  const names = Array.from({ length: GROUPS }, (_, n) => ({ id: group(n), name: `Group Number ${n}` }));
  await db
    .insertInto('groups')
    .values(
      names.map(({ id, name }) => ({
        group_id: id,
        group_name: name,
        name_key: nameKey(name),
        owner_id: CALLER.id,
      })),
    )
    .execute();
  await sql`
    insert into group_members (group_id, character_id)
    select id, ${CALLER.id} + n
    from unnest(${names.map(({ id }) => id)}::text[]) id, generate_series(0, ${GROUP_MEMBERS - 1}) n`.execute(
    db,
  );
}

/** The caller's token, and one of everybody's own. */
async function insertTokens(db: Kysely<Database>, kid: string, now: Date): Promise<SignableToken> {
  const application = {
    uuid: APPLICATION,
    token_type: 'dyn' as const,
    owner_id: 0,
    parent: null,
    app_token: APPLICATION,
    kid,
    callback: 'https://frontend.example/callback',
    created_on: now,
    expires_on: null,
  };
  const user = {
    uuid: TOKEN,
    token_type: 'use' as const,
    owner_id: CALLER.id,
    parent: APPLICATION,
    app_token: APPLICATION,
    kid,
    callback: null,
    created_on: now,
    expires_on: new Date(now.getTime() + DAY),
  };
  await db.insertInto('tokens').values([application, user]).execute();
  await sql`
    insert into tokens (uuid, token_type, owner_id, parent, app_token, kid, created_on, expires_on)
    select gen_random_uuid(), 'use', character_id, ${APPLICATION}, ${APPLICATION}, ${kid}, ${now}, ${user.expires_on}
    from users where character_id > 0`.execute(db);
  return user;
}
