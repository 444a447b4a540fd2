import { isDeepStrictEqual } from 'node:util';
import type { AppRoute } from '@ts-rest/core';
import fc from 'fast-check';
import { Pool } from 'undici';
import { z } from 'zod';
import { PREVIEW_TYPE, Preview, type VoiceChallenge } from '../../../contract/index.ts';
import { faultInCode } from '../refusals.ts';
import { type FuzzRequest, OPERATIONS, requestsTo } from './requests.ts';
import type { Hints } from './schemas.ts';
import { type FuzzedApp, type Stage, setStage } from './stage.ts';

/** Concurrent requests. */
const AT_ONCE = 16;
/** Batches after which the records are read again, as earlier requests may have deleted some. */
const BATCHES = 40;

/** The number of requests by status, and of successes by operation. */
export interface Fuzzed {
  readonly statuses: Readonly<Record<string, number>>;
  readonly reached: Readonly<Record<string, number>>;
}

/**
 * Sends random requests to every operation. Throws at the first answer that contradicts the contract: another status,
 * another body, or a success for an invalid request.
 */
export async function fuzz(
  app: FuzzedApp,
  requests: number,
  progress: (sent: number) => void = () => undefined,
): Promise<Fuzzed> {
  const fuzzer = new Fuzzer(app);
  try {
    for (let sent = 0; sent < requests; sent += AT_ONCE * BATCHES) {
      await fuzzer.refresh();
      // Operations that never succeeded so far come more often.
      const one = fc.oneof(
        ...[...OPERATIONS.keys()].map((name) => ({
          weight: fuzzer.reached[name] === undefined ? 4 : 1,
          arbitrary: requestsTo(name, fuzzer.hints),
        })),
      );
      const batch = fc.array(one, { minLength: AT_ONCE, maxLength: AT_ONCE });
      const property = fc.asyncProperty(batch, async (all) => {
        await Promise.all(all.map((request) => fuzzer.send(request)));
      });
      await fc.assert(property, { numRuns: BATCHES, includeErrorInReport: true, reporter: report });
      progress(sent + AT_ONCE * BATCHES);
    }
    return { statuses: fuzzer.statuses, reached: fuzzer.reached };
  } finally {
    await fuzzer.close();
  }
}

/** Sends requests with invalid bodies; each must be refused. */
export async function sendUnacceptable(
  app: FuzzedApp,
  requests: number,
  prepared: () => Promise<void>,
): Promise<number> {
  const fuzzer = new Fuzzer(app);
  try {
    await fuzzer.refresh();
    await prepared();
    const all = fc.oneof(...[...OPERATIONS.keys()].map((name) => requestsTo(name, fuzzer.hints)));
    const sample = fc.sample(
      all.filter((request) => !request.bodyFits),
      requests,
    );
    for (const request of sample) await fuzzer.send(request);
    return sample.length;
  } finally {
    await fuzzer.close();
  }
}

/** The failure in one sentence, with seed and path to reproduce it. */
function report<T>({ failed, seed, counterexamplePath, errorInstance }: fc.RunDetails<T>): void {
  if (!failed) return;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(`${reason}\n(seed ${seed}, path ${counterexamplePath})`);
}

class Fuzzer {
  readonly #app: FuzzedApp;
  readonly #pool: Pool;
  #tokens: Stage['tokens'] = new Map();
  readonly statuses: Record<string, number> = {};
  /** Successes by operation. */
  readonly reached: Record<string, number> = {};
  #hints: Hints = {};

  constructor(app: FuzzedApp) {
    this.#app = app;
    this.#pool = new Pool(app.url, { connections: AT_ONCE });
  }

  get hints(): Hints {
    return this.#hints;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async refresh(): Promise<void> {
    const { tokens, hints } = await setStage(this.#app);
    this.#tokens = tokens;
    this.#hints = hints;
  }

  /** Sends one request and checks the answer against the contract. */
  async send(request: FuzzRequest): Promise<void> {
    const route = OPERATIONS.get(request.operation) as AppRoute;
    const answer = await this.#pool.request({
      method: request.method as 'GET',
      path: request.path,
      headers: { ...request.headers, ...this.#authorization(request) },
      body: request.body ?? null,
    });
    const text = await answer.body.text();
    const fault = faultIn(route, request, answer.statusCode, answer.headers, text);
    if (fault !== undefined) {
      const crash = this.#app.logged.filter((line) => line.includes('uncaught')).at(-1) ?? '';
      throw new Error(
        `${described(request)}\n${answer.statusCode}: ${fault}\n${text.slice(0, 1_000)}\n${crash}`,
      );
    }
    this.statuses[answer.statusCode] = (this.statuses[answer.statusCode] ?? 0) + 1;
    const { operation } = request;
    if (answer.statusCode < 300) this.reached[operation] = (this.reached[operation] ?? 0) + 1;
    if (operation === 'voice.start' && answer.statusCode === 200) this.#takeNickname(text);
  }

  /** Does on the voice server what a challenge asks for. */
  #takeNickname(challenge: string): void {
    this.#app.voice.world.connect((JSON.parse(challenge) as VoiceChallenge).challenge_nickname);
  }

  #authorization({ as, operation }: FuzzRequest): Record<string, string> {
    if (as === 'nobody') return {};
    if (as === 'garbage') return { authorization: `Bearer ${this.#tokens.get('dyn')?.slice(0, -3)}abc` };
    // A caller that logged out needs a new token.
    const token = operation === 'token.logout' && as === 'root' ? 'spare' : as;
    return { authorization: `Bearer ${this.#tokens.get(token)}` };
  }
}

function described({ operation, as, method, path, headers, body }: FuzzRequest): string {
  const sent = body === undefined ? '' : ` ${JSON.stringify(body.toString().slice(0, 1_000))}`;
  return `${operation} as ${as}: ${method} ${path.slice(0, 500)} ${JSON.stringify(headers)}${sent}`;
}

/** Statuses that any request may get before routing or before its body is read. */
const BESIDES: Readonly<Record<number, string>> = {
  405: 'This path knows only',
  415: 'The body must be JSON',
};
const NOTHING_THERE = 'There is nothing at this path.';

/** The fault of an answer; undefined when there is none. */
function faultIn(
  route: AppRoute,
  request: FuzzRequest,
  status: number,
  headers: Record<string, unknown>,
  text: string,
): string | undefined {
  if (headers['x-request-id'] === undefined) return 'it carries no X-Request-Id';
  if (status >= 500) return 'the service failed';
  if (status >= 400 && String(headers['content-type']).startsWith('application/json')) {
    const fault = faultInCode(status, JSON.parse(text));
    if (fault !== undefined) return fault;
  }
  if (status < 300 && !request.bodyFits) return 'the contract does not accept this body';
  const besides = BESIDES[status];
  if (besides !== undefined)
    return text.startsWith(`{"detail":"${besides}`) ? undefined : 'the body is not the usual one';
  if (status === 404 && text === JSON.stringify({ detail: NOTHING_THERE, code: 'path_unknown' }))
    return undefined;
  if (!(status in route.responses)) return 'the contract does not list this status';
  const type = String(headers['content-type']);
  if (status === 200 && request.path.includes('dry_run=') && type.startsWith(PREVIEW_TYPE))
    return faultInJson(Preview, text);
  const response = route.responses[status] as unknown;
  if (response instanceof z.ZodType) return faultInJson(response, text);
  if (typeof response === 'object' && response !== null && 'contentType' in response) {
    return type.startsWith(String(response.contentType)) ? undefined : 'the content type is wrong';
  }
  return text === '' ? undefined : 'there should be no body';
}

function faultInJson(schema: z.ZodTypeAny, text: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) return `the body is not what the contract says: ${parsed.error.message}`;
  return isDeepStrictEqual(parsed.data, body) ? undefined : 'the body holds more than the contract says';
}
