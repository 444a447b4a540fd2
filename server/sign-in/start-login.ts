import { randomUUID } from 'node:crypto';
import { generateRandomCodeVerifier } from 'oauth4webapi';
import { type ExtScope, PUBLIC_SCOPE } from '../../contract/scopes.ts';
import type { Login, PostLogin } from '../../contract/token.ts';
import type { Caller } from '../access/caller.queries.ts';
import type { Services } from '../services/services.ts';
import { DomainError } from '../shared/domain-error.ts';
import { bindStateCode, insertStateCode, requiredScopes } from './state-code.queries.ts';

/** Lifetime of a generated state code in milliseconds (D25). */
export const STATE_CODE_LIFETIME = 10 * 60_000;
/** Lifetime of an invitation in milliseconds (D28). */
export const INVITATION_LIFETIME = 24 * 60 * 60_000;

/**
 * Starts a sign-in for the calling app token. Creates a state code, or accepts one that belongs to this token or is a
 * guest invitation (Token rule 3, D25); any other code is refused.
 *
 * @param inLine runs the write in the caller's line, which is left before the sign-on, that may take its time, is asked
 */
export async function startLogin(
  { db, sso, clock }: Pick<Services, 'db' | 'sso' | 'clock'>,
  { uuid }: Pick<Caller, 'uuid'>,
  request: PostLogin,
  inLine: <T>(write: () => Promise<T>) => Promise<T> = (write) => write(),
): Promise<Login> {
  const code = await inLine(async () =>
    request.state_code == null
      ? newCode(db, { app_token: uuid }, clock.now())
      : bindStateCode(db, request.state_code, uuid, clock.now()),
  );
  if (code === undefined) throw unknownStateCode(request.state_code ?? '');
  const required = code.corporation_id === null ? [] : await requiredScopes(db, code.corporation_id);
  const scopes = [...new Set([...request.scopes, ...required])].sort() as ExtScope[];
  const loginUrl = await sso.loginUrl({ state: code.state_code, scopes, codeVerifier: code.code_verifier });
  return { login_url: loginUrl, state_code: code.state_code };
}

export function unknownStateCode(code: string): DomainError {
  return new DomainError('state_code_unknown', `Could not find state code ${code.replace(/\s/g, ' ')}`);
}

/**
 * Starts a sign-in for OpenID Connect, bound to the browser whose cookie has this hash (D82).
 *
 * @returns the state code, and the login URL to redirect the browser to
 */
export async function startInteractionLogin(
  { db, sso, clock }: Pick<Services, 'db' | 'sso' | 'clock'>,
  interactionHash: string,
): Promise<Login> {
  const { state_code: state, code_verifier: codeVerifier } = await newCode(
    db,
    { interaction_hash: interactionHash },
    clock.now(),
  );
  const loginUrl = await sso.loginUrl({ state, scopes: [PUBLIC_SCOPE], codeVerifier });
  return { login_url: loginUrl, state_code: state };
}

type End = { readonly app_token: string } | { readonly interaction_hash: string };

async function newCode(db: Services['db'], end: End, now: Date) {
  const code = {
    state_code: randomUUID(),
    corporation_id: null,
    code_verifier: generateRandomCodeVerifier(),
  };
  const expires = new Date(now.getTime() + STATE_CODE_LIFETIME);
  await insertStateCode(db, { ...code, ...end, created_on: now, expires_on: expires });
  return code;
}
