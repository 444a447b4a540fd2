import { createHash, randomBytes } from 'node:crypto';
import { type Answer, json, redirect } from '../web/http.ts';
import type { Character, World } from '../world/world.ts';
import type { AccessTokenDraft, AccessTokens } from './access-token.ts';
import { type AuthorizeRequest, authorizePage, refusalPage } from './authorize-page.ts';
import { createRefreshTokens, type Grant } from './refresh-token.ts';

const CODE_LIFETIME_MS = 5 * 60_000;
const EXPIRES_IN_SECONDS = 1_199;
/** What of an authorize request its form carries along. */
const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const;

export interface SsoOptions {
  readonly world: World;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopePrefix: string;
  readonly accessTokens: AccessTokens;
  readonly now: () => Date;
  readonly rotateRefreshTokens: boolean;
}

interface SsoRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly authorization: string | undefined;
}

export interface Sso {
  /** Paths of the sign-on with their methods. */
  readonly routes: Readonly<Record<string, readonly string[]>>;
  handle(request: SsoRequest): Promise<Answer>;
  /** Does every refresh replace the refresh token? */
  rotateRefreshTokens: boolean;
  /** Changes the access token of the next answer that carries one; calls queue up. */
  nextAccessToken(mutate: (draft: AccessTokenDraft) => void): void;
  /** Rotation as in the options, no queued changes. */
  reset(): void;
}

interface Code {
  readonly characterId: number;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly expiresAt: number;
}

/** Single sign-on, version 2 (provider.md §1). */
export function createSso(options: SsoOptions): Sso {
  const { world, url, clientId, clientSecret, accessTokens, now } = options;
  const scopeForm = new RegExp(
    `^(publicData|${options.scopePrefix}[a-z_]+\\.[a-z_]+\\.v\\d+|esi\\.[a-z_]+\\.[a-z_]+:[a-z_]+)$`,
  );
  const refreshTokens = createRefreshTokens(clientSecret, world.seed);
  const codes = new Map<string, Code>();
  const mutations: ((draft: AccessTokenDraft) => void)[] = [];
  let rotate = options.rotateRefreshTokens;

  const metadata = {
    issuer: url,
    authorization_endpoint: `${url}/v2/oauth/authorize`,
    token_endpoint: `${url}/v2/oauth/token`,
    revocation_endpoint: `${url}/v2/oauth/revoke`,
    jwks_uri: `${url}/oauth/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    code_challenge_methods_supported: ['S256'],
    id_token_signing_alg_values_supported: ['HS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'],
    revocation_endpoint_auth_methods_supported: [
      'client_secret_basic',
      'client_secret_post',
      'client_secret_jwt',
    ],
  };

  /** The request as the page needs it, or why it is refused. */
  function checkAuthorize(input: URLSearchParams): AuthorizeRequest | string {
    const parameters = Object.fromEntries(
      PARAMETERS.flatMap((name) => (input.has(name) ? [[name, input.get(name) ?? '']] : [])),
    );
    const scopes = (input.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    const redirectUri = input.get('redirect_uri') ?? '';
    const codeChallenge = input.get('code_challenge');
    const unknown = scopes.find((scope) => !scopeForm.test(scope));
    if (input.get('client_id') !== clientId) return 'No application with this client_id is registered.';
    if (input.get('response_type') !== 'code') return 'The response_type must be code.';
    if (!/^https?:/.test(redirectUri) || !URL.canParse(redirectUri))
      return 'The redirect_uri is missing or no web address.';
    if (unknown !== undefined) return `The requested scope ${unknown} is not valid.`;
    if (codeChallenge !== null && input.get('code_challenge_method') !== 'S256')
      return 'The code_challenge_method must be S256.';
    return {
      clientId,
      redirectUri,
      scopes: [...new Set(scopes)],
      state: input.get('state'),
      codeChallenge,
      parameters,
    };
  }

  function showPage(query: URLSearchParams): Answer {
    const request = checkAuthorize(query);
    if (typeof request === 'string') return refusalPage(request);
    const granted = query.has('chosen') ? query.getAll('grant') : request.scopes;
    return authorizePage(world, request, { search: query.get('q') ?? '', granted: new Set(granted) });
  }

  function decide(form: URLSearchParams): Answer {
    const request = checkAuthorize(form);
    if (typeof request === 'string') return refusalPage(request);
    const back = (outcome: Record<string, string>) => {
      const location = new URL(request.redirectUri);
      for (const [name, value] of Object.entries(outcome)) location.searchParams.set(name, value);
      if (request.state !== null) location.searchParams.set('state', request.state);
      return redirect(302, location.href);
    };
    if (form.has('cancel')) {
      return back({ error: 'access_denied', error_description: 'The resource owner denied the request.' });
    }
    const character = livingCharacter(Number(form.get('character_id')));
    if (character === undefined) return refusalPage('There is no such character.');
    const granted = new Set(form.getAll('grant'));
    for (const [code, { expiresAt }] of codes) if (expiresAt <= now().getTime()) codes.delete(code);
    const code = randomBytes(16).toString('base64url');
    codes.set(code, {
      characterId: character.id,
      scopes: request.scopes.filter((scope) => granted.has(scope)),
      redirectUri: request.redirectUri,
      codeChallenge: request.codeChallenge,
      expiresAt: now().getTime() + CODE_LIFETIME_MS,
    });
    return back({ code });
  }

  async function token(request: SsoRequest): Promise<Answer> {
    if (!isOurClient(request)) return invalidClient();
    switch (request.form.get('grant_type')) {
      case 'authorization_code':
        return await redeemCode(request.form);
      case 'refresh_token':
        return await refresh(request.form);
      default:
        return oauthError('invalid_grant', 'Grant type is not supported.');
    }
  }

  async function redeemCode(form: URLSearchParams): Promise<Answer> {
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    if (code === undefined || code.expiresAt <= now().getTime()) {
      return oauthError('invalid_grant', 'The authorization grant could not be found');
    }
    const redirectUri = form.get('redirect_uri');
    if (redirectUri !== null && redirectUri !== code.redirectUri) {
      return oauthError('invalid_grant', 'The redirect_uri differs from that of the authorize request.');
    }
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code.codeChallenge !== null && verifier !== code.codeChallenge) {
      return oauthError('invalid_grant', 'The code_verifier does not fit the code_challenge.');
    }
    const character = livingCharacter(code.characterId);
    if (character === undefined)
      return oauthError('invalid_grant', 'The authorization grant could not be found');
    const grant: Grant = { characterId: character.id, scopes: code.scopes, owner: character.owner };
    const refreshToken = code.scopes.length === 0 ? undefined : refreshTokens.issue(grant);
    return await tokenAnswer(character, code.scopes, refreshToken);
  }

  async function refresh(form: URLSearchParams): Promise<Answer> {
    const presented = form.get('refresh_token') ?? '';
    const grant = refreshTokens.open(presented);
    if (grant === undefined)
      return oauthError('invalid_grant', 'Invalid refresh token. Token missing/expired.');
    const character = livingCharacter(grant.characterId);
    if (character === undefined || !world.honorsRefreshTokens(character, grant.owner)) {
      return oauthError('invalid_grant', 'Invalid refresh token. Character grant missing/expired.');
    }
    const wanted =
      form
        .get('scope')
        ?.split(' ')
        .filter((scope) => scope !== '') ?? grant.scopes;
    if (!wanted.every((scope) => grant.scopes.includes(scope))) {
      return oauthError('invalid_scope', 'The requested scope exceeds the scope granted.');
    }
    if (!rotate) return await tokenAnswer(character, wanted, presented);
    refreshTokens.kill(presented);
    return await tokenAnswer(character, wanted, refreshTokens.issue(grant));
  }

  async function tokenAnswer(
    character: Character,
    scopes: readonly string[],
    refreshToken?: string,
  ): Promise<Answer> {
    return noStore({
      access_token: await accessTokens.issue(character, scopes, mutations.shift()),
      expires_in: EXPIRES_IN_SECONDS,
      token_type: 'Bearer',
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    });
  }

  /** As documented, with the hint of the token's kind; whatever else is sent is answered alike. */
  function revoke(request: SsoRequest): Answer {
    const { form } = request;
    if (isOurClient(request) && form.get('token_type_hint') === 'refresh_token')
      refreshTokens.kill(form.get('token') ?? '');
    return noStore({});
  }

  function isOurClient({ authorization, form }: SsoRequest): boolean {
    const [, basic] = /^Basic (.*)$/i.exec(authorization ?? '') ?? [];
    if (basic === undefined)
      return form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
    // As documented: letter by letter, nothing form-encoded, whatever RFC 6749 says (D33b).
    return basic === Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  }

  function livingCharacter(id: number): Character | undefined {
    const character = world.character(id);
    return character?.deleted ? undefined : character;
  }

  const routes = {
    '/.well-known/oauth-authorization-server': ['GET'],
    '/oauth/jwks': ['GET'],
    '/v2/oauth/authorize': ['GET', 'POST'],
    '/v2/oauth/token': ['POST'],
    '/v2/oauth/revoke': ['POST'],
  } as const;

  return {
    routes,
    async handle(request) {
      switch (request.path) {
        case '/.well-known/oauth-authorization-server':
          return json(200, metadata, { 'cache-control': 'public, max-age=300' });
        case '/oauth/jwks':
          return json(
            200,
            { ...accessTokens.jwks, SkipUnresolvedJsonWebKeys: true },
            { 'cache-control': 'public, max-age=300' },
          );
        case '/v2/oauth/authorize':
          return request.method === 'POST' ? decide(request.form) : showPage(request.query);
        case '/v2/oauth/token':
          return await token(request);
        default:
          return revoke(request);
      }
    },
    get rotateRefreshTokens() {
      return rotate;
    },
    set rotateRefreshTokens(on) {
      rotate = on;
    },
    nextAccessToken(mutate) {
      mutations.push(mutate);
    },
    reset() {
      rotate = options.rotateRefreshTokens;
      mutations.length = 0;
    },
  };
}

function noStore(value: unknown): Answer {
  return json(200, value, { 'cache-control': 'no-store', pragma: 'no-cache' });
}

function oauthError(error: string, description: string): Answer {
  return json(400, { error, error_description: description }, { 'cache-control': 'no-store' });
}

function invalidClient(): Answer {
  const body = { error: 'invalid_client', error_description: 'Unknown client or wrong secret.' };
  return json(401, body, { 'cache-control': 'no-store', 'www-authenticate': 'Basic' });
}
