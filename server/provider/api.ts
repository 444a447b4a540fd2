import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Settings } from '../settings.ts';
import { boundedFetch, type Limits, ProviderError } from './http.ts';

const id = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const name = z.string().min(1);

const Affiliation = z.object({ character_id: id, corporation_id: id, alliance_id: id.optional() });
const Corporation = z.object({
  name,
  ticker: name,
  ceo_id: id.optional(),
  alliance_id: id.optional(),
});
const Alliance = z.object({ name, ticker: name, executor_corporation_id: id.optional() });
const NamedId = z.object({ id, name: z.string(), category: z.string() });

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
const LIMITS: Limits = { milliseconds: 10_000, bytes: 8 * 1024 * 1024 };
const TRIES = 3;
/** Milliseconds before the second try; doubles, with jitter. */
const FIRST_PAUSE = 200;

/** @param limits of one exchange with the provider */
export function createGameApi(settings: Settings['extApi'], limits = LIMITS): GameApi {
  const request = boundedFetch(limits);
  const headers = {
    Accept: 'application/json',
    'User-Agent': settings.userAgent,
    'X-Compatibility-Date': settings.compatibilityDate,
  };

  /** Every call is a read, so it may be asked again after a fault in passing. */
  async function ask(path: string, body?: unknown): Promise<Response> {
    const init: RequestInit =
      body === undefined
        ? { headers }
        : {
            method: 'POST',
            headers: { ...headers, 'Content-Type': 'application/json' },
            body: JSON.stringify(body),
          };
    for (let tries = 1; ; tries += 1) {
      const outcome = await request(`${settings.url}${path}`, init).catch((error: unknown) => error as Error);
      const passing = outcome instanceof Response ? outcome.status >= 500 : isPassing(outcome);
      if (!passing || tries === TRIES) {
        if (outcome instanceof Error) throw outcome;
        return outcome;
      }
      await sleep(FIRST_PAUSE * 2 ** tries * Math.random());
    }
  }

  async function get<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const response = await ask(path);
    return response.status === 404 ? undefined : read(response, path, schema);
  }

  /** One bad id fails a bulk request as a whole, so it is split until the bad one stands alone. */
  async function bulk<T>(path: string, ids: readonly number[], schema: z.ZodType<T[]>): Promise<T[]> {
    if (ids.length === 0) return [];
    if (ids.length > BULK) return halves(ids, (half) => bulk(path, half, schema));
    const response = await ask(path, ids);
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

function isPassing(error: unknown): boolean {
  return error instanceof ProviderError && error.fault === 'unreachable';
}

async function read<T>(response: Response, path: string, schema: z.ZodType<T>): Promise<T> {
  if (!response.ok)
    throw new ProviderError('unusable', `the game's API answered ${response.status} to ${path}`);
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
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
