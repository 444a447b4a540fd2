import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MOST_MAINS, type Person } from '../../contract/person.ts';
import { ok } from '../../sdk/src/index.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { allEvents } from '../fixtures/events.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { testRun } from '../harness/run.ts';
import { send } from '../harness/send.ts';

/** The corporations of all characters: two of one alliance. */
const CORPORATION = 98_000_011;
const SISTER = 98_000_012;
const MEMBERS = [49, 55, 70, 78].map((n) => 2_112_000_000 + n) as [number, number, number, number];
const [ADA, BRIM, CLEO, DOV] = MEMBERS;

let app: TestApp;
let dyn: string;
let otherApp: string;

beforeAll(async () => {
  app = await startTestApp();
  dyn = await app.dynamicToken();
  otherApp = await app.dynamicToken('http://127.0.0.1:9/other');
  await letIn(app, { alliances: [99_000_001], corporations: [CORPORATION, SISTER] });
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.db.deleteFrom('persons').execute();
  await sql`delete from person_history`.execute(app.db);
  await app.db
    .updateTable('users')
    .set({ clearance_level: 0 })
    .where('character_id', 'in', MEMBERS)
    .execute();
});

/** Whose present owner has signed in: signing in again only makes a token. */
const known = new Set<number>();

async function signIn(id: number, by = dyn): Promise<string> {
  if (known.has(id)) return (await makeToken(app, 'use', id, uuidOf(by))).jwt;
  const { token } = await app.signIn(id, { dyn: by });
  known.add(id);
  return token;
}

function handOver(id: number): void {
  app.provider.world.handOver(id);
  known.delete(id);
}

const nameOf = (id: number) => app.provider.world.character(id)?.name ?? '';
const person = (token: string) => app.client(token).person;
const link = (token: string, user_token: string) => person(token).link({ body: { user_token } });
const current = (token: string) => ok(person(token).current());
const root = () => app.client(app.root).person;
const idsOf = ({ characters }: Person) =>
  characters.map(({ user }) => user.character_id).sort((a, b) => a - b);

/** Makes these characters one person with the first as main. */
async function linked(...[first, ...others]: number[]): Promise<string> {
  const token = await signIn(first as number);
  for (const id of others) await ok(link(token, await signIn(id)));
  return token;
}

/** All persons in the database with characters and main; checks that no character is in two. */
async function persons(): Promise<Record<string, { main: number; characters: number[] }>> {
  const { rows } = await sql<{ person_id: string; main: number; characters: number[] }>`
    select person_id::text, main_id as main, array_agg(character_id::bigint order by character_id) as characters
    from persons join person_characters using (person_id) group by person_id, main_id`.execute(app.db);
  return Object.fromEntries(
    rows.map(({ person_id, main, characters }) => [person_id, { main, characters: characters.map(Number) }]),
  );
}
const groups = async () => Object.values(await persons()).map(({ characters }) => characters);

async function happened() {
  const { rows } = await sql<{
    happened: string;
    character_id: number;
    by_id: number | null;
    reason: string | null;
  }>`
    select happened, character_id, by_id, reason from person_history order by position`.execute(app.db);
  return rows.map((row) => [row.happened, row.character_id, row.by_id, row.reason]);
}

async function refusal(answer: Promise<{ status: number; body: unknown }>): Promise<unknown> {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).toBe(422);
  const [{ loc, msg }] = (body as { detail: [{ loc: unknown; msg: unknown }] }).detail;
  expect(loc).toEqual(['body', 'user_token']);
  return msg;
}

describe('D100: a person', () => {
  it('of one character needs no row: it has an id, and the character is its main', async () => {
    const token = await signIn(ADA);
    expect(await current(token)).toEqual({
      person_id: ADA.toString(16).padStart(24, '0'),
      main: { character_id: ADA, character_name: nameOf(ADA) },
      characters: [
        {
          user: { character_id: ADA, character_name: nameOf(ADA) },
          ownership: 'proven',
          proven_on: expect.stringMatching(/Z$/),
          tracking: 'valid',
        },
      ],
      hidden: 0,
    });
    expect(await persons()).toEqual({});
  });

  it('is one or more characters, which its own tokens see in the order of D9', async () => {
    const token = await linked(ADA, BRIM, CLEO);
    const mine = await current(token);
    expect(idsOf(mine)).toEqual([ADA, BRIM, CLEO]);
    expect([mine.main?.character_id, mine.hidden]).toEqual([ADA, 0]);
    const names = mine.characters.map(({ user }) => user.character_name.toLowerCase());
    expect(names).toEqual([...names].sort());
    expect(await current(await signIn(BRIM))).toEqual(mine);
    const params = { character: nameOf(CLEO) };
    expect(await ok(app.client(token).user.person({ params }))).toEqual(mine);
    expect(await ok(app.client(token).user.person({ params: { character: String(CLEO) } }))).toEqual(mine);
  });

  it('adds no authority: a token keeps the rights of its own character', async () => {
    const token = await signIn(ADA);
    await signIn(BRIM);
    const histories = async (id: number) =>
      (await app.client(token).history.wallet({ params: { character_id: id } })).status;
    expect(await histories(BRIM)).toBe(403);
    await ok(link(token, await signIn(BRIM)));
    await setLevel(app, BRIM, 8);
    expect(await histories(BRIM)).toBe(403);
    expect(await ok(app.client(token).token.current())).toMatchObject({
      owner: { character_id: ADA, clearance_level: 0 },
    });
    expect(
      (await app.client(token).corporation.tracking({ params: { corporation_id: CORPORATION } })).status,
    ).toBe(403);
  });

  it('of others shows the characters within the read authority, and the number of the rest', async () => {
    await linked(ADA, BRIM);
    const home = async (id: number, corporation_id: number) =>
      app.db.updateTable('users').set({ corporation_id }).where('character_id', '=', id).execute();
    const reader = await signIn(CLEO);
    await setLevel(app, CLEO, 1);
    await app.db
      .updateTable('corporations')
      .set({ alliance_id: 99_000_001 })
      .where('corporation_id', 'in', [CORPORATION, SISTER])
      .execute();
    await home(CLEO, CORPORATION);
    await home(ADA, CORPORATION);
    await home(BRIM, SISTER);
    const see = (id: number) => app.client(reader).user.person({ params: { character: String(id) } });
    const seen = await ok(see(ADA));
    expect([idsOf(seen), seen.main?.character_id, seen.hidden]).toEqual([[ADA], ADA, 1]);
    // Readers of different characters could compare the ids.
    const alone = ADA.toString(16).padStart(24, '0');
    expect(seen.person_id).toBe(alone);
    // Nothing for a character outside the read authority: even the person's id would show who belongs together.
    expect(await see(BRIM)).toMatchObject({ status: 403, body: { code: 'no_authority' } });
    await app.db.updateTable('persons').set({ main_id: BRIM }).execute();
    expect(await ok(see(ADA))).toMatchObject({ main: null, hidden: 1 });
    await setLevel(app, CLEO, 3);
    const [person_id] = Object.keys(await persons());
    expect(person_id).not.toBe(alone);
    expect(await ok(see(ADA))).toMatchObject({ person_id, main: { character_id: BRIM }, hidden: 0 });
    const nobody = { params: { character: 'Nobody here' } };
    expect((await app.client(reader).user.person(nobody)).status).toBe(404);
  });

  it('says for each character whether its owner is proven, stale, or changed', async () => {
    const token = await linked(ADA, BRIM, CLEO);
    const ownership = async () =>
      Object.fromEntries((await current(token)).characters.map((of) => [of.user.character_id, of.ownership]));
    expect(await ownership()).toEqual({ [ADA]: 'proven', [BRIM]: 'proven', [CLEO]: 'proven' });
    const grants = app.db.updateTable('grants');
    await grants.set({ valid: false }).where('character_id', '=', BRIM).execute();
    const long = new Date(app.clock.now().getTime() - 91 * 86_400_000);
    await app.db
      .updateTable('users')
      .set({ signed_in_on: long })
      .where('character_id', 'in', [ADA, BRIM])
      .execute();
    // A refresh has named another owner, who has not signed in yet.
    await grants.set({ heard_owner: 'somebody else' }).where('character_id', '=', CLEO).execute();
    expect(await ownership()).toEqual({ [ADA]: 'proven', [BRIM]: 'stale', [CLEO]: 'changed' });
    known.clear();
  });
});

it.each([
  ['with other scopes', ['ext-mail.read_mail.v1']],
  ['without scopes, which brings no refresh token', []],
])(
  'D100: a sign-in %s ends what a refresh said of another owner, though its grant is dead',
  async (_, scopes) => {
    const token = await linked(ADA, CLEO);
    await app.db
      .updateTable('grants')
      .set({ valid: false, cause: 'invalid_grant', heard_owner: 'a buyer, who sold it back' })
      .where('character_id', '=', CLEO)
      .execute();
    const ownership = async () =>
      (await current(token)).characters.find(({ user }) => user.character_id === CLEO)?.ownership;
    expect(await ownership()).toBe('changed');
    await app.signIn(CLEO, { dyn, scopes });
    expect(await ownership()).toBe('proven');
    known.clear();
  },
);

describe('D100: of each character of a person', () => {
  it('the state of its refresh tokens is shown: valid, invalid, or none', async () => {
    const token = await linked(ADA, BRIM, CLEO);
    await app.db.updateTable('grants').set({ valid: false }).where('character_id', '=', BRIM).execute();
    await app.db.deleteFrom('grants').where('character_id', '=', CLEO).execute();
    const tracking = (await current(token)).characters.map((of) => [of.user.character_id, of.tracking]);
    expect(Object.fromEntries(tracking)).toEqual({ [ADA]: 'valid', [BRIM]: 'invalid', [CLEO]: 'none' });
    known.clear();
  });
});

describe('D101: linking', () => {
  it('moves only that character; the person keeps its main, and the history contains it', async () => {
    const token = await linked(ADA, BRIM);
    const other = await linked(CLEO, DOV);
    await ok(link(token, await signIn(DOV)));
    expect(await groups()).toEqual([[ADA, BRIM, DOV]]);
    expect((await current(token)).main?.character_id).toBe(ADA);
    expect(idsOf(await current(other))).toEqual([CLEO]);
    expect(await happened()).toEqual([
      ['linked', BRIM, ADA, null],
      ['linked', DOV, CLEO, null],
      ['linked', DOV, ADA, null],
    ]);
  });

  it('linking the main of a larger person is a 409, but not that of a person of one', async () => {
    const token = await signIn(ADA);
    await linked(CLEO, DOV);
    expect(await link(token, await signIn(CLEO))).toMatchObject({ status: 409, body: { code: 'main_kept' } });
    expect(await groups()).toEqual([[CLEO, DOV]]);
    expect(await link(token, await signIn(BRIM))).toMatchObject({ status: 200 });
  });

  it('linking a character of the same person changes nothing', async () => {
    const token = await linked(ADA, BRIM);
    const before = [await persons(), await happened()];
    expect((await link(token, await signIn(BRIM))).status).toBe(200);
    // The main can link it again, too.
    expect((await link(await signIn(BRIM), token)).status).toBe(200);
    expect([await persons(), await happened()]).toEqual(before);
  });

  it('attack: a token of another application is refused', async () => {
    const token = await signIn(ADA);
    expect(await refusal(link(token, await signIn(BRIM, otherApp)))).toBe(
      'It comes from another application.',
    );
    expect(await persons()).toEqual({});
  });

  it('attack: an old token is refused, from 10 minutes after its sign-in on', async () => {
    const proof = await signIn(BRIM);
    app.clock.advance(10 * 60_000);
    const token = await signIn(ADA);
    await ok(link(token, proof));
    const old = await signIn(CLEO);
    app.clock.advance(10 * 60_000 + 1);
    expect(await refusal(link(await signIn(ADA), old))).toMatch(/more than 10 minutes ago/);
    expect(await groups()).toEqual([[ADA, BRIM]]);
  });

  it('attack: a token proves once: a thief who steals it afterwards cannot link the character', async () => {
    const stolen = await signIn(BRIM);
    const token = await signIn(ADA);
    await ok(link(token, stolen));
    const thief = await signIn(CLEO);
    expect(await refusal(link(thief, stolen))).toMatch(/proved its character to somebody else already/);
    await ok(person(token).unlink({ params: { character_id: BRIM } }));
    expect(await refusal(link(thief, stolen))).toMatch(/proved its character to somebody else already/);
    expect(await groups()).toEqual([]);
    // Whom it proved something to may link again.
    await ok(link(token, stolen));
    expect(await refusal(link(thief, stolen))).toMatch(/proved its character to somebody else already/);
    expect(await groups()).toEqual([[ADA, BRIM]]);
  });

  it('attack: a stolen token that its owner logged out with is refused', async () => {
    const stolen = await signIn(BRIM);
    await app.client(stolen).token.logout();
    expect(await refusal(link(await signIn(ADA), stolen))).toMatch(/revoked or is unknown/);
  });

  it('attack: a link by a stolen token gives the thief no rights, and the character can unlink itself', async () => {
    const thief = await signIn(CLEO);
    const victim = await signIn(BRIM);
    await setLevel(app, BRIM, 9);
    await ok(link(thief, victim));
    expect(await ok(app.client(thief).token.current())).toMatchObject({ owner: { clearance_level: 0 } });
    expect((await app.client(thief).history.wallet({ params: { character_id: BRIM } })).status).toBe(403);
    expect((await app.client(thief).user.person({ params: { character: String(ADA) } })).status).toBe(403);
    await ok(person(victim).unlink({ params: { character_id: BRIM } }));
    expect(await persons()).toEqual({});
  });

  it('attack: a guest’s token is refused, and no guest links', async () => {
    const token = await signIn(ADA);
    const guest = await signIn(BRIM);
    await setLevel(app, BRIM, -1);
    expect(await refusal(link(token, guest))).toBe('Its owner is a guest.');
    expect((await link(guest, token)).status).toBe(403);
    expect(await persons()).toEqual({});
  });

  it('attack: one’s own token is refused, once and twice', async () => {
    const token = await signIn(ADA);
    const again = await signIn(ADA);
    for (const own of [token, again, again]) {
      expect(await refusal(link(token, own))).toBe('It is of the very character that asks.');
    }
    expect(await persons()).toEqual({});
  });

  it('attack: tokens without a sign-in prove nothing: of applications, of the built-in user, and invalid ones', async () => {
    const token = await signIn(ADA);
    const permanent = (await makeToken(app, 'per', BRIM, uuidOf(app.root))).jwt;
    const { user_token: builtIn } = await ok(app.client(app.root).token.createUserToken());
    for (const no of [permanent, dyn, app.root, builtIn]) {
      expect(await refusal(link(token, no))).toBe('It is no user token of a character.');
    }
    const proof = await signIn(BRIM);
    for (const no of ['x', `${proof}x`, proof.replace(/\.[^.]+$/, '.AAAA')]) await refusal(link(token, no));
    expect((await link(permanent, proof)).status).toBe(401);
    expect(await link(builtIn, proof)).toMatchObject({ status: 403, body: { code: 'forbidden_to_all' } });
    expect(await persons()).toEqual({});
  });

  it('attack: a character that may no longer log in cannot be linked; the refusal concerns its token, not the caller’s', async () => {
    const token = await signIn(ADA);
    const proof = await signIn(BRIM);
    const group_id = 'b7'.repeat(12);
    await app.db
      .insertInto('groups')
      .values({ group_id, group_name: 'Shut out', name_key: 'shut out', authorized_to_login: false })
      .execute();
    await app.db.insertInto('group_members').values({ group_id, character_id: BRIM }).execute();
    expect(await refusal(link(token, proof))).toMatch(/not allowed to log in/);
    await app.db.deleteFrom('groups').where('group_id', '=', group_id).execute();
    expect((await link(token, proof)).status).toBe(200);
  });
});

describe('D101: unlinking and the main', () => {
  it('removes a character, which is a person of one again', async () => {
    const token = await linked(ADA, BRIM, CLEO);
    expect(idsOf(await ok(person(token).unlink({ params: { character_id: CLEO } })))).toEqual([ADA, BRIM]);
    expect(await groups()).toEqual([[ADA, BRIM]]);
    // When one of two leaves, the row of the person is deleted.
    await ok(person(await signIn(BRIM)).unlink({ params: { character_id: BRIM } }));
    expect(await persons()).toEqual({});
    expect((await happened()).slice(2)).toEqual([
      ['unlinked', CLEO, ADA, null],
      ['unlinked', BRIM, BRIM, null],
    ]);
  });

  it('removing the main of a larger person is a 409; another person’s character, and the only one, are a 404', async () => {
    const token = await linked(ADA, BRIM);
    const other = await signIn(CLEO);
    const unlink = (by: string, character_id: number) => person(by).unlink({ params: { character_id } });
    expect(await unlink(await signIn(BRIM), ADA)).toMatchObject({ status: 409, body: { code: 'main_kept' } });
    expect((await unlink(token, CLEO)).status).toBe(404);
    expect((await unlink(other, BRIM)).status).toBe(404);
    expect((await unlink(other, CLEO)).status).toBe(404);
    expect((await unlink(token, 1)).status).toBe(404);
    expect(await groups()).toEqual([[ADA, BRIM]]);
  });

  it('PUT chooses the main among the characters of the person', async () => {
    const token = await linked(ADA, BRIM);
    const choose = (by: string, main: number) => person(by).update({ body: { main } });
    expect((await ok(choose(token, BRIM))).main?.character_id).toBe(BRIM);
    expect((await choose(token, CLEO)).status).toBe(404);
    expect(Object.values(await persons())).toEqual([{ main: BRIM, characters: [ADA, BRIM] }]);
    const alone = await signIn(CLEO);
    expect((await ok(choose(alone, CLEO))).main?.character_id).toBe(CLEO);
    expect((await choose(alone, ADA)).status).toBe(404);
  });
});

describe('D101: how often a person may choose its main', () => {
  it('D101: ten times in an hour; one more is a 429 that changes nothing, and choosing the present one is free', async () => {
    const token = await linked(ADA, BRIM);
    const choose = (main: number) => person(token).update({ body: { main } });
    const told = async () =>
      (await allEvents(app.db)).filter(({ type }) => type === 'person.main_changed').length;
    const mains = Array.from({ length: MOST_MAINS }, (_, n) => (n % 2 === 0 ? BRIM : ADA));
    for (const main of mains) await ok(choose(main));
    const before = await told();
    const refused = await choose(BRIM);
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', detail: 'A person can choose another main 10 times in an hour.' },
    });
    expect(refused.headers.get('retry-after')).toBe('3600');
    expect((await choose(ADA)).status).toBe(200);
    expect(await told()).toBe(before);
    // By any of its tokens, but not by another person.
    expect((await person(await signIn(BRIM)).update({ body: { main: BRIM } })).status).toBe(429);
    await ok(person(await linked(CLEO, DOV)).update({ body: { main: DOV } }));
    app.clock.advance(3_599_000);
    expect((await choose(BRIM)).headers.get('retry-after')).toBe('1');
    app.clock.advance(1_001);
    expect((await ok(choose(BRIM))).main?.character_id).toBe(BRIM);
  });
});

describe('D101: merging and splitting', () => {
  const personIdOf = async (token: string) => (await current(token)).person_id;

  it('needs level 9 and a reason', async () => {
    const token = await linked(ADA, BRIM);
    const params = { person_id: await personIdOf(token) };
    const merge = { person_id: await personIdOf(await signIn(CLEO)), reason: 'One voice.' };
    for (const [level, status] of [
      [8, 403],
      [9, 200],
    ] as const) {
      await setLevel(app, ADA, level);
      const dry = { ...merge, dry_run: true };
      expect((await person(token).merge({ params, body: dry })).status).toBe(status);
      const split = { characters: [BRIM], reason: 'Two voices.', dry_run: true };
      expect((await person(token).split({ params, body: split })).status).toBe(status);
      expect((await person(token).history({ params })).status).toBe(status);
    }
    expect((await root().merge({ params, body: { ...merge, reason: '' } })).status).toBe(422);
    expect(await groups()).toEqual([[ADA, BRIM]]);
  });

  it('merge moves all characters of the other person; the main stays', async () => {
    const token = await linked(ADA, BRIM);
    const other = await linked(CLEO, DOV);
    const params = { person_id: await personIdOf(token) };
    const body = { person_id: await personIdOf(other), reason: 'One voice.' };
    const tried = await ok(root().merge({ params, body: { ...body, dry_run: true } }));
    // Asked for in the query, and with ids as they may be written.
    const upper = { params: { person_id: params.person_id.toUpperCase() }, query: { dry_run: true } };
    expect(
      await ok(root().merge({ ...upper, body: { ...body, person_id: body.person_id.toUpperCase() } })),
    ).toEqual(tried);
    for (const flag of ['True', 'TRUE', '1']) {
      const path = `/person/${params.person_id}/merge?dry_run=${flag}`;
      expect((await send(app, 'POST', path, { token: app.root, body })).json).toEqual(tried);
    }
    expect(await groups()).toHaveLength(2);
    const merged = await ok(root().merge({ params, body }));
    expect(tried).toEqual(merged);
    expect([idsOf(merged), merged.main?.character_id]).toEqual([[ADA, BRIM, CLEO, DOV], ADA]);
    expect(await groups()).toEqual([[ADA, BRIM, CLEO, DOV]]);
    expect((await happened()).slice(2)).toEqual([
      ['merged', CLEO, 0, 'One voice.'],
      ['merged', DOV, 0, 'One voice.'],
    ]);
    // The other person no longer exists, nor does a person of one whose character was linked.
    for (const person_id of [
      body.person_id,
      CLEO.toString(16).padStart(24, '0'),
      '0'.repeat(24),
      'f'.repeat(24),
    ]) {
      expect((await root().merge({ params, body: { ...body, person_id } })).status).toBe(404);
      expect(
        (await root().merge({ params: { person_id }, body: { ...body, person_id: params.person_id } }))
          .status,
      ).toBe(404);
    }
    expect((await root().merge({ params, body: { ...body, person_id: params.person_id } })).status).toBe(422);
  });

  it('merge joins two persons of one', async () => {
    const [one, other] = [await personIdOf(await signIn(ADA)), await personIdOf(await signIn(BRIM))];
    const merged = await ok(
      root().merge({ params: { person_id: one }, body: { person_id: other, reason: 'Seen.' } }),
    );
    expect([idsOf(merged), merged.main?.character_id]).toEqual([[ADA, BRIM], ADA]);
  });

  it('split makes some characters a new person; a main that leaves is replaced by the character that was proven first', async () => {
    const token = await linked(ADA, BRIM, CLEO, DOV);
    const provenOn = (id: number, hours: number) =>
      app.db
        .updateTable('users')
        .set({ proven_on: new Date(app.clock.now().getTime() - hours * 3_600_000) })
        .where('character_id', '=', id)
        .execute();
    await provenOn(BRIM, 2);
    await provenOn(CLEO, 3);
    await provenOn(ADA, 1);
    await provenOn(DOV, 4);
    const params = { person_id: await personIdOf(token) };
    const body = { characters: [ADA, DOV, ADA], reason: 'Sold.' };
    await ok(root().split({ params, body: { ...body, dry_run: true } }));
    await ok(root().split({ params, query: { dry_run: true }, body }));
    const tried = `/person/${params.person_id}/split?dry_run=True`;
    expect((await send(app, 'POST', tried, { token: app.root, body })).status).toBe(200);
    expect(await groups()).toHaveLength(1);
    const { person: kept, split_off: off } = await ok(root().split({ params, body }));
    expect([kept.person_id, idsOf(kept), kept.main?.character_id]).toEqual([
      params.person_id,
      [BRIM, CLEO],
      CLEO,
    ]);
    expect([idsOf(off), off.main?.character_id]).toEqual([[ADA, DOV], DOV]);
    expect(off.person_id).not.toBe(kept.person_id);
    const alone = await ok(root().split({ params, body: { characters: [CLEO], reason: 'Sold.' } }));
    expect([idsOf(alone.person), idsOf(alone.split_off)]).toEqual([[BRIM], [CLEO]]);
    expect(await groups()).toEqual([[ADA, DOV]]);
  });

  it('a split of all characters, of others’, or of none is refused and changes nothing', async () => {
    const token = await linked(ADA, BRIM);
    const params = { person_id: await personIdOf(token) };
    const split = async (...characters: number[]) =>
      (await root().split({ params, body: { characters, reason: 'No.' } })).status;
    expect([await split(ADA, BRIM), await split(), await split(CLEO), await split(BRIM, CLEO)]).toEqual([
      422, 422, 404, 404,
    ]);
    expect(await groups()).toEqual([[ADA, BRIM]]);
  });

  it('the history has all changes with actor and reason, newest first', async () => {
    const token = await linked(ADA, BRIM);
    const { person_id } = await current(token);
    await ok(root().split({ params: { person_id }, body: { characters: [BRIM], reason: 'Sold.' } }));
    const short = (id: number) => ({ character_id: id, character_name: nameOf(id) });
    const all = [
      {
        occurred_on: app.clock.now().toISOString(),
        happened: 'split',
        character: short(BRIM),
        from_person: person_id,
        to_person: null,
        by: { character_id: 0, character_name: '(built-in)' },
        reason: 'Sold.',
      },
      {
        occurred_on: app.clock.now().toISOString(),
        happened: 'linked',
        character: short(BRIM),
        from_person: null,
        to_person: person_id,
        by: short(ADA),
        reason: null,
      },
    ];
    expect(await ok(root().history({ params: { person_id } }))).toEqual(all);
    const sole = { person_id: BRIM.toString(16).padStart(24, '0') };
    expect(await ok(root().history({ params: sole }))).toEqual(all);
    const idle = { person_id: CLEO.toString(16).padStart(24, '0') };
    await signIn(CLEO);
    expect(await ok(root().history({ params: idle }))).toEqual([]);
    for (const never of ['f'.repeat(24), '0'.repeat(23).concat('7')]) {
      expect((await root().history({ params: { person_id: never } })).status).toBe(404);
    }
  });
});

describe('D91: events of persons', () => {
  it('rebuild persons and mains, and contain reason and actor', async () => {
    const before = (await allEvents(app.db)).length;
    const token = await linked(ADA, BRIM, CLEO);
    const other = await linked(DOV);
    await ok(person(token).update({ body: { main: BRIM } }));
    await ok(link(other, await signIn(ADA)));
    const { person_id } = await current(await signIn(BRIM));
    const body = { characters: [CLEO], reason: 'Sold.' };
    await ok(root().split({ params: { person_id }, body }));
    handOver(DOV);
    await signIn(DOV);
    await ok(link(await signIn(CLEO), await signIn(ADA)));
    const told = (await allEvents(app.db)).slice(before).filter(({ type }) => type.startsWith('person.'));

    const persons_ = new Map<string, { main: number; characters: Set<number> }>();
    const of = (id: string) => persons_.get(id) ?? { main: 0, characters: new Set<number>() };
    for (const { type, targets, changes } of told) {
      const id = (kind: string) => targets.find((target) => target.type === kind)?.id ?? '';
      const values = Object.fromEntries(
        changes.flatMap((change) => ('after' in change ? [[change.field, change]] : [])),
      );
      if (type === 'person.main_changed') {
        persons_.set(id('person'), { ...of(id('person')), main: Number(values['main']?.after) });
        continue;
      }
      const { before: from, after: to } = values['person_id'] as { before: string; after: string };
      if (from !== null) of(from).characters.delete(Number(id('user')));
      if (to !== null) persons_.set(to, { ...of(to), characters: of(to).characters.add(Number(id('user'))) });
    }
    const rebuilt = [...persons_].flatMap(([id, { main, characters }]) =>
      characters.size === 0 ? [] : [[id, { main, characters: [...characters].sort((a, b) => a - b) }]],
    );
    expect(Object.fromEntries(rebuilt)).toEqual(await persons());
    expect(Object.keys(await persons())).toHaveLength(1);
    expect(told.find(({ reason }) => reason === 'Sold.')).toMatchObject({
      type: 'person.character_unlinked',
      actor: { kind: 'app', character_id: 0 },
      changes: [{ field: 'person_id' }, { field: 'happened', after: 'split' }],
    });
  });
});

describe('D101: hand-over and deletion', () => {
  it('a hand-over removes the character; the others stay, and a lost main is replaced by the character proven first', async () => {
    const token = await linked(ADA, BRIM, CLEO);
    await setLevel(app, BRIM, 5);
    const proven = app.db.updateTable('users');
    await proven
      .set({ proven_on: new Date(0) })
      .where('character_id', '=', CLEO)
      .execute();
    handOver(ADA);
    const buyer = await signIn(ADA);
    expect((await app.client(token).token.current()).status).toBe(401);
    expect(Object.values(await persons())).toEqual([{ main: CLEO, characters: [BRIM, CLEO] }]);
    expect(idsOf(await current(buyer))).toEqual([ADA]);
    expect((await current(buyer)).characters[0]?.proven_on).toBe(app.clock.now().toISOString());
    expect((await happened()).at(-1)).toEqual(['owner_changed', ADA, null, null]);
    const left = await app.db
      .selectFrom('users')
      .select('clearance_level')
      .where('character_id', '=', BRIM)
      .execute();
    expect(left).toEqual([{ clearance_level: 5 }]);
  });

  it('a lost main passes to no character whose owner has changed, by a hand-over or a split, as long as there is another', async () => {
    await linked(ADA, BRIM, CLEO, DOV);
    const proven = app.db.updateTable('users').set({ proven_on: new Date(0) });
    await proven.where('character_id', '=', BRIM).execute();
    const grants = app.db.updateTable('grants').set({ heard_owner: 'a buyer' });
    await grants.where('character_id', '=', BRIM).execute();
    handOver(ADA);
    await signIn(ADA);
    expect(Object.values(await persons())).toEqual([{ main: CLEO, characters: [BRIM, CLEO, DOV] }]);
    const [person_id = ''] = Object.keys(await persons());
    const body = { characters: [BRIM, CLEO], reason: 'Sold.' };
    const { split_off: off } = await ok(root().split({ params: { person_id }, body }));
    expect([idsOf(off), off.main?.character_id]).toEqual([[BRIM, CLEO], CLEO]);
    known.clear();
  });

  it('a refused sign-in of the new owner removes it, too (D29b)', async () => {
    await linked(ADA, BRIM);
    handOver(BRIM);
    await app.db.updateTable('coalitions').set({ authorized_to_login: false }).execute();
    await expect(signIn(BRIM)).rejects.toThrow(/403/);
    await app.db.updateTable('coalitions').set({ authorized_to_login: true }).execute();
    expect(await persons()).toEqual({});
    // What the former owner proved, days ago, says nothing of the new one (D100).
    const { characters } = await ok(
      app.client(app.root).user.person({ params: { character: String(BRIM) } }),
    );
    expect(characters).toMatchObject([{ ownership: 'stale', proven_on: null, tracking: 'none' }]);
  });

  it('a deleted user is removed, and the history stays', async () => {
    const token = await linked(ADA, BRIM, CLEO);
    const { person_id } = await current(token);
    await ok(app.client(app.root).user.delete({ params: { character_id: ADA } }));
    const [left] = Object.values(await persons());
    expect(left?.characters).toEqual([BRIM, CLEO]);
    await ok(app.client(app.root).user.delete({ params: { character_id: BRIM } }));
    known.clear();
    expect(await persons()).toEqual({});
    expect((await happened()).slice(2)).toEqual([
      ['deleted', ADA, 0, null],
      ['deleted', BRIM, 0, null],
    ]);
    const said = await ok(root().history({ params: { person_id } }));
    expect(said[0]).toMatchObject({ happened: 'deleted', character: { character_name: nameOf(BRIM) } });
  });

  it('so is a character that the game deleted, by the sync (D63b)', async () => {
    await linked(DOV, BRIM);
    const run = () => syncUsers(app.app.services, testRun('sync-users'));
    app.provider.world.deleteCharacter(DOV);
    await run();
    expect(await groups()).toEqual([[BRIM, DOV].sort((a, b) => a - b)]);
    app.clock.advance(30 * 60_000);
    await run();
    expect(await persons()).toEqual({});
    expect((await happened()).at(-1)).toEqual(['deleted', DOV, null, null]);
  });
});
