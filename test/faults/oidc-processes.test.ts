import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { letIn } from '../fixtures/registry.ts';
import { BASE_URL, newSigningKey, RSA_KEY, startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import { build, createInstance, type Instance, PRODUCTION, type Running } from '../harness/instance.ts';
import { addRelyingParty, postForm, REDIRECT_URI, type RelyingParty } from '../harness/relying-party.ts';

const CORPORATION = 98_000_011;
const MEMBER = 2_112_000_049;

let app: TestApp;
let instance: Instance;
let party: RelyingParty;
let processes: { running: Running; url: string }[];
let start: (port: number) => Running;

beforeAll(async () => {
  await build();
  const keys = {
    TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [await newSigningKey(), RSA_KEY] }),
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
  };
  app = await startTestApp({ env: keys });
  await letIn(app, { corporations: [CORPORATION] });
  party = await addRelyingParty(app, { first_party: false });
  const { settings } = app.app.services;
  instance = await createInstance();
  start = (port) =>
    instance.start(PRODUCTION.server, {
      ...keys,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      DATABASE_URL: app.databaseUrl,
      BASE_URL,
      SSO_URL: settings.sso.url,
      SSO_CLIENT_ID: settings.sso.clientId ?? '',
      SSO_CLIENT_SECRET: settings.sso.clientSecret,
      EXT_API_URL: settings.extApi.url,
      EXT_API_SPEC_URL: settings.extApi.specUrl,
      PORT: String(port),
      METRICS_PORT: '0',
      RATE_LIMIT: '0',
      WORKERS: 'none',
    });
  processes = await Promise.all(
    [instance.port, instance.port + 1].map(async (port) => {
      const one = { running: start(port), url: `http://127.0.0.1:${port}` };
      await ready(one.url);
      return one;
    }),
  );
});
afterAll(async () => {
  await instance?.remove();
  await app?.stop();
});

function ready(url: string): Promise<void> {
  return vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
    timeout: 60_000,
    interval: 100,
  });
}

const [one, other] = [0, 1].map((n) => () => processes[n] as { running: Running; url: string }) as [
  () => { running: Running; url: string },
  () => { running: Running; url: string },
];

describe('two processes of the API', () => {
  it('each step of a sign-in can be handled by another process', async () => {
    const browser = new Browser(app, { choice: { characterId: MEMBER } });
    const turns = [one().url, other().url];
    const ask = browser.ask.bind(browser);
    browser.ask = (...given) => {
      browser.at = turns.reverse()[0] as string;
      return ask(...given);
    };
    const { landed, ...begun } = await party.visit(browser);
    expect(browser.visited.length).toBeGreaterThanOrEqual(7);
    const code = landed.url.searchParams.get('code') ?? '';
    const fields = {
      ...{
        grant_type: 'authorization_code',
        code,
        code_verifier: begun.verifier,
        redirect_uri: REDIRECT_URI,
      },
      ...{ client_id: party.client.client_id, client_secret: party.client.client_secret ?? '' },
    };
    const { status, json } = await postForm(other(), '/oidc/token', fields);
    expect(status).toBe(200);
    expect(decodeJwt(String(json.id_token))).toMatchObject({ iss: BASE_URL, sub: String(MEMBER) });
    const headers = { authorization: `Bearer ${json.access_token}` };
    for (const { url } of processes) {
      expect((await fetch(`${url}/oidc/userinfo`, { headers })).status).toBe(200);
    }
    // A code is used concurrently in both processes.
    const again = await Promise.all(processes.map((at) => postForm(at, '/oidc/token', fields)));
    expect(again.map((answer) => answer.json.error)).toEqual(['invalid_grant', 'invalid_grant']);
  });

  it('a code does not give tokens in both processes', async () => {
    const browser = new Browser(app, { choice: { characterId: MEMBER }, at: one().url });
    const { landed, verifier } = await party.visit(browser);
    const fields = {
      ...{ grant_type: 'authorization_code', code_verifier: verifier, redirect_uri: REDIRECT_URI },
      ...{ client_id: party.client.client_id, client_secret: party.client.client_secret ?? '' },
      code: landed.url.searchParams.get('code') ?? '',
    };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => postForm(n % 2 ? one() : other(), '/oidc/token', fields)),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  it('kill -9 of a process loses no session', async () => {
    const browser = new Browser(app, { choice: { characterId: MEMBER }, at: one().url });
    await party.visit(browser);
    one().running.signal('SIGKILL');
    await one().running.ended;
    browser.at = other().url;
    const before = browser.visited.length;
    const { landed } = await party.visit(browser, { prompt: 'none' });
    expect(landed.url.searchParams.get('code')).toBeTruthy();
    expect(browser.visited.slice(before).some((url) => url.startsWith(app.provider.ssoUrl))).toBe(false);
  });

  it('the library prints nothing outside the log', () => {
    for (const { running } of processes) {
      expect(running.output.stdout + running.output.stderr).not.toMatch(/oidc-provider (NOTICE|WARNING)/);
    }
  });
});
