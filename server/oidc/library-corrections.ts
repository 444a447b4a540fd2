import type { KoaContextWithOIDC } from 'oidc-provider';

/** What the library's metadata lacks: how applications authenticate elsewhere, and which prompts there are. */
export const METADATA = {
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
} as const;

/** The parts of Koa's context that an answer consists of. */
interface Answer {
  status: number;
  body: unknown;
  readonly response: { get(name: string): string };
  set(name: string, value: string): void;
}

/** Corrects the library's answers to programs where the standards demand something else. */
export function correctAnswer(answer: Answer, { route, issuer }: KoaContextWithOIDC['oidc']): void {
  // OpenID Connect Core 3.1.3.3 demands it beside Cache-Control, for caches that know nothing newer.
  if (route === 'token') answer.set('Pragma', 'no-cache');
  // RFC 7009, 2.2: nobody reads it, but clients refuse an empty answer that says to be a text.
  if (route === 'revocation' && answer.status === 200) answer.set('Content-Type', 'application/json');
  // RFC 7662, 2.2: what cannot be introspected is inactive. To the library a JWT is a fault.
  if (route === 'introspection' && errorOf(answer) === 'unsupported_token_type') {
    answer.status = 200;
    answer.body = { active: false };
  }
  // RFC 6749, 5.2: who does not authenticate is an invalid client, too. To the library the request is invalid.
  if (descriptionOf(answer) === NO_AUTHENTICATION) {
    answer.status = 401;
    answer.body = { error: 'invalid_client', error_description: NO_AUTHENTICATION };
  }
  // RFC 9110, 15.5.2: every 401 says how to authenticate, however the application tried.
  if (answer.status === 401 && !answer.response.get('WWW-Authenticate')) {
    answer.set('WWW-Authenticate', `Basic realm="${issuer}"`);
  }
}

/** What the library says of a request with neither credentials nor the id of a client. */
const NO_AUTHENTICATION = 'no client authentication mechanism provided';

const errorOf = (answer: Answer) => inBody(answer, 'error');
const descriptionOf = (answer: Answer) => inBody(answer, 'error_description');

function inBody({ body }: Answer, name: string): unknown {
  return typeof body === 'object' && body !== null
    ? (body as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
