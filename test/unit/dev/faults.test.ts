import { describe, expect, it, vi } from 'vitest';
import { type Fault, OAUTH_FAULTS, type OAuthFault } from '../../../dev/provider/faults.ts';
import { startSimulatedProvider } from '../../../dev/provider/provider.ts';
import { FIRST_CHARACTER_ID } from '../../../dev/world/world.ts';
import { CLIENT, get, loginUrl, refresh, signIn, useProvider, WALLET } from './client.ts';

const SOMEBODY = FIRST_CHARACTER_ID + 100;
const PATH = `/characters/${SOMEBODY}`;
const TOKEN = '/v2/oauth/token';
const simulated = useProvider();

/** Expects that the connection breaks before the whole answer has arrived. */
async function breaks(answer: Promise<Response>): Promise<boolean> {
  return await answer
    .then((response) => response.arrayBuffer())
    .then(
      () => false,
      (error: unknown) => error instanceof TypeError,
    );
}

function add(fault: Fault): void {
  simulated.provider.faults.add('api', fault);
}

describe('where and how often a fault occurs', () => {
  const failing = { kind: 'status', status: 500 } as const;
  const status = async (path = PATH) => (await get(simulated.provider, path)).status;

  it('in the next n requests, then no more', async () => {
    simulated.provider.faults.add('api', failing, { times: 2 });
    expect([await status(), await status(), await status()]).toEqual([500, 500, 200]);
  });

  it('until cleared', async () => {
    const fault = simulated.provider.faults.add('api', failing);
    expect([await status(), await status()]).toEqual([500, 500]);
    expect(fault.strikes).toBe(2);
    fault.clear();
    expect(await status()).toBe(200);
  });

  it('by chance, the same for the same seed', async () => {
    const outcomes = async (): Promise<number[]> => {
      const provider = await startSimulatedProvider({ ...CLIENT, seed: 5 });
      provider.faults.add('api', failing, { probability: 0.5 });
      const statuses: number[] = [];
      for (let i = 0; i < 30; i++) statuses.push((await get(provider, PATH)).status);
      await provider.stop();
      return statuses;
    };
    const first = await outcomes();
    expect(new Set(first)).toEqual(new Set([200, 500]));
    expect(await outcomes()).toEqual(first);
  });

  it.each([
    ['api', 500, 200],
    ['sso', 200, 500],
    ['/characters/{character_id}', 500, 200],
    ['/characters/*', 500, 200],
    ['/*', 200, 200],
    ['/**', 500, 500],
    ['GET /characters/**', 500, 200],
    ['POST /characters/**', 200, 200],
    ['/oauth/jwks', 200, 500],
  ] as const)('pattern %s', async (pattern, api, sso) => {
    simulated.provider.faults.add(pattern, failing);
    expect(await status(`/latest${PATH}/`)).toBe(api);
    expect((await fetch(`${simulated.provider.ssoUrl}/oauth/jwks`)).status).toBe(sso);
  });
});

describe('answers (provider.md §2)', () => {
  it.each(
    [420, 429, 500, 502, 503, 504].flatMap((status) =>
      (['json', 'html', 'text'] as const).map((as) => [status, as] as const),
    ),
  )('%i as %s', async (status, as) => {
    add({ kind: 'status', status, as });
    const answer = await get(simulated.provider, PATH);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain(
      { json: 'json', html: 'html', text: 'text/plain' }[as],
    );
    const body = await answer.text();
    expect(body.startsWith('{"error":"')).toBe(as === 'json');
    expect(body.startsWith('<html>')).toBe(as === 'html');
  });

  it('JSON that is nested deeper than it can be written again', async () => {
    add({ kind: 'status', status: 403, as: 'nested' });
    const answer: unknown = await (await get(simulated.provider, PATH)).json();
    expect(answer).toMatchObject({ error: 'Forbidden' });
    expect(() => JSON.stringify(answer)).toThrow(RangeError);
  });

  it('504 says "Timeout contacting tranquility" and its time-out', async () => {
    add({ kind: 'status', status: 504 });
    expect(await (await get(simulated.provider, PATH)).json()).toEqual({
      error: 'Timeout contacting tranquility',
      timeout: 10,
    });
  });

  it('420 and 429 carry their headers', async () => {
    add({ kind: 'status', status: 429, retryAfter: 7 });
    expect((await get(simulated.provider, PATH)).headers.get('retry-after')).toBe('7');
    simulated.provider.faults.clear();
    add({ kind: 'status', status: 420 });
    const { headers } = await get(simulated.provider, PATH);
    expect(headers.get('x-esi-error-limit-remain')).toBe('0');
    expect(headers.get('x-esi-error-limit-reset')).toBe('60');
  });

  it('an error answer spends the error budget like a real one', async () => {
    add({ kind: 'status', status: 500 });
    expect((await get(simulated.provider, PATH)).headers.get('x-esi-error-limit-remain')).toBe('99');
  });

  it('403 for a valid token', async () => {
    const { access_token: token } = await signIn(simulated.provider, SOMEBODY, WALLET);
    add({ kind: 'odd 403' });
    const answer = await get(simulated.provider, `${PATH}/wallet`, { authorization: `Bearer ${token}` });
    expect([answer.status, await answer.json()]).toEqual([403, expect.objectContaining({ sso_status: 401 })]);
  });

  it('200 that is no JSON, whatever its content type', async () => {
    add({ kind: 'not json' });
    const answer = await get(simulated.provider, PATH);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    await expect(answer.json()).rejects.toThrow(SyntaxError);
  });

  it('redirect to another host', async () => {
    add({ kind: 'redirect', to: 'http://elsewhere.invalid/x' });
    const answer = await get(simulated.provider, PATH);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://elsewhere.invalid/x']);
  });

  it('oversized: well-formed JSON of that many bytes', async () => {
    add({ kind: 'oversized', bytes: 3_000_000 });
    const body = await (await get(simulated.provider, PATH)).text();
    expect(body).toHaveLength(3_000_000);
    expect(JSON.parse(body)).toHaveLength(2_999_998);
  });

  it('downtime: 503 with an HTML body on the whole API, the sign-on stays', async () => {
    simulated.provider.faults.downtime = true;
    const answer = await get(simulated.provider, '/status');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect((await fetch(loginUrl(simulated.provider))).status).toBe(200);
  });
});

describe('connections', () => {
  it('reset: no answer at all', async () => {
    add({ kind: 'reset' });
    expect(await breaks(get(simulated.provider, PATH))).toBe(true);
  });

  it('truncate: the head, half of the JSON, then the end', async () => {
    add({ kind: 'truncate' });
    const answer = await get(simulated.provider, PATH);
    expect(answer.status).toBe(200);
    expect(await breaks(Promise.resolve(answer))).toBe(true);
  });

  it('lose answer: the request, here a rotation, was processed, but its answer is lost', async () => {
    const { provider } = simulated;
    provider.rotateRefreshTokens = true;
    const { refresh_token: token } = await signIn(provider, SOMEBODY, WALLET);
    provider.faults.add(TOKEN, { kind: 'lose answer' }, { times: 1 });
    expect(await breaks(refresh(provider, token))).toBe(true);
    expect((await refresh(provider, token)).status).toBe(400);
  });

  it('drip: a byte every so often', async () => {
    add({ kind: 'drip', everyMs: 1 });
    const reader = (await get(simulated.provider, PATH)).body?.getReader();
    let bytes = 0;
    while (bytes < 5) bytes += (await reader?.read())?.value?.length ?? 0;
    await reader?.cancel();
    expect(bytes).toBeGreaterThanOrEqual(5);
  });

  it('hold: processed, answered when released', async () => {
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    add({ kind: 'hold', until });
    let answered = false;
    const answer = get(simulated.provider, PATH).then(({ status }) => {
      answered = true;
      return status;
    });
    await expect.poll(() => simulated.provider.requests.at(-1)?.fault).toBe('hold');
    expect(answered).toBe(false);
    release();
    expect(await answer).toBe(200);
  });

  it('hang: never answered; stop() closes hanging and dripping connections at once', async () => {
    const provider = await startSimulatedProvider(CLIENT);
    provider.faults.add('/status', { kind: 'hang' });
    provider.faults.add('/universe/types', { kind: 'drip' });
    const broken = [breaks(get(provider, '/status')), breaks(get(provider, '/universe/types'))];
    await expect.poll(() => provider.requests.map(({ fault }) => fault).sort()).toEqual(['drip', 'hang']);
    await provider.stop();
    expect(await Promise.all(broken)).toEqual([true, true]);
    expect(provider.requests.find(({ fault }) => fault === 'hang')?.status).toBeNull();
  });
});

describe('stop', () => {
  it('leaves no timer behind', async () => {
    const provider = await startSimulatedProvider(CLIENT);
    const started = vi.spyOn(globalThis, 'setInterval');
    const cleared = vi.spyOn(globalThis, 'clearInterval');
    provider.faults.add('/status', { kind: 'drip', everyMs: 1_234 });
    const answer = await get(provider, '/status');
    await provider.stop();
    expect(await breaks(Promise.resolve(answer))).toBe(true);
    const timer = started.mock.results[started.mock.calls.findIndex(([, ms]) => ms === 1_234)]?.value;
    expect(timer).toBeDefined();
    await expect.poll(() => cleared.mock.calls.flat().includes(timer)).toBe(true);
    vi.restoreAllMocks();
  });
});

describe('token endpoint (provider.md §1)', () => {
  it.each(Object.keys(OAUTH_FAULTS) as OAuthFault[])('%s', async (name) => {
    simulated.provider.faults.add(TOKEN, { kind: 'oauth', error: name });
    const { status, error, description } = OAUTH_FAULTS[name];
    const answer = await refresh(simulated.provider, 'x');
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual(
      description === '' ? { error } : { error, error_description: description },
    );
  });

  it('the errors are those that the facts quote', () => {
    const quoted = Object.values(OAUTH_FAULTS).map(({ error, description, deadly }) => [
      error,
      description,
      deadly,
    ]);
    expect(quoted).toEqual([
      ['invalid_grant', expect.stringMatching(/Token missing\/expired\.$/), true],
      ['invalid_grant', expect.stringMatching(/Character grant missing\/expired\.$/), true],
      ['invalid_grant', expect.stringMatching(/Unable to migrate grant\.$/), true],
      ['invalid_grant', 'The authorization grant could not be found', true],
      ['invalid_token', 'The refresh token is expired.', true],
      ['invalid_token', expect.stringMatching(/does not match the client specified\.$/), true],
      [expect.stringMatching(/^invalid_grant: Token is expired/), '', true],
      ['invalid_grant', 'Grant type is not supported.', false],
      ['invalid_client', expect.any(String), false],
    ]);
  });

  it('200 without an access token', async () => {
    simulated.provider.faults.add(TOKEN, { kind: 'unusable token answer' });
    const answer = await refresh(simulated.provider, 'x');
    expect(answer.status).toBe(200);
    expect(await answer.json()).not.toHaveProperty('access_token');
  });

  it('5xx in plain text', async () => {
    simulated.provider.faults.add('sso', { kind: 'status', status: 503, as: 'text' });
    const answer = await refresh(simulated.provider, 'x');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/plain; charset=utf-8']);
  });
});

describe('request log and home page', () => {
  it('contains what a client did, and no secret', async () => {
    const { provider } = simulated;
    const { refresh_token: token = '' } = await signIn(provider, SOMEBODY, WALLET);
    provider.reset();
    await (await refresh(provider, token)).arrayBuffer();
    const headers = {
      'user-agent': 'castellan/1 (me)',
      'x-compatibility-date': '2026-08-04',
      'if-none-match': '"x"',
    };
    await (await get(provider, `/latest${PATH}/?page=1`, headers)).arrayBuffer();
    await expect.poll(() => provider.requests.map(({ status }) => status)).toEqual([200, 200]);
    expect(provider.requests).toMatchObject([
      { area: 'sso', method: 'POST', route: TOKEN, grantType: 'refresh_token', open: 1 },
      {
        area: 'api',
        method: 'GET',
        path: `/api/latest${PATH}/`,
        query: 'page=1',
        route: '/characters/{character_id}',
        userAgent: 'castellan/1 (me)',
        compatibilityDate: '2026-08-04',
        ifNoneMatch: '"x"',
      },
    ]);
    expect(JSON.stringify(provider.requests)).not.toContain(token);
  });

  it('the page at / says what it is and which faults are active', async () => {
    const page = async () => await (await fetch(simulated.provider.url)).text();
    expect(await page()).toContain('None is switched on.');
    simulated.provider.faults.add('/characters/<x>', { kind: 'status', status: 502, as: 'html' });
    simulated.provider.faults.downtime = true;
    expect(await page()).toContain('Simulated game provider');
    expect(await page()).toContain('/characters/&#60;x&#62;');
    expect(await page()).toContain('status status=502 as=html');
    expect(await page()).toContain('Downtime');
    expect(await page()).not.toContain(CLIENT.clientSecret);
  });
});
