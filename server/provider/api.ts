import { z } from 'zod';
import type { ExtScope } from '../../contract/scopes.ts';
import { storable } from '../database/text.ts';
import { chunksOf } from '../shared/chunks.ts';
import type { ProviderAnswer } from './answer.ts';
import type { ProviderClient } from './client.ts';
import { ProviderError } from './http.ts';

const id = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const name = z.string().min(1).transform(storable);

/** Absent where there is none (facts §2), which some write as null. */
const optionalId = id.nullish().transform((value) => value ?? undefined);

const Affiliation = z.object({ character_id: id, corporation_id: id, alliance_id: optionalId });
const Corporation = z.object({ name, ticker: name, ceo_id: optionalId, alliance_id: optionalId });
const Alliance = z.object({ name, ticker: name, executor_corporation_id: optionalId });
const NamedId = z.object({ id, name: z.string().transform(storable), category: z.string() });

export type Affiliation = z.infer<typeof Affiliation>;
export type CorporationFacts = z.infer<typeof Corporation>;
export type AllianceFacts = z.infer<typeof Alliance>;
export type NamedId = z.infer<typeof NamedId>;

/** The game's API as the registry needs it (facts §2). Failures are {@link ProviderError}s. */
export interface GameApi {
  /** Where characters belong; those that the provider does not know are left out. */
  affiliations(characterIds: readonly number[]): Promise<Affiliation[]>;
  /** Undefined: the provider knows no such corporation. */
  corporation(corporationId: number): Promise<CorporationFacts | undefined>;
  /** Undefined: the provider knows no such alliance. */
  alliance(allianceId: number): Promise<AllianceFacts | undefined>;
  /** Ids of an alliance's corporations; none of an alliance that the provider does not know. */
  allianceCorporations(allianceId: number): Promise<readonly number[]>;
  /** Names of ids of any kind; those that have none are left out. */
  names(ids: readonly number[]): Promise<NamedId[]>;
}

/** How the provider says that it knows no such id, or that it can be none. */
const UNKNOWN = new Set([400, 404, 422]);
/** Ids in one bulk request (facts §2). */
export const BULK = 1000;
/** Lets a member read the list of its corporation's members (facts §2). */
export const MEMBERSHIP_SCOPE: ExtScope = 'ext-corporations.read_corporation_membership.v1';

export function createGameApi(client: ProviderClient): GameApi {
  async function get<T>(path: string, schema: Schema<T>): Promise<T | undefined> {
    // Who asks here wants to know how things are now; an unchanged record costs the provider a 304.
    const response = await client.ask({ path, on: 'service', anew: true });
    return UNKNOWN.has(response.status) ? undefined : read(response, path, schema);
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

function read<T>({ status, data }: ProviderAnswer, path: string, schema: Schema<T>): T {
  if (status !== 200) throw new ProviderError('unusable', `the game's API answered ${status} to ${path}`);
  const parsed = schema.safeParse(data);
  if (!parsed.success)
    throw new ProviderError('unusable', `the game's API gave an unusable answer to ${path}`);
  return parsed.data;
}

type Schema<T> = z.ZodType<T, z.ZodTypeDef, unknown>;

/** A list in which one unusable entry costs no other; of nothing but such entries it is no list. */
function usable<T>(schema: Schema<T>): Schema<T[]> {
  return z.array(z.unknown()).transform((list, context) => {
    const entries = list.flatMap((entry) => {
      const parsed = schema.safeParse(entry);
      return parsed.success ? [parsed.data] : [];
    });
    if (list.length > 0 && entries.length === 0) context.addIssue({ code: 'custom', message: 'unusable' });
    return entries;
  });
}

/** What came of a bulk read, whole or in part. */
export interface BulkAnswers<T> {
  readonly found: T[];
  /** Ids that the provider refuses even alone. */
  readonly refused: number[];
  /** Why there are no answers about the rest. */
  readonly failure: ProviderError | undefined;
}

/** Where characters belong, with what was refused and how far it got. */
export function askAffiliations(
  client: ProviderClient,
  characterIds: readonly number[],
): Promise<BulkAnswers<Affiliation>> {
  return askBulk(client, '/characters/affiliation', characterIds, usable(Affiliation));
}

/** Names of ids of any kind, with what was refused and how far it got. */
export function askNames(client: ProviderClient, ids: readonly number[]): Promise<BulkAnswers<NamedId>> {
  return askBulk(client, '/universe/names', ids, usable(NamedId));
}

/** One bad id fails a bulk request as a whole, so it is split until the bad one stands alone. */
async function askBulk<T>(
  client: ProviderClient,
  path: string,
  ids: readonly number[],
  schema: Schema<T[]>,
): Promise<BulkAnswers<T>> {
  const answers = { found: [] as T[], refused: [] as number[] };
  const waiting = chunksOf([...new Set(ids)], BULK);
  try {
    for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
      const response = await client.ask({ path, on: 'service', body: chunk });
      if (!UNKNOWN.has(response.status)) answers.found.push(...read(response, path, schema));
      else if (chunk.length === 1) answers.refused.push(...chunk);
      else waiting.unshift(...chunksOf(chunk, Math.ceil(chunk.length / 2)));
    }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { ...answers, failure: error };
  }
  return { ...answers, failure: undefined };
}

/**
 * Ids of a corporation's members, asked for by one of them; undefined: that one may not see them. Whether the
 * refresh token is dead is for the check of all of them to decide, which knows when too many are (D63).
 */
export async function askMembers(
  client: ProviderClient,
  corporationId: number,
  characterId: number,
): Promise<readonly number[] | undefined> {
  const path = `/corporations/${corporationId}/members`;
  const as = { characterId, scope: MEMBERSHIP_SCOPE };
  const response = await client.ask({ path, on: 'service', as, anew: true, patient: true });
  return response.status === 403 || response.status === 404 ? undefined : read(response, path, z.array(id));
}
