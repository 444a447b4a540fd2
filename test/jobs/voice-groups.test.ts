import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../dev/voice-server/server.ts';
import type { Run } from '../../server/queue/run.ts';
import { syncVoiceGroups } from '../../server/voice/sync-groups.ts';
import { VoiceError } from '../../server/voice-server/voice-error.ts';
import { addHome, addUser, HOME } from '../fixtures/users.ts';
import { addGroup, addIdentity, membershipsOf } from '../fixtures/voice.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { testRun } from '../harness/run.ts';

const [MADE, ADOPTED] = ['a1'.repeat(12), 'b2'.repeat(12)];
const SERVER_ADMIN = 6;
const LIMITS = { connect: 2_000, command: 2_000, total: 20_000 };

let voice: SimulatedVoiceServer;
let app: TestApp;
let sgid: number;
let lastId = 2_195_000_000;

beforeAll(async () => {
  voice = await startSimulatedVoiceServer();
  sgid = voice.world.addGroup('Adopted');
  app = await startTestApp({
    env: { VOICE_URL: voice.url, VOICE_GROUPS: `${MADE},${ADOPTED}=${sgid}` },
  });
  await addHome(app);
});
afterAll(async () => {
  await app.stop();
  await voice.stop();
});
beforeEach(async () => {
  await addGroup(app, MADE, 'Scouts', []);
  await addGroup(app, ADOPTED, 'Commanders', []);
});
afterEach(async () => {
  voice.strike = () => undefined;
  voice.world.clients.splice(0);
  voice.world.memberships.clear();
  for (const [id, { name }] of voice.world.groups)
    if (name.startsWith('Scouts')) voice.world.groups.delete(id);
  await app.db.deleteFrom('groups').where('group_id', 'in', [MADE, ADOPTED]).execute();
  await app.db.deleteFrom('voice_groups').execute();
  await app.db.deleteFrom('voice_identities').execute();
  await app.db.deleteFrom('held_changes').execute();
});

const sync = (options: Partial<Omit<Run, 'job'>> = {}) =>
  syncVoiceGroups(app.app.services, testRun('sync-voice-groups', options), LIMITS);

/** A user who may log in and has an identity, as a member of these groups. */
async function somebody(...groups: readonly string[]): Promise<{ id: number; cldbid: number }> {
  lastId += 1;
  await addUser(app, { id: lastId, corporation: HOME.corporation });
  for (const group_id of groups) {
    await app.db.insertInto('group_members').values({ group_id, character_id: lastId }).execute();
  }
  const { clientDatabaseId } = await addIdentity(app, voice, lastId);
  return { id: lastId, cldbid: clientDatabaseId };
}

const leave = (group_id: string, ...ids: readonly number[]) =>
  app.db
    .deleteFrom('group_members')
    .where('group_id', '=', group_id)
    .where('character_id', 'in', ids)
    .execute();

async function madeSgid(): Promise<number> {
  const { sgid: made } = await app.db
    .selectFrom('voice_groups')
    .select('sgid')
    .where('group_id', '=', MADE)
    .executeTakeFirstOrThrow();
  return made;
}

describe('D41: server groups follow the groups of VOICE_GROUPS', () => {
  it('a missing one is created with the group’s name; members are added and removed, with one connection each run', async () => {
    const [one, two, both] = [await somebody(MADE), await somebody(ADOPTED), await somebody(MADE, ADOPTED)];
    const before = voice.connections;
    const changes = await sync();
    const made = await madeSgid();
    expect(voice.world.groups.get(made)).toEqual({ name: 'Scouts', type: 1 });
    expect(membershipsOf(voice)).toEqual({
      [made]: [one.cldbid, both.cldbid],
      [sgid]: [two.cldbid, both.cldbid],
    });
    expect(changes).toHaveLength(5);
    expect(await sync()).toEqual([]);
    await leave(MADE, one.id);
    expect(await sync()).toEqual([
      { action: 'remove', group_id: MADE, sgid: made, character_id: one.id, client_database_id: one.cldbid },
    ]);
    expect(membershipsOf(voice)).toEqual({ [made]: [both.cldbid], [sgid]: [two.cldbid, both.cldbid] });
    expect(voice.connections - before).toBe(3);
    await expect.poll(() => voice.open).toBe(0);
  });

  it('users that may no longer log in lose the memberships', async () => {
    const [one, other] = [await somebody(MADE), await somebody(MADE)];
    await sync();
    await addGroup(app, 'cc'.repeat(12), 'Shut out', [one.id]);
    await app.db
      .updateTable('groups')
      .set({ authorized_to_login: false })
      .where('group_id', '=', 'cc'.repeat(12))
      .execute();
    await sync();
    expect(membershipsOf(voice)).toEqual({ [await madeSgid()]: [other.cldbid] });
    await app.db.deleteFrom('groups').where('group_id', '=', 'cc'.repeat(12)).execute();
  });

  it('an identity that is no longer bound loses them, in adopted groups too; that of a deleted user as well', async () => {
    const [one, other] = [await somebody(MADE, ADOPTED), await somebody(ADOPTED)];
    await sync();
    await app.db
      .updateTable('voice_identities')
      .set({ character_id: null })
      .where('character_id', '=', one.id)
      .execute();
    await app.db.deleteFrom('users').where('character_id', '=', other.id).execute();
    await sync();
    expect(membershipsOf(voice)).toEqual({});
  });

  it('unknown identities are removed from a server group that the service created, and stay in an adopted one', async () => {
    const member = await somebody(MADE, ADOPTED);
    await sync();
    const made = await madeSgid();
    const { clientDatabaseId: stranger } = voice.world.connect('Stranger');
    voice.world.members(made).add(stranger);
    voice.world.members(sgid).add(stranger);
    await sync();
    expect(membershipsOf(voice)).toEqual({ [made]: [member.cldbid], [sgid]: [member.cldbid, stranger] });
  });

  it('other server groups are never changed', async () => {
    const member = await somebody(MADE);
    voice.world.members(SERVER_ADMIN).add(member.cldbid);
    await sync();
    await leave(MADE, member.id);
    await sync();
    expect(membershipsOf(voice)).toEqual({ [SERVER_ADMIN]: [member.cldbid] });
  });

  it('the members of autogroups are those of the registry', async () => {
    const member = await somebody();
    const group_id = 'ab'.repeat(12);
    const row = { group_id, group_name: 'Home', name_key: 'home', authorized_to_login: null };
    await app.db
      .insertInto('groups')
      .values({ ...row, corporation_id: HOME.corporation })
      .execute();
    const { settings } = app.app.services;
    const services = {
      ...app.app.services,
      settings: { ...settings, voice: { ...settings.voice, groups: [{ group_id, sgid }] } },
    };
    await syncVoiceGroups(services, testRun('sync-voice-groups'), LIMITS);
    await app.db.deleteFrom('groups').where('group_id', '=', group_id).execute();
    expect(membershipsOf(voice)[sgid]).toContain(member.cldbid);
  });

  it('the built-in user is in no server group', async () => {
    await app.db.insertInto('group_members').values({ group_id: ADOPTED, character_id: 0 }).execute();
    await addIdentity(app, voice, 0);
    await sync();
    expect(membershipsOf(voice)).toEqual({});
  });

  it('many are changed in sets, including a client that the server has forgotten', async () => {
    const people = [];
    for (let n = 0; n < 120; n += 1) people.push(await somebody(MADE));
    await app.db
      .updateTable('voice_identities')
      .set({ client_database_id: 999_999 })
      .where('character_id', '=', people[70]?.id ?? 0)
      .execute();
    const already = people[10]?.cldbid as number;
    const before = voice.commands.length;
    await sync();
    const known = people.filter((_, index) => index !== 70).map(({ cldbid }) => cldbid);
    expect(membershipsOf(voice)).toEqual({ [await madeSgid()]: known });
    // After the failure of the set with the forgotten client, its members are changed one by one.
    expect(voice.commands.length - before).toBeLessThan(70);
    voice.world.members(await madeSgid()).delete(already);
    await sync();
    expect(membershipsOf(voice)).toEqual({ [await madeSgid()]: known });
    expect(app.logged.join('')).toContain('the voice server does not know a bound identity any more');
  });

  it('2561 and 2563 count as done', async () => {
    const [one, two] = [await somebody(MADE), await somebody(MADE)];
    await sync();
    const made = await madeSgid();
    await leave(MADE, one.id);
    const three = await somebody(MADE);
    // Another client made the change between reading and changing.
    voice.strike = ({ at }) => {
      if (at === 'servergroupdelclient') voice.world.members(made).delete(one.cldbid);
      if (at === 'servergroupaddclient') voice.world.members(made).add(three.cldbid);
      return undefined;
    };
    await sync();
    expect(membershipsOf(voice)).toEqual({ [made]: [two.cldbid, three.cldbid] });
  });

  it('progress is reported up to the end', async () => {
    for (let n = 0; n < 3; n += 1) await somebody(MADE);
    const progress = vi.fn();
    await sync({ progress });
    expect(progress.mock.lastCall).toEqual([3, 3]);
  });
});

describe('D41: a voice server that refuses', () => {
  const refusing = (at: string, id: number, times: number) => {
    let struck = 0;
    voice.strike = (moment) => (moment.at === at && ++struck <= times ? { kind: 'refuse', id } : undefined);
  };

  it.each(['servergroupclientlist', 'servergroupdelclient', 'servergroupadd'])(
    '%s for one group: the others are brought up to date, then the run fails',
    async (at) => {
      const [one, other] = [await somebody(MADE, ADOPTED), await somebody(ADOPTED)];
      if (at !== 'servergroupadd') await sync();
      if (at === 'servergroupclientlist') await leave(ADOPTED, other.id);
      if (at === 'servergroupdelclient') {
        await leave(MADE, one.id);
        await leave(ADOPTED, other.id);
      }
      refusing(at, 2568, 1);
      await expect(sync()).rejects.toMatchObject({ kind: 'refused', code: 2568 });
      expect(membershipsOf(voice)[sgid]).toEqual([
        one.cldbid,
        ...(at === 'servergroupadd' ? [other.cldbid] : []),
      ]);
      await sync();
      expect(Object.keys(membershipsOf(voice))).toHaveLength(at === 'servergroupdelclient' ? 1 : 2);
    },
  );

  it('a batch, whatever the reason: its clients are changed one by one', async () => {
    const people = [await somebody(ADOPTED), await somebody(ADOPTED), await somebody(ADOPTED)];
    refusing('servergroupaddclient', 1538, 1);
    await sync();
    expect(membershipsOf(voice)).toEqual({ [sgid]: people.map(({ cldbid }) => cldbid) });
  });

  it('one client: the others are changed, then the run fails', async () => {
    const people = [await somebody(ADOPTED), await somebody(ADOPTED), await somebody(ADOPTED)];
    refusing('servergroupaddclient', 1538, 2);
    await expect(sync()).rejects.toMatchObject({ code: 1538 });
    expect(membershipsOf(voice)).toEqual({ [sgid]: people.slice(1).map(({ cldbid }) => cldbid) });
  });

  it('nothing, but changes only the first client of a batch: the others are changed one by one', async () => {
    const people = [await somebody(ADOPTED), await somebody(ADOPTED), await somebody(ADOPTED)];
    let batches = 0;
    voice.strike = () => {
      // Whatever comes after the batch finds only its first client.
      const members = voice.world.members(sgid);
      if (members.size === 3 && ++batches === 1)
        for (const { cldbid } of people.slice(1)) members.delete(cldbid);
      return undefined;
    };
    await sync();
    expect(membershipsOf(voice)).toEqual({ [sgid]: people.map(({ cldbid }) => cldbid) });
  });
});

describe('D18b: bound by id, never by name', () => {
  it('a server group that has the name already is not used', async () => {
    const member = await somebody(MADE);
    const theirs = voice.world.addGroup('Scouts');
    await sync();
    const made = await madeSgid();
    expect(made).not.toBe(theirs);
    expect(voice.world.groups.get(made)?.name).toBe('Scouts (2)');
    expect(membershipsOf(voice)).toEqual({ [made]: [member.cldbid] });
  });

  it('nor is one that a creation which was cut off has left: the log says which, and what to do', async () => {
    const member = await somebody(MADE);
    await sql`create function fails() returns trigger language plpgsql as
      $$begin raise exception 'not stored' using errcode = '57P01'; end$$`.execute(app.db);
    await sql`create trigger fails before insert on voice_groups for each row execute function fails()`.execute(
      app.db,
    );
    await expect(sync()).rejects.toThrow('not stored');
    await sql`drop function fails cascade`.execute(app.db);
    const [left] = [...voice.world.groups].flatMap(([id, { name }]) => (name === 'Scouts' ? id : []));
    const before = app.logged.length;
    await sync();
    const made = await madeSgid();
    expect(voice.world.groups.get(made)?.name).toBe('Scouts (2)');
    expect(membershipsOf(voice)).toEqual({ [made]: [member.cldbid] });
    const warnings = () => app.logged.slice(before).filter((line) => line.includes('got a number'));
    expect(warnings().map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 'warn',
        group_id: MADE,
        sgid: made,
        name: 'Scouts (2)',
        taken: { sgid: left, name: 'Scouts' },
      },
    ]);
    // Once: the next run knows the group by its id.
    await sync();
    expect(warnings()).toHaveLength(1);
  });

  it('a renamed one is still used; a deleted one is created again', async () => {
    const member = await somebody(MADE);
    await sync();
    const first = await madeSgid();
    voice.world.groups.set(first, { name: 'Scouts renamed', type: 1 });
    expect(await sync()).toEqual([]);
    voice.world.groups.delete(first);
    voice.world.memberships.delete(first);
    await sync();
    const second = await madeSgid();
    expect(second).not.toBe(first);
    expect(membershipsOf(voice)).toEqual({ [second]: [member.cldbid] });
  });

  it('one that a server made anew gives the id of another of ours is the new group’s alone', async () => {
    const member = await somebody(MADE);
    const probe = voice.world.addGroup('Scouts’ predecessor');
    voice.world.groups.delete(probe);
    const stale = { group_id: 'c3'.repeat(12), sgid: probe + 1 };
    await app.db.insertInto('voice_groups').values(stale).execute();
    await sync();
    const bound = await app.db.selectFrom('voice_groups').selectAll().execute();
    expect(bound).toEqual([{ group_id: MADE, sgid: probe + 1 }]);
    expect(membershipsOf(voice)).toEqual({ [probe + 1]: [member.cldbid] });
  });

  it.each([
    ['refused as empty', { kind: 'refuse', id: 1281 }],
    ['without rows', { kind: 'garbage', text: 'error id=0 msg=ok\n\r' }],
  ] as const)(
    'a list of no server groups is none, so that ours do not count as deleted: %s',
    async (_, fault) => {
      const member = await somebody(MADE);
      await sync();
      const made = await madeSgid();
      voice.strike = ({ at }) => (at === 'servergrouplist' ? fault : undefined);
      await expect(sync()).rejects.toMatchObject({ kind: 'unintelligible' });
      expect(await madeSgid()).toBe(made);
      expect(membershipsOf(voice)).toEqual({ [made]: [member.cldbid] });
    },
  );

  it('names have at most 30 characters, and no surrogate pair is split', async () => {
    const group_name = `Scouts ${'😀'.repeat(40)}`;
    await app.db.updateTable('groups').set({ group_name }).where('group_id', '=', MADE).execute();
    await sync();
    const { name = '' } = voice.world.groups.get(await madeSgid()) ?? {};
    expect(name).toBe(`Scouts ${'😀'.repeat(11)}`);
  });

  it('the server group of a deleted group is emptied', async () => {
    await somebody(MADE);
    await sync();
    await app.db.deleteFrom('groups').where('group_id', '=', MADE).execute();
    await sync();
    expect(membershipsOf(voice)).toEqual({});
  });

  it('an adopted one that does not exist, or is a template, is skipped and logged', async () => {
    const member = await somebody(MADE, ADOPTED);
    const { settings } = app.app.services;
    for (const wrong of [777, 3]) {
      const groups = [
        { group_id: MADE, sgid: null },
        { group_id: ADOPTED, sgid: wrong },
      ];
      const services = {
        ...app.app.services,
        settings: { ...settings, voice: { ...settings.voice, groups } },
      };
      await syncVoiceGroups(services, testRun('sync-voice-groups'), LIMITS);
    }
    expect(membershipsOf(voice)).toEqual({ [await madeSgid()]: [member.cldbid] });
    expect(app.logged.join('')).toContain('adopts a server group that does not exist');
  });

  it('one that was created for a group cannot be adopted for another one', async () => {
    const [one, other] = [await somebody(MADE), await somebody(ADOPTED)];
    await sync();
    const made = await madeSgid();
    const { settings } = app.app.services;
    const groups = [
      { group_id: MADE, sgid: null },
      { group_id: ADOPTED, sgid: made },
    ];
    const services = { ...app.app.services, settings: { ...settings, voice: { ...settings.voice, groups } } };
    await syncVoiceGroups(services, testRun('sync-voice-groups'), LIMITS);
    expect(membershipsOf(voice)).toEqual({ [made]: [other.cldbid], [sgid]: [other.cldbid] });
    expect(one.cldbid).toBeGreaterThan(0);
  });
});

describe('a dry run', () => {
  it('lists what would change and changes nothing', async () => {
    const member = await somebody(MADE, ADOPTED);
    const gone = await somebody(ADOPTED);
    voice.world.members(sgid).add(gone.cldbid);
    await leave(ADOPTED, gone.id);
    const before = membershipsOf(voice);
    expect(await sync({ dryRun: true })).toEqual([
      { action: 'create', group_id: MADE, sgid: null, name: 'Scouts' },
      {
        action: 'add',
        group_id: MADE,
        sgid: null,
        character_id: member.id,
        client_database_id: member.cldbid,
      },
      { action: 'remove', group_id: ADOPTED, sgid, character_id: gone.id, client_database_id: gone.cldbid },
      { action: 'add', group_id: ADOPTED, sgid, character_id: member.id, client_database_id: member.cldbid },
    ]);
    expect(membershipsOf(voice)).toEqual(before);
    expect([...voice.world.groups.values()].some(({ name }) => name === 'Scouts')).toBe(false);
    expect(await app.db.selectFrom('voice_groups').selectAll().execute()).toEqual([]);
  });
});

describe('D63: the mass-change guard', () => {
  const everybodyLeaves = async () => {
    for (let n = 0; n < 25; n += 1) await somebody(ADOPTED);
    await sync();
    await app.db.deleteFrom('group_members').where('group_id', '=', ADOPTED).execute();
  };

  it('a run that would remove too many changes nothing, not even additions, until it is forced', async () => {
    await everybodyLeaves();
    const late = await somebody(ADOPTED);
    const before = membershipsOf(voice);
    expect(await sync()).toEqual([]);
    expect(membershipsOf(voice)).toEqual(before);
    await sync({ force: true });
    expect(membershipsOf(voice)).toEqual({ [sgid]: [late.cldbid] });
  });

  it('the same set passes when three runs half an hour apart find it', async () => {
    await everybodyLeaves();
    const seen: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await sync();
      seen.push(membershipsOf(voice)[sgid]?.length ?? 0);
      app.clock.advance(31 * 60_000);
    }
    expect(seen).toEqual([25, 25, 0]);
  });

  it('a run in between that finds nothing to do discards the set, so the count starts again', async () => {
    await everybodyLeaves();
    const kept = membershipsOf(voice);
    const identities = await app.db.selectFrom('voice_identities').select('character_id').execute();
    const back = identities.map(({ character_id }) => ({
      group_id: ADOPTED,
      character_id: character_id ?? 0,
    }));
    for (let n = 0; n < 3; n += 1) {
      await sync();
      app.clock.advance(31 * 60_000);
      await app.db.insertInto('group_members').values(back).execute();
      expect(await sync()).toEqual([]);
      expect(membershipsOf(voice)).toEqual(kept);
      app.clock.advance(31 * 60_000);
      await app.db.deleteFrom('group_members').where('group_id', '=', ADOPTED).execute();
    }
  });

  it('a run in which the server does not list a group leaves held what was', async () => {
    await everybodyLeaves();
    await sync();
    app.clock.advance(31 * 60_000);
    voice.strike = ({ at }) => (at === 'servergroupclientlist' ? { kind: 'refuse', id: 2568 } : undefined);
    await expect(sync()).rejects.toMatchObject({ code: 2568 });
    voice.strike = () => undefined;
    expect(await app.db.selectFrom('held_changes').select('runs').execute()).toEqual([{ runs: 1 }]);
    await sync();
    app.clock.advance(31 * 60_000);
    await sync();
    expect(membershipsOf(voice)).toEqual({});
  });

  it('what three runs find of one group passes, too, where the server lists another one in none of them', async () => {
    await somebody(MADE);
    await everybodyLeaves();
    const made = await madeSgid();
    let listed = 0;
    // The groups are listed in the order of the setting.
    voice.strike = ({ at }) =>
      at === 'servergroupclientlist' && listed++ % 2 === 0 ? { kind: 'refuse', id: 2568 } : undefined;
    for (let n = 0; n < 3; n += 1) {
      await expect(sync()).rejects.toMatchObject({ code: 2568 });
      app.clock.advance(31 * 60_000);
    }
    expect(Object.keys(membershipsOf(voice))).toEqual([String(made)]);
  });

  it('a few removals are made at once', async () => {
    const people = [];
    for (let n = 0; n < 25; n += 1) people.push(await somebody(ADOPTED));
    await sync();
    await leave(ADOPTED, ...people.slice(0, 19).map(({ id }) => id));
    await sync();
    expect(membershipsOf(voice)[sgid]).toHaveLength(6);
  });
});

describe('without a voice server, or without groups', () => {
  it('there is nothing to do', async () => {
    const { settings } = app.app.services;
    const before = voice.connections;
    for (const change of [{ url: undefined }, { groups: [] }]) {
      const services = {
        ...app.app.services,
        settings: { ...settings, voice: { ...settings.voice, ...change } },
      };
      expect(await syncVoiceGroups(services, testRun('sync-voice-groups'), LIMITS)).toEqual([]);
    }
    expect(voice.connections).toBe(before);
  });

  it('an aborted run stops', async () => {
    await somebody(MADE);
    const controller = new AbortController();
    voice.strike = ({ at }) => (at === 'servergrouplist' ? { kind: 'mute' } : undefined);
    const running = sync({ signal: controller.signal });
    const stopped = expect(running).rejects.toThrow(VoiceError);
    await expect.poll(() => voice.commands.at(-1)).toBe('servergrouplist');
    controller.abort();
    await stopped;
    await expect.poll(() => voice.open).toBe(0);
  });
});
