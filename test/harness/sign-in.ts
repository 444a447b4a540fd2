import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Choice } from '../../dev/provider/provider.ts';
import type { TestApp } from './app.ts';

export interface StartedLogin {
  readonly login_url: string;
  readonly state_code: string;
}

/** Starts a login with the given dynamic app token, or with a new one. */
export async function startLogin(
  app: TestApp,
  { dyn, scopes, stateCode }: { dyn?: string; scopes?: readonly ExtScope[]; stateCode?: string } = {},
): Promise<StartedLogin> {
  const answer = await app.client(dyn ?? (await app.dynamicToken())).token.startLogin({
    body: { ...(scopes && { scopes: [...scopes] }), ...(stateCode && { state_code: stateCode }) },
  });
  if (answer.status !== 200) throw new Error(`the sign-in did not start: ${answer.status}`);
  return answer.body;
}

/** Starts a login and follows it as a browser to its end, whether it succeeds or not. */
export async function trySignIn(
  app: TestApp,
  choice: Choice,
  options: Parameters<typeof startLogin>[1] = {},
): Promise<Response> {
  const { login_url } = await startLogin(app, options);
  return app.browse(login_url, choice);
}

/** Stores the sign-ins of one character at once meanwhile, as two processes do; one has them wait for each other. */
export async function atTwoProcesses<T>({ app }: TestApp, work: () => Promise<T>): Promise<T> {
  const limit = vi.spyOn(app.services, 'signInLimit').mockResolvedValue(() => undefined);
  try {
    return await work();
  } finally {
    limit.mockRestore();
  }
}

/** Calls the callback to which the provider redirects, with this query. */
export function callBack(app: TestApp, query: Record<string, string>): Promise<Response> {
  return fetch(`${app.url}/callback/ext?${new URLSearchParams(query)}`, { redirect: 'manual' });
}

/** Checks status, title and headers of a page of the callback; returns its HTML. */
export async function expectPage(response: Response, status: number, title: string): Promise<string> {
  const html = await response.text();
  expect({ status: response.status, title: /<title>(.*) · castellan<\/title>/.exec(html)?.[1] }).toEqual({
    status,
    title,
  });
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(response.headers.get('cache-control')).toBe('no-store');
  return html;
}

/** The links of a page by their text. */
export function linksOf(html: string): Record<string, string> {
  const found = [...html.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)];
  return Object.fromEntries(found.map(([, href = '', text = '']) => [text, href.replaceAll('&amp;', '&')]));
}

/** The titles of the callback's pages. */
export const TITLES = {
  badRequest: 'This sign-in cannot be completed',
  cancelled: 'You cancelled the sign-in',
  providerFailed: 'The game’s provider is out of order',
  notAllowed: 'You are not allowed to log in here',
  tooFewScopes: 'More scopes are needed',
  failure: 'Something went wrong',
} as const;

/** The user token in the redirect that ends a sign-in. */
export function userTokenOf(response: Response): string {
  const location = response.headers.get('location');
  if (response.status !== 302 || location === null) {
    throw new Error(`the sign-in ended with ${response.status}`);
  }
  return new URL(location).searchParams.get('user_token') ?? '';
}

/** An invitation of a corporation as `POST /corporation/{id}/guest` makes it, not yet bound to an app token. */
export async function addInvitation({ db, clock }: TestApp, corporation_id: number): Promise<string> {
  const state_code = randomUUID();
  await db
    .insertInto('state_codes')
    .values({
      state_code,
      app_token: null,
      corporation_id,
      code_verifier: randomUUID() + randomUUID(),
      created_on: clock.now(),
      expires_on: new Date(clock.now().getTime() + 24 * 3_600_000),
      used_on: null,
    })
    .execute();
  return state_code;
}

export async function userRow({ db }: TestApp, characterId: number) {
  return db.selectFrom('users').selectAll().where('character_id', '=', characterId).executeTakeFirst();
}
