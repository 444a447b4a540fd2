import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../dev/voice-server/server.ts';
import { ok } from '../../sdk/src/index.ts';
import type { Run } from '../../server/queue/run.ts';
import { syncVoiceGroups } from '../../server/voice/sync-groups.ts';
import { addHome, addUser, HOME } from '../fixtures/users.ts';
import { addGroup, addIdentity, membershipsOf } from '../fixtures/voice.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { testRun } from '../harness/run.ts';

const ADOPTED = 'b2'.repeat(12);
const LIMITS = { connect: 2_000, command: 2_000, total: 20_000 };
const HALF_AN_HOUR = 30 * 60_000;

let voice: SimulatedVoiceServer;
let app: TestApp;
let sgid: number;
let lastId = 2_195_000_000;

beforeAll(async () => {
  voice = await startSimulatedVoiceServer();
  sgid = voice.world.addGroup('Adopted');
  app = await startTestApp({ env: { VOICE_URL: voice.url, VOICE_GROUPS: `${ADOPTED}=${sgid}` } });
  await addHome(app);
});
afterAll(async () => {
  await app.stop();
  await voice.stop();
});
beforeEach(() => addGroup(app, ADOPTED, 'Commanders', []));
afterEach(async () => {
  voice.strike = () => undefined;
  voice.world.clients.splice(0);
  voice.world.memberships.clear();
  await app.db.deleteFrom('groups').where('group_id', '=', ADOPTED).execute();
  await app.db.deleteFrom('voice_identities').execute();
  await app.db.deleteFrom('held_changes').execute();
});

const sync = (options: Partial<Omit<Run, 'job'>> = {}, services = app.app.services) =>
  syncVoiceGroups(services, testRun('sync-voice-groups', options), LIMITS);
const held = () => ok(app.client(app.root).system.held());

/** So many users are in the server group, and lose the group that gives it to them. */
async function everybodyLeaves(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    lastId += 1;
    await addUser(app, { id: lastId, corporation: HOME.corporation });
    await app.db.insertInto('group_members').values({ group_id: ADOPTED, character_id: lastId }).execute();
    await addIdentity(app, voice, lastId);
  }
  await sync();
  expect(membershipsOf(voice)[sgid]).toHaveLength(count);
  await app.db.deleteFrom('group_members').where('group_id', '=', ADOPTED).execute();
}

/** Runs `work`, which the voice server bans after the first batch of removals. */
async function cutOff(work: () => Promise<unknown>): Promise<void> {
  let batches = 0;
  voice.strike = ({ at }) => {
    if (at !== 'servergroupdelclient') return undefined;
    batches += 1;
    return batches === 2 ? { kind: 'refuse', id: 3331 } : undefined;
  };
  await expect(work()).rejects.toThrow();
  voice.strike = () => undefined;
  expect(membershipsOf(voice)[sgid]?.length).toBeGreaterThan(20);
}

describe('D63: removals that were let through, and cut off in the middle', () => {
  it('are completed by the next try of the run that was approved', async () => {
    await everybodyLeaves(90);
    expect(await sync()).toEqual([]);
    const [{ held_id: approved } = { held_id: '' }] = await held();
    await cutOff(() => sync({ approved, asked: true }));
    await sync({ approved, asked: true });
    expect(membershipsOf(voice)).toEqual({});
    expect(await held()).toEqual([]);
  });

  it('are completed by the next run where three runs have found them', async () => {
    await everybodyLeaves(90);
    for (let n = 0; n < 2; n += 1) {
      expect(await sync()).toEqual([]);
      app.clock.advance(HALF_AN_HOUR);
    }
    await cutOff(sync);
    await sync();
    expect(membershipsOf(voice)).toEqual({});
    expect(await held()).toEqual([]);
  });

  it('are completed by whichever run comes next, too', async () => {
    await everybodyLeaves(90);
    expect(await sync()).toEqual([]);
    const [{ held_id: approved } = { held_id: '' }] = await held();
    await cutOff(() => sync({ approved, asked: true }));
    await sync();
    expect(membershipsOf(voice)).toEqual({});
    expect(await held()).toEqual([]);
  });
});

describe('D63: what is held back of groups that are mapped no more', () => {
  it.each([
    ['no group is mapped', { groups: [] }],
    ['there is no voice server', { url: undefined }],
  ])('is forgotten by the next run where %s', async (_, changed) => {
    await everybodyLeaves(25);
    await sync();
    expect(await held()).toHaveLength(1);
    const { settings } = app.app.services;
    const voice = { ...settings.voice, ...changed };
    await sync({}, { ...app.app.services, settings: { ...settings, voice } });
    expect(await held()).toEqual([]);
  });
});
