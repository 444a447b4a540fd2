import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joinForDevelopment, publishToWorkers, startForDevelopment } from '../../../dev/development.ts';
import { FIRST_CHARACTER_ID } from '../../../dev/world/world.ts';
import { readSettings, type Settings } from '../../../server/config/settings.ts';
import { listen } from '../../../server/http/listen.ts';
import { CannotStart } from '../../../server/shared/cannot-start.ts';
import { basic, loginUrl, post, REDIRECT_URI, type TokenAnswer } from './client.ts';

let settings: Settings;
beforeEach(async () => {
  settings = readSettings({ PORT: '0', DATA_DIR: await mkdtemp(join(tmpdir(), 'castellan-development-')) });
});
afterEach(() => rm(settings.dataDir, { recursive: true }));

describe('the simulated provider of the development start', () => {
  it('accepts its refresh tokens after a restart, because DATA_DIR has the secret that encrypts them', async () => {
    const first = await startForDevelopment(settings);
    const { clientId = '', clientSecret } = first.settings.sso;
    await publishToWorkers(first.settings, first.simulated);
    const login = loginUrl(first.simulated, { client_id: clientId });
    const back = new URL(await first.simulated.authorize(login, { characterId: FIRST_CHARACTER_ID }));
    const code = back.searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI };
    const authorization = basic(clientId, clientSecret);
    const answer = await post(first.simulated, '/v2/oauth/token', form, authorization);
    const { refresh_token = '' } = (await answer.json()) as TokenAnswer;
    await first.simulated.stop();

    const second = await startForDevelopment(settings);
    expect(second.settings.sso.clientSecret).toBe(clientSecret);
    const again = { grant_type: 'refresh_token', refresh_token };
    expect((await post(second.simulated, '/v2/oauth/token', again, authorization)).status).toBe(200);
    await second.simulated.stop();
  });

  it('is used by a worker too, once the service has listened', async () => {
    await expect(joinForDevelopment(settings)).rejects.toThrow(CannotStart);
    const started = await startForDevelopment(settings);
    await expect(joinForDevelopment(settings)).rejects.toThrow(CannotStart);
    await publishToWorkers(started.settings, started.simulated);
    expect(await joinForDevelopment(settings)).toEqual(started.settings);
    const { mode } = await stat(join(settings.dataDir, 'simulated-provider.json'));
    expect(mode & 0o777).toBe(0o600);
    await started.simulated.stop();
  });

  it('comes with a voice server, unless one is configured', async () => {
    const { simulated, settings: pointed } = await startForDevelopment(settings);
    expect(pointed.voice.url).toBe(simulated.voice?.url);
    expect(simulated.voice?.world.clients.length).toBeGreaterThan(0);
    await simulated.stop();
    const url = 'ts3query://user:password@voice.example';
    const given = { ...settings, voice: { ...settings.voice, url } };
    const own = await startForDevelopment(given);
    expect([own.simulated.voice, own.settings.voice.url]).toEqual([undefined, url]);
    await publishToWorkers(own.settings, own.simulated);
    expect(await readFile(join(settings.dataDir, 'simulated-provider.json'), 'utf8')).not.toContain(
      'ts3query',
    );
    expect((await joinForDevelopment(given)).voice.url).toBe(url);
    await own.simulated.stop();
  });

  it('uses another port when the next one is in use', async () => {
    const taken = await listen(() => undefined, '127.0.0.1', 0);
    const { simulated, settings: pointed } = await startForDevelopment({ ...settings, port: taken.port - 1 });
    expect(pointed.sso.url).toBe(simulated.url);
    expect(new URL(simulated.url).port).not.toBe(String(taken.port));
    await simulated.stop();
    await taken.stop();
  });
});
