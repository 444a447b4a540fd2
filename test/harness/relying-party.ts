import * as openid from 'openid-client';
import type { NewOidcClient, PostOidcClient } from '../../contract/oidc.ts';
import { ok } from '../../sdk/src/index.ts';
import { BASE_URL, type TestApp } from './app.ts';
import type { Browser, Landed } from './browser.ts';
import { meanwhile, untilBehind } from './meanwhile.ts';

/** An application that signs people in by OpenID Connect, with the most common client library. */
export interface RelyingParty {
  readonly client: NewOidcClient;
  readonly config: openid.Configuration;
  readonly redirectUri: string;
  /** Starts an authorization request, and stores the expected state, nonce and verifier. */
  begin(more?: Readonly<Record<string, string>>): Promise<Begun>;
  /** Makes a browser sign in and consent to everything. */
  visit(
    browser: Browser,
    more?: Readonly<Record<string, string>>,
  ): Promise<Begun & { readonly landed: Landed }>;
  /** Exchanges the code that the browser returned with for tokens. */
  redeem(begun: Begun, back: URL): Promise<Tokens>;
  /** Performs the whole sign-in. */
  signIn(browser: Browser, more?: Readonly<Record<string, string>>): Promise<Tokens>;
  userinfo(tokens: Tokens): Promise<openid.UserInfoResponse>;
}

interface Begun {
  readonly url: URL;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type Tokens = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers;

export const REDIRECT_URI = 'https://wiki.example/oauth2/callback';

/** Registers an OpenID Connect client and returns an application that uses it. */
export async function addRelyingParty(
  app: TestApp,
  body: Partial<PostOidcClient> = {},
  base = BASE_URL,
): Promise<RelyingParty> {
  const client = await ok(
    app.client(app.root).oidc.createClient({
      body: { client_name: 'Wiki', redirect_uris: [REDIRECT_URI], first_party: true, ...body },
    }),
  );
  return relyingParty(app, client, { base });
}

interface PartyOptions {
  readonly auth?: openid.ClientAuth;
  /** The issuer; requests go to the test's local address instead. */
  readonly base?: string;
}

/** An application for a client that is registered already. */
export async function relyingParty(
  { url }: Pick<TestApp, 'url'>,
  client: NewOidcClient,
  { auth, base = BASE_URL }: PartyOptions = {},
): Promise<RelyingParty> {
  const { client_id, client_secret: secret, id_token_signed_response_alg } = client;
  const config = await openid.discovery(
    new URL(base),
    client_id,
    { id_token_signed_response_alg },
    auth ?? (secret === undefined ? openid.None() : openid.ClientSecretBasic(secret)),
    {
      [openid.customFetch]: (address, options) => fetch(address.replace(base, url), options as RequestInit),
    },
  );
  const [redirectUri = ''] = client.redirect_uris;
  const party: RelyingParty = {
    client,
    config,
    redirectUri,
    async begin(more = {}) {
      const verifier = openid.randomPKCECodeVerifier();
      const [state, nonce] = [openid.randomState(), openid.randomNonce()];
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid profile groups',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...more,
      });
      return { url, state, nonce, verifier };
    },
    async visit(browser, more) {
      const begun = await party.begin(more);
      let landed = await browser.go(begun.url);
      if (landed.html.includes('/consent"')) landed = await browser.press(landed);
      return { ...begun, landed };
    },
    redeem: (begun, back) =>
      openid.authorizationCodeGrant(config, back, {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        idTokenExpected: true,
      }),
    async signIn(browser, more) {
      const { landed, ...begun } = await party.visit(browser, more);
      if (landed.page !== undefined) {
        throw new Error(`the browser stayed at ${landed.url.href}: ${landed.page.status} ${landed.html}`);
      }
      return party.redeem(begun, landed.url);
    },
    userinfo: (tokens) =>
      openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? openid.skipSubjectCheck),
  };
  return party;
}

/**
 * Makes a signed-in browser open applications at the same moment, so that no request sees what another one stores in
 * its session, and lets each use its tokens.
 */
export async function signInAtOnce(
  app: TestApp,
  browser: Browser,
  parties: readonly RelyingParty[],
): Promise<readonly Tokens[]> {
  const sessions = `select from oidc_artifacts where model = 'Session' for update`;
  const open = () => Promise.all(parties.map(async (party) => ({ party, ...(await party.visit(browser)) })));
  const visits = await meanwhile(app, sessions, [], open, (other) => untilBehind(other, parties.length));
  return Promise.all(
    visits.map(async ({ party, landed, ...begun }) => {
      const tokens = await party.redeem(begun, landed.url);
      await party.userinfo(tokens);
      return tokens;
    }),
  );
}

/** Sends a form, as an application without a library does. */
export async function postForm({ url }: Pick<TestApp, 'url'>, path: string, fields: Record<string, string>) {
  const answer = await fetch(url + path, { method: 'POST', body: new URLSearchParams(fields) });
  const text = await answer.text();
  const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: answer.status, headers: answer.headers, json };
}
