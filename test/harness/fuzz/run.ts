import { isDeepStrictEqual } from 'node:util';
import type { AppRoute } from '@ts-rest/core';
import fc from 'fast-check';
import { Pool } from 'undici';
import { z } from 'zod';
import { PREVIEW_TYPE, Preview } from '../../../contract/index.ts';
import { ok } from '../../../sdk/src/index.ts';
import { nameKey } from '../../../server/database/name-key.ts';
import { objectId } from '../../../server/database/object-id.ts';
import { addBodies, addUser, makeToken, uuidOf } from '../../fixtures/users.ts';
import type { TestApp } from '../app.ts';
import { faultInCode } from '../refusals.ts';
import { type FuzzRequest, OPERATIONS, requestsTo } from './requests.ts';
import type { Hints } from './schemas.ts';

const ALLIANCES = [99_900_001, 99_900_002] as const;
const CORPORATIONS = [98_900_001, 98_900_002, 98_900_003] as const;
const USERS = Array.from({ length: 8 }, (_, i) => ({ id: 2_112_900_001 + i, name: `Fuzz ${i % 7}` }));
/** Requests that are under way at the same time. */
const AT_ONCE = 8;
/** Batches between two looks at what is left of the records. */
const BATCHES = 40;

/**
 * Sends random requests to every operation, most of them broken somewhere; throws at the first answer that the
 * contract does not know: another status, another body, or a success for what it calls invalid.
 */
export async function fuzz(
  app: TestApp,
  requests: number,
  progress: (sent: number) => void = () => undefined,
): Promise<Record<string, number>> {
  const fuzzer = new Fuzzer(app);
  try {
    for (let sent = 0; sent < requests; sent += AT_ONCE * BATCHES) {
      await fuzzer.refresh();
      const one = fc.oneof(...[...OPERATIONS.keys()].map((name) => requestsTo(name, fuzzer.hints)));
      const batch = fc.array(one, { minLength: AT_ONCE, maxLength: AT_ONCE });
      const property = fc.asyncProperty(batch, async (all) => {
        await Promise.all(all.map((request) => fuzzer.send(request)));
      });
      await fc.assert(property, { numRuns: BATCHES, includeErrorInReport: true, reporter: report });
      progress(sent + AT_ONCE * BATCHES);
    }
    return fuzzer.statuses;
  } finally {
    await fuzzer.close();
  }
}

/** Sends requests whose bodies the contract does not accept; each must be refused. */
export async function sendUnacceptable(
  app: TestApp,
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

/** The failure in one sentence, with what it takes to see it again. */
function report<T>({ failed, seed, counterexamplePath, errorInstance }: fc.RunDetails<T>): void {
  if (!failed) return;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(`${reason}\n(seed ${seed}, path ${counterexamplePath})`);
}

class Fuzzer {
  readonly #app: TestApp;
  readonly #pool: Pool;
  readonly #tokens = new Map<string, string>();
  readonly statuses: Record<string, number> = {};
  readonly #hints: Record<string, unknown[]> = {};

  constructor(app: TestApp) {
    this.#app = app;
    this.#pool = new Pool(app.url, { connections: AT_ONCE });
  }

  get hints(): Hints {
    return this.#hints;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  /** Clears what earlier requests left, and makes sure that there is something of every kind. */
  async refresh(): Promise<void> {
    const { db, clock, logged, statements } = this.#app;
    // What was written is looked at after each request; a million of them would fill the memory.
    for (const lines of [logged, statements]) (lines as string[]).length = 0;
    await db.deleteFrom('groups').where('is_autogroup', '=', false).execute();
    await db.deleteFrom('coalitions').execute();
    await db.deleteFrom('state_codes').execute();
    await db.deleteFrom('users').where('character_id', '!=', 0).execute();
    const { root } = this.#app;
    await db.deleteFrom('tokens').where('uuid', '!=', uuidOf(root)).execute();
    const [one, two] = ALLIANCES;
    const [first, second, third] = CORPORATIONS;
    await addBodies(this.#app, [
      { alliance: one, corporations: [first] },
      { alliance: two, corporations: [second] },
      { corporations: [third] },
    ]);
    for (const [i, { id, name }] of USERS.entries()) {
      await addUser(this.#app, {
        id,
        name,
        level: [9, 6, 0, 0, 2, 4, 0, -1][i] ?? 0,
        corporation: CORPORATIONS[i % 3] as number,
      });
    }
    const client = this.#app.client(root);
    const names = ['One', 'Two', 'ĲȘ \u{1f680}'];
    const coalitions = await Promise.all(
      names.map((name) => ok(client.coalition.create({ body: { coalition_name: name, ticker: 'T' } }))),
    );
    const [coalition] = coalitions;
    if (coalition !== undefined) {
      await ok(client.coalition.update({ params: coalition, body: { member_alliances: [one] } }));
    }
    const groups = await Promise.all(
      names.map((name) => ok(client.group.create({ body: { group_name: `Group ${name}` } }))),
    );
    const dyn = await makeToken(this.#app, 'dyn', 0, uuidOf(root));
    const spare = await makeToken(this.#app, 'per', 0, uuidOf(root));
    const member = await makeToken(this.#app, 'per', USERS[1]?.id ?? 0, uuidOf(root));
    const user = await makeToken(this.#app, 'use', USERS[0]?.id ?? 0, dyn.uuid);
    for (const [as, jwt] of Object.entries({
      root,
      dyn: dyn.jwt,
      spare: spare.jwt,
      member: member.jwt,
      user: user.jwt,
    })) {
      this.#tokens.set(as, jwt);
    }
    const report_ = await this.#addCrashReport();
    const userNames = USERS.map(({ name }) => name);
    const userIds = USERS.map(({ id }) => id);
    const lists = (name: string, values: readonly unknown[]) =>
      Object.fromEntries(['add_', 'remove_', ''].map((prefix) => [prefix + name, [...values]]));
    Object.assign(this.#hints, {
      coalition_id: coalitions.map(({ coalition_id }) => coalition_id),
      group_id: [...groups, ...(await ok(client.group.list()))].map(({ group_id }) => group_id),
      coalition_name: names,
      group_name: [...names.map((name) => `Group ${name}`), `Corporation ${first}`],
      character_id: [...userIds.map(String), '0'],
      character_name: [...userNames, '(built-in)'],
      corporation_id: [...CORPORATIONS.map(String), '98000001'],
      alliance_id: [...ALLIANCES.map(String), '99000001'],
      on_behalf_of: userIds,
      owner: userNames,
      uuid: [spare.uuid],
      crash_report_id: [report_],
      esi_path: ['status', `characters/${userIds[0]}`, `characters/${userIds[0]}/location`, 'universe/names'],
      ...lists('members', userNames),
      ...lists('member_alliances', ALLIANCES),
      ...lists('member_corporations', CORPORATIONS),
    });
    clock.advance(1_000);
  }

  async #addCrashReport(): Promise<string> {
    const { db, clock } = this.#app;
    await db.deleteFrom('crash_reports').execute();
    const id = objectId(clock.now());
    const request = JSON.stringify({ headers: {}, method: 'GET', params: {}, url: '/' });
    await db
      .insertInto('crash_reports')
      .values({ id, request, token: null, trace: nameKey('Error') })
      .execute();
    return id;
  }

  /** Sends one request and holds the answer against the contract. */
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
  }

  #authorization({ as, operation }: FuzzRequest): Record<string, string> {
    if (as === 'nobody') return {};
    if (as === 'garbage') return { authorization: `Bearer ${this.#tokens.get('dyn')?.slice(0, -3)}abc` };
    // Whoever logs out does so for good.
    const token = operation === 'token.logout' && as === 'root' ? 'spare' : as;
    return { authorization: `Bearer ${this.#tokens.get(token)}` };
  }
}

function described({ operation, as, method, path, headers, body }: FuzzRequest): string {
  const sent = body === undefined ? '' : ` ${JSON.stringify(body.toString().slice(0, 1_000))}`;
  return `${operation} as ${as}: ${method} ${path.slice(0, 500)} ${JSON.stringify(headers)}${sent}`;
}

/** Answers of the service as a whole, before an operation is found or its body read. */
const BESIDES: Readonly<Record<number, string>> = {
  405: 'This path knows only',
  415: 'The body must be JSON',
};
const NOTHING_THERE = 'There is nothing at this path.';

/** What is wrong with an answer, if anything. */
function faultIn(
  route: AppRoute,
  request: FuzzRequest,
  status: number,
  headers: Record<string, unknown>,
  text: string,
): string | undefined {
  if (headers['x-request-id'] === undefined) return 'it carries no X-Request-Id';
  if (status === 500) return 'the service crashed';
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
