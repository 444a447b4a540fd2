import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../../dev/voice-server/server.ts';
import { mailbox } from '../../../dev/world/mailbox.ts';
import { FIRST_CHARACTER_ID } from '../../../dev/world/world.ts';
import { ok } from '../../../sdk/src/index.ts';
import { nameKey } from '../../../server/database/name-key.ts';
import { objectId } from '../../../server/database/object-id.ts';
import { KINDS } from '../../../server/history/kinds.ts';
import { soleId } from '../../../server/person/person-id.ts';
import { addGrants } from '../../fixtures/grants.ts';
import { addOrganizations, addUser, makeToken, uuidOf } from '../../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../app.ts';
import type { Hints } from './schemas.ts';

const ALLIANCES = [99_900_001, 99_900_002] as const;
const CORPORATIONS = [98_900_001, 98_900_002, 98_900_003] as const;
/** A user of every level: the first is an administrator with linked characters, the last a guest. */
const LEVELS = [9, 6, 0, 0, 2, 4, 0, 8, 10, -1] as const;
const USERS = LEVELS.map((level, i) => ({ id: 2_112_900_001 + i, name: `Fuzz ${i % 9}`, level }));
const NAMES = ['One', 'Two', 'ĲȘ \u{1f680}'] as const;

/** Characters of the simulated game whose refresh tokens work. */
const GRANTED = [FIRST_CHARACTER_ID, FIRST_CHARACTER_ID + 1] as const;

/** A service that lacks nothing, without a rate limit. */
export interface FuzzedApp extends TestApp {
  readonly voice: SimulatedVoiceServer;
}

export async function startFuzzedApp(): Promise<FuzzedApp> {
  const voice = await startSimulatedVoiceServer();
  const app = await startTestApp({ env: { RATE_LIMIT: '0', VOICE_URL: voice.url } });
  return {
    ...app,
    voice,
    async stop() {
      await app.stop();
      await voice.stop();
    },
  };
}

/** The callers' tokens, and the values of existing records. */
export interface Stage {
  readonly tokens: ReadonlyMap<string, string>;
  readonly hints: Hints;
}

/** Removes what earlier requests left, and makes sure that a record of every kind exists. */
export async function setStage(app: FuzzedApp): Promise<Stage> {
  await clear(app);
  const root = app.client(app.root);
  await settle(app, root);
  const mails = await addMails(app);
  const tokens = await tokensOf(app);
  const groups = await Promise.all(
    NAMES.map((name) => ok(root.group.create({ body: { group_name: `Group ${name}` } }))),
  );
  const coalitions = await ok(root.coalition.list());
  const ids = groups.map(({ group_id }) => group_id);
  const joining = await addApplications(app, ids, tokens);
  const webhooks = await addWebhooks(app, root, tokens);
  const clients = await addClients(root, ids);
  const persons = await addPersons(root);
  const [crash, names, users] = [
    await addCrashReport(app),
    USERS.map(({ name }) => name),
    USERS.map(({ id }) => id),
  ];
  const all = (await ok(root.group.list())).map(({ group_id }) => group_id);
  // A minute, so that the provider's limits are full again.
  app.clock.advance(60_000);
  const lists = (name: string, values: readonly unknown[]) =>
    Object.fromEntries(['add_', 'remove_', ''].map((prefix) => [prefix + name, [...values]]));
  const hints: Hints = {
    coalition_id: coalitions.map(({ coalition_id }) => coalition_id),
    group_id: all,
    coalition_name: [...NAMES],
    group_name: [...NAMES.map((name) => `Group ${name}`), `Corporation ${CORPORATIONS[0]}`],
    character_id: [...users.map(String), '0', ...GRANTED.map(String)],
    mail_id: mails,
    character: [...names, ...users.map(String)],
    character_name: [...names, '(built-in)'],
    corporation_id: [...CORPORATIONS.map(String), '98000001'],
    alliance_id: [...ALLIANCES.map(String), '99000001'],
    on_behalf_of: users,
    owner: names,
    uuid: [uuidOf(tokens.get('spare') ?? '')],
    crash_report_id: [crash],
    esi_path: ['status', `characters/${users[0]}`, `characters/${users[0]}/location`, 'universe/names'],
    ...lists('members', names),
    ...lists('member_alliances', ALLIANCES),
    ...lists('member_corporations', CORPORATIONS),
    ...{ main: users, characters: users, users, alliances: [...ALLIANCES], corporations: [...CORPORATIONS] },
    coalitions: coalitions.map(({ coalition_id }) => coalition_id),
    ...{ groups: all, groups_any: all, groups_none: all, group_ids: all, allowed_groups: all },
    ...{ ...joining, ...webhooks, ...clients, ...persons },
    user_token: ['linked', 'plain', 'chief'].map((as) => tokens.get(as)),
    about: [
      ...['login', 'level', 'tracking'],
      ...all.map((id) => `group:${id}`),
      ...users.flatMap((id) => [`read:${id}`, `write:${id}`]),
    ],
    target: [...users.map((id) => `user:${id}`), ...all.map((id) => `group:${id}`)],
    actor: ['0', ...users.map(String)],
    after: ['0', '1', '1000000000', ...joining.application_id],
    search: ['fuzz', 'Fuzz 1', 'ĲȘ'],
  };
  return { tokens, hints };
}

async function clear({ db, root, logged, statements, voice }: FuzzedApp): Promise<void> {
  voice.world.clients.length = 0;
  // Drops the log lines, which were checked after each request: all of them would fill the memory.
  for (const lines of [logged, statements]) (lines as string[]).length = 0;
  await db.deleteFrom('persons').execute();
  await db.deleteFrom('webhooks').execute();
  await db.deleteFrom('oidc_clients').execute();
  await db.deleteFrom('groups').where('is_autogroup', '=', false).execute();
  await db.deleteFrom('coalitions').execute();
  await db.deleteFrom('state_codes').execute();
  await db.deleteFrom('users').where('character_id', '!=', 0).execute();
  await db.deleteFrom('tokens').where('uuid', '!=', uuidOf(root)).execute();
}

/** Organizations with users of every level, and coalitions, of which the first lets everybody in. */
async function settle(app: TestApp, root: Client): Promise<void> {
  const [one, two] = ALLIANCES;
  const [first, second, third] = CORPORATIONS;
  await addOrganizations(app, [
    { alliance: one, corporations: [first] },
    { alliance: two, corporations: [second] },
    { corporations: [third] },
  ]);
  for (const [i, { id, name, level }] of USERS.entries()) {
    await addUser(app, { id, name, level, corporation: CORPORATIONS[i % 3] as number });
  }
  for (const [i, coalition_name] of NAMES.entries()) {
    const params = await ok(root.coalition.create({ body: { coalition_name, ticker: 'T' } }));
    const members = { member_alliances: [one], member_corporations: [second, third] };
    if (i === 0) await ok(root.coalition.update({ params, body: members }));
  }
}

/** Characters with refresh tokens and mails whose texts are not fetched yet; returns the ids of the mails. */
async function addMails(app: TestApp): Promise<string[]> {
  const { db, provider } = app;
  await addGrants(app, GRANTED.length, [...KINDS.location.scopes, ...KINDS.mail.scopes]);
  await db.deleteFrom('mails').execute();
  const ids = new Set<string>();
  for (const character_id of GRANTED) {
    const character = provider.world.character(character_id);
    if (character === undefined) throw new Error(`there is no character ${character_id}`);
    await db.insertInto('mailboxes').values({ character_id, complete: true }).execute();
    const mails = mailbox(provider.world, character).slice(0, 5);
    for (const [position, { id, from, subject, timestamp }] of mails.entries()) {
      const header = { from_id: from, from_name: 'Somebody', recipients: '[]', subject };
      await db
        .insertInto('mails')
        .values({ mail_id: id, ...header, timestamp: new Date(timestamp), body: null })
        .onConflict((known) => known.doNothing())
        .execute();
      const placed = { character_id, mail_id: id, position, wants_body: true };
      await db.insertInto('mailbox_mails').values(placed).execute();
      ids.add(String(id));
    }
  }
  return [...ids];
}

/** Tokens of all kinds and levels. */
async function tokensOf(app: TestApp): Promise<Map<string, string>> {
  const parent = uuidOf(app.root);
  const of = (place: number) => USERS[place]?.id ?? 0;
  const dyn = await makeToken(app, 'dyn', 0, parent);
  const other = await makeToken(app, 'dyn', 0, parent);
  const used = async (id: number, by = dyn) => (await makeToken(app, 'use', id, by.uuid)).jwt;
  const permanent = async (id: number) => (await makeToken(app, 'per', id, parent)).jwt;
  return new Map([
    ...([
      ['root', app.root],
      ['dyn', dyn.jwt],
    ] as const),
    ...([
      ['spare', await permanent(0)],
      ['member', await permanent(of(1))],
    ] as const),
    ...([
      ['user', await used(of(0))],
      ['plain', await used(of(2))],
      ['linked', await used(of(3))],
    ] as const),
    ...([
      ['reader', await used(of(4))],
      ['chief', await used(of(5), other)],
    ] as const),
    ...([
      ['bot', await permanent(of(7))],
      ['highest', await used(of(8))],
      ['guest', await used(of(9))],
    ] as const),
  ]);
}

/** A group for each value of `joining`, with pending, rejected and approved applications. */
async function addApplications(app: TestApp, groups: readonly string[], tokens: ReadonlyMap<string, string>) {
  const root = app.client(app.root);
  const [asked = '', open = ''] = groups;
  const moderators = { users: [USERS[1]?.id ?? 0], groups: [open] };
  const policy = { joining: 'application', reach: 'person', reapply_hours: 0, grace_hours: 0 } as const;
  await ok(root.group.setPolicy({ params: { group_id: asked }, body: { ...policy, moderators } }));
  await ok(root.group.setPolicy({ params: { group_id: open }, body: { joining: 'open' } }));
  const application_id: string[] = [];
  for (const [as, decision] of [
    ['plain', undefined],
    ['linked', 'rejected'],
    ['linked', undefined],
    ['reader', 'approved'],
  ] as const) {
    const client = app.client(tokens.get(as));
    const made = await ok(client.group.apply({ params: { group_id: asked }, body: { message: 'Please' } }));
    if (decision !== undefined) await ok(root.application.decide({ params: made, body: { decision } }));
    application_id.push(made.application_id);
  }
  return { application_id };
}

/** Webhooks of the built-in user and of an application, whose URLs nobody answers. */
async function addWebhooks(app: TestApp, root: Client, tokens: ReadonlyMap<string, string>) {
  const body = { url: 'http://127.0.0.1:9/hook', types: ['crash.*'] };
  const webhook_id: string[] = [];
  const delivery_id: string[] = [];
  for (const client of [root, app.client(tokens.get('bot'))]) {
    const made = await client.webhook.create({ body });
    if (made.status !== 200) continue;
    webhook_id.push(made.body.webhook_id);
    const params = { webhook_id: made.body.webhook_id };
    delivery_id.push((await ok(client.webhook.test({ params }))).delivery_id);
  }
  return { webhook_id, delivery_id };
}

async function addClients(root: Client, groups: readonly string[]) {
  const redirect_uris = ['https://wiki.example/back'];
  const body = { client_name: 'Wiki', redirect_uris, allowed_groups: groups.slice(0, 1) };
  const made = await ok(root.oidc.createClient({ body }));
  return { client_id: [made.client_id], redirect_uris };
}

/** A person of an administrator and a member; all others are persons of one character. */
async function addPersons(root: Client) {
  const id = (place: number) => USERS[place]?.id ?? 0;
  const params = { person_id: soleId(id(0)) };
  const { person_id } = await ok(
    root.person.merge({ params, body: { person_id: soleId(id(3)), reason: 'Fuzz' } }),
  );
  return { person_id: [person_id, ...[1, 2, 4].map((place) => soleId(id(place)))] };
}

async function addCrashReport({ db, clock }: TestApp): Promise<string> {
  await db.deleteFrom('crash_reports').execute();
  const id = objectId(clock.now());
  const request = JSON.stringify({ headers: {}, method: 'GET', params: {}, url: '/' });
  await db
    .insertInto('crash_reports')
    .values({ id, request, token: null, trace: nameKey('Error') })
    .execute();
  return id;
}
