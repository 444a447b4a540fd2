import { z } from 'zod';
import { storable } from '../database/text.ts';
import type { ProviderAnswer, ProviderClient } from './client.ts';
import { ProviderError } from './http.ts';

const id = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const name = z.string().min(1).transform(storable);

const Affiliation = z.object({ character_id: id, corporation_id: id, alliance_id: id.optional() });
const Corporation = z.object({
  name,
  ticker: name,
  ceo_id: id.optional(),
  alliance_id: id.optional(),
});
const Alliance = z.object({ name, ticker: name, executor_corporation_id: id.optional() });
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

/** Ids in one bulk request (facts §2). */
const BULK = 1000;

export function createGameApi(client: ProviderClient): GameApi {
  async function get<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    // Who asks here wants to know how things are now; an unchanged record costs the provider a 304.
    const response = await client.ask({ path, on: 'service', anew: true });
    return response.status === 404 ? undefined : read(response, path, schema);
  }

  /** One bad id fails a bulk request as a whole, so it is split until the bad one stands alone. */
  async function bulk<T>(path: string, ids: readonly number[], schema: z.ZodType<T[]>): Promise<T[]> {
    if (ids.length === 0) return [];
    if (ids.length > BULK) return halves(ids, (half) => bulk(path, half, schema));
    const response = await client.ask({ path, on: 'service', body: ids });
    const refused = response.status === 400 || response.status === 404 || response.status === 422;
    if (!refused) return read(response, path, schema);
    return ids.length === 1 ? [] : halves(ids, (half) => bulk(path, half, schema));
  }

  return {
    affiliations: (ids) => bulk('/characters/affiliation', distinct(ids), z.array(Affiliation)),
    corporation: (corporationId) => get(`/corporations/${corporationId}`, Corporation),
    alliance: (allianceId) => get(`/alliances/${allianceId}`, Alliance),
    allianceCorporations: async (allianceId) =>
      (await get(`/alliances/${allianceId}/corporations`, z.array(id))) ?? [],
    names: (ids) => bulk('/universe/names', distinct(ids), z.array(NamedId)),
  };
}

function read<T>({ status, data }: ProviderAnswer, path: string, schema: z.ZodType<T>): T {
  if (status !== 200) throw new ProviderError('unusable', `the game's API answered ${status} to ${path}`);
  const parsed = schema.safeParse(data);
  if (!parsed.success)
    throw new ProviderError('unusable', `the game's API gave an unusable answer to ${path}`);
  return parsed.data;
}

async function halves<T>(
  ids: readonly number[],
  ask: (half: readonly number[]) => Promise<T[]>,
): Promise<T[]> {
  const middle = Math.ceil(ids.length / 2);
  return [...(await ask(ids.slice(0, middle))), ...(await ask(ids.slice(middle)))];
}

function distinct(ids: readonly number[]): number[] {
  return [...new Set(ids)];
}
