import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contract } from '../../contract/index.ts';
import { authenticate } from '../../server/access/authenticate.ts';
import { readFeed } from '../../server/event/read.queries.ts';
import { recordEvents } from '../../server/event/record.ts';
import { createFeed } from '../../server/feed/feed.ts';
import { allEvents } from '../fixtures/events.ts';
import { addHome, addMember, addUser, HOME, type MadeToken, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { occupy } from '../harness/occupy.ts';

const DAY = 86_400_000;
/** Callers who together occupy all reads of waiting requests. */
const OTHERS = ['somebody', 'somebody else', 'a third one'];
let app: TestApp;
let root: Client;
beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addHome(app);
});
afterAll(() => app.stop());

type Query = NonNullable<Parameters<Client['event']['list']>[0]>['query'];
async function read(query: NonNullable<Query>, client = root) {
  const answer = await client.event.list({ query });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const head = async () => (await allEvents(app.db)).length;
let groups = 0;
async function createGroup(): Promise<string> {
  groups += 1;
  const { status, body } = await root.group.create({ body: { group_name: `Group ${groups}` } });
  if (status !== 201) throw new Error(`${status}`);
  return body.group_id;
}

/** A request that waits for an event: it has looked once, and found nothing. */
async function waitingWith(jwt: string) {
  const after = await head();
  const looks = vi.spyOn(app.app.services.lines, 'looks');
  const answer = app.client(jwt).event.list({ query: { after, wait: 30 } });
  const first = await vi.waitUntil(() => looks.mock.results.at(0), 60_000);
  expect(await first.value).toMatchObject({ events: [] });
  looks.mockRestore();
  return { answer };
}

describe('D92: the feed', () => {
  it('returns everything after a cursor in order, page by page, and the same cursor when nothing is new', async () => {
    const before = await head();
    await createGroup();
    await createGroup();
    const all = (await allEvents(app.db)).slice(before);
    const first = await read({ after: before, limit: 3 });
    expect(first.events.map(({ event_id }) => event_id)).toEqual(
      all.slice(0, 3).map(({ event_id }) => event_id),
    );
    expect(first.more).toBe(true);
    const second = await read({ after: Number(first.cursor), limit: 3 });
    expect(second).toEqual({ events: all.slice(3), cursor: String(before + 4), more: false });
    expect(await read({ after: Number(second.cursor) })).toEqual({ ...second, events: [] });
  });

  it('returns only the requested types or subjects, and moves the cursor past other events', async () => {
    const before = await head();
    const group_id = await createGroup();
    await root.group.update({ params: { group_id }, body: { description: 'x' } });
    await head();
    const types = async (asked: string) =>
      (await read({ after: before, types: asked })).events.map(({ type }) => type);
    expect(await types('group.updated')).toEqual(['group.updated']);
    expect(await types('group.*')).toEqual(['group.created', 'group.members_changed', 'group.updated']);
    expect(await read({ after: before, types: 'coalition.*' })).toEqual({
      events: [],
      cursor: String(before + 3),
      more: false,
    });
    const answer = await root.event.list({ query: { types: 'group.*,group.exploded' } });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'types'] }] } });
  });

  it('waits with the answer until there is an event', async () => {
    const after = await head();
    const waiting = read({ after, wait: 30 });
    await createGroup();
    const { events, cursor } = await waiting;
    expect(events.map(({ position }) => position)[0]).toBe(after + 1);
    expect(Number(cursor)).toBeGreaterThan(after);
  });

  it('asks for the next page at once because of what it has left, not of what happens while it is read', async () => {
    const after = await head();
    await createGroup();
    await head();
    let statements = 0;
    const busy = app.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        statements += 1;
        if (statements > 1) return result;
        await createGroup();
        await head();
        return result;
      },
    });
    const question = { after, types: ['coalition.created'], limit: 100, most: 2000 };
    const { looked, head: last } = await readFeed(busy, 'all', question);
    expect([statements, looked]).toEqual([2, last]);
  });

  it('answers at the end of the wait, with the same cursor', async () => {
    const after = await head();
    expect(await read({ after, wait: 1 })).toEqual({ events: [], cursor: String(after), more: false });
  });

  it('allows 64 waiting requests of one caller', async () => {
    const after = await head();
    const waiting = Array.from({ length: 65 }, () => root.event.list({ query: { after, wait: 30 } }));
    const refused = await Promise.race(waiting);
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_waiting' } });
    await createGroup();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(64).fill(200), 429]);
  });

  it('answers at the end of the wait, with the same cursor, where others occupy all reads until then', async () => {
    const after = await head();
    await createGroup();
    await expect.poll(() => app.app.services.events.position).toBeGreaterThan(after);
    const leaves = OTHERS.map((key) => occupy(app.app.services.lines.looks, key));
    const answer = await read({ after, wait: 1 });
    for (const leave of leaves) leave();
    expect(answer).toEqual({ events: [], cursor: String(after), more: true });
    expect(await read({ after: Number(answer.cursor), wait: 1 })).toMatchObject({ events: [{}, {}] });
  });

  it('reads for callers in turn, whoever waits with how many requests', async () => {
    const [many, one] = [await permanentToken(8), await permanentToken(7)];
    const after = await head();
    const { lines } = app.app.services;
    const { looks } = lines;
    const served: string[] = [];
    const entered = vi.spyOn(lines, 'looks').mockImplementation((key, admission, work, isStale) =>
      looks(
        key,
        admission,
        (admitted) => {
          served.push(admitted.caller.uuid);
          return work(admitted);
        },
        isStale,
      ),
    );
    const leaves = OTHERS.map((key) => occupy(looks, key));
    const wait = ({ jwt }: MadeToken) => app.client(jwt).event.list({ query: { after, wait: 30 } });
    const answers = Array.from({ length: 10 }, () => wait(many));
    await vi.waitUntil(() => entered.mock.calls.length === answers.length, 60_000);
    answers.push(wait(one));
    await vi.waitUntil(() => entered.mock.calls.length === answers.length, 60_000);
    leaves.pop()?.();
    await vi.waitUntil(() => served.length === answers.length, 60_000);
    for (const leave of leaves) leave();
    expect(served.indexOf(one.uuid)).toBe(1);
    await createGroup();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200));
    entered.mockRestore();
  });

  it('refuses a token that was revoked while it waited', async () => {
    const { jwt, uuid } = await permanentToken(8);
    const { answer } = await waitingWith(jwt);
    await root.token.delete({ query: { uuid } });
    await createGroup();
    expect(await answer).toMatchObject({ status: 401, body: { code: 'token_revoked' } });
  });

  it('D22: refuses a token that expired while it waited', async () => {
    const { jwt, uuid } = await makeToken(app, 'use', 0, uuidOf(app.root));
    const { answer } = await waitingWith(jwt);
    const expires_on = app.clock.now();
    await app.db.updateTable('tokens').set({ expires_on }).where('uuid', '=', uuid).execute();
    await createGroup();
    expect(await answer).toMatchObject({ status: 401, body: { code: 'token_expired' } });
  });

  it('answers 410 to a cursor beyond the last event, as after a restored backup', async () => {
    const answer = await root.event.list({ query: { after: (await head()) + 1 } });
    expect(answer).toMatchObject({ status: 410, body: { code: 'resync' } });
  });

  it('shows everything to a permanent token of level 7, none to one below, and to users what concerns them', async () => {
    const after = await head();
    await createGroup();
    await head();
    const mighty = app.client((await permanentToken(7)).jwt);
    const short = app.client((await permanentToken(6)).jwt);
    expect(await short.event.list({ query: { after } })).toMatchObject({
      status: 403,
      body: { code: 'level_too_low' },
    });
    const mate = app.client((await addMember(app, ++characters, 6)).jwt);
    const types = async (client: Client) => (await read({ after }, client)).events.map(({ type }) => type);
    expect(await types(mighty)).toContain('group.created');
    expect(await types(mate)).not.toContain('group.created');
    const { events } = await read({ after }, mighty);
    expect(events.filter(({ context }) => context !== null)).toEqual([]);
  });

  it('goes back 30 days: an older cursor is a 410, and without a cursor it starts with the oldest event', async () => {
    const old = await head();
    await createGroup();
    await head();
    app.clock.advance(30 * DAY + 1);
    expect(await root.event.list({ query: { after: old } })).toMatchObject({ status: 410 });
    const fresh = await head();
    expect(await read({})).toEqual({ events: [], cursor: String(fresh), more: false });
    await createGroup();
    await head();
    expect((await read({})).events[0]?.position).toBe(fresh + 1);
    expect((await read({ after: fresh })).events).toHaveLength(2);
  });
});

it('D92: without a cursor the feed begins with the oldest event, however long the first look takes', async () => {
  const { services } = app.app;
  await createGroup();
  const oldest = (await allEvents(app.db)).at(-1);
  // Each reading of the clock is a second later; by the first one the event is as old as any may be.
  let now = Date.parse(oldest?.occurred_on ?? '') + 30 * DAY;
  const clock = {
    now: () => {
      now += 1_000;
      return new Date(now - 1_000);
    },
  };
  const caller = await authenticate(services, `Bearer ${app.root}`);
  const rule = contract.event.list.metadata.access;
  const admission = { caller, rule, params: {}, body: undefined, clock: app.clock };
  for (const wait of [0, 1]) {
    const began = now;
    const feed = createFeed({ ...services, clock });
    const { events } = await feed(admission, { wait });
    expect(events.map(({ event_id }) => event_id)).toContain(oldest?.event_id);
    now = began;
  }
});

describe('D92: waiting requests', () => {
  /** A feed whose waits can be observed, and a caller for each of this many applications. */
  async function feedFor(callers: number) {
    const { services } = app.app;
    const waits: AbortSignal[] = [];
    const changed = (signal: AbortSignal) => {
      waits.push(signal);
      return services.events.changed(signal);
    };
    const events = Object.assign(Object.create(services.events), { changed });
    const caller = await authenticate(services, `Bearer ${app.root}`);
    const admissions = Array.from({ length: callers }, (_, n) => ({
      caller: { ...caller, app_token: `application ${n}` },
      ...{ rule: contract.event.list.metadata.access, params: {}, body: undefined, clock: app.clock },
    }));
    return { feed: createFeed({ ...services, events }), admissions, waits };
  }
  const looks = () => app.statements.filter((statement) => statement.includes('stretch')).length;

  it('share one read of an event that they all wait for', async () => {
    const { feed, admissions } = await feedFor(40);
    const [after, before] = [await head(), looks()];
    const waiting = admissions.map((admission) => feed(admission, { after, wait: 30 }));
    await expect.poll(looks).toBe(before + 40);
    await createGroup();
    for (const { events } of await Promise.all(waiting)) expect(events[0]?.position).toBe(after + 1);
    expect(looks() - before - 40).toBeLessThan(10);
  });

  it('release everything with the answer', async () => {
    const { feed, admissions, waits } = await feedFor(1);
    const { signal } = new AbortController();
    const admission = { ...(admissions[0] as (typeof admissions)[0]), gone: () => signal };
    const waiting = feed(admission, { after: await head(), wait: 30 });
    await createGroup();
    await waiting;
    expect(waits.filter(({ aborted }) => !aborted)).toEqual([]);
    expect(waits.length).toBeGreaterThan(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('D90: are answered within seconds even if the database closed the sealing connection', async () => {
    const after = await head();
    const waiting = read({ after, wait: 30 });
    const LOCK = `select pg_advisory_xact_lock(hashtext('seals of events'))`;
    const KILL = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'castellan events' and wait_event_type = 'Lock'`;
    await meanwhile(app, LOCK, [], createGroup, (other) => other.query(KILL));
    const began = performance.now();
    expect((await waiting).events[0]?.position).toBe(after + 1);
    expect(performance.now() - began).toBeLessThan(15_000);
  });
});

describe('D92: lists', () => {
  /** Reads that can be continued with the feed. */
  const LISTS: Readonly<Record<string, (client: Client, group_id: string) => Promise<{ headers: Headers }>>> =
    {
      users: (client) => client.user.list(),
      'a user': (client) => client.user.get({ params: { character_name: '0' } }),
      'the groups of a user': (client) => client.user.groups({ params: { character: '0' } }),
      'the person of a user': (client) => client.user.person({ params: { character: '0' } }),
      'the own person': (client) => client.person.current(),
      groups: (client) => client.group.list(),
      'a group': (client, group_id) => client.group.get({ params: { group_id } }),
      'the policy of a group': (client, group_id) => client.group.policy({ params: { group_id } }),
      'applications to a group': (client, group_id) => client.group.applications({ params: { group_id } }),
      applications: (client) => client.application.list({ query: { role: 'moderator' } }),
      coalitions: (client) => client.coalition.list(),
      alliances: (client) => client.alliance.list(),
      'an alliance': (client) => client.alliance.get({ params: { alliance_id: HOME.alliance } }),
      corporations: (client) => client.corporation.list(),
      'a corporation': (client) => client.corporation.get({ params: { corporation_id: HOME.corporation } }),
      'groups that can be joined': (client) => client.group.joinable(),
      'the tracking of a corporation': (client) =>
        client.corporation.tracking({ params: { corporation_id: HOME.corporation } }),
      'the tracking of an alliance': (client) =>
        client.alliance.tracking({ params: { alliance_id: HOME.alliance } }),
      'the compliance of a corporation': (client) =>
        client.corporation.compliance({ params: { corporation_id: HOME.corporation } }),
      'the compliance of an alliance': (client) =>
        client.alliance.compliance({ params: { alliance_id: HOME.alliance } }),
      'OpenID Connect clients': (client) => client.oidc.listClients(),
      webhooks: (client) => client.webhook.list(),
      guests: (client) => client.corporation.listGuests({ params: { corporation_id: HOME.corporation } }),
    };

  it.each(Object.entries(LISTS))('%s say up to which event they are current', async (_, list) => {
    const group_id = await createGroup();
    const position = await head();
    const positionOf = async () => Number((await list(root, group_id)).headers.get('castellan-position'));
    await expect.poll(positionOf).toBe(position);
  });
});

describe('D92: the cost of a page', () => {
  it('is one statement in addition to that of the token, and another one where there is something to read', async () => {
    await recordEvents(app.db, [{ type: 'group.created', targets: [] }], app.clock.now());
    const after = await head();
    await read({ after });
    const before = app.statements.length;
    await read({ after, types: 'group.*' });
    expect(app.statements.length - before).toBe(2);
    await read({ after: after - 1, types: 'group.*' });
    expect(app.statements.length - before).toBe(5);
  });
});

let characters = 2_113_000_000;
async function permanentToken(level: number) {
  characters += 1;
  await addUser(app, { id: characters, level, corporation: HOME.corporation });
  return makeToken(app, 'per', characters);
}
