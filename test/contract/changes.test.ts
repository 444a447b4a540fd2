import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../contract/index.ts';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../dev/voice-server/server.ts';
import { ok } from '../../sdk/src/index.ts';
import { objectId } from '../../server/database/object-id.ts';
import { apply, joiningScenes } from '../fixtures/joining.ts';
import { letIn } from '../fixtures/registry.ts';
import { addHome, addMember, addUser, HOME, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';

/** In the simulated game: one alliance and one corporation to be registered, and two whose members may sign in. */
const GAME = { alliance: 99_000_002, corporation: 98_000_005, home: 98_000_011, sister: 98_000_012 };
const PILOTS = [2_112_000_049, 2_112_000_055] as const;

interface Made {
  readonly status: number;
  readonly headers: Headers;
}

let app: TestApp;
let voice: SimulatedVoiceServer;
let root: Client;
let scenes: ReturnType<typeof joiningScenes>;
let made = 0;
const unique = () => `Changed ${++made}`;

beforeAll(async () => {
  voice = await startSimulatedVoiceServer();
  app = await startTestApp({ env: { VOICE_URL: voice.url, VOICE_AUTH_GROUP: 'On voice' } });
  root = app.client(app.root);
  await addHome(app);
  await letIn(app, { corporations: [GAME.home, GAME.sister] });
  scenes = joiningScenes(app, 2_190_000_000, [HOME.corporation, GAME.home]);
});
afterAll(async () => {
  await app.stop();
  await voice.stop();
});

const someone = async (level = 0, corporation: number = HOME.corporation) => {
  const id = 2_191_000_000 + ++made;
  await addUser(app, { id, level, corporation });
  return id;
};
const group = async () => (await ok(root.group.create({ body: { group_name: unique() } }))).group_id;
const coalition = async () =>
  (await ok(root.coalition.create({ body: { coalition_name: unique(), ticker: 'CH' } }))).coalition_id;
const soleId = (id: number) => id.toString(16).padStart(24, '0');
const relyingParty = async () => {
  const body = { client_name: unique(), redirect_uris: ['https://wiki.example/back'] };
  return { client_id: (await ok(root.oidc.createClient({ body }))).client_id };
};
const webhook = async () => {
  const body = { url: 'http://127.0.0.1:9/in', types: ['crash.*'] };
  return { webhook_id: (await ok(root.webhook.create({ body }))).webhook_id };
};
/** The two pilots as one person: its id, and a client of the main. */
async function linked() {
  await app.db.deleteFrom('persons').execute();
  const dyn = await app.dynamicToken();
  const [main, other] = [await app.signIn(PILOTS[0], { dyn }), await app.signIn(PILOTS[1], { dyn })];
  const link = () => main.client.person.link({ body: { user_token: other.token } });
  return { ...main, link };
}

/** Each operation that changes something, so that it does. */
const CHANGES: Readonly<Record<string, () => Promise<Made>>> = {
  'alliance.register': () => root.alliance.register({ params: { alliance_id: GAME.alliance } }),
  'alliance.update': () =>
    root.alliance.update({
      params: { alliance_id: HOME.alliance },
      body: { mandatory_ext_scopes: ['publicData'] },
    }),
  'application.decide': async () => {
    const scene = await scenes.scene();
    const params = await apply(scene.applicant, scene.params);
    return root.application.decide({ params, body: { decision: 'approved' } });
  },
  'application.withdraw': async () => {
    const scene = await scenes.scene();
    const params = await apply(scene.applicant, scene.params);
    return scene.applicant.client.application.withdraw({ params });
  },
  'callback.ext': async () => {
    const login = await ok(app.client(await app.dynamicToken()).token.startLogin({ body: {} }));
    return app.browse(login.login_url, { characterId: PILOTS[0] });
  },
  'coalition.create': () => root.coalition.create({ body: { coalition_name: unique(), ticker: 'CH' } }),
  'coalition.update': async () =>
    root.coalition.update({ params: { coalition_id: await coalition() }, body: { ticker: 'NEW' } }),
  'coalition.delete': async () => root.coalition.delete({ params: { coalition_id: await coalition() } }),
  'corporation.register': () => root.corporation.register({ params: { corporation_id: GAME.corporation } }),
  'corporation.update': () =>
    root.corporation.update({
      params: { corporation_id: HOME.corporation },
      body: { mandatory_ext_scopes: ['publicData'] },
    }),
  'corporation.createGuestCode': () =>
    root.corporation.createGuestCode({ params: { corporation_id: HOME.corporation } }),
  'corporation.deleteGuest': async () =>
    root.corporation.deleteGuest({
      params: { corporation_id: HOME.corporation, character_id: await someone(-1) },
    }),
  'crash.delete': async () => {
    const id = objectId(app.clock.now());
    const request = JSON.stringify({ headers: {}, method: 'GET', params: {}, url: '/' });
    await app.db.insertInto('crash_reports').values({ id, request, token: null, trace: 'Error' }).execute();
    return root.crash.delete({ params: { crash_report_id: id } });
  },
  'group.create': () => root.group.create({ body: { group_name: unique() } }),
  'group.update': async () =>
    root.group.update({ params: { group_id: await group() }, body: { description: 'new' } }),
  'group.delete': async () => root.group.delete({ params: { group_id: await group() } }),
  'group.setPolicy': async () =>
    root.group.setPolicy({ params: { group_id: await group() }, body: { joining: 'open' } }),
  'group.apply': async () => {
    const { applicant, params } = await scenes.scene();
    return applicant.client.group.apply({ params, body: {} });
  },
  'group.leave': async () => {
    const { applicant, params } = await scenes.scene({ joining: 'open' });
    await apply(applicant, params);
    return applicant.client.group.leave({ params });
  },
  'oidc.createClient': () =>
    root.oidc.createClient({
      body: { client_name: unique(), redirect_uris: ['https://wiki.example/back'] },
    }),
  'oidc.updateClient': async () =>
    root.oidc.updateClient({ params: await relyingParty(), body: { first_party: true } }),
  'oidc.deleteClient': async () => root.oidc.deleteClient({ params: await relyingParty() }),
  'oidc.renewSecret': async () => root.oidc.renewSecret({ params: await relyingParty() }),
  'person.link': async () => (await linked()).link(),
  'person.unlink': async () => {
    const { link, client } = await linked();
    await ok(link());
    return client.person.unlink({ params: { character_id: PILOTS[1] } });
  },
  'person.update': async () => {
    const { link, client } = await linked();
    await ok(link());
    return client.person.update({ body: { main: PILOTS[1] } });
  },
  'person.merge': async () =>
    root.person.merge({
      params: { person_id: soleId(await someone()) },
      body: { person_id: soleId(await someone()), reason: 'One human.' },
    }),
  'person.split': async () => {
    const [kept, other] = [await someone(), await someone()];
    const body = { person_id: soleId(other), reason: 'One human.' };
    const { person_id } = await ok(root.person.merge({ params: { person_id: soleId(kept) }, body }));
    return root.person.split({
      params: { person_id },
      body: { characters: [other], reason: 'Two of them.' },
    });
  },
  'system.runJob': () => root.system.runJob({ params: { job_id: 'maintenance' } }),
  'token.delete': async () => {
    const { uuid } = await makeToken(app, 'per', 0, uuidOf(app.root));
    return root.token.delete({ query: { uuid } });
  },
  'token.createDynamic': () => root.token.createDynamic({ body: { callback: 'http://127.0.0.1:9/app' } }),
  'token.createPermanent': () => root.token.createPermanent({ body: { callback: 'http://127.0.0.1:9/app' } }),
  'token.createUserToken': () => root.token.createUserToken(),
  'token.logout': async () => app.client((await addMember(app, 2_192_000_000)).jwt).token.logout(),
  'user.update': async () =>
    root.user.update({ params: { character_id: await someone() }, body: { clearance_level: 2 } }),
  'user.delete': async () => root.user.delete({ params: { character_id: await someone() } }),
  'voice.complete': async () => {
    const client = app.client((await addMember(app, 2_192_000_001)).jwt);
    voice.world.connect((await ok(client.voice.start())).challenge_nickname);
    return client.voice.complete();
  },
  'webhook.create': () => root.webhook.create({ body: { url: 'http://127.0.0.1:9/in', types: ['crash.*'] } }),
  'webhook.update': async () => root.webhook.update({ params: await webhook(), body: { ordered: true } }),
  'webhook.delete': async () => root.webhook.delete({ params: await webhook() }),
  'webhook.rotate': async () => root.webhook.rotate({ params: await webhook() }),
  'webhook.replay': async () => root.webhook.replay({ params: await webhook(), body: { after: 0 } }),
};

/** Operations without an event of their own although their method may change something, each with the reason. */
const UNTOLD: Readonly<Record<string, string>> = {
  'ext.forward': 'asks the game; whose data was asked for is told',
  'history.storeLocation':
    'stores what the game says, as the job does every few minutes; who reads it is told',
  'token.startLogin': 'only prepares a sign-in, whose end is told',
  'voice.start': 'only prepares the proof of an identity, which is told',
  'webhook.test': 'sends a message and changes nothing',
  'webhook.retry': 'sends a message once more, as the service itself does; the webhook stays as it is',
};

const changing = Object.entries(contract)
  .flatMap(([resource, routes]) =>
    Object.entries(routes as Record<string, { readonly method: string }>).map(([name, { method }]) => ({
      name: `${resource}.${name}`,
      method,
    })),
  )
  .filter(({ name, method }) => method !== 'GET' || name === 'callback.ext')
  .map(({ name }) => name);

/** The types of the events that a request recorded. */
async function toldOf({ headers }: Made): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`
    select e.type from events e join event_contexts c using (event_id)
    where c.context::jsonb->>'request_id' = ${headers.get('x-request-id')}`.execute(app.db);
  return rows.map(({ type }) => type);
}

describe('D90: every operation that changes something is told', () => {
  it('each one of the contract is carried out here, or excused with a reason', () => {
    expect([...Object.keys(CHANGES), ...Object.keys(UNTOLD)].sort()).toEqual([...changing].sort());
  });

  it.each(Object.entries(CHANGES))('%s', async (_, change) => {
    const answer = await change();
    expect([200, 201, 302]).toContain(answer.status);
    expect(await toldOf(answer)).not.toEqual([]);
  });
});
