import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../dev/voice-server/server.ts';
import { addHome, addMember } from '../fixtures/users.ts';
import { addGroup, addIdentity, membershipsOf } from '../fixtures/voice.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

const GROUP = 'a1'.repeat(12);
const FAILED = 'The voice server cannot be reached or gave an answer that cannot be used.';

let voice: SimulatedVoiceServer;
let app: TestApp;
let sgid: number;

beforeAll(async () => {
  voice = await startSimulatedVoiceServer();
  sgid = voice.world.addGroup('Scouts');
  app = await startTestApp({ env: { VOICE_URL: voice.url, VOICE_GROUPS: `${GROUP}=${sgid}` }, worker: true });
  await addHome(app);
});
afterAll(async () => {
  await app.stop();
  await voice.stop();
});
afterEach(() => {
  voice.strike = () => undefined;
});

const run = (job_id: string, query?: { readonly dry_run: boolean }) =>
  app.client(app.root).system.runJob({ params: { job_id }, query });

describe('the jobs of the voice server', () => {
  it('report what they would change, then change it', async () => {
    const { id } = await addMember(app, 2_198_000_001);
    await addGroup(app, GROUP, 'Scouts', [id]);
    const { clientDatabaseId } = await addIdentity(app, voice, id, 'Somebody');
    const member = { character_id: id, client_database_id: clientDatabaseId };
    expect(await run('sync-voice-groups', { dry_run: true })).toMatchObject({
      status: 200,
      body: { changes: [{ action: 'add', group_id: GROUP, sgid, ...member }] },
    });
    expect(await run('check-voice-nicknames', { dry_run: true })).toMatchObject({
      status: 200,
      body: { changes: [{ action: 'message', nickname: 'Somebody', ...member }] },
    });
    expect([membershipsOf(voice), voice.world.messages]).toEqual([{}, []]);
    expect((await run('sync-voice-groups')).status).toBe(200);
    expect((await run('check-voice-nicknames')).status).toBe(200);
    await expect
      .poll(() => membershipsOf(voice), { timeout: 60_000 })
      .toEqual({ [sgid]: [clientDatabaseId] });
    await expect.poll(() => voice.world.messages.length, { timeout: 60_000 }).toBe(1);
  });

  it.each(['sync-voice-groups', 'check-voice-nicknames'])(
    'a dry run of %s is a 502 while the voice server fails, and no crash',
    async (job) => {
      voice.strike = ({ at }) => (at === 'use' ? { kind: 'garbage' } : undefined);
      expect(await run(job, { dry_run: true })).toMatchObject({ status: 502, body: { detail: FAILED } });
      const crashes = await app.client(app.root).crash.list();
      expect(crashes.body).toEqual([]);
    },
  );
});
