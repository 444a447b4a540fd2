import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { VoiceMoment, VoiceServerFault } from '../../dev/voice-server/faults.ts';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../dev/voice-server/server.ts';
import { hash, sequence } from '../../dev/world/random.ts';
import { checkVoiceNicknames } from '../../server/voice/check-nicknames.ts';
import { syncVoiceGroups } from '../../server/voice/sync-groups.ts';
import type { VoiceLimits } from '../../server/voice-server/connection.ts';
import { VoiceError } from '../../server/voice-server/voice-error.ts';
import { addHome, addUser, HOME } from '../fixtures/users.ts';
import { addGroup, addIdentity, membershipsOf } from '../fixtures/voice.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { testRun } from '../harness/run.ts';

const LIMITS: VoiceLimits = { connect: 250, command: 250, total: Number.POSITIVE_INFINITY };
/** Where nothing but the voice server's answer ends a command. */
const PATIENT: VoiceLimits = { ...LIMITS, connect: 60_000, command: 60_000 };
/** Far from the minute that a server may ask for, and from the limits, as a machine may be busy. */
const WITHIN = 30_000;
const SOON: VoiceLimits = { ...LIMITS, connect: 60, command: 60 };

const [MADE, ADOPTED] = ['a1'.repeat(12), 'b2'.repeat(12)];
const FIRST = 2_197_000_000;
const PEOPLE = 24;

const FAULTS: readonly VoiceServerFault[] = [
  { kind: 'mute' },
  { kind: 'half' },
  { kind: 'reset' },
  { kind: 'disconnect' },
  { kind: 'drip', everyMillis: 20 },
  { kind: 'endless', bytes: 64 * 1_048_576 },
  { kind: 'garbage' },
  { kind: 'refuse', id: 524, seconds: 0 },
  { kind: 'refuse', id: 3331, seconds: 0 },
  { kind: 'refuse', id: 2568 },
];

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

let voice: SimulatedVoiceServer;
let app: TestApp;
let sgid: number;

beforeAll(async () => {
  process.on('unhandledRejection', note);
  voice = await startSimulatedVoiceServer();
  sgid = voice.world.addGroup('Adopted');
  app = await startTestApp({ env: { VOICE_URL: voice.url, VOICE_GROUPS: `${MADE},${ADOPTED}=${sgid}` } });
  await addHome(app);
  await addGroup(app, MADE, 'Scouts', []);
  await addGroup(app, ADOPTED, 'Commanders', []);
  for (let n = 0; n < PEOPLE; n += 1) {
    await addUser(app, { id: FIRST + n, corporation: HOME.corporation });
    await addIdentity(app, voice, FIRST + n);
  }
});
afterAll(async () => {
  await app.stop();
  await voice.stop();
  process.off('unhandledRejection', note);
});
beforeEach(() => setMembers(() => true));
afterEach(() => {
  voice.strike = () => undefined;
  expect(unhandled).toEqual([]);
});

/** All memberships of server groups. */
async function setMembers(isMember: (group_id: string, n: number) => boolean): Promise<void> {
  await app.db.deleteFrom('group_members').where('group_id', 'in', [MADE, ADOPTED]).execute();
  const rows = [MADE, ADOPTED].flatMap((group_id) =>
    Array.from({ length: PEOPLE }, (_, n) => ({ group_id, character_id: FIRST + n })).filter((_, n) =>
      isMember(group_id, n),
    ),
  );
  if (rows.length > 0) await app.db.insertInto('group_members').values(rows).execute();
}

/** The expected memberships of server groups, by the database. */
async function wanted(): Promise<Record<number, number[]>> {
  const rows = await app.db
    .selectFrom('group_members')
    .innerJoin('voice_identities', 'voice_identities.character_id', 'group_members.character_id')
    .leftJoin('voice_groups', 'voice_groups.group_id', 'group_members.group_id')
    .select(['group_members.group_id', 'client_database_id', 'sgid'])
    .orderBy('client_database_id')
    .execute();
  const memberships: Record<number, number[]> = {};
  for (const { group_id, client_database_id, sgid: made } of rows) {
    const to = group_id === ADOPTED ? sgid : (made ?? 0);
    memberships[to] = [...(memberships[to] ?? []), client_database_id];
  }
  return memberships;
}

const sync = (limits = LIMITS) =>
  syncVoiceGroups(app.app.services, testRun('sync-voice-groups', { force: true }), limits);
const check = () => checkVoiceNicknames(app.app.services, testRun('check-voice-nicknames'), LIMITS);

async function forgetEverything(): Promise<void> {
  await app.db.deleteFrom('voice_groups').execute();
  for (const [id, { name }] of voice.world.groups)
    if (name.startsWith('Scouts')) voice.world.groups.delete(id);
  voice.world.memberships.clear();
}

const commands = {
  sync: [
    'connect',
    'login',
    'use',
    'servergrouplist',
    'servergroupclientlist',
    'servergroupadd',
    'servergroupaddclient',
  ],
  check: ['clientlist', 'clientupdate', 'sendtextmessage'],
};

describe('a job while the voice server fails', () => {
  it.each(
    [
      ...commands.sync.map((at) => ({ at, job: sync })),
      ...commands.check.map((at) => ({ at, job: check })),
    ].flatMap(({ at, job }) =>
      // Its nickname is a courtesy: a server that refuses it has the messages all the same.
      FAULTS.filter(({ kind }) => at !== 'clientupdate' || kind !== 'refuse').map((fault) => ({
        ...{ at, job, fault, id: 'id' in fault ? fault.id : '' },
      })),
    ),
  )(
    '$fault.kind $id at $at: ends soon with a VoiceError, the connection is closed',
    async ({ at, job, fault }) => {
      await forgetEverything();
      app.clock.advance(3_600_001);
      voice.strike = (moment) => (moment.at === at ? fault : undefined);
      const began = performance.now();
      await expect(job()).rejects.toThrow(VoiceError);
      expect(performance.now() - began).toBeLessThan(WITHIN);
      await expect.poll(() => voice.open).toBe(0);
    },
  );

  it('a removal that fails leaves its member, and the next run removes it', async () => {
    await forgetEverything();
    await sync(PATIENT);
    await setMembers((_, n) => n % 2 === 0);
    voice.strike = ({ at }) => (at === 'servergroupdelclient' ? { kind: 'refuse', id: 2568 } : undefined);
    await expect(sync(PATIENT)).rejects.toThrow(VoiceError);
    voice.strike = () => undefined;
    await sync(PATIENT);
    expect(membershipsOf(voice)).toEqual(await wanted());
  });
});

/** A random fault at a random command, by a seed. */
function chance(seed: number, rate: number): (moment: VoiceMoment) => VoiceServerFault | undefined {
  const next = sequence(seed);
  const quick = FAULTS.filter(({ kind }) => kind !== 'drip' && kind !== 'endless');
  return () => (next() < rate ? quick[Math.floor(next() * quick.length)] : undefined);
}

describe('Must show: after any interrupted run the next one converges', () => {
  it.each(Array.from({ length: 40 }, (_, n) => 1 + n))('seed %s', async (seed) => {
    if (seed % 4 === 0) await forgetEverything();
    await setMembers((group_id, n) => hash(seed, n, group_id === MADE ? 1 : 2) % 3 > 0);
    voice.strike = chance(seed, 0.25);
    let failed = 0;
    for (let run = 0; run < 3; run += 1) {
      await sync(SOON).catch((error: unknown) => {
        expect(error).toBeInstanceOf(VoiceError);
        failed += 1;
      });
    }
    voice.strike = () => undefined;
    if (failed === 0) await setMembers((group_id, n) => hash(seed, n, group_id === MADE ? 3 : 4) % 3 > 0);
    await sync(PATIENT);
    expect(membershipsOf(voice)).toEqual(await wanted());
    expect(await sync(PATIENT)).toEqual([]);
    await expect.poll(() => voice.open).toBe(0);
  });
});
