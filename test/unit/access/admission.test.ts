import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccessRule, type Authority, level } from '../../../contract/access.ts';
import {
  type Admission,
  goneOf,
  readmit,
  readmitOver,
  rejudge,
  requireClearance,
  requireRights,
} from '../../../server/access/admission.ts';
import {
  authenticate,
  readToken,
  recognise,
  recogniseLocked,
  usable,
} from '../../../server/access/authenticate.ts';
import { type Caller, findCaller } from '../../../server/access/caller.queries.ts';
import { requireAuthority, requireAuthorityOverAll } from '../../../server/access/require-authority.ts';
import { loadSigningKeys, type SigningKeys, type TokenClaims } from '../../../server/keys/signing-keys.ts';
import { insertToken } from '../../../server/token/token.queries.ts';
import { newUserToken } from '../../../server/token/token.ts';
import { addCoalition, addOrganizations, addUser } from '../../fixtures/users.ts';
import { TestClock } from '../../harness/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { newSigningKey } from '../../harness/keys.ts';

/** Two alliances with two corporations each; a coalition of the first alliance lets its people in. */
const [ALLIANCE, FOREIGN] = [99_900_001, 99_900_002];
const [OWN, SISTER, STRANGE, OTHER] = [98_900_001, 98_900_002, 98_900_003, 98_900_004];
const COALITION = 'c9'.repeat(12);

let database: TestDatabase;
let keys: SigningKeys;
const clock = new TestClock();
let lastId = 2_190_000_000;

beforeAll(async () => {
  database = await createTestDatabase();
  keys = await loadSigningKeys({ keys: [await newSigningKey()] }, 'https://castellan.test', clock);
  const { db } = database;
  await addOrganizations({ db, clock }, [
    { alliance: ALLIANCE, corporations: [OWN, SISTER] },
    { alliance: FOREIGN, corporations: [STRANGE, OTHER] },
  ]);
  await addCoalition({ db }, COALITION, { alliances: [ALLIANCE] });
});
afterAll(() => database.drop());

async function person(ofLevel = 0, corporation = OWN): Promise<number> {
  lastId += 1;
  await addUser(database, { id: lastId, level: ofLevel, corporation });
  return lastId;
}

const demote = (id: number, to: number) =>
  database.db.updateTable('users').set({ clearance_level: to }).where('character_id', '=', id).execute();

/** A new permanent token. */
async function token(owner: number) {
  const uuid = randomUUID();
  const row = {
    ...{
      uuid,
      token_type: 'per' as const,
      owner_id: owner,
      parent: null,
      app_token: uuid,
      kid: keys.currentKid,
    },
    ...{ callback: null, comments: null, created_on: clock.now(), expires_on: null },
  };
  await insertToken(database.db, row);
  return row;
}

/** A user token that the built-in user has by the permanent token of a sponsor. */
async function sponsored(sponsor: number) {
  const parent = await token(sponsor);
  const { uuid, kid } = parent;
  const row = newUserToken({ owner: 0, parent: uuid, appToken: uuid, kid, now: clock.now(), by: 'per' });
  await insertToken(database.db, row);
  return row;
}

type Row = Awaited<ReturnType<typeof token>> | Awaited<ReturnType<typeof sponsored>>;

const claimsOf = ({ uuid, token_type, owner_id, app_token }: Row): TokenClaims => ({
  ...{ uuid, kind: token_type, ownerId: owner_id, appToken: app_token },
  expires: undefined,
});

async function callerOf(row: Row): Promise<Caller> {
  return (await findCaller(database.db, row.uuid)) as Caller;
}

const REVOKED = { code: 'token_revoked', detail: 'The token was revoked or is unknown.' };

describe('D4: reading the header', () => {
  it('says that it is missing', async () => {
    await expect(readToken(keys, undefined)).rejects.toMatchObject({
      code: 'token_missing',
      detail: 'The Authorization header is missing.',
    });
  });

  it('takes a token after "Bearer" in any case, blanks around it', async () => {
    const row = await token(await person());
    const jwt = await keys.sign(row);
    for (const header of [`Bearer ${jwt}`, `bearer   ${jwt}`, `BEARER ${jwt}  `]) {
      expect(await readToken(keys, header)).toEqual(claimsOf(row));
    }
  });

  it.each([
    ...['', 'Bearer', 'Bearer ', 'Bearera.b.c', 'a.b.c', 'xBearer a.b.c', 'Basic a.b.c', 'Bearer a.b'],
    ...[
      'Bearer a.b.c.d',
      'Bearer a b.c',
      'Bearer a.b.c d',
      'Bearer .b.c',
      'Bearer a..c',
      'Bearer a.b.',
      'Bearer\ta.b.c',
    ],
  ])('refuses %j', async (header) => {
    await expect(readToken(keys, header)).rejects.toMatchObject({
      code: 'token_malformed',
      detail: 'The Authorization header is not of the form "Bearer <jwt>".',
    });
  });
});

describe('D20: a signature is not enough', () => {
  it('the row is found, with the owner and the rights that count now', async () => {
    const owner = await person(4);
    const row = await token(owner);
    const header = `Bearer ${await keys.sign(row)}`;
    expect(await authenticate({ db: database.db, keys, clock }, header)).toMatchObject({
      ...{ uuid: row.uuid, token_type: 'per', owner_id: owner, level: 4, may_log_in: true, sponsor_id: null },
    });
    await demote(owner, 2);
    expect(await authenticate({ db: database.db, keys, clock }, header)).toMatchObject({ level: 2 });
  });

  it.each([
    ['no row', { uuid: randomUUID() }],
    ['a row of another kind', { kind: 'use' }],
    ['a row of another owner', { ownerId: 1 }],
    ['a row of another application', { appToken: randomUUID() }],
  ] as const)('%s is a revoked token, when it is looked up and when it is locked', async (_, change) => {
    const claims = { ...claimsOf(await token(await person())), ...change };
    await expect(recognise({ db: database.db, clock }, claims)).rejects.toMatchObject(REVOKED);
    const locking = database.db.transaction().execute((tx) => recogniseLocked({ db: tx, clock }, claims));
    await expect(locking).rejects.toMatchObject(REVOKED);
  });

  it('D21: a token that was locked is not deleted before the transaction ends', async () => {
    const row = await token(await person());
    const isFree = async () => {
      const found = await sql`select from tokens where uuid = ${row.uuid} for update skip locked`.execute(
        database.db,
      );
      return found.rows.length === 1;
    };
    await database.db.transaction().execute(async (tx) => {
      expect(await recogniseLocked({ db: tx, clock }, claimsOf(row))).toMatchObject({ uuid: row.uuid });
      expect(await isFree()).toBe(false);
    });
    expect(await isFree()).toBe(true);
  });
});

describe('D22, D27b: a token that can be used', () => {
  const now = clock.now().getTime();
  const caller = { may_log_in: true, expires_on: null } as Caller;
  const at = (time: number) => ({ ...caller, expires_on: new Date(time) });

  it('exists, and is good until the millisecond before it expires', () => {
    expect(usable(caller, clock)).toBe(caller);
    expect(usable(at(now + 1), clock)).toEqual(at(now + 1));
    for (const over of [now, now - 1]) {
      expect(() => usable(at(over), clock)).toThrow(
        expect.objectContaining({ code: 'token_expired', detail: 'The token has expired.' }),
      );
    }
    expect(() => usable(undefined, clock)).toThrow(expect.objectContaining(REVOKED));
  });

  it('belongs to somebody who may log in', () => {
    expect(() => usable({ ...caller, may_log_in: false }, clock)).toThrow(
      expect.objectContaining({
        code: 'login_not_allowed',
        detail: 'The owner of this token is not allowed to log in.',
      }),
    );
  });
});

const over = (kind: Authority['over'], mode: Authority['mode']) => ({ over: kind, mode, param: 'id' });

/** An admission of a caller to an operation on the record with this id. */
const admission = (
  caller: Caller,
  { access }: { access: AccessRule },
  id?: unknown,
  body?: unknown,
): Admission => ({
  ...{ caller, rule: access, params: { id }, body, clock },
});

describe('D4, D5: clearance', () => {
  const caller = { token_type: 'per', level: 4 } as Caller;

  it('is a level that is high enough, and a token of the right kind', () => {
    requireClearance(level(4).access, caller);
    expect(() => requireClearance(level(5).access, caller)).toThrow(
      expect.objectContaining({
        code: 'level_too_low',
        detail: "Insufficient clearance level: this needs 5, and the token's owner has 4.",
      }),
    );
    expect(() => requireClearance(level(4).access, { ...caller, token_type: 'dyn' })).toThrow(
      expect.objectContaining({
        code: 'token_type_refused',
        detail: 'Cannot use a dynamic app token for this path.',
      }),
    );
  });
});

describe('D6, D15: rights over the record in the path', () => {
  it('fields need their level before the record is looked for', async () => {
    const caller = await callerOf(await token(await person(8)));
    const rule = level(0, { fields: { lock: 9 }, authority: over('user', 'write') });
    const refused = requireRights(database.db, admission(caller, rule, 1, { lock: true }));
    await expect(refused).rejects.toMatchObject({
      code: 'level_too_low',
      detail: "Insufficient clearance level: setting lock needs 9, and the token's owner has 8.",
    });
    await expect(requireRights(database.db, admission(caller, rule, 1, {}))).rejects.toMatchObject({
      code: 'not_found',
      detail: 'Could not find user 1',
    });
  });

  it('without a record nothing else is asked', async () => {
    const caller = await callerOf(await token(await person()));
    await requireRights(database.db, admission(caller, level(0)));
  });

  it.each([
    ['read', 0],
    ['write', 1],
  ] as const)('D12: to %s oneself takes level %i', async (mode, least) => {
    for (const has of [0, 1]) {
      const owner = await person(has);
      const asked = requireAuthority(
        database.db,
        { owner_id: owner, sponsor_id: null },
        over('user', mode),
        owner,
      );
      if (has >= least) await asked;
      else {
        await expect(asked).rejects.toMatchObject({
          code: 'no_authority',
          detail: `Insufficient clearance level: no write authority over user ${owner}.`,
        });
      }
    }
  });

  it.each([
    ['user', 'the level of the distance between two users'],
    ['corporation', 'that to a corporation'],
  ] as const)('D12, D13: over a %s it is %s', async (kind, _) => {
    const somebodyOf = async (corporation: number) =>
      kind === 'user' ? person(0, corporation) : corporation;
    for (const [corporation, least] of [
      [OWN, 1],
      [SISTER, 3],
      [STRANGE, 7],
    ] as const) {
      const target = await somebodyOf(corporation);
      const asked = async (has: number) =>
        requireAuthority(
          database.db,
          { owner_id: await person(has), sponsor_id: null },
          over(kind, 'read'),
          target,
        );
      await asked(least);
      await expect(asked(least - 1)).rejects.toMatchObject({ code: 'no_authority' });
    }
  });

  it('D13: a guest is at 1 from its host’s members as a user, and its host is no member’s guest', async () => {
    const guest = await person(-1);
    const asker = { owner_id: await person(1), sponsor_id: null };
    await requireAuthority(database.db, asker, over('user', 'read'), guest);
    const byGuest = requireAuthority(
      database.db,
      { owner_id: guest, sponsor_id: null },
      over('corporation', 'read'),
      OWN,
    );
    await expect(byGuest).rejects.toMatchObject({ code: 'no_authority' });
  });

  it('D4: a caller that was deleted meanwhile is revoked, whatever the record', async () => {
    const gone = { owner_id: 1, sponsor_id: null };
    for (const id of [0, 1]) {
      await expect(requireAuthority(database.db, gone, over('user', 'read'), id)).rejects.toMatchObject(
        REVOKED,
      );
    }
  });
});

describe('D14: authority over all of several organizations', () => {
  const asker = async (has: number) => ({ owner_id: await person(has), sponsor_id: null, level: has });
  const none = { alliances: [], corporations: [] };
  const everything = { alliances: [ALLIANCE, FOREIGN], corporations: [SISTER, STRANGE, OTHER] };

  it('is there for no organization, and for level 8 over any', async () => {
    await requireAuthorityOverAll(database.db, await asker(0), none);
    await requireAuthorityOverAll(database.db, await asker(8), everything);
    // Neither needs to look anybody up.
    const gone = { owner_id: 1, sponsor_id: null };
    await requireAuthorityOverAll(database.db, { ...gone, level: 0 }, none);
    await requireAuthorityOverAll(database.db, { ...gone, level: 8 }, everything);
  });

  it('names those over which it lacks, alliances and corporations', async () => {
    await requireAuthorityOverAll(database.db, await asker(4), {
      alliances: [ALLIANCE],
      corporations: [OWN, SISTER],
    });
    const refused = requireAuthorityOverAll(database.db, await asker(7), everything);
    const error: { code?: string; detail?: string } = (await refused.catch((thrown: object) => thrown)) ?? {};
    expect(error.code).toBe('no_authority');
    const named = /^Insufficient clearance level: no write authority over (.*)\.$/.exec(
      error.detail ?? '',
    )?.[1];
    expect(named?.split(', ').sort()).toEqual([
      `alliance ${FOREIGN}`,
      `corporation ${STRANGE}`,
      `corporation ${OTHER}`,
    ]);
    const each = { alliances: [FOREIGN], corporations: [STRANGE] };
    await expect(requireAuthorityOverAll(database.db, await asker(7), each)).rejects.toMatchObject({
      code: 'no_authority',
    });
    const one = requireAuthorityOverAll(database.db, await asker(3), { ...none, corporations: [SISTER] });
    await expect(one).rejects.toMatchObject({ code: 'no_authority' });
  });

  it('D14: looks at the level of now, and at one alliance or one corporation, too', async () => {
    const demoted = { ...(await asker(0)), level: 7 };
    for (const body of [
      { ...none, alliances: [ALLIANCE] },
      { ...none, corporations: [OWN] },
    ]) {
      await expect(requireAuthorityOverAll(database.db, demoted, body)).rejects.toMatchObject({
        code: 'no_authority',
      });
      const gone = { owner_id: 1, sponsor_id: null, level: 7 };
      await expect(requireAuthorityOverAll(database.db, gone, body)).rejects.toMatchObject(REVOKED);
    }
  });
});

describe('D14: judging again', () => {
  const rule = level(3, { authority: over('corporation', 'read') });

  it('is on the level of now, for a look and inside the transaction of a write', async () => {
    const owner = await person(3);
    const row = await token(owner);
    const admitted = admission(await callerOf(row), rule, SISTER);
    const write = () => database.db.transaction().execute((tx) => readmit(tx, admitted));
    for (const again of [() => rejudge(database.db, admitted), write]) {
      await demote(owner, 3);
      expect(await again()).toMatchObject({ uuid: row.uuid, level: 3 });
      await demote(owner, 4);
      expect(await again()).toMatchObject({ level: 4 });
      await demote(owner, 2);
      await expect(again()).rejects.toMatchObject({ code: 'level_too_low' });
    }
    await database.db.deleteFrom('tokens').where('uuid', '=', row.uuid).execute();
    await expect(rejudge(database.db, admitted)).rejects.toMatchObject(REVOKED);
    await expect(write()).rejects.toMatchObject(REVOKED);
  });

  it('asks for authority again', async () => {
    const owner = await person(3);
    const admitted = admission(await callerOf(await token(owner)), rule, STRANGE);
    await expect(rejudge(database.db, admitted)).rejects.toMatchObject({ code: 'no_authority' });
  });

  it('locks the owner, the sponsor and the others that a write is about, but not the built-in user', async () => {
    const [owner, sponsor, third, bystander] = [
      await person(9),
      await person(9),
      await person(),
      await person(),
    ];
    const all = [0, owner, sponsor, third, bystander];
    const locked = async () => {
      const { rows } = await sql<{ character_id: number }>`select character_id from users
        where character_id = any(${all}::bigint[]) for no key update skip locked`.execute(database.db);
      return all.filter((id) => !rows.some(({ character_id }) => character_id === id));
    };
    const lockedBy = async (row: Row, others?: readonly number[]) => {
      const admitted = admission(await callerOf(row), level(0));
      return database.db.transaction().execute(async (tx) => {
        await readmit(tx, admitted, others);
        return locked();
      });
    };
    expect(await lockedBy(await token(owner))).toEqual([owner]);
    expect(await lockedBy(await token(owner), [third])).toEqual([owner, third]);
    expect(await lockedBy(await sponsored(sponsor))).toEqual([sponsor]);
    expect(await lockedBy(await token(0))).toEqual([]);
  });

  it('says whom it has locked', async () => {
    const [owner, third] = [await person(9), await person()];
    const lockedBy = async (row: Row, others: readonly number[]) => {
      const admitted = admission(await callerOf(row), level(0));
      const over = await database.db.transaction().execute((tx) => readmitOver(tx, admitted, others));
      return [...over.locked].sort();
    };
    // Nobody has the last id.
    expect(await lockedBy(await token(owner), [third, lastId + 1])).toEqual([owner, third]);
    expect(await lockedBy(await token(0), [])).toEqual([]);
    // Nobody changes the built-in user, whose lock would make its applications wait for each other.
    expect(await lockedBy(await token(owner), [0, third])).toEqual([owner, third]);
  });
});

describe('the signal of a client that goes', () => {
  it('is made where there is a client, and is never aborted where there is none', () => {
    expect(goneOf({ gone: () => AbortSignal.abort() }).aborted).toBe(true);
    expect(goneOf({}).aborted).toBe(false);
  });
});
