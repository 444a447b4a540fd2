import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CharacterLocation, CharacterMail, CharacterMailShort } from '../../contract/history.ts';
import * as sheet from '../../dev/world/character-sheet.ts';
import { mailbox } from '../../dev/world/mailbox.ts';
import type { Character } from '../../dev/world/world.ts';
import { ok } from '../../sdk/src/index.ts';
import { indexMail } from '../../server/history/mailbox.ts';
import { ensurePartitions } from '../../server/history/partitions.ts';
import { storeSkillPoints } from '../../server/history/skill-points.ts';
import { storeWallet } from '../../server/history/wallet.ts';
import { letIn } from '../fixtures/registry.ts';
import { addHome, addMember } from '../fixtures/users.ts';
import { type SignedIn, startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider, stayInTheMinute } from '../harness/provider.ts';
import { type Problem, send } from '../harness/send.ts';

const ALLIANCE = 99_000_001;
const HISTORIES = ['location', 'mail', 'skillpoints', 'wallet'] as const;
const LOCATION_SCOPES = [
  'ext-location.read_location.v1',
  'ext-location.read_online.v1',
  'ext-location.read_ship_type.v1',
];
const SCOPES = [
  ...LOCATION_SCOPES,
  'ext-mail.read_mail.v1',
  'ext-skills.read_skills.v1',
  'ext-universe.read_structures.v1',
  'ext-wallet.read_character_wallet.v1',
];
/** Longer than the answers requested here are cached. */
const LATER = 150_000;

let app: TestApp;
let dyn: string;
let members: Character[];
beforeAll(async () => {
  // Two pages of mail.
  app = await startTestApp({ provider: { mailRounds: 34 } });
  dyn = await app.dynamicToken();
  await letIn(app, { alliances: [ALLIANCE] });
  await addHome(app);
  const { world } = app.provider;
  const alliance = world.alliance(ALLIANCE);
  members = world
    .membersOf(alliance?.executorCorporationId ?? 0)
    .map((id) => world.character(id))
    .filter((character): character is Character => character !== undefined && !character.isCeo);
});
afterAll(() => app.stop());
// Every hour lived adds mail.
beforeEach(() => {
  app.provider.world.hour = 0;
});

const newcomer = (scopes = SCOPES): Promise<SignedIn> =>
  app.signIn((members.shift() as Character).id, { dyn, scopes: ['publicData', ...scopes] });

let lastId = 2_113_000_000;
const nextId = () => {
  lastId += 1;
  return lastId;
};

const pathOf = (id: number, what: string) => `/ext/history/characters/${id}/${what}`;

function get<Body>(token: string, id: number, what: string, page?: string) {
  const headers = page === undefined ? {} : { page };
  return send<Body>(app, 'GET', pathOf(id, what), { token, headers });
}

function storeNow(token: string, character_id: number) {
  return app.client(token).history.storeLocation({ params: { character_id } });
}

describe('pages of every history', () => {
  it.each(HISTORIES)('%s: an empty one answers page 1 with [] and X-Pages 1 (D36)', async (what) => {
    const { id, jwt } = await addMember(app, nextId());
    const { status, headers, json } = await get(jwt, id, what);
    expect({ status, pages: headers['x-pages'], json }).toEqual({ status: 200, pages: '1', json: [] });
  });

  it.each(HISTORIES)('%s: a page beyond the last is 422 at the header (D36)', async (what) => {
    const { id, jwt } = await addMember(app, nextId());
    for (const page of ['2', String(2 ** 31), '99999999999', '9'.repeat(400)]) {
      const { status, json } = await get<Problem>(jwt, id, what, page);
      expect(status).toBe(422);
      expect(json.detail).toEqual([
        { loc: ['header', 'page'], msg: 'Invalid page index', type: expect.any(String) },
      ]);
    }
  });

  it.each(['0', '-1', '1.0', '01', 'x', ''])(
    'the header page must be a positive number: %j (D3)',
    async (page) => {
      const { id, jwt } = await addMember(app, nextId());
      const { status, json } = await get<{ detail: { loc: unknown }[] }>(jwt, id, 'wallet', page);
      expect(status).toBe(422);
      expect(json.detail[0]?.loc).toEqual(['header', 'page']);
    },
  );

  it('50 a page, newest first, X-Pages counts them (interface "External data operations" rule 2)', async () => {
    const { id, jwt } = await addMember(app, nextId());
    const now = app.clock.now();
    for (const days of [0, 7]) await ensurePartitions(app.db, new Date(now.getTime() - days * 86_400_000));
    const rows = Array.from({ length: 120 }, (_, hour) => ({
      character_id: id,
      timestamp: new Date(now.getTime() - hour * 3_600_000),
      balance: hour,
    }));
    await app.db.insertInto('character_wallets').values(rows).execute();
    const pages = await Promise.all(
      ['1', '2', '3'].map((page) => get<{ balance: number }[]>(jwt, id, 'wallet', page)),
    );
    expect(pages.map(({ headers }) => headers['x-pages'])).toEqual(['3', '3', '3']);
    expect(pages.map(({ json }) => json.length)).toEqual([50, 50, 20]);
    expect(pages.flatMap(({ json }) => json.map(({ balance }) => balance))).toEqual(
      rows.map((row) => row.balance),
    );
  });

  it.each([...HISTORIES, 'mail/7'])(
    '%s: one statement besides authentication and authority',
    async (what) => {
      const { id, jwt } = await addMember(app, nextId());
      const before = app.statements.length;
      await get(jwt, id, what);
      expect(app.statements.slice(before)).toHaveLength(3);
    },
  );
});

describe('POST …/location/now', () => {
  it('fetches the location, stores it and answers with it; the latest one is first', async () => {
    const { token, user } = await newcomer();
    const now = () => ok(storeNow(token, user.character_id));
    const first = await now();
    app.provider.world.hour += 1;
    app.clock.advance(LATER);
    const second = await now();
    expect((await get<CharacterLocation[]>(token, user.character_id, 'location')).json).toEqual([
      second,
      first,
    ]);
    expect(Date.parse(second.timestamp) - Date.parse(first.timestamp)).toBeGreaterThanOrEqual(LATER);
    expect(first).toMatchObject({
      user: { character_id: user.character_id, character_name: user.character_name },
      ship_type_name: expect.stringMatching(/^[^#]/),
      solar_system_name: expect.stringMatching(/^[^#]/),
    });
  });

  it('D36: each call adds an entry', async () => {
    const { token, user } = await newcomer();
    const first = await ok(storeNow(token, user.character_id));
    app.clock.advance(10);
    const later = await ok(storeNow(token, user.character_id));
    expect(later).toEqual({ ...first, timestamp: app.clock.now().toISOString() });
    expect((await get(token, user.character_id, 'location')).json).toEqual([later, first]);
  });

  /** As if it had been asked for so often within the last hour; the present entry is one of them. */
  const entries = async (id: number, count: number) => {
    await sql`
      insert into character_locations
      select (jsonb_populate_record(l, jsonb_build_object('timestamp', l.timestamp - n * interval '30 seconds'))).*
      from character_locations l, generate_series(1, ${count - 1}::int) n where character_id = ${id}`.execute(
      app.db,
    );
  };
  const latest = async (token: string, id: number, count: number) =>
    ((await get(token, id, 'location')).json as unknown[]).slice(0, count);

  it('D36: after a hundred in an hour, what one of the last five seconds says already adds none', async () => {
    const { token, user } = await newcomer();
    const id = user.character_id;
    const first = await ok(storeNow(token, id));
    await entries(id, 99);
    app.clock.advance(10);
    const hundredth = await ok(storeNow(token, id));
    for (const passed of [10, 4_989]) {
      app.clock.advance(passed);
      expect(await ok(storeNow(token, id))).toEqual(hundredth);
    }
    app.clock.advance(1);
    const later = await ok(storeNow(token, id));
    expect(later).toEqual({ ...first, timestamp: app.clock.now().toISOString() });
    expect(await latest(token, id, 3)).toEqual([later, hundredth, first]);
  });

  it('D36: and what it does not say does', async () => {
    const { token, user } = await newcomer(LOCATION_SCOPES);
    const id = user.character_id;
    liveUntilIn('structure', id);
    const unnamed = await ok(storeNow(token, id));
    await entries(id, 100);
    await app.signIn(id, { dyn, scopes: ['publicData', ...SCOPES] });
    app.clock.advance(1);
    const named = await ok(storeNow(token, id));
    expect(named).toMatchObject({ structure_name: expect.stringMatching(/ Keep$/) });
    expect(await latest(token, id, 2)).toEqual([named, unnamed]);
  });

  it('D3c: takes its caller’s turn when the game has answered', async () => {
    const { token, user } = await newcomer();
    const before = app.provider.requests.length;
    let answered = false;
    const inLine = vi.spyOn(app.app.services.lines, 'callers').mockImplementation((_, admission, work) => {
      answered = app.provider.requests.length > before;
      return work(admission);
    });
    const { status } = await storeNow(token, user.character_id);
    expect(inLine.mock.calls.map(([caller]) => caller)).toEqual([String(user.character_id)]);
    inLine.mockRestore();
    expect({ status, answered }).toEqual({ status: 200, answered: true });
  });

  /** Lets hours pass until the game shows the character in such a place. */
  function liveUntilIn(place: 'station' | 'structure' | 'space', id: number): void {
    const { world } = app.provider;
    for (let hour = 1; hour <= 60; hour += 1) {
      world.hour += 1;
      app.clock.advance(LATER);
      const { station_id, structure_id } = sheet.location(world, world.character(id) as Character);
      if ((station_id ? 'station' : structure_id ? 'structure' : 'space') === place) return;
    }
    throw new Error(`never in a ${place}`);
  }

  it('names the station or structure in which the character is docked', async () => {
    const { token, user } = await newcomer();
    const kinds = new Set<string>();
    for (const place of ['station', 'structure', 'space'] as const) {
      liveUntilIn(place, user.character_id);
      const location = await ok(storeNow(token, user.character_id));
      const { station_id, station_name, structure_id, structure_name } = location;
      if (station_id !== null) expect(station_name).toMatch(/^[^#]/);
      if (structure_id !== null) expect(structure_name).toMatch(/ Keep$/);
      expect([station_id === null, structure_id === null]).toEqual([
        station_name === null,
        structure_name === null,
      ]);
      kinds.add(station_id !== null ? 'station' : structure_id !== null ? 'structure' : 'space');
    }
    expect([...kinds].sort()).toEqual(['space', 'station', 'structure']);
  });

  it('a structure that the character may not look at is #N (D36)', async () => {
    const { token, user } = await newcomer(LOCATION_SCOPES);
    liveUntilIn('structure', user.character_id);
    const { structure_id, structure_name } = await ok(storeNow(token, user.character_id));
    expect(structure_id).not.toBeNull();
    expect(structure_name).toBe(`#${structure_id}`);
  });

  it('404 without a valid refresh token with the scopes (D30)', async () => {
    const { token, user } = await newcomer(LOCATION_SCOPES.slice(0, 2));
    expect(await storeNow(token, user.character_id)).toMatchObject({
      status: 404,
      body: { detail: `Could not find valid refresh token for character ${user.character_id}` },
    });
  });

  it('nothing is stored when the game refuses one of the requests: 502 (D30)', async () => {
    const { token, user } = await newcomer();
    app.provider.faults.add('/characters/*/ship', { kind: 'status', status: 500 });
    const { status } = await storeNow(token, user.character_id);
    app.provider.reset();
    expect(status).toBe(502);
    expect((await get(token, user.character_id, 'location')).json).toEqual([]);
  });
});

describe('skill points and balance', () => {
  it('as the game reports them, an entry for each time', async () => {
    const { token, user } = await newcomer();
    const id = user.character_id;
    const { services } = app.app;
    const expected: { at: Date; total_sp: number; balance: number }[] = [];
    for (let hour = 0; hour < 3; hour += 1) {
      app.provider.world.hour += 1;
      app.clock.advance(LATER);
      const at = app.clock.now();
      await storeSkillPoints(services, id, at);
      await storeWallet(services, id, at);
      const character = app.provider.world.character(id) as Character;
      const { total_sp } = sheet.skills(app.provider.world, character) as { total_sp: number };
      expected.unshift({ at, total_sp, balance: sheet.wallet(app.provider.world, character) });
    }
    expect((await get(token, id, 'skillpoints')).json).toEqual(
      expected.map(({ at, total_sp }) => ({
        timestamp: at.toISOString(),
        total_sp,
        unallocated_sp: expect.any(Number),
      })),
    );
    expect((await get(token, id, 'wallet')).json).toEqual(
      expected.map(({ at, balance }) => ({ balance, timestamp: at.toISOString() })),
    );
  });
});

describe('mail (D36b)', () => {
  it('the history is the mailbox: every mail sent and received, newest first, with names', async () => {
    const { token, user } = await newcomer();
    const id = user.character_id;
    await indexMail(app.app.services, id);
    const expected = mailbox(app.provider.world, app.provider.world.character(id) as Character).sort(
      (a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp) || b.id - a.id,
    );
    const pages = Math.ceil(expected.length / 50);
    const got: CharacterMailShort[] = [];
    for (let page = 1; page <= pages; page += 1) {
      const { headers, json } = await get<CharacterMailShort[]>(token, id, 'mail', String(page));
      expect(headers['x-pages']).toBe(String(pages));
      got.push(...json);
    }
    expect(pages).toBeGreaterThan(1);
    expect(got.map(({ mail_id, subject }) => [mail_id, subject])).toEqual(
      expected.map((mail) => [mail.id, mail.subject]),
    );
    for (const { from_character } of got) {
      expect(from_character.character_name).toBe(
        app.provider.world.character(from_character.character_id)?.name,
      );
    }
    const recipients = got.flatMap((mail) => mail.recipients);
    expect(recipients.every(({ recipient_name }) => !recipient_name.startsWith('#'))).toBe(true);
    expect(
      recipients.some(
        ({ recipient_id, recipient_name }) => recipient_name === `Mailing list ${recipient_id}`,
      ),
    ).toBe(true);
  });

  it('one mail: plain text with line breaks (D36); a 404 unless it is in that mailbox', async () => {
    const { token, user } = await newcomer();
    const other = await newcomer();
    const id = user.character_id;
    app.provider.world.sendMail({
      from: id,
      recipients: [{ recipient_id: members[0]?.id ?? 0, recipient_type: 'character' }],
      subject: 'Tonight',
      body: '<font size="12">Doors close at eight &amp; ten.<br>Bring a <b>lantern</b>.</font>',
    });
    await indexMail(app.app.services, id);
    await indexMail(app.app.services, other.user.character_id);
    const [newest] = (await get<CharacterMailShort[]>(token, id, 'mail')).json;
    const { status, json } = await get<CharacterMail>(token, id, `mail/${newest?.mail_id}`);
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        body: 'Doors close at eight & ten.\nBring a lantern.',
        from_id: id,
        from_name: user.character_name,
        mail_id: newest?.mail_id,
        recipients: [{ recipient_id: members[0]?.id, recipient_name: members[0]?.name }],
        subject: 'Tonight',
        timestamp: newest?.timestamp,
      },
    });
    const elsewhere = await get<Problem>(other.token, other.user.character_id, `mail/${newest?.mail_id}`);
    expect({ status: elsewhere.status, detail: elsewhere.json.detail }).toEqual({
      status: 404,
      detail: `Could not find mail ${newest?.mail_id}`,
    });
  });
});

it('D33b: who caused too many errors is refused what is asked of the game now: a location, the text of a mail', async () => {
  const { token, user } = await newcomer();
  const client = app.client(token);
  const { character_id } = user;
  await indexMail(app.app.services, character_id);
  const [newest] = (await get<CharacterMailShort[]>(token, character_id, 'mail')).json;
  const mail_id = newest?.mail_id ?? 0;
  // As if no job had come to its text yet.
  await app.db.updateTable('mails').set({ body: null }).where('mail_id', '=', mail_id).execute();
  await app.db
    .updateTable('mailbox_mails')
    .set({ wants_body: true })
    .where('mail_id', '=', mail_id)
    .execute();
  await forgetProvider(app);
  stayInTheMinute(app);
  for (let n = 0; n < 20; n += 1) {
    const answer = await client.ext.forward({ params: { esi_path: `corporations/${97_100_000 + n}` } });
    expect(answer.status).toBe(404);
  }
  const refused = { status: 429, body: { code: 'caller_errors_used_up' } };
  expect(await storeNow(token, character_id)).toMatchObject(refused);
  expect(await client.history.mail({ params: { character_id, mail_id } })).toMatchObject(refused);
});

describe('who may read (D17)', () => {
  it.each([
    ['the caller’s own at level 0', 0, 'own', 200],
    ['a corporation mate’s at level 0', 0, 'mate', 403],
    ['a corporation mate’s at level 1', 1, 'mate', 200],
    ['nobody’s', 10, 'nobody', 404],
  ] as const)('%s', async (_, level, whose, expected) => {
    const caller = await addMember(app, nextId(), level);
    const mate = await addMember(app, nextId());
    const id = { own: caller.id, mate: mate.id, nobody: nextId() }[whose];
    for (const what of HISTORIES) expect((await get(caller.jwt, id, what)).status).toBe(expected);
    expect((await get(caller.jwt, id, 'mail/7')).status).toBe(expected === 200 ? 404 : expected);
    const now = await storeNow(caller.jwt, id);
    expect(now.status).toBe(expected === 200 ? 404 : expected);
  });
});

describe('what is below /ext/history/ is ours and never forwarded (decisions §1)', () => {
  it.each([
    '',
    '/',
    '/characters',
    '/characters/1',
    '/characters/1/assets',
    '/status',
    '/characters/1/location/then',
  ])('/ext/history%s: 404', async (rest) => {
    for (const method of ['GET', 'POST']) {
      expect((await send(app, method, `/ext/history${rest}`, { token: app.root })).status).toBe(404);
    }
    expect(app.provider.requests.filter(({ path }) => path.includes('/history'))).toEqual([]);
  });

  it.each([
    ['POST', 'wallet', 'GET, HEAD'],
    ['GET', 'location/now', 'POST'],
  ])('%s …/%s: 405 (D3)', async (method, what, allow) => {
    const { status, headers } = await send(app, method, pathOf(1, what), { token: app.root });
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow });
  });
});

describe('histories are deleted', () => {
  const everything = async (id: number) => {
    const counts: number[] = [];
    for (const table of [
      'character_locations',
      'character_skill_points',
      'character_wallets',
      'mailbox_mails',
    ] as const) {
      const rows = await app.db
        .selectFrom(table)
        .select('character_id')
        .where('character_id', '=', id)
        .execute();
      counts.push(rows.length > 0 ? 1 : 0);
    }
    return counts;
  };
  async function withHistories(): Promise<SignedIn> {
    const person = await newcomer();
    const id = person.user.character_id;
    const { services } = app.app;
    app.clock.advance(LATER);
    await ok(storeNow(person.token, id));
    await storeSkillPoints(services, id, app.clock.now());
    await storeWallet(services, id, app.clock.now());
    await indexMail(services, id);
    expect(await everything(id)).toEqual([1, 1, 1, 1]);
    return person;
  }

  it('with the user (D19b)', async () => {
    const { user } = await withHistories();
    expect(
      (await app.client(app.root).user.delete({ params: { character_id: user.character_id } })).status,
    ).toBe(200);
    expect(await everything(user.character_id)).toEqual([0, 0, 0, 0]);
  });

  it('when the character is handed to another person (D29b)', async () => {
    const { user } = await withHistories();
    app.provider.world.handOver(user.character_id);
    await app.signIn(user.character_id, { dyn });
    expect(await everything(user.character_id)).toEqual([0, 0, 0, 0]);
  });
});
