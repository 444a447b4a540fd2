import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { letIn } from '../fixtures/registry.ts';
import { BASE_URL, envBeside, newKeys, RSA_KEY, startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import { build, createInstance, type Instance, PRODUCTION, type Running } from '../harness/instance.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { addRelyingParty, postForm, REDIRECT_URI, type RelyingParty } from '../harness/relying-party.ts';

const CORPORATION = 98_000_011;
const MEMBER = 2_112_000_049;

interface Process {
  readonly running: Running;
  readonly url: string;
}

let app: TestApp;
let instance: Instance;
let party: RelyingParty;
let processes: Process[];
/** Those that were killed, too. */
const all: Running[] = [];
let start: (port: number) => Running;

beforeAll(async () => {
  await build();
  const keys = await newKeys(RSA_KEY);
  app = await startTestApp({ env: keys });
  await letIn(app, { corporations: [CORPORATION] });
  party = await addRelyingParty(app, { first_party: false });
  instance = await createInstance();
  start = (port) =>
    instance.start(PRODUCTION.server, {
      ...keys,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      ...envBeside(app),
      PORT: String(port),
      METRICS_PORT: '0',
      RATE_LIMIT: '0',
      WORKERS: 'none',
    });
  processes = await Promise.all([instance.port, instance.port + 1].map(started));
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

async function started(port: number): Promise<Process> {
  const running = start(port);
  all.push(running);
  const url = `http://127.0.0.1:${port}`;
  await ready(url);
  return { running, url };
}

const [one, other] = [0, 1].map((n) => () => processes[n] as Process) as [() => Process, () => Process];

/** Kills a process while its work waits for what this statement has locked. */
async function killedInTheMiddle(
  { running }: Process,
  statement: string,
  values: readonly unknown[],
  work: () => Promise<unknown>,
): Promise<void> {
  const unanswered = await meanwhile(
    app,
    statement,
    values,
    () =>
      work().then(
        () => false,
        () => true,
      ),
    async () => {
      running.signal('SIGKILL');
      await running.ended;
    },
  );
  expect(unanswered).toBe(true);
}

/** What redeems the code that a browser came back with. */
const fieldsOf = ({ client }: RelyingParty, { verifier }: { verifier: string }, back: URL) => ({
  ...{ grant_type: 'authorization_code', code_verifier: verifier, redirect_uri: REDIRECT_URI },
  ...{ client_id: client.client_id, client_secret: client.client_secret ?? '' },
  code: back.searchParams.get('code') ?? '',
});

const asksTheGame = ({ visited }: Browser) =>
  visited.filter((url) => url.startsWith(app.provider.ssoUrl)).length;

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
    const fields = fieldsOf(party, begun, landed.url);
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
    const { landed, ...begun } = await party.visit(browser);
    const fields = fieldsOf(party, begun, landed.url);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => postForm(n % 2 ? one() : other(), '/oidc/token', fields)),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  it('kill -9 during a consent: the session continues, and the other process accepts the consent', async () => {
    const asking = await addRelyingParty(app, { first_party: false });
    const browser = new Browser(app, { choice: { characterId: MEMBER }, at: one().url });
    const begun = await asking.begin();
    const page = await browser.go(begun.url);
    await killedInTheMiddle(one(), 'select from users where character_id = $1 for update', [MEMBER], () =>
      browser.press(page),
    );
    browser.at = other().url;
    const { url } = await browser.press(page);
    expect((await postForm(other(), '/oidc/token', fieldsOf(asking, begun, url))).status).toBe(200);
    const { landed } = await asking.visit(browser, { prompt: 'none' });
    expect(landed.url.searchParams.get('code')).toBeTruthy();
    expect(asksTheGame(browser)).toBe(1);
  });

  it('kill -9 during the exchange of a code: it does not give tokens twice, and the session gives another code', async () => {
    processes[0] = await started(instance.port);
    const browser = new Browser(app, { choice: { characterId: MEMBER }, at: other().url });
    const { landed, ...begun } = await party.visit(browser);
    const fields = fieldsOf(party, begun, landed.url);
    const code = `select from oidc_artifacts where model = 'AuthorizationCode' and client_id = $1 for update`;
    await killedInTheMiddle(other(), code, [party.client.client_id], () =>
      postForm(other(), '/oidc/token', fields),
    );
    browser.at = one().url;
    const answers = [
      await postForm(one(), '/oidc/token', fields),
      await postForm(one(), '/oidc/token', fields),
    ];
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers[1]?.json.error).toBe('invalid_grant');
    const again = await party.visit(browser, { prompt: 'none' });
    const next = fieldsOf(party, again, again.landed.url);
    expect((await postForm(one(), '/oidc/token', next)).status).toBe(200);
    expect(asksTheGame(browser)).toBe(1);
  });

  it('the library prints nothing outside the log', () => {
    for (const running of all) {
      expect(running.output.stdout + running.output.stderr).not.toMatch(/oidc-provider (NOTICE|WARNING)/);
    }
  });
});
