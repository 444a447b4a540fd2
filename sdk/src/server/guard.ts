import { createClient } from '../client.ts';
import { CastellanError, ok } from '../errors.ts';
import type { Token } from '../generated/types.ts';
import { claimedApp, lacksKey, uuidOf } from './verify.ts';

export interface GuardOptions {
  /** Address of the service. */
  baseUrl: string;
  /** The application's own dynamic or permanent token, or its uuid: user tokens of other applications are refused. */
  appToken: string;
  /**
   * Called first, if given: rejects forged and expired tokens without a request to the service (see `createVerifier`).
   * Where that cannot get a token's key, the service decides.
   */
  verify?: ((jwt: string) => Promise<unknown>) | undefined;
  /** Timeout in milliseconds for requests to the service; 5,000 by default. */
  timeout?: number | undefined;
  /** Used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Conditions that a caller must meet. */
export interface Requirement {
  /** Minimum clearance level of the token's owner. */
  level?: number | undefined;
  /** Any other condition on the token and its owner. What it throws is an error of the application, to the framework. */
  allow?: ((token: Token) => boolean | Promise<boolean>) | undefined;
}

interface ExpressRequest {
  readonly headers: { readonly authorization?: string | undefined };
}
interface ExpressResponse {
  readonly locals: Record<string, unknown>;
  setHeader(name: string, value: string): unknown;
  status(code: number): { json(body: unknown): unknown };
}
interface HonoContext {
  readonly req: { header(name: string): string | undefined };
  set(name: string, value: unknown): void;
  json(body: unknown, status: never, headers?: Record<string, string>): Response;
}

export interface Guard {
  /**
   * Reads the token of an `Authorization` header from the service.
   *
   * @throws {CastellanError} 401 without a usable token, 403 when the requirement is not met, or the service's error
   * @throws {Error} what `allow` throws; a `CastellanError` is its `cause`
   */
  check(authorization: string | null | undefined, requirement?: Requirement): Promise<Token>;
  /** Middleware for Express: the token is in `res.locals.castellan`. */
  express(
    requirement?: Requirement,
  ): (req: ExpressRequest, res: ExpressResponse, next: (error?: unknown) => void) => Promise<void>;
  /** Middleware for Hono: the token is in `c.get('castellan')`. */
  hono(
    requirement?: Requirement,
  ): (c: HonoContext, next: () => Promise<void>) => Promise<Response | undefined>;
  /** Wraps a `fetch`-style handler with the guard. */
  fetch<Rest extends unknown[]>(
    requirement: Requirement,
    handler: (request: Request, token: Token, ...rest: Rest) => Response | Promise<Response>,
  ): (request: Request, ...rest: Rest) => Promise<Response>;
}

/** Maximum number of cached answers. The service itself forbids caching; a proxy may allow it. */
const MOST_KEPT = 1_000;

/**
 * Creates a guard, which lets in user tokens of this application alone. It checks tokens by `GET /token` and caches
 * answers no longer than their headers allow.
 */
export function createGuard(options: GuardOptions): Guard {
  const { baseUrl, fetch, timeout = 5_000, verify } = options;
  const app = uuidOf(options.appToken);
  const client = createClient({ baseUrl, timeout, fetch });
  const kept = new Map<string, { readonly token: Promise<Token>; until: number }>();

  async function ask(jwt: string): Promise<Token> {
    const known = kept.get(jwt);
    if (known !== undefined && known.until > Date.now()) return known.token;
    const answer = client.token.current({ headers: { authorization: `Bearer ${jwt}` } });
    // While it is pending, concurrent checks of the same token share it.
    const entry = { token: ok(answer).catch(asFailure), until: Number.POSITIVE_INFINITY };
    kept.delete(jwt);
    kept.set(jwt, entry);
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value as string);
    const seconds = await answer
      .then(({ status, headers }) => (status === 200 ? maxAge(headers) : 0))
      .catch(() => 0);
    if (seconds > 0) entry.until = Date.now() + seconds * 1000;
    else if (kept.get(jwt) === entry) kept.delete(jwt);
    return entry.token;
  }

  async function check(
    authorization: string | null | undefined,
    { level, allow }: Requirement = {},
  ): Promise<Token> {
    const jwt = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(authorization ?? '')?.[1];
    if (jwt === undefined) throw refusal(401, 'A user token is needed: Authorization: Bearer <token>.');
    // Before anybody is asked: the service signed `azp`, and refuses what was changed.
    if (claimedApp(jwt) !== app) throw refusal(401, ELSEWHERE);
    await verify?.(jwt).catch((error: unknown) => {
      if (lacksKey(error)) return;
      // By their fields: there may be more than one jose.
      const { code, claim, message = ELSEWHERE } = (error ?? {}) as Partial<Record<string, string>>;
      const expired = code === 'ERR_JWT_EXPIRED';
      throw refusal(401, expired ? 'The token has expired.' : claim === 'iss' ? message : ELSEWHERE);
    });
    const token = await ask(jwt);
    if (token.token_type !== 'use' || token.parent?.toLowerCase() !== app) throw refusal(401, ELSEWHERE);
    const present = token.owner.clearance_level;
    if (level !== undefined && present < level) {
      throw refusal(403, `Insufficient clearance level: this needs ${level}, you have ${present}.`);
    }
    if (allow !== undefined && !(await judge(allow, token))) throw refusal(403, 'You may not do this.');
    return token;
  }

  return {
    check,
    express: (requirement) => async (req, res, next) => {
      try {
        res.locals.castellan = await check(req.headers.authorization, requirement);
      } catch (error) {
        if (!(error instanceof CastellanError)) return next(error);
        for (const [name, value] of Object.entries(headersOf(error))) res.setHeader(name, value);
        res.status(error.status).json({ detail: error.detail });
        return;
      }
      next();
    },
    hono: (requirement) => async (c, next) => {
      try {
        c.set('castellan', await check(c.req.header('authorization'), requirement));
      } catch (error) {
        if (!(error instanceof CastellanError)) throw error;
        return c.json({ detail: error.detail }, error.status as never, headersOf(error));
      }
      await next();
      return undefined;
    },
    fetch:
      (requirement, handler) =>
      async (request, ...rest) => {
        let token: Token;
        try {
          token = await check(request.headers.get('authorization'), requirement);
        } catch (error) {
          if (!(error instanceof CastellanError)) throw error;
          return Response.json({ detail: error.detail }, { status: error.status, headers: headersOf(error) });
        }
        return handler(request, token, ...rest);
      },
  };
}

/** What the service answers the application's own calls is not for the caller: frameworks would pass its status on. */
async function judge(allow: NonNullable<Requirement['allow']>, token: Token): Promise<boolean> {
  try {
    return await allow(token);
  } catch (error) {
    if (!(error instanceof CastellanError)) throw error;
    throw new Error(`allow failed: ${error.status} ${error.message}`, { cause: error });
  }
}

const ELSEWHERE = 'This is not a token for this application.';

function refusal(status: number, detail: string): CastellanError {
  return new CastellanError({ status, headers: new Headers(), body: { detail } });
}

/**
 * Something else answered in the service's place, without a code (D73): its success is none for whoever is checked, and
 * what it refuses is not theirs.
 */
function asFailure(error: unknown): never {
  if (!(error instanceof CastellanError) || error.status >= 500 || error.code !== undefined) throw error;
  throw new CastellanError({ status: 502, headers: new Headers(), body: { detail: error.detail } });
}

function headersOf({ status, retryAfter }: CastellanError): Record<string, string> {
  return {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(retryAfter !== undefined && { 'Retry-After': String(Math.ceil(retryAfter)) }),
  };
}

/** Seconds for which an answer may be cached. */
function maxAge(headers: Headers): number {
  const control = headers.get('cache-control') ?? '';
  if (/no-store|no-cache/i.test(control)) return 0;
  return Number(/max-age=(\d{1,6})/i.exec(control)?.[1] ?? 0);
}
