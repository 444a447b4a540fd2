import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startSimulatedVoiceServer } from '../../../dev/voice-server/server.ts';
import { type CompleteSettings, readSettings } from '../../../server/config/settings.ts';
import { examineContact, examineDisk, examineOutside } from '../../../server/doctor/outside.ts';
import { systemClock } from '../../../server/shared/clock.ts';

/** What the API with its document, and the service answer. */
const BODIES: Readonly<Record<string, unknown>> = {
  '/status': { players: 20_000, server_version: '3000000', start_time: '2026-01-01T11:05:00Z' },
  '/meta/openapi.json': { openapi: '3.1.0', paths: { '/status': { get: { responses: {} } } } },
  '/healthz': { status: 'ok' },
};

let server: Server;
let headers: Record<string, string>;
let answer: (path: string) => { readonly status: number; readonly body: string };
let url: string;
/** The sign-on accepts our client, and knows no refresh token. */
function usual(path: string) {
  const metadata = {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
  };
  const unknown = {
    error: 'invalid_grant',
    error_description: 'Invalid refresh token. Token missing/expired.',
  };
  const body = path === '/token' ? unknown : path.endsWith('-server') ? metadata : BODIES[path];
  return { status: path === '/token' ? 400 : 200, body: JSON.stringify(body) };
}

beforeEach(async () => {
  headers = {};
  answer = usual;
  server = createServer((req, res) => {
    const { status, body } = answer(req.url ?? '');
    res.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function examined(more: Record<string, string> = {}) {
  const given = {
    ...more,
    SSO_URL: url,
    SSO_CLIENT_ID: 'x',
    SSO_CLIENT_SECRET: 'x',
    EXT_API_URL: url,
    BASE_URL: url,
  };
  return examineOutside(readSettings(given) as CompleteSettings, systemClock);
}

async function signOn() {
  const [found] = await examined();
  return found;
}

describe('the doctor recognises what answers', () => {
  it('at the sign-on, the API, its document and BASE_URL', async () => {
    expect((await examined()).map(({ about, state }) => `${state} ${about}`)).toEqual([
      "good the game's sign-on",
      'good SSO_CLIENT_ID',
      "good the game's API",
      "good the document of the game's API",
      'good BASE_URL',
    ]);
  });

  it('a service that is up, and not ready', async () => {
    const detail = 'The database lacks 2 migration(s).';
    answer = (path) => (path === '/readyz' ? { status: 503, body: JSON.stringify({ detail }) } : usual(path));
    const findings = await examined();
    const { host } = new URL(url);
    expect(findings.find(({ about }) => about === 'BASE_URL')).toMatchObject({
      state: 'bad',
      says: `${host} answers, but is not ready: ${detail}`,
    });
  });

  it.each([
    ['the page of a parked domain', 200, '<html>This domain is for sale</html>'],
    ['the JSON of something else', 200, '{"status":"green"}'],
    ['a redirect', 302, ''],
    ['no content', 204, ''],
    ['a missing page', 404, '{}'],
  ])('%s is none of them', async (_, status, body) => {
    answer = () => ({ status, body });
    const findings = await examined();
    expect(findings.map(({ state }) => state)).toEqual(['bad', 'bad', 'bad', 'bad']);
    for (const { says } of findings) expect(says).toContain(`answers ${status} after`);
  });
});

describe('the doctor asks the game’s sign-on whether it accepts our client', () => {
  const client = async () => (await examined()).find(({ about }) => about === 'SSO_CLIENT_ID');

  it('which it does: the refresh token alone is unknown', async () => {
    expect(await client()).toMatchObject({ state: 'good' });
  });

  it('which it does not: the secret is wrong', async () => {
    answer = (path) =>
      path === '/token' ? { status: 401, body: '{"error":"invalid_client"}' } : usual(path);
    expect(await client()).toMatchObject({
      state: 'bad',
      says: 'the sign-on provider does not accept SSO_CLIENT_ID and SSO_CLIENT_SECRET (401)',
      advice: expect.any(String),
    });
  });

  it('which it does not: the id is not known', async () => {
    const body = '{"error":"invalid_grant","error_description":"Grant type refresh_token is not supported."}';
    answer = (path) => (path === '/token' ? { status: 400, body } : usual(path));
    expect(await client()).toMatchObject({ state: 'bad', says: expect.stringContaining('does not accept') });
  });

  it('which it does not say', async () => {
    answer = (path) => (path === '/token' ? { status: 503, body: 'down' } : usual(path));
    expect(await client()).toMatchObject({ state: 'mind', advice: expect.stringContaining('not known') });
  });
});

describe('the doctor logs in at the voice server', () => {
  const voiceServer = async (voiceUrl: string) =>
    (await examined({ VOICE_URL: voiceUrl })).find(({ about }) => about === 'voice server');

  it('which lets it in, answers nobody, or refuses the password or the server', async () => {
    const voice = await startSimulatedVoiceServer();
    expect(await voiceServer(voice.url)).toMatchObject({ state: 'good' });
    expect(voice.commands).toEqual(['login', 'use', 'quit']);
    const [wrong, missing] = [new URL(voice.url), new URL(voice.url)];
    wrong.password = 'swordfish';
    missing.searchParams.set('server_id', '77');
    for (const one of [wrong.href, missing.href])
      expect(await voiceServer(one)).toMatchObject({ state: 'bad' });
    await voice.stop();
    const gone = await voiceServer(voice.url);
    expect(gone).toMatchObject({ state: 'bad', advice: expect.stringContaining('VOICE_URL') });
    expect(JSON.stringify(gone)).not.toContain(new URL(voice.url).password);
  });
});

describe('the doctor compares this machine’s clock with that of the game’s sign-on', () => {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

  it.each([
    [{}, 'good'],
    [{ date: at(-20) }, 'good'],
    // Made an hour ago, and kept by a cache since.
    [{ date: at(-3600), age: '3600' }, 'good'],
    [{ date: 'some day' }, 'good'],
  ])('%j is %s', async (told, state) => {
    headers = told;
    expect(await signOn()).toMatchObject({ state });
  });

  it.each([
    [90, /^the clock of 127\.0\.0\.1:\d+ is (8|9)\d s ahead of this machine's$/],
    [-3600, /^the clock of 127\.0\.0\.1:\d+ is 36\d\d s behind this machine's$/],
  ])('%i s are too many: no token of the sign-on would be accepted', async (seconds, says) => {
    headers = { date: at(seconds) };
    expect(await signOn()).toMatchObject({
      about: "the game's sign-on",
      state: 'bad',
      says: expect.stringMatching(says),
      advice: expect.stringContaining('NTP'),
    });
  });
});

it('the doctor asks for a contact in EXT_USER_AGENT, in production', () => {
  const find = (production: boolean, userAgent: string) =>
    examineContact({ production, extApi: { userAgent } } as CompleteSettings).map(({ state }) => state);
  expect(find(true, 'castellan/0.1.0 (contact not set)')).toEqual(['mind']);
  expect(find(true, 'castellan/0.1.0 (ops@example.org)')).toEqual([]);
  expect(find(false, 'castellan/0.1.0 (contact not set)')).toEqual([]);
});

it('the doctor says that TMPDIR cannot be used, and goes on', async () => {
  vi.stubEnv('TMPDIR', '/nowhere/at/all');
  try {
    expect(await examineDisk()).toMatchObject({
      state: 'bad',
      says: expect.stringMatching(/^\/nowhere\/at\/all cannot be used: ENOENT/),
      advice: expect.stringContaining('TMPDIR'),
    });
  } finally {
    vi.unstubAllEnvs();
  }
});
