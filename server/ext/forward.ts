import type { Readable } from 'node:stream';
import type { ExternalForwardAnswer, ExternalForwardRequest } from '../../contract/ext.ts';
import { type Admission, goneOf, rejudge } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { requireAuthority } from '../access/require-authority.ts';
import type { JsonBytes, JsonText } from '../database/json-text.ts';
import { recordUse } from '../event/record-use.ts';
import type { ProviderAnswer } from '../provider/answer.ts';
import { isPlainPath, type ProviderRequest } from '../provider/client.ts';
import {
  type BudgetAccount,
  budgetAccountOf,
  type CallerAccount,
  type ErrorAllowance,
  errorsOfOneCall,
} from '../provider/error-budget.ts';
import type { ProviderOperation } from '../provider/operations.ts';
import type { Query } from '../provider/query.ts';
import type { Services } from '../services/services.ts';
import { DomainError, invalid } from '../shared/domain-error.ts';
import { createFairSemaphore } from '../shared/fair-semaphore.ts';
import { collectNameable } from './annotations.ts';
import { answerWith } from './answer-around.ts';
import { type FieldsFrom, toQuery } from './ext-params.ts';
import { shown, toProviderPath } from './ext-path.ts';
import { FORWARDING_BUSY } from './forwarding-busy.ts';
import { createJoiner } from './join-pages.ts';
import { createRecheck } from './recheck.ts';
import { refusal } from './refusal.ts';

/** Limits of concurrent forwarded requests in one process: in all, for one caller, and milliseconds of waiting. */
const AT_ONCE = { most: 64, each: 16, waitFor: 10_000, crowded: FORWARDING_BUSY };

type ForwardServices = Pick<Services, 'client' | 'clock' | 'db' | 'document' | 'log' | 'names'>;

/**
 * Milliseconds after which the caller's rights are checked again: when a call had to wait or its answer took long, and
 * while pages are read (D20, D27b, D29b).
 */
const RECHECK = { waited: 100, reading: 1_000 };

interface Forwarding {
  readonly admission: Admission;
  readonly path: string;
  readonly fields: ExternalForwardRequest;
  readonly from: FieldsFrom;
}

export type Forwarded =
  /** With the provider's JSON as it is. */
  | {
      readonly kind: 'whole';
      readonly json: JsonText<ExternalForwardAnswer> | JsonBytes<ExternalForwardAnswer>;
    }
  /** JSON text, joined in a file. */
  | { readonly kind: 'stream'; readonly bytes: number; readonly stream: Readable };

/** Forwards one GET to the game's API for the caller or on behalf of another user (D17, D30–D33). */
export type Forward = (forwarding: Forwarding) => Promise<Forwarded>;

export function createForward(services: ForwardServices): Forward {
  const semaphore = createFairSemaphore(AT_ONCE);
  const join = createJoiner(services);

  return async ({ admission, path, fields, from }) => {
    const { caller } = admission;
    const { request, operation } = await toRequest(services, caller, path, fields, from);
    const { on, allowance } = request;
    const recheck = createRecheck(async () => {
      const now = await rejudge(services.db, admission);
      await requireUse(services, now, request.as?.characterId);
    }, admission.judgedAt);
    /** Judges again before and after, as a call may wait for its turn, an access token and names. */
    const ask = async (asked: ProviderRequest, olderThan: number): Promise<ProviderAnswer> => {
      await recheck(olderThan);
      const answer = await services.client.ask(asked);
      await recheck(olderThan);
      return answer;
    };
    const annotate = async (ids: readonly number[]) => {
      const names = await namesOf(services, ids, on, allowance);
      await recheck(RECHECK.waited);
      return names;
    };
    const whole = async (answer: ProviderAnswer): Promise<Forwarded> => {
      if (answer.status >= 400) throw refusal(answer);
      const ids = new Set<number>();
      if (fields.id_annotations) await collectNameable(answer, ids);
      return { kind: 'whole', json: answerWith(answer, await annotate([...ids])) };
    };
    if (fields.all_pages && operation.paged) {
      const joined = await join({
        caller: on.caller,
        from,
        ask: (page, anew) => {
          return ask({ ...request, query: atPage(request.query, page), anew }, RECHECK.reading);
        },
        allowance,
        annotate: fields.id_annotations ? annotate : undefined,
        signal: goneOf(admission),
      });
      return joined.kind === 'stream' ? joined : whole(joined.answer);
    }
    const leave = await semaphore.enter(on.caller, () => goneOf(admission));
    try {
      return await whole(await ask(request, RECHECK.waited));
    } finally {
      leave();
    }
  };
}

/** A request for the provider on the account of its caller. */
type ChargedRequest = ProviderRequest & {
  readonly query: Query;
  readonly on: CallerAccount;
  readonly allowance: ErrorAllowance;
};

function atPage(query: Query, page: number): Query {
  return [...query.filter(([name]) => name !== 'page'), ['page', String(page)]];
}

/** Checks the caller's right, then builds the request for the provider. */
async function toRequest(
  { db, document, clock }: ForwardServices,
  caller: Caller,
  extPath: string,
  { on_behalf_of, params }: ExternalForwardRequest,
  from: FieldsFrom,
): Promise<{ readonly request: ChargedRequest; readonly operation: ProviderOperation }> {
  const path = toProviderPath(extPath);
  if (path === undefined) throw notPlain();
  const operation = (await document.current()).find(path);
  if (operation === undefined) {
    throw new DomainError('ext_path_unknown', `Could not find the path ${shown(path)} in the game's API`);
  }
  // A parameter that is text takes any segment.
  if (!isPlainPath(path)) throw notPlain();
  const query = toQuery(params, operation, from);
  const characterId = on_behalf_of ?? caller.owner_id;
  if (operation.scope !== null && characterId !== caller.owner_id) {
    await requireUse({ db }, caller, characterId);
    await recordUse(
      db,
      'ext.asked_on_behalf',
      caller,
      characterId,
      operation.scope,
      clock.now(),
      operation.scope,
    );
  }
  const { scope } = operation;
  return {
    operation,
    request: {
      path,
      query,
      on: budgetAccountOf(caller),
      allowance: errorsOfOneCall(),
      ...(scope !== null && { as: { characterId, scope } }),
    },
  };
}

function notPlain(): DomainError {
  return invalid(['path', 'esi_path'], "Must be a plain path of the game's API");
}

/** Authority over the user whose access token is sent, where that is not the caller's own (D17). */
async function requireUse(
  { db }: Pick<ForwardServices, 'db'>,
  caller: Caller,
  characterId: number | undefined,
): Promise<void> {
  if (characterId === undefined || characterId === caller.owner_id) return;
  await requireAuthority(db, caller, { over: 'user', mode: 'read' }, characterId);
}

/**
 * Names for the ids in an answer. Names that are not available at the moment are left out, as the data itself is
 * complete.
 */
async function namesOf(
  { names }: ForwardServices,
  ids: readonly number[],
  on: BudgetAccount,
  allowance: ErrorAllowance,
): Promise<Record<string, string>> {
  if (ids.length === 0) return {};
  return Object.fromEntries((await names.find(ids, on, allowance)).names);
}
