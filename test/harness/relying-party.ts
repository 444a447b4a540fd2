import * as openid from 'openid-client';
import type { NewOidcClient, PostOidcClient } from '../../contract/oidc.ts';
import { ok } from '../../sdk/src/index.ts';
import { BASE_URL, type TestApp } from './app.ts';
import type { Browser, Landed } from './browser.ts';

/** An application that lets people sign in by OpenID Connect, on the library that most of them use. */
export interface RelyingParty {
  readonly client: NewOidcClient;
  readonly config: openid.Configuration;
  readonly redirectUri: string;
  /** What it sends browsers away with; remembers what has to come back. */
  begin(more?: Readonly<Record<string, string>>): Promise<Begun>;
  /** Sends a browser to sign in, agreeing to whatever is asked. */
  visit(
    browser: Browser,
    more?: Readonly<Record<string, string>>,
  ): Promise<Begun & { readonly landed: Landed }>;
  /** Takes what the browser came back with for tokens. */
  redeem(begun: Begun, back: URL): Promise<Tokens>;
  /** All of it. */
  signIn(browser: Browser, more?: Readonly<Record<string, string>>): Promise<Tokens>;
  userinfo(tokens: Tokens): Promise<openid.UserInfoResponse>;
}

export interface Begun {
  readonly url: URL;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export type Tokens = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers;

/** Asks the service where a test reaches it, as if that were BASE_URL. */
function reaching({ url }: Pick<TestApp, 'url'>): openid.CustomFetch {
  return (address, options) => fetch(address.replace(BASE_URL, url), options as RequestInit);
}

const REDIRECT_URI = 'https://wiki.example/oauth2/callback';

/** Registers an application, and gives it what it needs. */
export async function addRelyingParty(
  app: TestApp,
  body: Partial<PostOidcClient> = {},
): Promise<RelyingParty> {
  const client = await ok(
    app.client(app.root).oidc.createClient({
      body: { client_name: 'Wiki', redirect_uris: [REDIRECT_URI], first_party: true, ...body },
    }),
  );
  return relyingParty(app, client);
}

async function relyingParty(app: Pick<TestApp, 'url'>, client: NewOidcClient): Promise<RelyingParty> {
  const config = await openid.discovery(
    new URL(BASE_URL),
    client.client_id,
    { id_token_signed_response_alg: client.id_token_signed_response_alg },
    client.client_secret === undefined ? openid.None() : openid.ClientSecretBasic(client.client_secret),
    { [openid.customFetch]: reaching(app) },
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
