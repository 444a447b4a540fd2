import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventType } from '../../contract/event.ts';
import { contract } from '../../contract/index.ts';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../dev/voice-server/server.ts';
import { ok } from '../../sdk/src/index.ts';
import { objectId } from '../../server/database/object-id.ts';
import { eventNews } from '../fixtures/events.ts';
import { apply, decide, joiningScenes } from '../fixtures/joining.ts';
import { letIn } from '../fixtures/registry.ts';
import { addHome, addMember, addOrganizations, addUser, HOME, makeToken, uuidOf } from '../fixtures/users.ts';
import { addWebhook } from '../fixtures/webhooks.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { addGrant, LOCATION, SKILLS } from '../harness/provider.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { startLogin, trySignIn } from '../harness/sign-in.ts';

const COUSINS = 98_100_777;
/** In the simulated game alone, until they are registered here. */
const IN_GAME = { alliance: 99_000_002, corporation: 98_000_011 } as const;
/** Its members have data in the game. */
const PLAYERS = 98_000_012;

let app: TestApp;
let voice: SimulatedVoiceServer;
let receiver: Receiver;
let root: Client;
let scenes: ReturnType<typeof joiningScenes>;
beforeAll(async () => {
  voice = await startSimulatedVoiceServer();
  receiver = await startReceiver();
  app = await startTestApp({ env: { VOICE_URL: voice.url, VOICE_AUTH_GROUP: 'On voice' } });
  root = app.client(app.root);
  await addHome(app);
  await addOrganizations(app, [{ corporations: [COUSINS] }]);
  scenes = joiningScenes(app, 2_117_500_000, [HOME.corporation, COUSINS]);
});
afterAll(async () => {
  await app.stop();
  await voice.stop();
  await receiver.stop();
});

let made = 2_117_000_000;
const next = () => ++made;
const unique = () => `Told ${next()}`;
const member = (level = 0) => addMember(app, next(), level);

/** Events of what an operation does; the events of what it needs are its own business. */
type Doing = () => Promise<unknown>;
interface Told {
  /** Types of the events, each once, in their order; none: it changes nothing that anybody else could care about. */
  readonly tells: readonly EventType[];
  /** Makes what the operation is about, and returns the operation. */
  readonly by: () => Promise<Doing> | Doing;
}

const group = async () => ({ params: await ok(root.group.create({ body: { group_name: unique() } })) });
const coalition = async (alliances: readonly number[] = []) => {
  const { coalition_id } = await ok(
    root.coalition.create({ body: { coalition_name: unique(), ticker: 'TOLD' } }),
  );
  const params = { coalition_id };
  if (alliances.length > 0) {
    await ok(root.coalition.update({ params, body: { add_member_alliances: [...alliances] } }));
  }
  return { params };
};
const oidcClient = async () => {
  const body = { client_name: unique(), redirect_uris: ['https://wiki.example/back'] };
  const { client_id } = await ok(root.oidc.createClient({ body }));
  return { params: { client_id } };
};
const webhook = async () => {
  const { webhook_id } = await addWebhook(app, receiver, { types: ['crash.*'] });
  return { params: { webhook_id } };
};
async function crashReport() {
  const id = objectId(app.clock.now());
  const request = JSON.stringify({ headers: {}, method: 'GET', params: {}, url: '/' });
  await app.db.insertInto('crash_reports').values({ id, request, token: null, trace: 'Error' }).execute();
  return { params: { crash_report_id: id } };
}
/** Somebody whose history the root token reads, by an operation on the character. */
const reading = (read: (params: { readonly character_id: number }) => Promise<unknown>): Told => ({
  tells: ['history.read'],
  by: async () => {
    const { id: character_id } = await member();
    return () => read({ character_id });
  },
});
/** The root token asks the game for somebody's data. */
const asking = (ask: (esi_path: string, on_behalf_of: number) => Promise<unknown>): Told => ({
  tells: ['ext.asked_on_behalf'],
  by: async () => {
    const id = app.provider.world.membersOf(PLAYERS).pop() ?? 0;
    await letIn(app, { corporations: [PLAYERS] });
    await addGrant(app, id, [LOCATION, SKILLS]);
    app.clock.advance(3_600_001);
    return () => ask(`characters/${id}/skills`, id);
  },
});
/** Two people, each with a token of the same application. */
async function pair() {
  const by = uuidOf(await app.dynamicToken());
  const person = async () => {
    const { id } = await member();
    return { id, jwt: (await makeToken(app, 'use', id, by)).jwt };
  };
  return { one: await person(), other: await person() };
}
const soleOf = (id: number) => id.toString(16).padStart(24, '0');
async function linked() {
  const { one, other } = await pair();
  await scenes.link(one, other);
  const { person_id } = await ok(app.client(one.jwt).person.current());
  return { one, other, params: { person_id } };
}

type Operations = typeof contract;
/** Every operation that is no GET. */
type Changing = {
  [R in keyof Operations & string]: {
    [O in keyof Operations[R] & string]: Operations[R][O] extends { readonly method: 'GET' }
      ? never
      : `${R}.${O}`;
  }[keyof Operations[R] & string];
}[keyof Operations & string];
/** Those GETs that leave something behind. */
type Leaving =
  | 'callback.ext'
  | 'ext.forwardGet'
  | 'history.locations'
  | 'history.mails'
  | 'history.mail'
  | 'history.skillPoints'
  | 'history.wallet';

const TOLD: Readonly<Record<Changing | Leaving, Told>> = {
  'alliance.register': {
    tells: [
      'group.created',
      'alliance.registered',
      'corporation.registered',
      'alliance.members_changed',
      'user.registered',
      'corporation.members_changed',
      'group.members_changed',
    ],
    by: () => () => ok(root.alliance.register({ params: { alliance_id: IN_GAME.alliance } })),
  },
  'alliance.update': {
    tells: ['alliance.updated'],
    by: () => () =>
      ok(
        root.alliance.update({
          params: { alliance_id: HOME.alliance },
          body: { mandatory_ext_scopes: [LOCATION] },
        }),
      ),
  },
  'application.decide': {
    tells: ['application.decided', 'group.members_changed'],
    by: async () => {
      const { moderator, applicant, params } = await scenes.scene();
      const application = await apply(applicant, params);
      return () => decide(moderator, application, 'approved');
    },
  },
  'application.withdraw': {
    tells: ['application.decided'],
    by: async () => {
      const { applicant, params } = await scenes.scene();
      const { application_id } = await apply(applicant, params);
      return () => ok(applicant.client.application.withdraw({ params: { application_id } }));
    },
  },
  'callback.ext': {
    tells: ['user.sign_in_refused'],
    by: async () => {
      const dyn = await app.dynamicToken();
      return () => trySignIn(app, { characterId: 2_112_000_023 }, { dyn });
    },
  },
  'coalition.create': { tells: ['coalition.created'], by: () => () => coalition() },
  'coalition.update': {
    tells: ['coalition.members_changed', 'group.created', 'user.standing_changed', 'group.members_changed'],
    by: async () => {
      const { params } = await coalition();
      return () => ok(root.coalition.update({ params, body: { add_member_alliances: [HOME.alliance] } }));
    },
  },
  'coalition.delete': {
    tells: ['coalition.deleted', 'user.standing_changed', 'group.members_changed', 'group.deleted'],
    by: async () => {
      const { params } = await coalition([HOME.alliance]);
      return () => ok(root.coalition.delete({ params }));
    },
  },
  'corporation.register': {
    tells: [
      'group.created',
      'corporation.registered',
      'user.registered',
      'corporation.members_changed',
      'group.members_changed',
    ],
    by: () => () => ok(root.corporation.register({ params: { corporation_id: IN_GAME.corporation } })),
  },
  'corporation.update': {
    tells: ['corporation.updated'],
    by: () => () =>
      ok(
        root.corporation.update({
          params: { corporation_id: COUSINS },
          body: { mandatory_ext_scopes: [LOCATION] },
        }),
      ),
  },
  'corporation.createGuestCode': {
    tells: ['corporation.guest_invited'],
    by: () => () => ok(root.corporation.createGuestCode({ params: { corporation_id: COUSINS } })),
  },
  'corporation.deleteGuest': {
    tells: ['user.deleted'],
    by: async () => {
      const character_id = next();
      await addUser(app, { id: character_id, level: -1, corporation: COUSINS });
      return () => ok(root.corporation.deleteGuest({ params: { corporation_id: COUSINS, character_id } }));
    },
  },
  'crash.delete': {
    tells: ['crash.deleted'],
    by: async () => {
      const report = await crashReport();
      return () => ok(root.crash.delete(report));
    },
  },
  'ext.forward': asking((esi_path, on_behalf_of) =>
    ok(root.ext.forward({ params: { esi_path }, body: { on_behalf_of } })),
  ),
  'ext.forwardGet': asking((esi_path, on_behalf_of) =>
    ok(root.ext.forwardGet({ params: { esi_path }, query: { on_behalf_of } })),
  ),
  'group.create': { tells: ['group.created', 'group.members_changed'], by: () => group },
  'group.update': {
    tells: ['group.updated', 'group.members_changed', 'user.standing_changed'],
    by: async () => {
      const { params } = await group();
      const name = await addUser(app, { id: next() });
      const body = { description: 'Changed', authorized_to_login: true, add_members: [name] };
      return () => ok(root.group.update({ params, body }));
    },
  },
  'group.delete': {
    tells: ['group.members_changed', 'group.deleted', 'user.standing_changed'],
    by: async () => {
      const { params } = await group();
      const { name } = await member();
      await ok(root.group.update({ params, body: { authorized_to_login: false, add_members: [name] } }));
      return () => ok(root.group.delete({ params }));
    },
  },
  'group.setPolicy': {
    tells: ['group.updated'],
    by: async () => {
      const { params } = await group();
      return () => ok(root.group.setPolicy({ params, body: { joining: 'open' } }));
    },
  },
  'group.apply': {
    tells: ['application.created'],
    by: async () => {
      const { applicant, params } = await scenes.scene();
      return () => apply(applicant, params);
    },
  },
  'group.leave': {
    tells: ['group.members_changed'],
    by: async () => {
      const { moderator, applicant, params } = await scenes.scene();
      await decide(moderator, await apply(applicant, params), 'approved');
      return () => ok(applicant.client.group.leave({ params }));
    },
  },
  'history.locations': reading((params) => ok(root.history.locations({ params }))),
  'history.mails': reading((params) => ok(root.history.mails({ params }))),
  'history.mail': {
    tells: ['history.read'],
    by: async () => {
      const { id } = await member();
      await sql`insert into mails (mail_id, from_id, from_name, recipients, subject, timestamp, body)
        values (1, ${id}, 'Somebody', '[]', 'Hello', now(), 'Hello')`.execute(app.db);
      await sql`insert into mailboxes (character_id, complete) values (${id}, true)`.execute(app.db);
      await sql`insert into mailbox_mails (character_id, mail_id, position, wants_body) values (${id}, 1, 0, false)`.execute(
        app.db,
      );
      return () => ok(root.history.mail({ params: { character_id: id, mail_id: 1 } }));
    },
  },
  'history.skillPoints': reading((params) => ok(root.history.skillPoints({ params }))),
  'history.wallet': reading((params) => ok(root.history.wallet({ params }))),
  'history.storeLocation': {
    ...asking((_, character_id) => root.history.storeLocation({ params: { character_id } })),
    tells: ['history.read'],
  },
  'oidc.createClient': { tells: ['oidc.client_created'], by: () => oidcClient },
  'oidc.updateClient': {
    tells: ['oidc.client_updated'],
    by: async () => {
      const { params } = await oidcClient();
      return () =>
        ok(root.oidc.updateClient({ params, body: { redirect_uris: ['https://wiki.example/elsewhere'] } }));
    },
  },
  'oidc.deleteClient': {
    tells: ['oidc.client_deleted'],
    by: async () => {
      const client = await oidcClient();
      return () => ok(root.oidc.deleteClient(client));
    },
  },
  'oidc.renewSecret': {
    tells: ['oidc.client_updated'],
    by: async () => {
      const client = await oidcClient();
      return () => ok(root.oidc.renewSecret(client));
    },
  },
  'person.link': {
    tells: ['person.character_linked', 'person.main_changed'],
    by: async () => {
      const { one, other } = await pair();
      return () => ok(app.client(one.jwt).person.link({ body: { user_token: other.jwt } }));
    },
  },
  'person.unlink': {
    tells: ['person.character_unlinked'],
    by: async () => {
      const { one, other } = await linked();
      return () => ok(app.client(one.jwt).person.unlink({ params: { character_id: other.id } }));
    },
  },
  'person.update': {
    tells: ['person.main_changed'],
    by: async () => {
      const { one, other } = await linked();
      return () => ok(app.client(one.jwt).person.update({ body: { main: other.id } }));
    },
  },
  'person.merge': {
    tells: ['person.character_linked', 'person.main_changed'],
    by: async () => {
      const { one, other } = await pair();
      const body = { person_id: soleOf(other.id), reason: 'Of one human.' };
      return () => ok(root.person.merge({ params: { person_id: soleOf(one.id) }, body }));
    },
  },
  'person.split': {
    tells: ['person.character_unlinked'],
    by: async () => {
      const { other, params } = await linked();
      const body = { characters: [other.id], reason: 'Of two humans.' };
      return () => ok(root.person.split({ params, body }));
    },
  },
  'system.runJob': {
    tells: ['job.requested'],
    by: () => () => ok(root.system.runJob({ params: { job_id: 'maintenance' } })),
  },
  'token.createDynamic': { tells: ['token.created'], by: () => () => app.dynamicToken() },
  'token.createPermanent': {
    tells: ['token.created'],
    by: () => () => ok(root.token.createPermanent({ body: { callback: 'http://127.0.0.1:9/app' } })),
  },
  'token.createUserToken': { tells: ['token.created'], by: () => () => ok(root.token.createUserToken()) },
  'token.delete': {
    tells: ['token.deleted'],
    by: async () => {
      const { uuid } = await makeToken(app, 'per', 0);
      return () => ok(root.token.delete({ query: { uuid } }));
    },
  },
  'token.logout': {
    tells: ['token.deleted'],
    by: async () => {
      const { jwt } = await member();
      return () => ok(app.client(jwt).token.logout());
    },
  },
  // Nobody has signed in yet.
  'token.startLogin': {
    tells: [],
    by: async () => {
      const dyn = await app.dynamicToken();
      return () => startLogin(app, { dyn });
    },
  },
  'user.update': {
    tells: ['user.standing_changed'],
    by: async () => {
      const { id: character_id } = await member();
      return () => ok(root.user.update({ params: { character_id }, body: { clearance_level: 5 } }));
    },
  },
  'user.delete': {
    tells: ['user.deleted', 'corporation.members_changed', 'group.members_changed'],
    by: async () => {
      const { id: character_id } = await member();
      return () => ok(root.user.delete({ params: { character_id } }));
    },
  },
  // Nothing is proven yet.
  'voice.start': {
    tells: [],
    by: async () => {
      const { jwt } = await member();
      return () => ok(app.client(jwt).voice.start());
    },
  },
  'voice.complete': {
    tells: ['group.created', 'voice.bound', 'group.members_changed'],
    by: async () => {
      const { jwt } = await member();
      const { challenge_nickname } = await ok(app.client(jwt).voice.start());
      voice.world.connect(challenge_nickname);
      return () => app.client(jwt).voice.complete();
    },
  },
  'webhook.create': { tells: ['webhook.created'], by: () => webhook },
  'webhook.update': {
    tells: ['webhook.updated'],
    by: async () => {
      const { params } = await webhook();
      return () => ok(root.webhook.update({ params, body: { types: ['group.*'] } }));
    },
  },
  'webhook.delete': {
    tells: ['webhook.deleted'],
    by: async () => {
      const hook = await webhook();
      return () => ok(root.webhook.delete(hook));
    },
  },
  'webhook.rotate': {
    tells: ['webhook.updated'],
    by: async () => {
      const hook = await webhook();
      return () => ok(root.webhook.rotate(hook));
    },
  },
  'webhook.replay': {
    tells: ['webhook.updated'],
    by: async () => {
      const { params } = await webhook();
      return () => ok(root.webhook.replay({ params, body: { after: 0 } }));
    },
  },
  // The webhook stays what it was: what became of a delivery is to be seen there.
  'webhook.test': {
    tells: [],
    by: async () => {
      const hook = await webhook();
      return () => ok(root.webhook.test(hook));
    },
  },
  'webhook.retry': {
    tells: [],
    by: async () => {
      const { params } = await webhook();
      const { delivery_id } = await ok(root.webhook.test({ params }));
      return () => ok(root.webhook.retry({ params: { ...params, delivery_id } }));
    },
  },
};

const operations = Object.entries(contract).flatMap(([resource, routes]) =>
  Object.entries(routes as Readonly<Record<string, { readonly method: string }>>).map(
    ([name, { method }]) => ({
      name: `${resource}.${name}`,
      method,
    }),
  ),
);

const news = eventNews(() => app.db);
beforeEach(news);

describe('D91: every operation that changes something tells it', () => {
  it('those of the contract are all here', () => {
    const changing = operations.filter(({ method }) => method !== 'GET').map(({ name }) => name);
    expect(Object.keys(TOLD)).toEqual(expect.arrayContaining(changing));
    expect(operations.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(TOLD)));
  });

  it.each(Object.entries(TOLD))('%s', async (_, { tells, by }) => {
    const work = await by();
    await news();
    await work();
    const events = await news();
    expect([...new Set(events.map(({ type }) => type))]).toEqual(tells);
    // Whoever asked did it, from where he asked.
    for (const { actor, context, cause } of events) {
      expect(actor.kind).toMatch(/^(user|app)$/);
      expect(context?.request_id).toBeTruthy();
      expect(cause?.run_id ?? null).toBeNull();
    }
  });
});
