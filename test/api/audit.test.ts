import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event, EventPage } from '../../contract/event.ts';
import { ok, paginate } from '../../sdk/src/index.ts';
import { onAccountOf } from '../../server/event/origin.ts';
import { dropExpiredEvents, ensureEventPartitions } from '../../server/event/partitions.ts';
import { readEvents } from '../../server/event/read.queries.ts';
import { listChanged, type NewEvent, recordEvents } from '../../server/event/record.ts';
import { shown } from '../../server/event/show.ts';
import { allEvents, allSealed } from '../fixtures/events.ts';
import {
  addCoalition,
  addHome,
  addMember,
  addOrganizations,
  addUser,
  HOME,
  makeToken,
  uuidOf,
} from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { type Problem, send } from '../harness/send.ts';

const ELSEWHERE = 98_200_001;
const ALICE = 2_114_000_001;
const BOB = 2_114_000_002;
const MATE = 2_114_000_003;
const STRANGER = 2_114_000_004;
const CHIEF = 2_114_000_005;

let app: TestApp;
const clients = new Map<number, Client>();
const as = (id: number) => clients.get(id) as Client;
beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
  await addOrganizations(app, [{ corporations: [ELSEWHERE] }]);
  await addCoalition(app, 'e0'.repeat(12), { corporations: [ELSEWHERE] });
  for (const [id, level] of [
    [ALICE, 0],
    [BOB, 0],
    [MATE, 1],
    [CHIEF, 9],
  ] as const) {
    clients.set(id, app.client((await addMember(app, id, level)).jwt));
  }
  await addUser(app, { id: STRANGER, corporation: ELSEWHERE });
  const { uuid } = await makeToken(app, 'dyn', 0, uuidOf(app.root));
  clients.set(STRANGER, app.client((await makeToken(app, 'use', STRANGER, uuid)).jwt));
});
afterAll(() => app.stop());

const user = (id: number) => ({ type: 'user' as const, id: String(id), name: `Character ${id}` });
const group = { type: 'group' as const, id: 'aa'.repeat(12), name: 'Scouts' };

const by = (character_id: number) =>
  ({ kind: 'user', character_id, token: null, app_token: null, on_behalf_of: null }) as const;

/** Records events as this actor, and returns their ids. */
async function record(id: number, ...events: NewEvent[]): Promise<string[]> {
  const actor = { ...by(id), token: uuidOf(app.root) };
  const context = { request_id: `by ${id}`, address: '203.0.113.7', user_agent: null };
  app.clock.advance(1000);
  const ids = await onAccountOf({ actor, context }, () => recordEvents(app.db, events, app.clock.now()));
  await allEvents(app.db);
  return ids;
}

/** Makes these events those of a process of the release before 0038, which did not decide what they hide. */
async function asBefore0038(...ids: string[]): Promise<void> {
  const undecided = sql`update events set hides_actor = null where event_id = any(${ids}::uuid[])`;
  await app.db.transaction().execute(async (tx) => {
    await sql`alter table events disable trigger refuse_change`.execute(tx);
    await undecided.execute(tx);
    await sql`alter table events enable trigger refuse_change`.execute(tx);
  });
}

/** Records events at one moment, as a transaction does, each from the ids of those before. */
async function recordAtOnce(
  actor: number,
  ...events: ((ids: readonly string[]) => NewEvent)[]
): Promise<readonly string[]> {
  app.clock.advance(1000);
  const ids: string[] = [];
  await onAccountOf({ actor: by(actor) }, async () => {
    for (const event of events) ids.push(...(await recordEvents(app.db, [event(ids)], app.clock.now())));
  });
  await allEvents(app.db);
  return ids;
}

type Query = NonNullable<Parameters<Client['audit']['list']>[0]>['query'];
async function audit(of: number | Client, query: Query = {}): Promise<Event[]> {
  const client = typeof of === 'number' ? as(of) : of;
  const answer = await client.audit.list({ query });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const shownTo = async (of: number, id = '') => (await audit(of)).find(({ event_id }) => event_id === id);

describe('D94: who sees an event', () => {
  it.each([
    ['its target', BOB, true],
    ['its actor', ALICE, true],
    ['read authority over the target', MATE, true],
    ['level 9', CHIEF, true],
    ['a stranger', STRANGER, false],
  ])('%s', async (_, who, sees) => {
    const [id] = await record(ALICE, { type: 'history.read', targets: [user(BOB)] });
    expect((await shownTo(who, id)) !== undefined).toBe(sees);
  });

  it('the user on whose behalf data was requested', async () => {
    const actor = {
      kind: 'app',
      character_id: CHIEF,
      token: null,
      app_token: null,
      on_behalf_of: BOB,
    } as const;
    const [id] = await record(CHIEF, { type: 'ext.asked_on_behalf', targets: [], actor });
    expect((await shownTo(BOB, id))?.actor).toMatchObject({ character_id: CHIEF, on_behalf_of: BOB });
    expect(await shownTo(STRANGER, id)).toBeUndefined();
    expect(await shownTo(ALICE, id)).toBeUndefined();
    // Who sees it because of its actor learns no user beyond its own reach.
    for (const [whose, told] of [
      [BOB, BOB],
      [STRANGER, null],
    ] as const) {
      const event = { type: 'ext.asked_on_behalf', targets: [user(whose)] } as const;
      const [asked] = await record(CHIEF, { ...event, actor: { ...actor, on_behalf_of: whose } });
      expect((await shownTo(MATE, asked))?.actor).toMatchObject({ character_id: CHIEF, on_behalf_of: told });
    }
  });

  it('users with read authority over the corporation, alliance or coalition that it is about', async () => {
    const [corporation, alliance] = await record(
      CHIEF,
      {
        type: 'corporation.updated',
        targets: [{ type: 'corporation', id: String(HOME.corporation), name: null }],
      },
      { type: 'alliance.updated', targets: [{ type: 'alliance', id: String(HOME.alliance), name: null }] },
    );
    // The actor CHIEF is in the corporation of MATE; for another actor only the target counts.
    expect(await shownTo(MATE, corporation)).toBeDefined();
    expect(await shownTo(ALICE, corporation)).toBeUndefined();
    expect(await shownTo(STRANGER, alliance)).toBeUndefined();
  });

  it('by the rights at present, not at the time of the event', async () => {
    const [id] = await record(STRANGER, { type: 'history.read', targets: [user(BOB)] });
    expect(await shownTo(MATE, id)).toBeDefined();
    const level = (clearance_level: number) =>
      app.db.updateTable('users').set({ clearance_level }).where('character_id', '=', MATE).execute();
    await level(0);
    expect(await shownTo(MATE, id)).toBeUndefined();
    await level(1);
  });

  it('D29b: a new owner does not see events of the former owner of the character', async () => {
    const [former] = await record(ALICE, { type: 'user.signed_in', targets: [user(ALICE)] });
    await record(0, { type: 'user.handed_over', targets: [user(ALICE)] });
    const [later] = await record(ALICE, { type: 'user.signed_in', targets: [user(ALICE)] });
    const own = (await audit(ALICE)).map(({ event_id }) => event_id);
    expect(own).toContain(later);
    expect(own).not.toContain(former);
    expect(await shownTo(MATE, former)).toBeDefined();
  });

  it('D29b: nor with read authority over its corporation; of what all may see there it is not the actor', async () => {
    const sold = 2_114_000_006;
    clients.set(sold, app.client((await addMember(app, sold, 1)).jwt));
    const corporation = { type: 'corporation' as const, id: String(HOME.corporation), name: null };
    const [own, common] = await record(
      sold,
      { type: 'token.created', targets: [] },
      { type: 'corporation.updated', targets: [corporation] },
    );
    expect(await shownTo(sold, own)).toBeDefined();
    expect(await shownTo(sold, common)).toMatchObject({ context: { address: '203.0.113.7' } });
    await record(0, { type: 'user.handed_over', targets: [user(sold)] });
    expect(await shownTo(sold, own)).toBeUndefined();
    expect(await shownTo(sold, common)).toMatchObject({ context: null, actor: { token: null } });
  });

  it('D29b, D26b: nor refused sign-ins from before its own first one, which stored no owner', async () => {
    const refused = { type: 'user.sign_in_refused', targets: [user(BOB)] } as const;
    const [former] = await record(BOB, refused);
    const proven = (proven_on: Date | null) =>
      app.db.updateTable('users').set({ proven_on }).where('character_id', '=', BOB).execute();
    await proven(new Date(app.clock.now().getTime() + 1));
    const [later] = await record(BOB, refused);
    const position = (await shownTo(CHIEF, former))?.position ?? 0;
    expect(await shownTo(BOB, former)).toBeUndefined();
    expect(await shownTo(BOB, later)).toMatchObject({ context: { address: '203.0.113.7' } });
    expect(await shownTo(MATE, former)).toMatchObject({ context: null });
    expect(await shownTo(CHIEF, former)).toMatchObject({ context: { address: '203.0.113.7' } });
    const feed = await as(BOB).event.list({ query: { after: String(position - 1) } });
    expect(JSON.stringify(feed.body)).toContain(later);
    expect(JSON.stringify(feed.body)).not.toContain(former);
    await proven(null);
    expect(await shownTo(BOB, later)).toBeUndefined();
  });

  it('a filter by a user outside the read authority finds nothing', async () => {
    const [id] = await record(BOB, { type: 'token.created', targets: [user(STRANGER)] });
    expect(await shownTo(MATE, id)).toMatchObject({ actor: { character_id: BOB }, targets: [] });
    expect(await audit(MATE, { actor: BOB, target: `user:${STRANGER}` })).toEqual([]);
    expect(await audit(CHIEF, { actor: BOB, target: `user:${STRANGER}` })).toHaveLength(1);
  });

  it('a token, person or grant that an event hides does not find it', async () => {
    const targets = (['token', 'person', 'grant'] as const).map((type) => ({
      type,
      ...{ id: randomUUID(), name: null },
    }));
    await record(
      BOB,
      ...targets.map((one) => ({ type: 'token.created' as const, targets: [one, user(STRANGER)] })),
    );
    const [own] = await record(BOB, {
      type: 'webhook.created',
      targets: [{ type: 'webhook', id: 'dd'.repeat(12), name: null }],
    });
    for (const { type, id } of targets) {
      const found = async (of: number) => (await audit(of, { target: `${type}:${id}` })).length;
      expect([await found(MATE), await found(STRANGER), await found(CHIEF)]).toEqual([0, 1, 1]);
    }
    const found = async (of: number) =>
      (await audit(of, { target: `webhook:${'dd'.repeat(12)}` })).map(({ event_id }) => event_id);
    expect([await found(BOB), await found(MATE), await found(CHIEF)]).toEqual([[own], [], [own]]);
  });

  it('D100: the actor of a link, and a change of the main, are shown only to who may read all of them', async () => {
    const [linked, changed] = await record(
      STRANGER,
      { type: 'person.character_linked', targets: [user(BOB)] },
      {
        type: 'person.main_changed',
        targets: [user(BOB)],
        changes: [{ field: 'main', before: STRANGER, after: BOB }],
      },
    );
    expect(await shownTo(MATE, linked)).toMatchObject({ actor: { kind: 'user', character_id: null } });
    // Who reads the other one would be shown an event of the same id.
    expect(await audit(MATE, { type: 'person.main_changed', target: `user:${BOB}` })).toEqual([]);
    expect(await shownTo(CHIEF, changed)).toMatchObject({
      changes: [{ field: 'main', before: STRANGER, after: BOB }],
    });
    expect(await shownTo(BOB, linked)).toMatchObject({ actor: { character_id: STRANGER } });
    // Nor is the event found by a filter with the possible actor.
    const found = async (id: number, query: Query) =>
      (await audit(id, { actor: STRANGER, type: 'person.*', ...query })).map(({ event_id }) => event_id);
    for (const query of [{}, { target: `user:${BOB}` }]) {
      expect(await found(MATE, query)).toEqual([]);
      expect(await found(BOB, query)).toEqual(expect.arrayContaining([linked, changed]));
      expect(await found(CHIEF, query)).toEqual(expect.arrayContaining([linked, changed]));
    }
  });

  it('D100: what happened to another character and caused an unlinking is shown only to level 9, actor and owner', async () => {
    const [deleted = ''] = await record(BOB, { type: 'user.deleted', targets: [user(STRANGER)] });
    const [unlinked = '', moved = ''] = await record(
      STRANGER,
      {
        type: 'person.character_unlinked',
        targets: [user(BOB)],
        cause: { event_id: deleted },
      },
      { type: 'user.standing_changed', targets: [user(BOB)], cause: { event_id: deleted } },
    );
    expect((await shownTo(MATE, unlinked))?.cause).toBeNull();
    for (const who of [BOB, CHIEF]) {
      expect((await shownTo(who, unlinked))?.cause).toMatchObject({ event_id: deleted });
    }
    // What links nobody is a clue to be followed.
    expect((await shownTo(MATE, moved))?.cause).toMatchObject({ event_id: deleted });
  });

  it('D100: what links a character is not shown by its actor alone, nor is the id of a person', async () => {
    const one = { type: 'person' as const, id: 'ab'.repeat(12), name: null };
    const links = (id: number): NewEvent => ({
      type: 'person.character_linked',
      targets: [user(id), one],
      changes: [{ field: 'person_id', before: null, after: one.id }],
    });
    const [stranger = '', bob = ''] = await record(BOB, links(STRANGER), links(BOB));
    const senior = app.client((await addMember(app, 2_114_000_007, 7)).jwt);
    // By the event itself two readers would know that each sees one side of it.
    expect(await shownTo(MATE, stranger)).toBeUndefined();
    const hidden = { targets: [user(BOB)], changes: [] };
    const whole = { targets: [user(BOB), one], changes: [{ field: 'person_id', after: one.id }] };
    expect(await shownTo(MATE, bob)).toMatchObject(hidden);
    for (const who of [BOB, CHIEF]) expect(await shownTo(who, bob)).toMatchObject(whole);
    const found = async (of: number | Client) =>
      (await audit(of, { target: `person:${one.id}` })).map(({ event_id }) => event_id);
    expect(await found(MATE)).toEqual([]);
    expect(await found(STRANGER)).toEqual([stranger]);
    expect(await found(BOB)).toEqual([bob]);
    for (const who of [senior, CHIEF]) expect(await found(who)).toEqual([bob, stranger]);

    const { position } = (await shownTo(CHIEF, stranger)) as Event;
    const feed = await as(MATE).event.list({ query: { after: String((position ?? 0) - 1), limit: 2 } });
    expect((feed.body as EventPage).events.find(({ event_id }) => event_id === stranger)).toBeUndefined();
    const mate = { owner_id: MATE, sponsor_id: null, reachesOthers: true };
    const sent = await readEvents(app.db, mate, [stranger, bob]);
    expect(sent.map((event) => shown(event, { characterId: MATE, administrator: false }))).toMatchObject([
      { event_id: bob, ...hidden },
    ]);
  });

  it('D100: nor is a voice identity, which two characters of one human prove one after the other', async () => {
    const identity = { type: 'voice_identity' as const, id: '4711', name: null };
    const [bound = '', unbound = ''] = await record(
      STRANGER,
      { type: 'voice.bound', targets: [identity, user(STRANGER)] },
      { type: 'voice.unbound', targets: [identity, user(BOB)] },
    );
    expect(await shownTo(MATE, unbound)).toMatchObject({ targets: [user(BOB)] });
    for (const who of [BOB, CHIEF]) {
      expect(await shownTo(who, unbound)).toMatchObject({ targets: [identity, user(BOB)] });
    }
    const found = async (of: number) =>
      (await audit(of, { target: 'voice_identity:4711' })).map(({ event_id }) => event_id);
    expect([await found(MATE), await found(BOB)]).toEqual([[], [unbound]]);
    expect(await found(CHIEF)).toEqual([unbound, bound]);
  });

  it('D100: nor is who proved the voice identity of another character, mostly of the same human', async () => {
    const [bound = '', unbound = '', left = '', lost = '', , joined = ''] = await recordAtOnce(
      STRANGER,
      (): NewEvent => ({ type: 'voice.bound', targets: [user(STRANGER)] }),
      (): NewEvent => ({ type: 'voice.unbound', targets: [user(BOB)] }),
      ([cause = '']): NewEvent => ({
        type: 'group.members_changed',
        targets: [group],
        changes: [{ field: 'members', added: [STRANGER], removed: [BOB] }],
        cause: { event_id: cause },
      }),
      ([cause = '']): NewEvent => ({
        type: 'user.standing_changed',
        targets: [user(BOB)],
        changes: [{ field: 'may_log_in', before: true, after: false }],
        cause: { event_id: cause },
      }),
      (): NewEvent => ({ type: 'group.updated', targets: [group] }),
      (ids): NewEvent => ({
        type: 'group.members_changed',
        targets: [group],
        changes: [{ field: 'members', added: [BOB], removed: [] }],
        cause: { event_id: ids.at(-1) ?? '' },
      }),
    );
    const actorOf = async (who: number, id: string) => (await shownTo(who, id))?.actor.character_id;
    for (const id of [unbound, left, lost]) {
      expect(await actorOf(MATE, id)).toBeNull();
      expect(await actorOf(BOB, id)).toBe(STRANGER);
      expect(await actorOf(CHIEF, id)).toBe(STRANGER);
    }
    expect(await shownTo(MATE, bound)).toBeUndefined();
    // What follows from anything else names who did it.
    expect(await actorOf(MATE, joined)).toBe(STRANGER);

    const found = async (who: number) =>
      (await audit(who, { actor: STRANGER })).map(({ event_id }) => event_id);
    expect(await found(MATE)).toContain(joined);
    for (const id of [unbound, left, lost]) expect(await found(MATE)).not.toContain(id);
    expect(await found(BOB)).toEqual(expect.arrayContaining([unbound, left, lost]));

    // The feed, also where it begins after what the others follow from, and what webhooks send.
    const { position } = (await shownTo(CHIEF, left)) as Event;
    const feed = await as(MATE).event.list({ query: { after: String((position ?? 0) - 1), limit: 3 } });
    const told = [
      { event_id: left, actor: { character_id: null } },
      { event_id: lost, actor: { character_id: null } },
      { event_id: joined, actor: { character_id: STRANGER } },
    ];
    expect(feed.body).toMatchObject({ events: told });
    const mate = { owner_id: MATE, sponsor_id: null, reachesOthers: true };
    const sent = await readEvents(app.db, mate, [left, lost, joined]);
    expect(sent.map((event) => shown(event, { characterId: MATE, administrator: false }))).toMatchObject(
      told,
    );
  });

  it('D100: nor in what follows from that, whichever of them has the smaller id', async () => {
    app.clock.advance(1000);
    const now = app.clock.now();
    const [lost, told] = await onAccountOf({ actor: by(STRANGER) }, async () => {
      const follows = { type: 'user.standing_changed', targets: [user(BOB)] } as const;
      const recorded = async (event: NewEvent, on: Date) =>
        (await recordEvents(app.db, [event], on))[0] ?? '';
      const event_id = await recorded({ type: 'voice.unbound', targets: [user(BOB)] }, now);
      // By a process whose clock is behind.
      const id = await recorded({ ...follows, cause: { event_id } }, new Date(now.getTime() - 1));
      expect(id < event_id).toBe(true);
      // What follows from the consequence follows from the cause, too.
      return [id, ...(await recordEvents(app.db, [{ ...follows, cause: { event_id: id } }], now))];
    });
    await allEvents(app.db);
    for (const event_id of [lost, told] as string[]) {
      const hidden = { event_id, actor: { character_id: null } };
      expect(await shownTo(MATE, event_id)).toMatchObject(hidden);
      expect(await shownTo(BOB, event_id)).toMatchObject({ actor: { character_id: STRANGER } });
      const { position } = (await shownTo(CHIEF, event_id)) as Event;
      const feed = await as(MATE).event.list({ query: { after: String((position ?? 0) - 1), limit: 1 } });
      expect(feed.body).toMatchObject({ events: [hidden] });
      const mate = { owner_id: MATE, sponsor_id: null, reachesOthers: true };
      const sent = await readEvents(app.db, mate, [event_id]);
      expect(sent.map((event) => shown(event, { characterId: MATE, administrator: false }))).toMatchObject([
        hidden,
      ]);
    }
  });

  it('D100: nor after the cause has had its time, which is shorter than that of what follows (D90)', async () => {
    const past = new Date(app.clock.now().getTime() - 435 * 86_400_000);
    await ensureEventPartitions(app.db, past);
    const id = await onAccountOf({ actor: by(STRANGER) }, async () => {
      const [event_id = ''] = await recordEvents(
        app.db,
        [{ type: 'voice.unbound', targets: [user(BOB)] }],
        past,
      );
      const follows = { type: 'user.standing_changed', targets: [user(BOB)], cause: { event_id } } as const;
      return (await recordEvents(app.db, [follows], past))[0];
    });
    await allSealed(app.db);
    const dropped = await dropExpiredEvents(app.db, app.clock.now());
    expect(dropped).toContainEqual(expect.stringMatching(/^events_short_/));
    const until = new Date(past.getTime() + 1).toISOString();
    expect(await audit(MATE, { until })).toMatchObject([{ event_id: id, actor: { character_id: null } }]);
    expect(await audit(BOB, { until })).toMatchObject([{ event_id: id, actor: { character_id: STRANGER } }]);
  });

  it('D94, D100: what a process of the release before 0038 recorded hides its actor only where that may tell something', async () => {
    const [read = '', linked = ''] = await record(
      BOB,
      { type: 'history.read', targets: [user(STRANGER)] },
      { type: 'person.character_linked', targets: [user(STRANGER)] },
    );
    const follows = (id: string, of: number): NewEvent => ({
      type: 'user.standing_changed',
      targets: [user(of)],
      cause: { event_id: id },
    });
    const [unbound = '', lost = ''] = await recordAtOnce(
      STRANGER,
      (): NewEvent => ({ type: 'voice.unbound', targets: [user(BOB)] }),
      ([cause = '']) => follows(cause, BOB),
    );
    // The cause of a job's event is its run.
    const cause = { event_id: null, run_id: randomUUID(), job: 'sync-users' };
    const [run = ''] = await onAccountOf({ cause }, () =>
      record(BOB, { type: 'history.read', targets: [user(STRANGER)] }),
    );
    await asBefore0038(read, linked, unbound, lost, run);
    // What processes of this release record as a consequence of these.
    const [known = '', hidden = ''] = await record(STRANGER, follows(read, BOB), follows(lost, BOB));

    const ids = [read, linked, unbound, lost, run, known, hidden];
    const told = [
      { event_id: read, actor: { character_id: BOB }, targets: [] },
      { event_id: unbound, actor: { character_id: null } },
      { event_id: lost, actor: { character_id: null }, cause: null },
      { event_id: run, actor: { character_id: BOB }, cause },
      { event_id: known, actor: { character_id: STRANGER }, cause: { event_id: read } },
      { event_id: hidden, actor: { character_id: null }, cause: null },
    ];
    const page = await audit(MATE);
    const listed = page.filter(({ event_id }) => ids.includes(event_id)).reverse();
    expect(listed).toMatchObject(told);
    const { position } = (await shownTo(CHIEF, read)) as Event;
    const feed = await as(MATE).event.list({ query: { after: String((position ?? 0) - 1) } });
    expect((feed.body as EventPage).events).toMatchObject(told);
    const mate = { owner_id: MATE, sponsor_id: null, reachesOthers: true };
    const sent = await readEvents(app.db, mate, ids);
    expect(sent.map((event) => shown(event, { characterId: MATE, administrator: false }))).toMatchObject(
      told,
    );
    const found = async (actor: number) =>
      (await audit(MATE, { actor })).flatMap(({ event_id }) => (ids.includes(event_id) ? event_id : []));
    expect([await found(BOB), await found(STRANGER)]).toEqual([[run, read], [known]]);
  });

  it('D100: a former main is no way to an event that hides the new one', async () => {
    const [id = ''] = await record(CHIEF, {
      type: 'person.main_changed',
      targets: [user(STRANGER)],
      changes: [{ field: 'main', before: BOB, after: STRANGER }],
    });
    const finds = async (who: number, target: number) => {
      const found = await audit(who, { target: `user:${target}`, type: 'person.*' });
      return found.some(({ event_id }) => event_id === id);
    };
    expect(await finds(MATE, BOB)).toBe(false);
    expect(await finds(CHIEF, BOB)).toBe(true);
    expect(await finds(STRANGER, STRANGER)).toBe(true);
  });

  it('D110: what an event says of a policy is shown only to those who may see the policy', async () => {
    const changes = [
      { field: 'policy', before: '{}', after: '{"moderators":{}}' },
      { field: 'by_administrator', before: false, after: true },
    ];
    const reason = 'joining is closed: what limited it was deleted';
    const [id, alone] = await record(
      BOB,
      { type: 'group.updated', targets: [group], changes, reason },
      { type: 'group.updated', targets: [group], changes: changes.slice(1), reason },
    );
    expect(await shownTo(MATE, id)).toMatchObject({ changes: [], reason: null });
    expect(await shownTo(MATE, alone)).toMatchObject({ changes: [], reason: null });
    expect(await shownTo(BOB, id)).toMatchObject({ changes, reason });
    expect(await shownTo(CHIEF, id)).toMatchObject({ changes, reason });
  });

  it.each([1, 8])(
    'D111, D101: a reason that somebody wrote is for whom it was written, and not for authority of level %i',
    async (clearance_level) => {
      const level = (to: number) =>
        app.db.updateTable('users').set({ clearance_level: to }).where('character_id', '=', MATE).execute();
      await level(clearance_level);
      const reasons = async (id: string) => {
        const told = [];
        for (const who of [MATE, BOB, STRANGER, CHIEF]) told.push((await shownTo(who, id))?.reason);
        return told;
      };
      const reason = 'We know whose alt you are.';
      const [decided = '', linked = '', other = ''] = await record(
        STRANGER,
        { type: 'application.decided', targets: [group, user(BOB)], reason },
        { type: 'person.character_linked', targets: [user(BOB)], reason },
        { type: 'group.members_changed', targets: [user(BOB)], reason },
      );
      // The applicant, who decided and level 9; the history of a person is read by level 9 alone.
      expect(await reasons(decided)).toEqual([null, reason, reason, reason]);
      expect(await reasons(linked)).toEqual([null, null, reason, reason]);
      expect(await reasons(other)).toEqual([reason, reason, reason, reason]);
      const { position } = (await shownTo(CHIEF, decided)) as Event;
      const feed = await as(MATE).event.list({ query: { after: String((position ?? 0) - 1), limit: 2 } });
      expect(feed.body).toMatchObject({
        events: [
          { event_id: decided, reason: null },
          { event_id: linked, reason: null },
        ],
      });
      await level(1);
    },
  );

  it.each(['its permanent token', 'a user token made by that'])(
    'D94: to an application of level 7, with %s, the context of its own requests, and no reason that is for few',
    async (token) => {
      const level = (to: number) =>
        app.db.updateTable('users').set({ clearance_level: to }).where('character_id', '=', MATE).execute();
      await level(7);
      const own = await makeToken(app, 'per', MATE);
      const made = await ok(app.client(own.jwt).token.createUserToken());
      const jwt = token === 'its permanent token' ? own.jwt : made.user_token;
      const reason = 'We know whose alt you are.';
      const happened = [
        { type: 'person.character_linked' as const, targets: [user(BOB)], reason },
        { type: 'application.decided' as const, targets: [group, user(MATE)], reason },
        { type: 'group.members_changed' as const, targets: [user(BOB)], reason },
        {
          type: 'group.updated' as const,
          ...{ targets: [group], changes: [{ field: 'policy', before: null, after: '{}' }], reason },
        },
      ];
      // What its owner did in other ways, then what it did itself.
      const others = await record(MATE, ...happened);
      const context = { request_id: 'its own', address: '203.0.113.9', user_agent: null };
      const actor = { ...by(MATE), kind: 'app', token: uuidOf(jwt), app_token: own.uuid } as const;
      app.clock.advance(1000);
      const mine = await onAccountOf({ actor, context }, () =>
        recordEvents(app.db, happened, app.clock.now()),
      );
      await allEvents(app.db);
      const told = (event: Event) => [event.event_id, event.reason, event.context?.address];
      const expected = [
        [others[0], null, undefined],
        [others[1], null, undefined],
        [others[2], reason, undefined],
        [others[3], reason, undefined],
        ...mine.map((id) => [id, reason, '203.0.113.9']),
      ];
      const { position } = (await shownTo(CHIEF, others[0])) as Event;
      const query = { after: String((position ?? 0) - 1), limit: expected.length };
      const { events } = await ok(app.client(jwt).event.list({ query }));
      expect(events.map(told)).toEqual(expected);
      const audited = await audit(app.client(jwt), { actor: MATE, limit: expected.length });
      expect(audited.reverse().map(told)).toEqual(expected);
      await level(1);
    },
  );

  it('D94: to a user who signed in, at level 7 too, both of what that user did in any way', async () => {
    const level = (to: number) =>
      app.db.updateTable('users').set({ clearance_level: to }).where('character_id', '=', MATE).execute();
    await level(7);
    const reason = 'We know whose alt you are.';
    const decided = { type: 'application.decided' as const, targets: [group, user(BOB)], reason };
    const [id] = await record(MATE, decided);
    expect(await shownTo(MATE, id)).toMatchObject({ reason, context: { address: '203.0.113.7' } });
    await level(1);
  });

  it('times before 1970 and in the far future find nothing, without an error', async () => {
    expect(await audit(CHIEF, { until: '1969-07-20T20:17:00Z' })).toEqual([]);
    expect(await audit(CHIEF, { since: '0000-01-01T00:00:00Z', limit: 1 })).toHaveLength(1);
    expect(await audit(CHIEF, { since: '9999-12-31T23:59:59.999Z' })).toEqual([]);
  });

  it('D23: with a user token from its permanent token, the sponsor does not see events of the built-in user', async () => {
    const [id] = await record(0, { type: 'crash.deleted', targets: [] });
    const { jwt } = await makeToken(app, 'per', BOB);
    const made = await app.client(jwt).token.createUserToken();
    const client = app.client(made.status === 200 ? made.body.user_token : '');
    expect((await audit(client)).map(({ event_id }) => event_id)).not.toContain(id);
    expect((await audit(CHIEF)).map(({ event_id }) => event_id)).toContain(id);
  });
});

describe('D94: what an event shows of other users', () => {
  it('the name of a CEO only with its id', async () => {
    const [changed, renamed] = await record(
      CHIEF,
      {
        type: 'corporation.ceo_changed',
        targets: [{ type: 'corporation', id: String(HOME.corporation), name: null }],
        changes: [
          { field: 'ceo', before: STRANGER, after: ALICE },
          { field: 'ceo_name', before: 'Character of another', after: 'Character of ours' },
        ],
      },
      {
        type: 'corporation.ceo_changed',
        targets: [{ type: 'corporation', id: String(HOME.corporation), name: null }],
        changes: [{ field: 'ceo_name', before: 'No user', after: 'No user at all' }],
      },
    );
    expect((await shownTo(MATE, changed))?.changes).toEqual([
      { field: 'ceo', before: null, after: ALICE },
      { field: 'ceo_name', before: null, after: 'Character of ours' },
    ]);
    expect((await shownTo(CHIEF, changed))?.changes).toContainEqual({
      ...{ field: 'ceo_name', before: 'Character of another', after: 'Character of ours' },
    });
    expect((await shownTo(MATE, renamed))?.changes).toEqual([
      { field: 'ceo_name', before: 'No user', after: 'No user at all' },
    ]);
  });

  it('of 500 members, a member sees itself and those within its read authority', async () => {
    const added = Array.from({ length: 499 }, (_, n) => 2_115_000_000 + n);
    const change = { added: [...added, STRANGER], removed: [] };
    const [id] = await record(
      CHIEF,
      ...listChanged(
        { type: 'group.members_changed', targets: [group, user(ALICE)], reason: 'because of Alice' },
        'members',
        change,
      ),
    );
    expect(await shownTo(STRANGER, id)).toMatchObject({
      targets: [group],
      changes: [],
      reason: null,
      context: null,
    });
    const [plain] = await record(
      CHIEF,
      ...listChanged({ type: 'group.members_changed', targets: [group] }, 'members', change),
    );
    const event = await shownTo(STRANGER, plain);
    expect(event).toMatchObject({
      targets: [group],
      changes: [{ field: 'members', added: [STRANGER], removed: [] }],
    });
    expect(JSON.stringify(event)).not.toContain('21150000');
    expect((await shownTo(CHIEF, plain))?.changes).toEqual([{ field: 'members', ...change }]);
  });

  it('the actor, too, sees only users within its read authority', async () => {
    const change = { field: 'may_log_in', before: true, after: false };
    const [id] = await record(STRANGER, {
      type: 'user.standing_changed',
      targets: [user(BOB)],
      changes: [change],
    });
    expect(await shownTo(STRANGER, id)).toMatchObject({ targets: [], changes: [] });
    expect(await shownTo(BOB, id)).toMatchObject({ targets: [user(BOB)], changes: [change] });
  });

  it('a former owner is not shown to the next one', async () => {
    const change = { field: 'owner', before: ALICE, after: STRANGER };
    const [id] = await record(CHIEF, {
      type: 'group.updated',
      targets: [group],
      changes: [change, { field: 'description', before: 'a', after: 'b' }],
    });
    expect((await shownTo(STRANGER, id))?.changes).toEqual([
      { field: 'owner', before: null, after: STRANGER },
      { field: 'description', before: 'a', after: 'b' },
    ]);
  });

  it('a token is shown to its owner and to users with read authority over it', async () => {
    const token = { type: 'token' as const, id: uuidOf(app.root), name: null };
    const [id] = await record(BOB, { type: 'token.created', targets: [token, user(ALICE)] });
    expect((await shownTo(ALICE, id))?.targets).toEqual([token, user(ALICE)]);
    expect((await shownTo(BOB, id))?.targets).toEqual([]);
  });

  it('the context of a request, and its token, are shown to its actor and to level 9', async () => {
    const [id] = await record(ALICE, { type: 'history.read', targets: [user(BOB)] });
    const seen = async (of: number) => {
      const event = await shownTo(of, id);
      return [event?.context?.address, event?.actor.token];
    };
    expect(await seen(ALICE)).toEqual(['203.0.113.7', uuidOf(app.root)]);
    expect(await seen(CHIEF)).toEqual(['203.0.113.7', uuidOf(app.root)]);
    expect(await seen(BOB)).toEqual([undefined, null]);
    expect(await seen(MATE)).toEqual([undefined, null]);
  });

  it('the feed shows the same to a user', async () => {
    const change = { added: [STRANGER, ALICE], removed: [] };
    const [id] = await record(
      CHIEF,
      ...listChanged({ type: 'group.members_changed', targets: [group] }, 'members', change),
    );
    const position = (await allEvents(app.db)).length - 1;
    const answer = await as(STRANGER).event.list({ query: { after: position } });
    const [event] = answer.status === 200 ? answer.body.events : [];
    expect(event).toMatchObject({ event_id: id, changes: [{ added: [STRANGER], removed: [] }] });
  });
});

describe('D94: filters', () => {
  it('by actor, target, type and time', async () => {
    app.clock.advance(60_000);
    const since = app.clock.now().toISOString();
    const [read, signed, joined] = [
      ...(await record(ALICE, { type: 'history.read', targets: [user(BOB)] })),
      ...(await record(BOB, { type: 'user.signed_in', targets: [user(BOB)] })),
      ...(await record(
        CHIEF,
        ...listChanged({ type: 'group.members_changed', targets: [group] }, 'members', {
          added: [BOB],
          removed: [],
        }),
      )),
    ];
    app.clock.advance(1000);
    const until = app.clock.now().toISOString();
    const ids = async (query: Query) =>
      (await audit(CHIEF, { since, until, ...query })).map(({ event_id }) => event_id);
    expect(await ids({})).toEqual([joined, signed, read]);
    expect(await ids({ actor: ALICE })).toEqual([read]);
    expect(await ids({ target: `user:${BOB}` })).toEqual([joined, signed, read]);
    expect(await ids({ target: `group:${group.id}` })).toEqual([joined]);
    expect(await ids({ type: 'user.*,history.read' })).toEqual([signed, read]);
    expect(await ids({ until: since })).toEqual([]);
    // Formats in which other languages print a time.
    const [offset, elsewhere] = [since.replace('Z', '+00:00'), new Date(Date.parse(until) + 7_200_000)];
    expect(await ids({ since: offset, until: elsewhere.toISOString().replace('Z', '+02:00') })).toEqual([
      ...[joined, signed, read],
    ]);
    expect(await ids({ actor: ALICE, target: `user:${ALICE}` })).toEqual([]);
  });

  it('the pages contain each event once', async () => {
    const whole = await audit(CHIEF, { limit: 1000 });
    const paged: string[] = [];
    for await (const { event_id } of paginate(app.client(app.root).audit.list, { query: { limit: 7 } })) {
      paged.push(event_id);
    }
    expect(paged).toEqual(whole.map(({ event_id }) => event_id));
  });

  it.each([CHIEF, STRANGER])(
    'D71: a full page has no X-Next if it is the last one: for %i',
    async (reader) => {
      const targets = [{ type: 'group' as const, id: `${reader}`.padStart(24, 'd'), name: 'Full' }];
      await record(reader, { type: 'group.updated', targets }, { type: 'group.updated', targets });
      const page = async (limit: number, after?: string) => {
        const query = { target: `group:${targets[0]?.id}`, limit, ...(after !== undefined && { after }) };
        const { body, headers } = await as(reader).audit.list({ query });
        return [(body as Event[]).map(({ event_id }) => event_id), headers.get('x-next')] as const;
      };
      const [both, none] = await page(2);
      expect([both.length, none]).toEqual([2, null]);
      expect(await page(1)).toEqual([[both[0]], both[0]]);
      expect(await page(1, both[0])).toEqual([[both[1]], null]);
    },
  );

  it('D3: a time with an offset that does not exist is a 422', async () => {
    for (const name of ['since', 'until']) {
      for (const offset of ['+24:00', '-23:60', '+99:99']) {
        const query = new URLSearchParams({ [name]: `2026-03-01T00:00:00${offset}` });
        const { status, json } = await send<Problem>(app, 'GET', `/audit?${query}`, { token: app.root });
        expect([offset, status]).toEqual([offset, 422]);
        expect(json.detail).toEqual([{ loc: ['query', name], msg: expect.any(String), type: 'custom' }]);
      }
    }
  });

  it('an invalid cursor is a 422', async () => {
    const answer = await as(CHIEF).audit.list({ query: { after: 'elsewhere' } });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'after'] }] } });
  });
});

describe('D94: media types', () => {
  const ask = async (accept: string) => {
    const headers = { Authorization: `Bearer ${app.root}`, Accept: accept };
    const answer = await fetch(`${app.url}/audit?type=group.updated`, { headers });
    return { type: answer.headers.get('content-type'), text: await answer.text() };
  };

  it('JSON by default, and lines of JSON', async () => {
    const json = await ask('*/*');
    expect(json.type).toBe('application/json');
    const { type, text } = await ask('application/x-ndjson');
    expect(type).toContain('application/x-ndjson');
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(JSON.parse(json.text));
  });

  const csv = 'text/csv; charset=utf-8';
  it.each([
    [csv, csv],
    ['text/csv;charset="UTF-8"', csv],
    ['application/x-ndjson; charset=utf-8', 'application/x-ndjson; charset=utf-8'],
    ['application/json; charset=utf-8, text/csv;q=0.5', 'application/json'],
    ['application/json;q=0.5, text/csv; charset=utf-8', csv],
    ['text/csv; charset=iso-8859-1', 'application/json'],
  ])('by an Accept that names the charset: %s is answered with %s', async (accept, type) => {
    expect((await ask(accept)).type).toBe(type);
  });

  it('CSV, in which no name becomes a formula', async () => {
    const targets = [{ type: 'group' as const, id: 'bb'.repeat(12), name: 'a, "b"' }];
    await record(ALICE, { type: 'group.updated', targets, reason: '=HYPERLINK("http://a")' });
    const { type, text } = await ask('text/csv');
    expect(type).toContain('text/csv');
    const [names, first] = text.split('\r\n');
    expect(names).toMatch(/^event_id,position,occurred_on,type,outcome,actor_kind/);
    expect(first).toContain(`"group:${'bb'.repeat(12)} a, ""b"""`);
    expect(first).toContain(`"'=HYPERLINK(""http://a"")"`);
  });
});

describe('D94: a page looks at 5,000 events at the most', () => {
  it('but at few where they are enough for it', async () => {
    const target = { type: 'group' as const, id: 'f0'.repeat(12), name: 'Few' };
    const event = { type: 'group.updated', targets: [target] } as const;
    const [far] = await record(BOB, event);
    await record(STRANGER, ...Array.from({ length: 600 }, () => event));
    const [nearer, near] = await record(BOB, event, event);
    const page = async (limit: number) => {
      const before = app.statements.length;
      const events = await audit(MATE, { type: 'group.updated', limit });
      const looks = app.statements.slice(before).filter((text) => text.includes('looked as materialized'));
      return { ids: events.map(({ event_id }) => event_id), looks: looks.length };
    };
    expect(await page(1)).toEqual({ ids: [near], looks: 1 });
    expect(await page(3)).toEqual({ ids: [near, nearer, far], looks: 2 });
  });
});

describe('D92, D94: a page names 50,000 users at the most', () => {
  const crowd = { type: 'group' as const, id: 'cc'.repeat(12), name: 'Crowd' };
  const added = [...Array.from({ length: 499 }, (_, n) => 2_115_000_000 + n), STRANGER];
  let ids: string[];
  let before: number;
  beforeAll(async () => {
    before = (await allEvents(app.db)).at(-1)?.position ?? 0;
    ids = await record(
      CHIEF,
      ...Array.from({ length: 120 }, () =>
        listChanged({ type: 'group.members_changed', targets: [crowd] }, 'members', { added, removed: [] }),
      ).flat(),
    );
  });

  it.each([CHIEF, STRANGER])('the audit of %i ends there, and continues where it ended', async (reader) => {
    const query = { target: `group:${crowd.id}`, limit: 1000 };
    expect((await audit(reader, query)).map(({ event_id }) => event_id)).toEqual(
      ids.toReversed().slice(0, 100),
    );
    const all: string[] = [];
    for await (const { event_id } of paginate(as(reader).audit.list, { query })) all.push(event_id);
    expect(all).toEqual(ids.toReversed());
  });

  it.each([CHIEF, STRANGER])('so does the feed of %i', async (reader) => {
    const page = async (after: number) => {
      const answer = await as(reader).event.list({ query: { after, limit: 1000 } });
      if (answer.status !== 200) throw new Error(`${answer.status}`);
      return answer.body;
    };
    const first = await page(before);
    expect(first.events.map(({ event_id }) => event_id)).toEqual(ids.slice(0, 100));
    expect(first).toMatchObject({ cursor: String(before + 100), more: true });
    const second = await page(Number(first.cursor));
    expect(second.events.map(({ event_id }) => event_id)).toEqual(ids.slice(100));
  });
});

describe('D3c, D92, D94: a page has 2 MiB of events at the most', () => {
  const filled = { type: 'group' as const, id: 'dd'.repeat(12), name: 'Filled' };
  /** As an owner may write it: each of its characters takes six bytes of JSON. */
  const description = '\u0001'.repeat(4000);
  const COUNT = 100;
  let ids: string[];
  let before: number;
  beforeAll(async () => {
    before = (await allEvents(app.db)).at(-1)?.position ?? 0;
    ids = await record(
      BOB,
      ...Array.from({ length: COUNT }, () => ({
        type: 'group.updated' as const,
        targets: [filled],
        changes: [{ field: 'description', before: description, after: description }],
      })),
    );
  });

  /** One that begins within them holds the event that reaches the limit, too. */
  const fits = (page: readonly Event[]) => {
    const size = Buffer.byteLength(JSON.stringify(page));
    expect(size).toBeGreaterThan(2 * 1024 * 1024 - 50_000);
    expect(size).toBeLessThan(2 * 1024 * 1024 + 50_000);
  };

  it.each([CHIEF, MATE, BOB])('the audit of %i ends there, and continues where it ended', async (reader) => {
    const query = { actor: BOB, type: 'group.updated', limit: 1000 };
    fits(await audit(reader, query));
    const all: string[] = [];
    for await (const { event_id, targets } of paginate(as(reader).audit.list, { query })) {
      if (targets[0]?.id === filled.id) all.push(event_id);
    }
    expect(all).toEqual(ids.toReversed());
  });

  it.each([CHIEF, MATE, BOB])('so does the feed of %i', async (reader) => {
    const pages: EventPage[] = [];
    do {
      const after = pages.at(-1)?.cursor ?? before;
      const { body } = await as(reader).event.list({ query: { after, limit: 1000 } });
      pages.push(body as EventPage);
    } while (pages.at(-1)?.more);
    expect(pages.length).toBeGreaterThan(1);
    for (const { events } of pages.slice(0, -1)) fits(events);
    expect(pages.flatMap(({ events }) => events.map(({ event_id }) => event_id))).toEqual(ids);
  });
});
