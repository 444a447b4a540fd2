import type { Kysely } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Payer } from '../access/account.ts';
import type { Database } from '../database/tables.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Clock } from '../shared/clock.ts';
import type { AccessTokens } from './access-token-source.ts';
import { answerOf, type ProviderAnswer } from './answer.ts';
import { type CachedAnswer, moveToPresent, privateKey, type StoredAnswer } from './cache.queries.ts';
import { isFresh, requestKeysOf, revalidated, toCache } from './cache.ts';
import { createCachedAnswers } from './cached-answers.ts';
import { type BudgetAccount, budgetAccountOf, type ErrorAllowance, type ErrorTally } from './error-budget.ts';
import { type Limits, ProviderError } from './http.ts';
import type { ProviderDocument } from './operations.ts';
import type { Query } from './query.ts';
import type { SendWithinLimits } from './send-within-limits.ts';
import { createUpkeep } from './upkeep.ts';

export interface ProviderRequest {
  /** Unversioned path without a trailing slash: `/characters/2112000001/skills`. */
  readonly path: string;
  readonly query?: Query;
  /** Sends an access token of this user with this scope; absent for a public request. */
  readonly as?: { readonly characterId: number; readonly scope: ExtScope };
  readonly on: BudgetAccount;
  /** Ids for the two bulk operations, `/characters/affiliation` and `/universe/names`. */
  readonly body?: readonly number[];
  /** Revalidate even if the cached answer is fresh, for example for pages that must belong together. */
  readonly anew?: boolean;
  /**
   * For jobs, which run again anyway: no retries, and an invalid refresh token is left to the job `check-grants`, which
   * notices when too many are (D63).
   */
  readonly patient?: boolean;
  /**
   * For jobs: its failure does not end the unit of work, as others of its kind may succeed. At a limit of the provider
   * they cannot, so that ends it all the same.
   */
  readonly optional?: boolean;
  /** Keeps a 403 for a day, for requests that say so too: of what many ask for though they may not have it. */
  readonly cacheRefusal?: boolean;
  /** Counts the errors that the request causes, retries included. */
  readonly tally?: ErrorTally;
  /** Shared by the requests of one forwarded call; without any left, a request fails as `caller-exhausted`. */
  readonly allowance?: ErrorAllowance;
}

export interface ProviderClient {
  /**
   * @throws ProviderError for everything but an answer with a status below 500
   */
  ask(request: ProviderRequest): Promise<ProviderAnswer>;
}

/** A client whose requests are all charged as those of jobs. */
export function chargedToJobs(client: ProviderClient): ProviderClient {
  return { ask: (request) => client.ask({ ...request, on: 'job' }) };
}

/** A client whose requests are all charged to this caller's share of the error budget. */
export function chargedTo(caller: Payer, client: ProviderClient): ProviderClient {
  return { ask: (request) => client.ask({ ...request, on: budgetAccountOf(caller) }) };
}

/** A request as it is under way here. */
interface StartedRequest extends ProviderRequest {
  /** Called when the request has to wait for errors that its own caller has reserved. */
  readonly onHeldUp: () => void;
}

/** A request that identical ones join. */
interface Flight {
  /** Whose budget it is charged to. */
  readonly on: string;
  readonly answer: Promise<ProviderAnswer>;
  /** Resolves when the request is held up by its own caller's budget, which concerns no other caller. */
  readonly heldUp: Promise<undefined>;
}

interface ClientServices {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'providerCache'>;
  readonly sendWithinLimits: SendWithinLimits;
  readonly access: AccessTokens;
  /** The provider's OpenAPI document, if this process has it already. */
  readonly document: () => ProviderDocument | undefined;
  /** Base of the game's API, without a trailing slash. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly compatibilityDate: string;
  /** Limits of one call: waiting, refreshing tokens, retries and reading the answer included. */
  readonly limits: Limits;
  /** Size of the cache; the default when undefined. */
  readonly cacheBytes: number | undefined;
}

/**
 * Creates the only client of the game's API. It keeps the provider's limits, caches answers, and sends identical
 * concurrent requests only once (D33).
 */
export function createProviderClient(services: ClientServices): ProviderClient {
  const { db, clock, metrics, sendWithinLimits, access, document, headers, limits } = services;
  const base = new URL(services.url).href.replace(/\/$/, '');
  const requestKey = requestKeysOf(base, services.compatibilityDate);
  const flights = new Map<string, Flight>();
  const upkeep = createUpkeep(services);
  const cached = createCachedAnswers(db);

  async function fetchPublic(request: StartedRequest, deadline: number): Promise<ProviderAnswer> {
    if (request.body !== undefined) return send(request, deadline, {});
    const key = requestKey(request.path, request.query);
    const kept = await cached.findPublic(key);
    if (isFresh(kept, clock.now()) && !request.anew) return fromCache(kept, key);
    return send(request, deadline, { kept, cacheKey: { key, grantId: null } });
  }

  /** Requests with the best grant that turns out to be valid (D34b). */
  async function fetchAs(
    request: StartedRequest,
    { characterId, scope }: NonNullable<ProviderRequest['as']>,
    deadline: number,
  ): Promise<ProviderAnswer> {
    const key = requestKey(request.path, request.query);
    for (;;) {
      const found = await cached.findWithGrant(characterId, scope, key);
      if (found === undefined) throw noToken(characterId);
      const { grant, kept } = found;
      const isForOthers = kept?.status === 403 && !request.cacheRefusal;
      if (isFresh(kept, clock.now()) && !request.anew && !isForOthers) {
        return fromCache(kept, privateKey(grant.grant_id, key));
      }
      const dead = request.patient ? 'leave' : 'mark';
      const token = await access.of(grant, characterId, deadline, { dead });
      if (token === undefined) {
        if (request.patient) throw noToken(characterId);
        continue;
      }
      const how = { kept, cacheKey: { key: privateKey(grant.grant_id, key), grantId: grant.grant_id } };
      const answer = await send(request, deadline, { ...how, token });
      if (answer.status !== 401) return answer;
      // An access token that should be valid was refused: retries once with a new one.
      const anew = await access.of(grant, characterId, deadline, { refused: token, dead });
      if (anew === undefined && request.patient) throw noToken(characterId);
      if (anew !== undefined) return send(request, deadline, { ...how, token: anew });
    }
  }

  async function send(
    request: StartedRequest,
    deadline: number,
    how: {
      readonly token?: string;
      readonly kept?: StoredAnswer | undefined;
      readonly cacheKey?: { readonly key: string; readonly grantId: string | null };
    },
  ): Promise<ProviderAnswer> {
    const { path, query, on, as, body, tally, allowance, onHeldUp } = request;
    const { token, kept, cacheKey } = how;
    const operation = document()?.find(path, body === undefined ? 'GET' : 'POST');
    const etag = kept?.etag ?? undefined;
    let entry: CachedAnswer | undefined;
    const answer = await sendWithinLimits(
      {
        url: addressOf(base, path, query),
        headers: {
          ...headers,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(etag !== undefined && { 'if-none-match': etag }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        on,
        onHeldUp,
        operation,
        label: operation?.template ?? path.replace(/\d+/g, 'N'),
        characterId: as?.characterId ?? 0,
        bytes: limits.bytes,
        ...(request.patient && { tries: 1 }),
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(tally !== undefined && { tally }),
        ...(allowance !== undefined && { allowance }),
        ...(cacheKey !== undefined && {
          cacheEntryOf: (raw, now) => {
            const whole = raw.status === 304 && kept !== undefined ? revalidated(kept, raw.headers) : raw;
            entry = whole && toCache(whole, cacheKey, now, request.cacheRefusal);
            return entry;
          },
        }),
      },
      deadline,
    );
    if (body === undefined) {
      metrics.providerCache.inc({ outcome: answer.status === 304 ? 'unchanged' : 'asked' });
    }
    await upkeep.after(entry);
    return toAnswer(answer, kept) ?? send(request, deadline, { ...how, kept: undefined });
  }

  async function fromCache(kept: StoredAnswer, key: string): Promise<ProviderAnswer> {
    metrics.providerCache.inc({ outcome: 'fresh' });
    if (!kept.recent) await moveToPresent(db, key);
    return answerOf(kept, { kept: true });
  }

  /** Lets no more requests join it; another one may have taken its place. */
  function leave(key: string, flight: Flight): void {
    if (flights.get(key) === flight) flights.delete(key);
  }

  return {
    async ask(request) {
      const deadline = performance.now() + limits.milliseconds;
      const { as, body, anew = false, patient = false, cacheRefusal = false } = request;
      const start = (onHeldUp: () => void) =>
        as === undefined
          ? fetchPublic({ ...request, onHeldUp }, deadline)
          : fetchAs({ ...request, onHeldUp }, as, deadline);
      if (body !== undefined) return start(() => undefined);
      const on = typeof request.on === 'string' ? request.on : request.on.caller;
      const who = as === undefined ? '' : `${as.characterId} ${as.scope}`;
      const key = `${who} ${anew} ${patient} ${cacheRefusal} ${requestKey(request.path, request.query)}`;
      for (;;) {
        const flight = flights.get(key);
        if (flight === undefined) break;
        if (flight.on === on) return flight.answer;
        // If the shared request waits for the budget of another caller, or fails on it, this caller tries with its own.
        try {
          const answer = await Promise.race([flight.answer, flight.heldUp]);
          if (answer !== undefined) return answer;
          leave(key, flight);
        } catch (error) {
          if (!(error instanceof ProviderError && error.fault.endsWith('exhausted'))) throw error;
        }
      }
      let onHeldUp = () => {};
      const heldUp = new Promise<undefined>((resolve) => {
        onHeldUp = () => resolve(undefined);
      });
      const flight: Flight = { on, answer: start(onHeldUp).finally(() => leave(key, flight)), heldUp };
      flights.set(key, flight);
      return flight.answer;
    },
  };
}

function noToken(characterId: number): ProviderError {
  return new ProviderError('no-token', `Could not find valid refresh token for character ${characterId}`);
}

/** Allows plain segments only, so that no path can lead to another host or outside the base path. */
const PLAIN_PATH = /^(\/[\w.~!$&'()*+,;=:@-]+)+$/;

/** Whether the client sends a request for this path. */
export function isPlainPath(path: string): boolean {
  return PLAIN_PATH.test(path);
}

function addressOf(base: string, path: string, query: ProviderRequest['query']): string {
  const address = `${base}${path}`;
  if (!isPlainPath(path) || new URL(address).href !== address) {
    throw new ProviderError('unusable', 'a path that is not plain cannot be asked for');
  }
  const search = new URLSearchParams(query).toString();
  return search === '' ? address : `${address}?${search}`;
}

/** Undefined when the cached answer has to be fetched as a whole. */
function toAnswer(answer: ProviderAnswer, kept: StoredAnswer | undefined): ProviderAnswer | undefined {
  if (answer.status !== 304) return answer;
  if (kept === undefined) {
    throw new ProviderError(
      'unusable',
      "the game's API called something unchanged that it was not asked for",
    );
  }
  const whole = revalidated(kept, answer.headers);
  return whole && answerOf(whole);
}
