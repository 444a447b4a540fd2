import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { measure } from '../../contract/json/measure.ts';
import type { Database } from '../database/tables.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Clock } from '../shared/clock.ts';
import { giveWay } from '../shared/give-way.ts';
import { isJson } from '../shared/is-json.ts';
import { type Body, LARGE, textOf } from '../shared/json-body.ts';
import { createSemaphore } from '../shared/semaphore.ts';
import { inSpan } from '../tracing/tracing.ts';
import { answerOf, type ProviderAnswer } from './answer.ts';
import { type Settlement, settle } from './budget.queries.ts';
import type { CachedAnswer } from './cache.queries.ts';
import type { BudgetAccount, ErrorAllowance, ErrorTally } from './error-budget.ts';
import { exchange, type Limits, neverArrived, ProviderError, type RawAnswer } from './http.ts';
import { readLimits } from './limit-headers.ts';
import type { ProviderOperation } from './operations.ts';
import { createRateBuckets } from './rate-bucket.ts';
import { toStored } from './stored-body.ts';
import { takeBudget } from './wait-for-budget.ts';

/** One request to the game's API, with the budgets that it is charged to. */
interface LimitedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; with a body the request is a POST. */
  readonly body?: string;
  readonly on: BudgetAccount;
  /** Called when it has to wait for errors that its own caller has reserved. */
  readonly onHeldUp?: () => void;
  /** The operation if the document knows it; else `label` names its kind. */
  readonly operation: ProviderOperation | undefined;
  readonly label: string;
  /** The character whose access token is sent; 0 for none. */
  readonly characterId: number;
  /** Maximum size of the answer in bytes. */
  readonly bytes: number;
  /** Maximum number of attempts; several by default. */
  readonly tries?: number;
  /** Makes the cache entry of the answer. */
  readonly cacheEntryOf?: (answer: RawAnswer, now: Date) => CachedAnswer | undefined;
  readonly tally?: ErrorTally;
  readonly allowance?: ErrorAllowance;
}

/**
 * Sends a request within all limits (D33), with retries after temporary failures.
 *
 * @param deadline in terms of `performance.now()`, waiting and retries included
 * @throws ProviderError
 */
export type SendWithinLimits = (request: LimitedRequest, deadline: number) => Promise<ProviderAnswer>;

/** Maximum number of attempts. */
export const TRIES = 3;
/** Milliseconds before the first retry; doubles, with jitter. */
const FIRST_PAUSE = 200;
/** Seconds to wait after a refusal that does not say how long. */
const UNSAID = 60;
/** Milliseconds that the check of each 64 KiB of a large answer waits for a busy event loop. */
const GIVES_WAY = 4;
/** Large answers that a process writes to the cache concurrently. */
const LARGE_AT_ONCE = 1;

interface Failure {
  readonly error: ProviderError;
  /** Whether a retry of the same request may succeed. */
  readonly passing: boolean;
}

export function createSendWithinLimits(services: {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'providerDuration'>;
}): SendWithinLimits {
  const { db, clock, metrics } = services;
  const buckets = createRateBuckets();
  // Limited, so that many large answers use up neither the database connections nor the threads of this process.
  const writeLarge = createSemaphore(LARGE_AT_ONCE);

  /** Sends the request once, measured and traced; a failure is returned, not thrown. */
  async function send(request: LimitedRequest, deadline: number): Promise<RawAnswer | ProviderError> {
    const { url, headers, body, label, bytes } = request;
    const limits: Limits = { milliseconds: deadline - performance.now(), bytes };
    const init = {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers },
      ...(body !== undefined && { body }),
    };
    const measured = metrics.providerDuration.startTimer();
    const answer = await inSpan(`${init.method} ${label}`, { 'server.address': new URL(url).host }, () =>
      exchange(url, init, limits),
    ).catch((error: ProviderError) => error);
    measured({ status: answer instanceof Error ? 'none' : `${Math.floor(answer.status / 100)}xx` });
    return answer;
  }

  /** One attempt: reserves its maximum cost, and settles what it did cost. */
  async function once(request: LimitedRequest, deadline: number): Promise<ProviderAnswer | Failure> {
    const { on, onHeldUp, operation, characterId } = request;
    const { bucket, counted } = buckets.of(request);
    const { wanted, verdict } = await takeBudget(services, { on, onHeldUp, counted, bucket }, deadline);
    const reservedAt = performance.now();
    const answer = await send(request, deadline);
    const now = clock.now();
    const since = performance.now() - reservedAt;
    const broken = answer instanceof Error;
    const status = broken ? 0 : answer.status;
    const reported = readLimits(broken ? {} : answer.headers, now, operation?.rateGroup ?? null);
    const { group, errorsLeft, errorReset, retryAfter, tokensLeft, emptyFor } = reported;
    // One that tells the error limit instead was charged to that.
    if (group === undefined ? errorsLeft !== undefined : group !== bucket.name)
      buckets.learn(request.label, group);
    const outcome: ProviderAnswer | Failure = broken
      ? { error: answer, passing: answer.fault === 'unreachable' }
      : await judge(answer, request, errorReset, retryAfter);
    const failed = broken ? !neverArrived(answer) : status >= 400;
    // Answers charged to a bucket do not count against the error limit.
    const limited = failed && (group === undefined || errorsLeft !== undefined);
    if (limited && request.tally !== undefined) request.tally.errors += 1;
    const settlement: Settlement = {
      now: clock.real ? new Date(verdict.moment.getTime() + since) : now,
      wanted,
      verdict,
      failed: limited,
      errorsLeft,
      errorReset,
      bannedFor: status === 420 ? (errorReset ?? retryAfter ?? UNSAID) : undefined,
      bucket: { name: group ?? bucket.name, characterId },
      tokensLeft,
      blockedFor: status === 429 ? (retryAfter ?? emptyFor ?? UNSAID) : emptyFor,
      callerFailed: failed && status !== 420 && status !== 429,
    };
    const entry = 'error' in outcome ? undefined : request.cacheEntryOf?.(outcome, now);
    const write = async () =>
      settle(db, settlement, entry && { ...entry, stored: await toStored(entry.body) });
    await ((entry?.body.length ?? 0) < LARGE ? write() : writeLarge(write));
    return outcome;
  }

  /** Reserves one error of the call's allowance, and gives it back unless the attempt failed. */
  async function withinAllowance(
    request: LimitedRequest,
    deadline: number,
  ): Promise<ProviderAnswer | Failure> {
    const { allowance } = request;
    if (allowance === undefined) return once(request, deadline);
    if (allowance.left === 0) throw allowanceUsedUp();
    allowance.left -= 1;
    let failed = false;
    try {
      const outcome = await once(request, deadline);
      failed = 'error' in outcome || outcome.status >= 400;
      return outcome;
    } finally {
      if (!failed) allowance.left += 1;
    }
  }

  return async (request, deadline) => {
    const most = request.tries ?? TRIES;
    for (let tries = 1; ; tries += 1) {
      const outcome = await withinAllowance(request, deadline);
      if (!('error' in outcome)) return outcome;
      const { error, passing } = outcome;
      const left = deadline - performance.now();
      const jitter = Math.min(FIRST_PAUSE * 2 ** tries * Math.random(), left / 2);
      const pause = Math.max(jitter, (error.retryAfter ?? 0) * 1000);
      if (!passing || tries >= most || pause >= left) throw error;
      await sleep(pause);
      if (request.allowance?.left === 0) throw error;
    }
  };
}

function allowanceUsedUp(): ProviderError {
  return new ProviderError('caller-exhausted', 'this call has caused too many errors', {
    retryAfter: UNSAID,
  });
}

/** Classifies an answer that was received completely. */
async function judge(
  answer: RawAnswer,
  { label, headers }: Pick<LimitedRequest, 'label' | 'headers'>,
  errorReset: number | undefined,
  asked: number | undefined,
): Promise<ProviderAnswer | Failure> {
  const { status, body } = answer;
  const fail = (fault: 'unusable' | 'exhausted', passing: boolean, retryAfter?: number): Failure => ({
    error: new ProviderError(fault, `the game's API answered ${status} to ${label}`, {
      ...(retryAfter !== undefined && { retryAfter }),
      ofCharacter: status === 429 && 'authorization' in headers,
    }),
    passing,
  });
  if (status === 420) return fail('exhausted', true, errorReset ?? asked ?? UNSAID);
  if (status === 429) return fail('exhausted', true, asked ?? UNSAID);
  if (status >= 500) return fail('unusable', true, asked);
  if (status === 304) return answerOf(answer);
  if (status >= 300 && status < 400) return fail('unusable', false);
  if (body === '') return status >= 400 || status === 204 ? answerOf(answer) : fail('unusable', false);
  // A refusal is written anew as part of our answer, which overflows the stack where it is nested too deeply.
  if (status >= 400 && measure(textOf(body)) !== undefined) return fail('unusable', false);
  const read = await readJson(body);
  if (read !== undefined) return answerOf(answer, read);
  const error = new ProviderError('unusable', `the game's API answered ${label} with what is no JSON`);
  return { error, passing: false };
}

/** The value of a small body; undefined for what is no JSON. */
async function readJson(body: Body): Promise<{ readonly parsed?: { readonly data: unknown } } | undefined> {
  if (typeof body !== 'string') return (await isJson(body, () => giveWay(GIVES_WAY))) ? {} : undefined;
  try {
    return { parsed: { data: JSON.parse(body) as unknown } };
  } catch {
    return undefined;
  }
}
