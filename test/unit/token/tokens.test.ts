import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { level } from '../../../contract/access.ts';
import type { Admission } from '../../../server/access/admission.ts';
import { type Caller, findCaller } from '../../../server/access/caller.queries.ts';
import { inTransaction } from '../../../server/database/transaction.ts';
import type { JwkSet } from '../../../server/keys/formats.ts';
import { loadSigningKeys, type SigningKeys } from '../../../server/keys/signing-keys.ts';
import { giveUpTokens } from '../../../server/token/give-up-tokens.ts';
import { rootToken } from '../../../server/token/root-token.ts';
import { findToken } from '../../../server/token/token.queries.ts';
import {
  createAppToken,
  createUserToken,
  deleteTokenTold,
  describeCaller,
  logOut,
  removeToken,
} from '../../../server/token/token.ts';
import { addUser } from '../../fixtures/users.ts';
import { TestClock } from '../../harness/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { newSigningKey } from '../../harness/keys.ts';

const ISSUER = 'https://castellan.test';
const HOUR = 3_600_000;
const PRIVATE = { callback: 'http://127.0.0.1:9/app' };

let database: TestDatabase;
let key: JwkSet['keys'][number];
let keys: SigningKeys;
const clock = new TestClock();
let lastId = 2_195_000_000;

beforeAll(async () => {
  database = await createTestDatabase();
  key = await newSigningKey();
  keys = await loadSigningKeys({ keys: [key] }, ISSUER, clock);
});
afterAll(() => database.drop());

const services = () => ({ db: database.db, keys, clock });
const settings = (callbackAllowPrivate: boolean) => ({
  ...services(),
  settings: { callbackAllowPrivate } as never,
});

/** A permanent token of a new user at level 9 or as told, as its caller. */
async function caller(ofLevel = 9): Promise<Caller> {
  lastId += 1;
  await addUser(database, { id: lastId, level: ofLevel });
  return callerOf(await rootToken(services(), lastId));
}

async function callerOf(jwt: string): Promise<Caller> {
  const { uuid } = await keys.verify(jwt);
  return (await findCaller(database.db, uuid)) as Caller;
}

const asking = (by: Caller, least = 9): Admission => ({
  caller: by,
  rule: level(least).access,
  params: {},
  body: undefined,
  clock,
});

/** What was told of a token, in order. */
async function toldOf(
  uuid: string,
): Promise<{ type: string; body: { targets: object[]; reason: string | null } }[]> {
  const rows = await database.db
    .selectFrom('events')
    .select(['type', 'body', 'targets'])
    .orderBy('event_id')
    .execute();
  return rows
    .filter(({ targets }) => targets.includes(`token:${uuid}`))
    .map(({ type, body }) => ({ type, body: JSON.parse(String(body)) }));
}

describe('"Token operations": app tokens', () => {
  it.each(['dyn', 'per'] as const)(
    'a new %s token belongs to the caller’s owner and descends from its token',
    async (kind) => {
      const by = await caller();
      const made = await createAppToken(settings(true), asking(by), kind, { ...PRIVATE, comments: 'Fleets' });
      const { uuid, ...claims } = await keys.verify(made.tkn);
      expect(claims).toEqual({ kind, ownerId: by.owner_id, appToken: uuid, expires: undefined });
      expect(await findToken(database.db, uuid)).toEqual({
        ...{ uuid, token_type: kind, owner_id: by.owner_id, parent: by.uuid, app_token: uuid, kid: key.kid },
        ...{ ...PRIVATE, comments: 'Fleets', created_on: clock.now(), expires_on: null },
      });
      expect(await toldOf(uuid)).toMatchObject([
        {
          type: 'token.created',
          body: {
            targets: [
              { type: 'token', id: uuid, name: kind },
              { type: 'user', id: String(by.owner_id) },
            ],
            reason: null,
          },
        },
      ]);
    },
  );

  it('comments may be missing', async () => {
    const made = await createAppToken(settings(true), asking(await caller()), 'dyn', PRIVATE);
    const { uuid } = await keys.verify(made.tkn);
    expect(await findToken(database.db, uuid)).toMatchObject({ comments: null });
  });

  it('D29: a callback to a private address is refused unless that is allowed', async () => {
    const refused = createAppToken(settings(false), asking(await caller()), 'dyn', PRIVATE);
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_request',
      detail: [{ loc: ['body', 'callback'], msg: 'The URL leads to an address that is not public.' }],
    });
    const open = { callback: 'http://8.8.8.8/app' };
    expect(await createAppToken(settings(false), asking(await caller()), 'dyn', open)).toHaveProperty('tkn');
  });

  it('D14: whoever was demoted meanwhile makes none', async () => {
    const by = await caller(9);
    const refused = createAppToken(settings(true), asking(by, 10), 'per', PRIVATE);
    await expect(refused).rejects.toMatchObject({ code: 'level_too_low' });
    expect(
      await database.db.selectFrom('tokens').select('uuid').where('parent', '=', by.uuid).execute(),
    ).toEqual([]);
  });
});

describe('D23: a user token of the built-in user', () => {
  it('descends from the permanent token, whose owner is its sponsor, for 48 hours', async () => {
    const by = await caller(9);
    const made = await createUserToken(services(), by);
    const { uuid } = await keys.verify(made.user_token);
    expect(await findToken(database.db, uuid)).toMatchObject({
      ...{ token_type: 'use', owner_id: 0, parent: by.uuid, app_token: by.uuid, kid: key.kid },
      expires_on: new Date(clock.now().getTime() + 48 * HOUR),
    });
    expect(await callerOf(made.user_token)).toMatchObject({ sponsor_id: by.owner_id, level: 9 });
    expect(await toldOf(uuid)).toMatchObject([{ type: 'token.created' }]);
  });
});

describe('GET /token', () => {
  it('D23: shows the token with the level that counts for it', async () => {
    const by = await caller(9);
    const { user_token } = await createUserToken(services(), by);
    const use = await callerOf(user_token);
    expect(await describeCaller(services(), use)).toMatchObject({
      ...{ uuid: use.uuid, token_type: 'use', parent: by.uuid, callback: null, comments: null },
      created_on: clock.now().toISOString(),
      expires_on: new Date(clock.now().getTime() + 48 * HOUR).toISOString(),
      owner: { character_id: 0, clearance_level: 9 },
    });
    expect(await describeCaller(services(), by)).toMatchObject({ expires_on: null, parent: null });
  });

  it('D4: of somebody who was deleted meanwhile is a 401', async () => {
    const gone = { ...(await caller()), owner_id: 1 };
    await expect(describeCaller(services(), gone)).rejects.toMatchObject({ code: 'token_revoked' });
  });
});

describe('D21: deleting tokens', () => {
  it('goes with all that descends from it, and is told once', async () => {
    const [by, other] = [await caller(), await caller()];
    const { user_token } = await createUserToken(services(), other);
    const { uuid } = await keys.verify(user_token);
    await removeToken(services(), asking(by), other.uuid);
    expect([await findToken(database.db, other.uuid), await findToken(database.db, uuid)]).toEqual([
      undefined,
      undefined,
    ]);
    const told = await toldOf(other.uuid);
    expect(told.map(({ type }) => type)).toEqual(['token.created', 'token.deleted']);
    expect(await findToken(database.db, by.uuid)).toBeDefined();
  });

  it('D6: one that there is not is a 404', async () => {
    const nobody = randomUUID();
    await expect(removeToken(services(), asking(await caller()), nobody)).rejects.toMatchObject({
      code: 'not_found',
      detail: `Could not find token ${nobody}`,
    });
    const told = inTransaction(database.db, (tx) => deleteTokenTold(tx, nobody, clock.now()));
    expect(await told).toBe(false);
  });

  it('D14: whoever was demoted meanwhile deletes none', async () => {
    const [by, other] = [await caller(9), await caller()];
    await expect(removeToken(services(), asking(by, 10), other.uuid)).rejects.toMatchObject({
      code: 'level_too_low',
    });
    expect(await findToken(database.db, other.uuid)).toBeDefined();
  });

  it('logging out twice at a time deletes once', async () => {
    const by = await caller();
    await logOut(services(), by);
    await logOut(services(), by);
    expect((await toldOf(by.uuid)).map(({ type }) => type)).toEqual(['token.created', 'token.deleted']);
  });
});

describe('D24: the token that `npm run token` prints', () => {
  it('is made once, however many ask for it at the same time (D24)', async () => {
    lastId += 1;
    await addUser(database, { id: lastId });
    const made = await Promise.all(Array.from({ length: 6 }, () => rootToken(services(), lastId)));
    const uuids = await Promise.all(made.map(async (jwt) => (await keys.verify(jwt)).uuid));
    expect(new Set(uuids).size).toBe(1);
  });

  it('is made once, told once, and the same again', async () => {
    const by = await caller();
    const again = await rootToken(services(), by.owner_id);
    expect((await keys.verify(again)).uuid).toBe(by.uuid);
    expect(await findToken(database.db, by.uuid)).toEqual({
      ...{
        uuid: by.uuid,
        token_type: 'per',
        owner_id: by.owner_id,
        parent: null,
        app_token: by.uuid,
        kid: key.kid,
      },
      ...{ callback: null, comments: 'made by npm run token', created_on: clock.now(), expires_on: null },
    });
    expect(await toldOf(by.uuid)).toHaveLength(1);
  });

  it('D20b: is signed anew when its key is gone, and stays with a key that still signs', async () => {
    const by = await caller();
    const next = await newSigningKey();
    const both = { ...services(), keys: await loadSigningKeys({ keys: [next, key] }, ISSUER, clock) };
    await rootToken(both, by.owner_id);
    expect(await findToken(database.db, by.uuid)).toMatchObject({ kid: key.kid });
    const { d: _, ...verifyOnly } = key;
    const rotated = {
      ...services(),
      keys: await loadSigningKeys({ keys: [next, verifyOnly] }, ISSUER, clock),
    };
    const renewed = await rootToken(rotated, by.owner_id);
    expect((await rotated.keys.verify(renewed)).uuid).toBe(by.uuid);
    expect(await findToken(database.db, by.uuid)).toMatchObject({ kid: next.kid });
  });
});

describe('D20b: tokens of removed keys', () => {
  it('are deleted and told, with the reason; those that present ones descend from are kept', async () => {
    const warnings: unknown[][] = [];
    const log = { warn: (...said: unknown[]) => warnings.push(said) } as never;
    await giveUpTokens({ ...services(), log });
    warnings.splice(0);
    await giveUpTokens({ ...services(), log });
    expect(warnings).toEqual([]);

    const [lost, kept] = [await caller(), await caller()];
    const child = await createAppToken(settings(true), asking(kept), 'per', PRIVATE);
    const { uuid } = await keys.verify(child.tkn);
    await database.db
      .updateTable('tokens')
      .set({ kid: 'gone' })
      .where('uuid', 'in', [lost.uuid, kept.uuid])
      .execute();
    await giveUpTokens({ ...services(), log });
    expect(await findToken(database.db, lost.uuid)).toBeUndefined();
    expect(await findToken(database.db, kept.uuid)).toMatchObject({ kid: key.kid });
    expect(await findToken(database.db, uuid)).toBeDefined();
    expect(warnings).toEqual([
      [{ deleted: 1, kept: [kept.uuid] }, 'gave up the tokens of removed signing keys'],
    ]);
    expect(await toldOf(lost.uuid)).toMatchObject([
      { type: 'token.created', body: { reason: null } },
      { type: 'token.deleted', body: { reason: 'its signing key was removed', actor: { kind: 'job' } } },
    ]);
  });

  it('are deleted in pieces where they are user tokens, of which there may be a million, also with their app tokens', async () => {
    const log = { warn: () => undefined } as never;
    const [lost, present] = [await caller(), await caller()];
    const made: string[] = [];
    for (const by of [present, present, present, lost, lost]) {
      const { user_token } = await createUserToken(services(), by);
      made.push((await keys.verify(user_token)).uuid);
    }
    const [beneath, ...others] = [...made].reverse();
    await database.db
      .updateTable('tokens')
      .set({ kid: 'gone' })
      .where('uuid', 'in', [lost.uuid, ...others])
      .execute();
    await sql`create table pieces as select 0::bigint as rows where false`.execute(database.db);
    await sql`create function note_piece() returns trigger language plpgsql as $$
      begin insert into pieces select count(*) from gone; return null; end $$`.execute(database.db);
    await sql`create trigger note_piece after delete on tokens referencing old table as gone
      for each statement execute function note_piece()`.execute(database.db);
    await giveUpTokens({ ...services(), log }, 3);
    await sql`drop function note_piece cascade`.execute(database.db);
    const { rows } = await sql<{ rows: number }>`select rows from pieces where rows > 0`.execute(database.db);
    expect(rows.map((piece) => Number(piece.rows))).toEqual([3, 1, 1, 1]);
    for (const uuid of [lost.uuid, ...made]) expect(await findToken(database.db, uuid)).toBeUndefined();
    expect(await findToken(database.db, present.uuid)).toBeDefined();
    for (const uuid of others) {
      expect((await toldOf(uuid)).map(({ type }) => type)).toEqual(['token.created', 'token.deleted']);
    }
    expect(await toldOf(beneath ?? '')).toHaveLength(1);
  });
});
