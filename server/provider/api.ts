import { z } from 'zod';
import type { ExtScope } from '../../contract/scopes.ts';
import { storable } from '../database/text.ts';
import { chunksOf } from '../shared/chunks.ts';
import { dataIn, type Schema } from './answer.ts';
import type { ProviderClient } from './client.ts';
import { ProviderError } from './http.ts';

const whole = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
/** Nothing has the id 0: an answer with it is none, and moves nobody (D63b). */
const id = whole.positive();
const name = z.string().transform(storable).pipe(z.string().min(1));

/** An optional field; some answers have null instead of leaving it out (provider.md §2). */
const optional = <T>(schema: Schema<T>) => schema.nullish().transform((value) => value ?? undefined);

const Affiliation = z.object({ character_id: id, corporation_id: id, alliance_id: optional(id) });
const Corporation = z.object({ name, ticker: name, ceo_id: optional(whole), alliance_id: optional(id) });
const Alliance = z.object({ name, ticker: name, executor_corporation_id: optional(whole) });
const NamedId = z.object({ id, name: z.string().transform(storable), category: z.string() });

export type Affiliation = z.infer<typeof Affiliation>;
export type CorporationFacts = z.infer<typeof Corporation>;
export type AllianceFacts = z.infer<typeof Alliance>;
export type NamedId = z.infer<typeof NamedId>;

/** The operations of the game's API that the registry uses (provider.md §2). They throw {@link ProviderError}s. */
export interface GameApi {
  /** Affiliations of characters; unknown characters are left out. */
  affiliations(characterIds: readonly number[]): Promise<Affiliation[]>;
  /** Undefined when the provider does not know the corporation. */
  corporation(corporationId: number): Promise<CorporationFacts | undefined>;
  /** Undefined when the provider does not know the alliance. */
  alliance(allianceId: number): Promise<AllianceFacts | undefined>;
  /** Ids of an alliance's corporations; empty for an unknown alliance. */
  allianceCorporations(allianceId: number): Promise<readonly number[]>;
  /** Names of ids of any kind; ids without a name are left out. */
  names(ids: readonly number[]): Promise<NamedId[]>;
}

/** Whether it is the name of a character: who is told as a CEO or a member may be something else, or have none. */
export function namesCharacter({ category, name }: NamedId): boolean {
  return category === 'character' && name !== '';
}

/** Statuses by which the provider says that an id is unknown or invalid. */
export const UNKNOWN: ReadonlySet<number> = new Set([400, 404, 422]);
/** Maximum number of ids in one bulk request (provider.md §2). */
export const BULK = 1000;
/** The scope for reading the list of a corporation's members (provider.md §2). */
export const MEMBERSHIP_SCOPE: ExtScope = 'ext-corporations.read_corporation_membership.v1';

export function createGameApi(client: ProviderClient): GameApi {
  async function get<T>(path: string, schema: Schema<T>): Promise<T | undefined> {
    // Revalidated, because the caller needs the present state; an unchanged record costs the provider a 304.
    const response = await client.ask({ path, on: 'service', anew: true });
    return UNKNOWN.has(response.status) ? undefined : dataIn(response, path, schema);
  }

  async function bulk<T>(answers: Promise<BulkAnswers<T>>): Promise<T[]> {
    const { found, failure } = await answers;
    if (failure !== undefined) throw failure;
    return found;
  }

  return {
    affiliations: (ids) => bulk(askAffiliations(client, ids)),
    corporation: (corporationId) => get(`/corporations/${corporationId}`, Corporation),
    alliance: (allianceId) => get(`/alliances/${allianceId}`, Alliance),
    allianceCorporations: async (allianceId) =>
      (await get(`/alliances/${allianceId}/corporations`, z.array(id))) ?? [],
    names: (ids) => bulk(askNames(client, ids)),
  };
}

/** A schema for lists that drops invalid entries; a list that has only such entries is invalid. */
export function usable<T>(schema: Schema<T>): Schema<T[]> {
  return z.array(z.unknown()).transform((list, context) => {
    const entries = list.flatMap((entry) => {
      const parsed = schema.safeParse(entry);
      return parsed.success ? [parsed.data] : [];
    });
    if (list.length > 0 && entries.length === 0) context.addIssue({ code: 'custom', message: 'unusable' });
    return entries;
  });
}

/** The result of a bulk request, complete or partial. */
export interface BulkAnswers<T> {
  readonly found: T[];
  /** Ids that the provider refuses even when they are requested alone. */
  readonly refused: number[];
  /** Number of ids that have no answer because of the failure. */
  readonly unanswered: number;
  readonly failure: ProviderError | undefined;
}

/** Affiliations of characters, with the refused ids and the failure that ended it, if any. */
export function askAffiliations(
  client: ProviderClient,
  characterIds: readonly number[],
): Promise<BulkAnswers<Affiliation>> {
  return askBulk(client, '/characters/affiliation', characterIds, usable(Affiliation));
}

/** Names of ids of any kind, with the refused ids and the failure that ended it, if any. */
export function askNames(client: ProviderClient, ids: readonly number[]): Promise<BulkAnswers<NamedId>> {
  return askBulk(client, '/universe/names', ids, usable(NamedId));
}

/**
 * One invalid id makes the whole bulk request fail, so it is halved until the invalid id is found. A half that was
 * refused is halved when the other one has been asked for, and at once: so a client with a limit of errors has most of
 * the answers before it stops, and has found at least one of a few invalid ids, which costs eleven errors and one for
 * each level on which both halves have some. A later run leaves that one out, and finds the next.
 */
async function askBulk<T>(
  client: ProviderClient,
  path: string,
  ids: readonly number[],
  schema: Schema<T[]>,
): Promise<BulkAnswers<T>> {
  const wanted = [...new Set(ids)];
  const answers = { found: [] as T[], refused: [] as number[], unanswered: wanted.length };

  async function askEach(chunks: readonly number[][]): Promise<void> {
    const refused: number[][] = [];
    for (const chunk of chunks) {
      const response = await client.ask({ path, on: 'service', body: chunk });
      if (!UNKNOWN.has(response.status)) answers.found.push(...dataIn(response, path, schema));
      else if (chunk.length === 1) answers.refused.push(...chunk);
      else {
        refused.push(chunk);
        continue;
      }
      answers.unanswered -= chunk.length;
    }
    for (const chunk of refused) await askEach(chunksOf(chunk, Math.ceil(chunk.length / 2)));
  }

  try {
    await askEach(chunksOf(wanted, BULK));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { ...answers, failure: error };
  }
  return { ...answers, failure: undefined };
}

/**
 * Ids of a corporation's members, requested with one member's grant; undefined when that member may not read the list.
 * An invalid refresh token is left to the job `check-grants`, which notices when too many are (D63).
 */
export async function askMembers(
  client: ProviderClient,
  corporationId: number,
  characterId: number,
): Promise<readonly number[] | undefined> {
  const path = `/corporations/${corporationId}/members`;
  const as = { characterId, scope: MEMBERSHIP_SCOPE };
  const response = await client.ask({ path, on: 'service', as, anew: true, patient: true });
  return response.status === 403 || response.status === 404 ? undefined : dataIn(response, path, z.array(id));
}
