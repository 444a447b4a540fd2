import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Compliance } from '../../contract/compliance.ts';
import type { ExtScope } from '../../contract/scopes.ts';
import { runMaintenance } from '../../jobs/maintenance.ts';
import { ok } from '../../sdk/src/index.ts';
import { noteCompliance } from '../../server/compliance/note-compliance.ts';
import { soleId } from '../../server/person/person-id.ts';
import { noticeHandover } from '../../server/sign-in/notice-handover.ts';
import { addCoalition, addOrganizations, addUser } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { meanwhile, untilWaiting } from '../harness/meanwhile.ts';
import { occupy } from '../harness/occupy.ts';
import { testRun } from '../harness/run.ts';
import { send } from '../harness/send.ts';

/** FIRST and SECOND are of one alliance; the coalition holds that alliance and LONE; OTHER is of neither. */
const [FIRST, SECOND, LONE, OTHER] = [98_100_001, 98_100_002, 98_100_003, 98_100_004];
const ALLIANCE = 99_100_001;
const COALITION = 'c1'.repeat(12);
const [ADA, BRIM, CLEO, DOV] = [2_120_000_001, 2_120_000_002, 2_120_000_003, 2_120_000_004];
const HOUR = 3_600_000;
const MAIL = 'ext-mail.read_mail.v1';
const SKILLS = 'ext-skills.read_skills.v1';

let app: TestApp;
let root: Client;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [
    { alliance: ALLIANCE, corporations: [FIRST, SECOND] },
    { corporations: [LONE, OTHER] },
  ]);
  await addCoalition(app, COALITION, { alliances: [ALLIANCE], corporations: [LONE] });
  await sql`update corporations set mandatory_ext_scopes = array[${MAIL}, ${SKILLS}]`.execute(app.db);
});
afterAll(() => app.stop());
beforeEach(async () => {
  await sql`delete from persons`.execute(app.db);
  await sql`delete from users where character_id <> 0`.execute(app.db);
  await sql`delete from compliance_days`.execute(app.db);
});

/** A member that signed in at that time; `null`: that never did. */
async function member(id: number, corporation: number, signedIn: Date | null = app.clock.now()) {
  await addUser(app, { id, corporation });
  await sql`update users set signed_in_on = ${signedIn}, proven_on = ${signedIn} where character_id = ${id}`.execute(
    app.db,
  );
}

async function grant(character_id: number, scopes: readonly ExtScope[], valid = true, updated_on?: Date) {
  await app.db
    .insertInto('grants')
    .values({
      grant_id: randomUUID(),
      character_id,
      scopes: [...scopes],
      refresh_token: Buffer.from('encrypted'),
      access_token: null,
      access_expires_on: null,
      valid,
      cause: null,
      ...(updated_on && { updated_on }),
    })
    .execute();
}

async function merge(into: number, other: number): Promise<void> {
  const { person_id } = await ok(root.user.person({ params: { character: String(into) } }));
  const body = { person_id: soleId(other), reason: 'One human.' };
  await ok(root.person.merge({ params: { person_id }, body }));
}

const ago = (hours: number) => new Date(app.clock.now().getTime() - hours * HOUR);
const of = (corporation_id: number, client = root) =>
  ok(client.corporation.compliance({ params: { corporation_id } }));
const statuses = ({ persons }: Compliance) =>
  Object.fromEntries(
    persons.flatMap(({ characters }) => characters.map((c) => [c.user.character_id, [c.status, c.reason]])),
  );

describe('D102: compliance', () => {
  it('404 for an unknown corporation, alliance or coalition', async () => {
    const corporation = { params: { corporation_id: 98_999_999 } };
    const alliance = { params: { alliance_id: 99_999_999 } };
    const coalition = { params: { coalition_id: 'ff'.repeat(12) } };
    const answers = await Promise.all([
      ...[root.corporation.compliance(corporation), root.corporation.complianceDays(corporation)],
      ...[root.alliance.compliance(alliance), root.alliance.complianceDays(alliance)],
      ...[root.coalition.compliance(coalition), root.coalition.complianceDays(coalition)],
    ]);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  it('each character is ok, in grace, failing or unknown, with the reason, since when, and the days', async () => {
    await member(ADA, FIRST);
    await grant(ADA, [MAIL, SKILLS]);
    await member(BRIM, FIRST, ago(50));
    await member(CLEO, FIRST, ago(200));
    await grant(CLEO, [MAIL, SKILLS], false, ago(24 * 4 + 1));
    await member(DOV, FIRST, ago(200));
    await grant(DOV, [MAIL]);
    const { persons, as_of } = await of(FIRST);
    expect(as_of).toBe(app.clock.now().toISOString());
    expect(persons.map(({ characters }) => characters)).toEqual([
      [expect.objectContaining({ status: 'ok', reason: null, since: null, days: null, grace_until: null })],
      [
        expect.objectContaining({
          status: 'grace',
          reason: 'no_grant',
          since: ago(50).toISOString(),
          days: 2,
          grace_until: ago(50 - 72).toISOString(),
        }),
      ],
      [
        expect.objectContaining({
          status: 'failing',
          reason: 'grant_invalid',
          since: ago(97).toISOString(),
          days: 4,
        }),
      ],
      [
        expect.objectContaining({
          status: 'grace',
          reason: 'scopes_missing',
          missing_scopes: [SKILLS],
          days: 0,
        }),
      ],
    ]);
    // After a refresh that was cut off, the token may be valid or not.
    await sql`update grants set valid = true, refresh_started_on = now() - interval '1 minute'
      where character_id = ${CLEO}`.execute(app.db);
    expect(statuses(await of(FIRST))[CLEO]).toEqual(['unknown', 'refresh_cut_off']);
  });

  it('of several refresh tokens the one with the fewest missing scopes counts', async () => {
    await member(ADA, FIRST);
    await grant(ADA, ['publicData']);
    await grant(ADA, [MAIL, 'publicData']);
    await grant(ADA, [MAIL, SKILLS], false);
    const [person] = (await of(FIRST)).persons;
    expect(person?.characters).toMatchObject([{ reason: 'scopes_missing', missing_scopes: [SKILLS] }]);
  });

  it('one entry for each person with its characters there, and their worst status', async () => {
    await member(ADA, FIRST);
    await grant(ADA, [MAIL, SKILLS]);
    await member(BRIM, FIRST, ago(100));
    await member(CLEO, SECOND);
    await member(DOV, FIRST);
    await merge(ADA, BRIM);
    await merge(ADA, CLEO);
    const there = await of(FIRST);
    expect(
      there.persons.map(({ main, status, characters }) => [
        main?.character_id,
        status,
        characters.map(({ user }) => user.character_id),
      ]),
    ).toEqual([
      [ADA, 'failing', [ADA, BRIM]],
      [DOV, 'grace', [DOV]],
    ]);
    const alliance = await ok(root.alliance.compliance({ params: { alliance_id: ALLIANCE } }));
    expect(alliance.persons.map(({ characters }) => characters.length)).toEqual([3, 1]);
    const coalition = await ok(root.coalition.compliance({ params: { coalition_id: COALITION } }));
    expect(coalition.persons).toEqual(alliance.persons);
  });

  it('a main beyond the read authority of the caller is hidden', async () => {
    await member(ADA, OTHER);
    await member(BRIM, FIRST);
    await member(CLEO, SECOND);
    await member(DOV, FIRST);
    await merge(ADA, BRIM);
    await merge(CLEO, DOV);
    const mains = async (level: number, id: number) => {
      const client = await callerAt(app, { id, level, corporation: FIRST });
      const { persons } = await of(FIRST, client);
      return persons
        .filter(({ characters }) => characters[0]?.user.character_id !== id)
        .map(({ main }) => main?.character_id ?? null);
    };
    expect(await mains(1, 2_121_000_001)).toEqual([null, null]);
    await sql`delete from users where character_id = 2121000001`.execute(app.db);
    expect(await mains(3, 2_121_000_003)).toEqual([null, CLEO]);
    await sql`delete from users where character_id = 2121000003`.execute(app.db);
    expect(await mains(7, 2_121_000_007)).toEqual([ADA, CLEO]);
  });

  it('D100: the id of a person is shown to those who see all of its characters', async () => {
    await member(ADA, OTHER);
    await member(BRIM, FIRST);
    await member(CLEO, SECOND);
    await member(DOV, FIRST);
    await merge(DOV, CLEO);
    await merge(BRIM, ADA);
    const ids = async (level: number, id: number) => {
      const client = await callerAt(app, { id, level, corporation: FIRST });
      const { persons } = await of(FIRST, client);
      await sql`delete from users where character_id = ${id}`.execute(app.db);
      return persons
        .filter(({ characters }) => characters[0]?.user.character_id !== id)
        .map(({ person_id }) => person_id);
    };
    const [brim, dov] = (await of(FIRST)).persons.map(({ person_id }) => person_id);
    const { person_id } = await ok(root.user.person({ params: { character: String(ADA) } }));
    expect([brim, dov]).not.toEqual([soleId(BRIM), soleId(DOV)]);
    expect(brim).toBe(person_id);
    expect(await ids(1, 2_121_000_001)).toEqual([soleId(BRIM), soleId(DOV)]);
    expect(await ids(3, 2_121_000_003)).toEqual([soleId(BRIM), dov]);
    expect(await ids(7, 2_121_000_007)).toEqual([brim, dov]);
  });

  it('members that never signed in are listed apart, and so are corporations whose list cannot be read', async () => {
    await member(ADA, FIRST, null);
    await member(BRIM, FIRST);
    await grant(BRIM, [MAIL, SKILLS, 'ext-corporations.read_corporation_membership.v1']);
    const first = await of(FIRST);
    expect(first.never_signed_in.map(({ character_id: id }) => id)).toEqual([ADA]);
    expect(Object.keys(statuses(first))).toEqual([String(BRIM)]);
    expect(first.unlisted).toEqual([]);
    const alliance = await ok(root.alliance.compliance({ params: { alliance_id: ALLIANCE } }));
    expect(alliance.unlisted).toEqual([
      { corporation_id: SECOND, corporation_name: `Corporation ${SECOND}` },
    ]);
  });

  it('guests and characters in the graveyard do not count', async () => {
    await member(ADA, FIRST);
    await addUser(app, { id: BRIM, corporation: FIRST, level: -1 });
    await member(CLEO, FIRST, null);
    await sql`update users set graveyard_on = now() where character_id in (${ADA}, ${CLEO})`.execute(app.db);
    expect(await of(FIRST)).toMatchObject({ persons: [], never_signed_in: [] });
    await noteCompliance(app.app.services);
    expect(await ok(root.corporation.complianceDays({ params: { corporation_id: FIRST } }))).toEqual([]);
  });

  it('needs the same rights as tracking', async () => {
    const low = await callerAt(app, { id: ADA, level: 1, corporation: FIRST });
    const status = async (path: string) =>
      (await low.corporation.compliance({ params: { corporation_id: Number(path) } })).status;
    expect([await status(String(FIRST)), await status(String(SECOND)), await status('98999999')]).toEqual([
      200, 403, 404,
    ]);
    expect((await low.alliance.compliance({ params: { alliance_id: ALLIANCE } })).status).toBe(403);
    expect((await low.coalition.complianceDays({ params: { coalition_id: COALITION } })).status).toBe(403);
  });

  it('the time since when stays with another reason, and starts again after the character complied', async () => {
    await member(ADA, FIRST, ago(24 * 10));
    await grant(ADA, [MAIL]);
    await noteCompliance(app.app.services);
    const since = app.clock.now().toISOString();
    app.clock.advance(80 * HOUR);
    await sql`update grants set valid = false, updated_on = ${app.clock.now()}`.execute(app.db);
    await noteCompliance(app.app.services);
    expect((await of(FIRST)).persons[0]?.characters[0]).toMatchObject({
      status: 'failing',
      reason: 'grant_invalid',
      since,
      days: 3,
    });
    await grant(ADA, [MAIL, SKILLS]);
    await noteCompliance(app.app.services);
    await sql`delete from grants where scopes @> array[${SKILLS}]`.execute(app.db);
    expect((await of(FIRST)).persons[0]?.characters[0]).toMatchObject({ status: 'grace', days: 0 });
  });

  it('stores it for the others, too, when one who newly fails is deleted meanwhile', async () => {
    await member(ADA, FIRST);
    await member(BRIM, FIRST);
    const deletion = 'delete from users where character_id = $1';
    await meanwhile(app, deletion, [ADA], () => noteCompliance(app.app.services));
    const { rows } = await sql`select character_id from compliance_failures`.execute(app.db);
    expect(rows).toEqual([{ character_id: BRIM }]);
  });

  it('D29b: who gets a character has the time of grace, however long its former owner was known or failed', async () => {
    for (const [id, scopes] of [
      [ADA, [MAIL, SKILLS]],
      [BRIM, [MAIL]],
    ] as const) {
      await member(id, FIRST, ago(24 * 200));
      await grant(id, scopes);
    }
    await noteCompliance(app.app.services);
    app.clock.advance(80 * HOUR);
    await noteCompliance(app.app.services);
    expect(statuses(await of(FIRST))).toMatchObject({
      [ADA]: ['ok', null],
      [BRIM]: ['failing', 'scopes_missing'],
    });
    await sql`update users set owner_hash = 'seller' where character_id <> 0`.execute(app.db);
    for (const characterId of [ADA, BRIM]) {
      const identity = { characterId, characterName: `Character ${characterId}`, ownerHash: 'buyer' };
      await noticeHandover(app.app.services, identity);
    }
    const since = app.clock.now().toISOString();
    app.clock.advance(HOUR);
    const inGrace = { status: 'grace', reason: 'no_grant', since, days: 0 };
    for (let run = 0; run < 2; run += 1) {
      const { persons } = await of(FIRST);
      expect(persons.flatMap(({ characters }) => characters)).toMatchObject([inGrace, inGrace]);
      await noteCompliance(app.app.services);
    }
    // Also where it was nobody's member meanwhile.
    const moveTo = (id: number | null) =>
      sql`update users set corporation_id = ${id} where character_id = ${ADA}`.execute(app.db);
    await moveTo(null);
    await noteCompliance(app.app.services);
    await moveTo(FIRST);
    expect(statuses(await of(FIRST))).toMatchObject({ [ADA]: ['grace', 'no_grant'] });
  });

  it('stores the counts of each day for two years, from the last run of a day', async () => {
    await member(ADA, FIRST);
    await grant(ADA, [MAIL, SKILLS]);
    await member(BRIM, FIRST, ago(100));
    await member(CLEO, SECOND, null);
    await merge(ADA, BRIM);
    await member(DOV, LONE);
    const days = async () => ok(root.coalition.complianceDays({ params: { coalition_id: COALITION } }));
    await noteCompliance(app.app.services);
    const today = app.clock.now().toISOString().slice(0, 10);
    const counts = { persons: 2, ok: 0, grace: 1, failing: 1, unknown: 0, never_signed_in: 1 };
    expect(await days()).toEqual([{ day: today, ...counts }]);
    expect(await ok(root.corporation.complianceDays({ params: { corporation_id: FIRST } }))).toEqual([
      { day: today, persons: 1, ok: 0, grace: 0, failing: 1, unknown: 0, never_signed_in: 0 },
    ]);
    await grant(DOV, [MAIL, SKILLS]);
    await noteCompliance(app.app.services);
    expect(await days()).toEqual([{ day: today, ...counts, ok: 1, grace: 0 }]);
    await sql`update compliance_days set day = day - 730 where kind = 'coalition'`.execute(app.db);
    await noteCompliance(app.app.services);
    expect(await days()).toHaveLength(2);
    await sql`update compliance_days set day = day - 2 where kind = 'coalition'`.execute(app.db);
    await runMaintenance(app.app.services, testRun('maintenance'));
    expect((await days()).at(-1)?.day.slice(0, 4)).not.toBe(String(app.clock.now().getFullYear() - 3));
    expect(
      (await days()).filter(
        ({ day }) =>
          day <
          ago(24 * 731)
            .toISOString()
            .slice(0, 10),
      ),
    ).toEqual([]);
  });

  it('D102: a worker whose clock is years ahead deletes no counts of the two years', async () => {
    await member(ADA, FIRST);
    await noteCompliance(app.app.services);
    const days = () => ok(root.corporation.complianceDays({ params: { corporation_id: FIRST } }));
    const [today] = await days();
    const clock = { now: () => ago(-3 * 366 * 24), real: true } as const;
    const services = { ...app.app.services, clock };
    await noteCompliance(services);
    await expect(runMaintenance(services, testRun('maintenance'))).rejects.toThrow('failed to');
    expect(await days()).toContainEqual(today);
  });

  it('D102: a corporation and a coalition that lose their last member that day count nobody at its end', async () => {
    await member(ADA, LONE);
    await member(BRIM, LONE, null);
    await noteCompliance(app.app.services);
    await sql`update users set corporation_id = ${OTHER} where character_id in (${ADA}, ${BRIM})`.execute(
      app.db,
    );
    await noteCompliance(app.app.services);
    const day = app.clock.now().toISOString().slice(0, 10);
    const nobody = { day, persons: 0, ok: 0, grace: 0, failing: 0, unknown: 0, never_signed_in: 0 };
    expect(await ok(root.corporation.complianceDays({ params: { corporation_id: LONE } }))).toEqual([nobody]);
    expect(await ok(root.coalition.complianceDays({ params: { coalition_id: COALITION } }))).toEqual([
      nobody,
    ]);
    expect(await ok(root.corporation.complianceDays({ params: { corporation_id: OTHER } }))).toMatchObject([
      { day, persons: 1, never_signed_in: 1 },
    ]);
  });

  it('as CSV by Accept, with a line for each character, in which no text becomes a formula', async () => {
    await member(ADA, FIRST);
    await grant(ADA, [MAIL]);
    await addUser(app, { id: BRIM, corporation: FIRST, name: '=SUM("A1",2)' });
    const path = `/corporation/${FIRST}/compliance`;
    const answer = await send(app, 'GET', path, { token: app.root, headers: { accept: 'text/csv' } });
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.headers.vary).toMatch(/Accept/);
    const lines = answer.text.split('\r\n');
    expect(lines[0]).toBe(
      'person_id,main,character_id,character_name,status,reason,missing_scopes,since,days,grace_until',
    );
    expect(lines[1]).toMatch(
      new RegExp(
        `^${soleId(ADA)},Character ${ADA},${ADA},Character ${ADA},grace,scopes_missing,${SKILLS},.*Z,0,.*Z$`,
      ),
    );
    expect(lines[2]).toBe(`,,${BRIM},"'=SUM(""A1"",2)",never_signed_in,,,,,`);
    expect(lines.slice(3)).toEqual(['']);
    const json = await send(app, 'GET', path, { token: app.root });
    expect(json.headers['content-type']).toBe('application/json');
  });

  it('D102: as CSV by an Accept that names the charset, too', async () => {
    await member(ADA, FIRST);
    for (const path of ['compliance', 'compliance/day']) {
      const headers = { accept: 'text/csv; charset=utf-8' };
      const answer = await send(app, 'GET', `/corporation/${FIRST}/${path}`, { token: app.root, headers });
      expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    }
  });

  it('its days as a table by Accept, too', async () => {
    await member(ADA, FIRST);
    await noteCompliance(app.app.services);
    const path = `/corporation/${FIRST}/compliance/day`;
    const answer = await send(app, 'GET', path, { token: app.root, headers: { accept: 'text/csv' } });
    expect([answer.headers['content-type'], answer.headers.vary]).toEqual([
      'text/csv; charset=utf-8',
      expect.stringMatching(/Accept/),
    ]);
    const [day] = await ok(
      app.client(app.root).corporation.complianceDays({ params: { corporation_id: FIRST } }),
    );
    const [names = '', first = ''] = answer.text.split('\r\n');
    expect(names).toBe('day,persons,ok,grace,failing,unknown,never_signed_in');
    expect(first).toBe(
      names
        .split(',')
        .map((name) => day?.[name as 'day'])
        .join(),
    );
  });

  it('needs two statements, however many members there are', async () => {
    await sql`insert into users (character_id, character_name, name_key, corporation_id, signed_in_on)
      select 2200000000 + n, 'Pilot ' || n, 'pilot ' || n, ${FIRST}::bigint, now() from generate_series(1, 300) n`.execute(
      app.db,
    );
    await member(ADA, OTHER);
    await merge(ADA, 2_200_000_001);
    const asked = async () => {
      const sent = app.statements.length;
      const params = { coalition_id: COALITION };
      const { persons } = await ok(app.client(app.root).coalition.compliance({ params }));
      expect(persons).toHaveLength(300);
      return app.statements.length - sent;
    };
    await asked();
    // In addition to two for the caller: one for its token, one for its authority.
    expect(await asked()).toBe(2 + 2);
  });

  it('D3c: one caller reads one at a time, all of them two, and everybody else finds connections', async () => {
    const reader = (id: number) => callerAt(app, { id, level: 8, corporation: FIRST });
    const [ceo, second, third] = [await reader(ADA), await reader(BRIM), await reader(CLEO)];
    const answered = (client: Client) => ok(client.token.current());
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    try {
      await holder.query('begin; lock table compliance_failures in access exclusive mode');
      const before = app.statements.length;
      const begun = () =>
        app.statements.slice(before).filter((one) => one.includes('compliance_failures')).length;
      const reads = Array.from({ length: 4 }, () => of(FIRST, ceo));
      await untilWaiting(holder, 1);
      await answered(ceo);
      expect(begun()).toBe(1);
      reads.push(of(FIRST, second));
      await untilWaiting(holder, 2);
      reads.push(of(FIRST, third));
      await answered(third);
      expect(begun()).toBe(2);
      await holder.query('commit');
      await Promise.all(reads);
      expect(begun()).toBe(reads.length);
    } finally {
      await holder.end();
    }
  });

  it('D3c: callers take turns, and only one with 64 waiting requests is refused', async () => {
    const reader = (id: number) => callerAt(app, { id, level: 8, corporation: FIRST });
    const [ceo, second] = [await reader(ADA), await reader(BRIM)];
    const { lines } = app.app.services;
    const { compliance } = lines;
    const served: string[] = [];
    const entered = vi.spyOn(lines, 'compliance').mockImplementation((key, admission, work) =>
      compliance(key, admission, (admitted) => {
        served.push(key);
        return work(admitted);
      }),
    );
    const ask = (client: Client) => client.corporation.compliance({ params: { corporation_id: FIRST } });
    const leaves = [occupy(compliance, 'somebody'), occupy(compliance, 'somebody else')];
    try {
      const answers = Array.from({ length: 65 }, () => ask(ceo));
      expect(await Promise.race(answers)).toMatchObject({ status: 429, body: { code: 'too_many_waiting' } });
      await vi.waitUntil(() => entered.mock.calls.length === answers.length, 60_000);
      answers.push(ask(second));
      await vi.waitUntil(() => entered.mock.calls.length === answers.length, 60_000);
      leaves.pop()?.();
      expect((await Promise.all(answers)).filter(({ status }) => status !== 200)).toHaveLength(1);
      expect(served.indexOf(String(BRIM))).toBe(1);
    } finally {
      for (const leave of leaves) leave();
      entered.mockRestore();
    }
  });
});
