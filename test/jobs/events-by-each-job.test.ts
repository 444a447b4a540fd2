import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventType } from '../../contract/event.ts';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../dev/voice-server/server.ts';
import { FIRST_CHARACTER_ID } from '../../dev/world/world.ts';
import { ok } from '../../sdk/src/index.ts';
import { grantBinding } from '../../server/grant/grant.queries.ts';
import { catalogue, isScheduled, type JobName, type Payload } from '../../server/queue/job-catalogue.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { eventsOf } from '../fixtures/events.ts';
import { addGrants } from '../fixtures/grants.ts';
import { forget, populate } from '../fixtures/population.ts';
import { addUser } from '../fixtures/users.ts';
import { addIdentity } from '../fixtures/voice.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider, SKILLS } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';

const ON_VOICE = 'a1'.repeat(12);
const [HOME, ELSEWHERE] = [98_000_002, 98_000_003];
/** A corporation that comes into an alliance. */
const [LONELY, ALLIANCE] = [98_000_009, 99_000_003];

let app: TestApp;
let voice: SimulatedVoiceServer;
beforeAll(async () => {
  voice = await startSimulatedVoiceServer();
  app = await startTestApp({
    worker: true,
    provider: { alliances: 3, corporations: 9, characters: 60 },
    env: { VOICE_URL: voice.url, VOICE_GROUPS: ON_VOICE },
  });
  const params = { coalition_id: await populate(app) };
  await syncUsers(app.app.services, testRun('sync-users', { force: true }));
  // What was put into the tables by hand gets its autogroup by its first change.
  const { coalition } = app.client(app.root);
  for (const change of ['remove_member_alliances', 'add_member_alliances']) {
    await ok(coalition.update({ params, body: { [change]: [ALLIANCE] } }));
  }
});
afterAll(async () => {
  await app.stop();
  await voice.stop();
});

const NOTHING: readonly EventType[] = [];
const world = () => app.provider.world;
const memberOf = (corporation: number) =>
  world()
    .membersOf(corporation)
    .find((id) => !world().character(id)?.isCeo) ?? 0;
const later = (hours: number) => app.clock.advance(hours * 3_600_000);

/** What there is to find for a run of each job, and the types of the events that it must give, each once, in order. */
type Told<Name extends JobName> = {
  readonly tells: readonly EventType[];
  readonly finds: () => Promise<Partial<Payload<Name>> | undefined>;
};

const TOLD: { readonly [Name in JobName]: Told<Name> } = {
  'check-grants': {
    tells: ['grant.invalidated'],
    finds: async () => {
      const [id = 0] = await addGrants(app, 1, [SKILLS]);
      world().handOver(id);
      return undefined;
    },
  },
  // Pokes people on the voice server.
  'check-voice-nicknames': {
    tells: NOTHING,
    finds: async () => {
      await addIdentity(app, voice, FIRST_CHARACTER_ID + 30, 'Somebody');
      return undefined;
    },
  },
  // Whoever reads what they store is told of: `history.read`.
  'collect-locations': { tells: NOTHING, finds: dueHistories },
  'collect-mail': { tells: NOTHING, finds: dueHistories },
  'collect-skill-points': { tells: NOTHING, finds: dueHistories },
  'collect-wallets': { tells: NOTHING, finds: dueHistories },
  'deliver-sign-in': {
    tells: NOTHING,
    finds: async () => ({ token: randomUUID(), state_code: 'code', attempt: 0 }),
  },
  // What took the right away is told.
  'end-sessions': { tells: NOTHING, finds: async () => undefined },
  'follow-names': {
    tells: ['user.renamed'],
    finds: async () => {
      later(25);
      world().renameCharacter(memberOf(HOME), 'Somebody Else');
      return undefined;
    },
  },
  'judge-memberships': {
    tells: ['group.members_changed', 'application.decided'],
    finds: async () => {
      const { group } = app.client(app.root);
      const [member, applicant] = [2_118_000_001, 2_118_000_002];
      const params = await ok(group.create({ body: { group_name: 'Judged' } }));
      const name = await addUser(app, { id: member, corporation: HOME });
      await ok(group.update({ params, body: { add_members: [name] } }));
      const eligible = { corporations: [HOME] };
      await ok(group.setPolicy({ params, body: { joining: 'application', eligible, grace_hours: 0 } }));
      await app.db
        .updateTable('users')
        .set({ corporation_id: ELSEWHERE })
        .where('character_id', '=', member)
        .execute();
      await addUser(app, { id: applicant });
      await app.db
        .insertInto('applications')
        .values({
          ...{ application_id: 'ab'.repeat(12), group_id: params.group_id, character_id: applicant },
          ...{ message: '', answers: [], created_on: app.clock.now(), expires_on: app.clock.now() },
        })
        .execute();
      return undefined;
    },
  },
  maintenance: { tells: NOTHING, finds: async () => undefined },
  'note-compliance': { tells: NOTHING, finds: async () => undefined },
  'refresh-organizations': {
    tells: ['group.updated', 'corporation.updated'],
    finds: async () => {
      later(2);
      world().renameCorporation(HOME, 'Another Name');
      return undefined;
    },
  },
  'register-alliance-members': {
    tells: [
      'group.created',
      'corporation.registered',
      'alliance.members_changed',
      'user.registered',
      'corporation.members_changed',
      'group.members_changed',
    ],
    finds: async () => {
      world().moveCorporation(LONELY, ALLIANCE);
      await forget(app, { corporation_id: LONELY });
      return { alliance_id: ALLIANCE };
    },
  },
  // What made the grant void is told.
  'revoke-grant': {
    tells: NOTHING,
    finds: async () => {
      const grant_id = randomUUID();
      const encrypted = app.app.services.vault.encrypt('a token', grantBinding(grant_id, 'refresh_token'));
      return { grant_id, refresh_token: encrypted.toString('base64') };
    },
  },
  'send-logout': {
    tells: NOTHING,
    finds: async () => ({
      client_id: 'cd'.repeat(12),
      character_id: FIRST_CHARACTER_ID,
      sid: 's',
      attempt: 0,
    }),
  },
  'sync-users': {
    tells: ['user.moved', 'user.standing_changed', 'corporation.members_changed', 'group.members_changed'],
    finds: async () => {
      later(2);
      world().moveCharacter(memberOf(HOME), ELSEWHERE);
      return undefined;
    },
  },
  // Changes the voice server alone.
  'sync-voice-groups': {
    tells: NOTHING,
    finds: async () => {
      const id = memberOf(ELSEWHERE);
      await app.db
        .insertInto('groups')
        .values({ group_id: ON_VOICE, group_name: 'Scouts', name_key: 'scouts', authorized_to_login: null })
        .execute();
      await app.db.insertInto('group_members').values({ group_id: ON_VOICE, character_id: id }).execute();
      await addIdentity(app, voice, id);
      return undefined;
    },
  },
  'write-checkpoint': { tells: ['audit.checkpoint'], finds: async () => undefined },
};

async function dueHistories(): Promise<undefined> {
  await app.db.updateTable('history_turns').set({ due_on: app.clock.now() }).execute();
}

/** Has a worker run a job, as its schedule or whoever enqueues it would, and waits for its end; returns the run's id. */
async function run<Name extends JobName>(
  name: Name,
  payload: Partial<Payload<Name>> | undefined,
): Promise<string> {
  const { queue } = app.app.services;
  if (isScheduled(name)) await queue.run(app.db, name, { force: true, asked: true });
  else await queue.send(app.db, name, payload as Payload<Name>);
  const last = async () => {
    const { rows } = await sql<{ id: string; state: string }>`
      select id, state from pgboss.job where name = ${name} order by created_on desc limit 1`.execute(app.db);
    return rows[0];
  };
  await expect.poll(async () => (await last())?.state, { timeout: 60_000 }).toBe('completed');
  return (await last())?.id ?? '';
}

describe('D91: every job that changes something tells it', () => {
  it.each(Object.keys(TOLD) as JobName[])('%s', async (name) => {
    const { tells, finds } = TOLD[name];
    const payload = await finds();
    await forgetProvider(app);
    let run_id = '';
    const events = await eventsOf(app.db, async () => {
      run_id = await run(name, payload as never);
    });
    expect([...new Set(events.map(({ type }) => type))]).toEqual(tells);
    for (const { actor, cause, context } of events) {
      expect(actor).toMatchObject({ kind: expect.stringMatching(/^(job|provider)$/), character_id: null });
      expect(cause).toMatchObject({ job: name, run_id });
      expect(context).toBeNull();
    }
  });

  it('the autogroup of a renamed corporation says what it was called before', async () => {
    later(2);
    const before = world().corporation(HOME)?.name;
    world().renameCorporation(HOME, 'A Third Name');
    await forgetProvider(app);
    const events = await eventsOf(app.db, () => run('refresh-organizations', undefined));
    const renamed = events.find(({ type }) => type === 'group.updated');
    expect(renamed?.changes).toEqual([{ field: 'group_name', before, after: 'A Third Name' }]);
  });

  it('those of the catalogue are all here', () => {
    expect(Object.keys(TOLD).sort()).toEqual(Object.keys(catalogue).sort());
  });
});
