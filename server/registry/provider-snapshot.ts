import pMap from 'p-map';
import { FIRST_PLAYER_CORPORATION } from '../access/clearance-levels.ts';
import { type AllianceFacts, type CorporationFacts, type GameApi, namesCharacter } from '../provider/api.ts';
import { ProviderError } from '../provider/http.ts';

/**
 * Fetching for a request that waits (a sign-in, a registration): one organization with everything that belongs to it,
 * in as few requests as possible; throws a ProviderError on failure. Here an affiliation counts as newer than a
 * corporation's own record, and CEOs are always named anew. For jobs see `fetch-snapshot.ts`, which differs in all
 * three points.
 */

/** What the provider says about some characters, corporations and alliances, complete enough to be stored. */
export interface ProviderSnapshot {
  readonly alliances: readonly SnapshotAlliance[];
  readonly corporations: readonly SnapshotCorporation[];
  readonly characters: readonly SnapshotCharacter[];
}

interface SnapshotAlliance {
  readonly alliance_id: number;
  readonly alliance_name: string;
  readonly ticker: string;
  readonly executor_corporation_id: number;
}

export interface SnapshotCorporation {
  readonly corporation_id: number;
  readonly corporation_name: string;
  readonly ticker: string;
  /**
   * Stored only if the alliance is registered or in the snapshot; an alliance without an executor may be in neither.
   */
  readonly alliance_id: number | null;
  /**
   * True where only the alliance's record says so, by naming it as executor; its own, maybe older, names no alliance.
   */
  readonly presumed?: true;
  readonly ceo_id: number;
  /** Null where the provider did not name the CEO. */
  readonly ceo_name: string | null;
}

export interface SnapshotCharacter {
  readonly character_id: number;
  readonly character_name: string;
  readonly corporation_id: number | null;
}

const EMPTY_SNAPSHOT: ProviderSnapshot = { alliances: [], corporations: [], characters: [] };

/**
 * The lowest id of a real CEO: with a lower one a corporation has no CEO or belongs to the game itself, and nobody is
 * registered for it (D39, provider.md §2).
 */
export const FIRST_CHARACTER = 2;

interface OpenCorporation extends CorporationFacts {
  readonly id: number;
  readonly ceo_id: number;
  readonly presumed?: true;
}

async function openCorporation(api: GameApi, id: number): Promise<OpenCorporation | undefined> {
  if (id < FIRST_PLAYER_CORPORATION) return undefined;
  const facts = await api.corporation(id);
  const ceo = facts?.ceo_id;
  return facts === undefined || ceo === undefined || ceo < FIRST_CHARACTER
    ? undefined
    : { ...facts, id, ceo_id: ceo };
}

/**
 * Fetches a corporation with its CEO, its alliance, and the alliance's executor with its CEO (D39). Undefined when the
 * provider does not know it, it is closed, or it belongs to the game. `allianceId` overrides the alliance in the
 * corporation's own record, which may be older than an affiliation.
 */
export async function fetchCorporation(
  api: GameApi,
  id: number,
  allianceId?: number | null,
): Promise<ProviderSnapshot | undefined> {
  const corporation = await openCorporation(api, id);
  if (corporation === undefined) return undefined;
  const wanted = allianceId === undefined ? corporation.alliance_id : (allianceId ?? undefined);
  const alliance = wanted === undefined ? undefined : await openAlliance(api, wanted, corporation);
  return toSnapshot(api, alliance, [
    { ...corporation, alliance_id: wanted },
    ...(alliance === undefined || alliance.executor.id === id ? [] : [alliance.executor]),
  ]);
}

/** Fetches an alliance with its executor and the executor's CEO; undefined when it is unknown or closed (D39). */
export async function fetchAlliance(api: GameApi, id: number): Promise<ProviderSnapshot | undefined> {
  const alliance = await openAlliance(api, id);
  return alliance && toSnapshot(api, alliance, [alliance.executor]);
}

/** Concurrent requests, and failures after which no further request is made. */
const AT_ONCE = 8;
const MOST_FAILURES = 10;

/**
 * Fetches those of the corporations that are open and confirm that they belong to the alliance, with their CEOs.
 * `failed` has those that the provider did not answer, or that were not requested any more after many failures.
 */
export async function fetchMembers(
  api: GameApi,
  allianceId: number,
  corporationIds: readonly number[],
): Promise<{ snapshot: ProviderSnapshot; failed: number[] }> {
  const members: OpenCorporation[] = [];
  const failed: number[] = [];
  const ask = async (id: number) => {
    if (failed.length >= MOST_FAILURES) {
      failed.push(id);
      return;
    }
    try {
      const corporation = await openCorporation(api, id);
      if (corporation?.alliance_id === allianceId) members.push(corporation);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      failed.push(id);
    }
  };
  await pMap(corporationIds, ask, { concurrency: AT_ONCE });
  return { snapshot: await toSnapshot(api, undefined, members), failed };
}

type OpenAlliance = AllianceFacts & { readonly id: number; readonly executor: OpenCorporation };

async function openAlliance(
  api: GameApi,
  id: number,
  member?: OpenCorporation,
): Promise<OpenAlliance | undefined> {
  const facts = await api.alliance(id);
  const executorId = facts?.executor_corporation_id;
  if (facts === undefined || executorId === undefined) return undefined;
  const executor = member?.id === executorId ? member : await openCorporation(api, executorId);
  if (executor === undefined) return undefined;
  // Of the two records the executor's own is believed, where it names an alliance: the other one may be older.
  const named = executor.alliance_id !== undefined;
  return { ...facts, id, executor: named ? executor : { ...executor, alliance_id: id, presumed: true } };
}

async function toSnapshot(
  api: GameApi,
  alliance: OpenAlliance | undefined,
  corporations: readonly (Omit<OpenCorporation, 'alliance_id'> & { alliance_id?: number | undefined })[],
): Promise<ProviderSnapshot> {
  const named = await api.names(corporations.map((corporation) => corporation.ceo_id));
  const names = new Map(named.filter(namesCharacter).map(({ id, name }) => [id, name]));
  return {
    alliances:
      alliance === undefined
        ? []
        : [
            {
              alliance_id: alliance.id,
              alliance_name: alliance.name,
              ticker: alliance.ticker,
              executor_corporation_id: alliance.executor.id,
            },
          ],
    corporations: corporations.map((corporation) => ({
      corporation_id: corporation.id,
      corporation_name: corporation.name,
      ticker: corporation.ticker,
      alliance_id: corporation.alliance_id ?? null,
      ...(corporation.presumed && { presumed: true }),
      ceo_id: corporation.ceo_id,
      ceo_name: names.get(corporation.ceo_id) ?? null,
    })),
    characters: corporations.flatMap(({ id, ceo_id }) => {
      const character_name = names.get(ceo_id);
      return character_name === undefined
        ? []
        : [{ character_id: ceo_id, character_name, corporation_id: id }];
    }),
  };
}

/** The stored data of a corporation. */
export interface KnownCorporation {
  readonly alliance_id: number | null;
}

/**
 * Fetches a character's present affiliation and everything that must be registered for it. A registered corporation
 * whose alliance is unchanged is not fetched again. Undefined when the provider no longer knows the character.
 */
export async function fetchCharacter(
  api: GameApi,
  character: { readonly id: number; readonly name: string },
  known: (corporationId: number) => Promise<KnownCorporation | undefined>,
): Promise<ProviderSnapshot | undefined> {
  const affiliations = await api.affiliations([character.id]);
  // That of another character would let in whoever has none that may.
  const affiliation = affiliations.find((found) => found.character_id === character.id);
  if (affiliation === undefined) return undefined;
  const { corporation_id: corporationId, alliance_id: allianceId = null } = affiliation;
  const registered = await known(corporationId);
  const organization =
    registered?.alliance_id === allianceId
      ? EMPTY_SNAPSHOT
      : await fetchCorporation(api, corporationId, allianceId);
  const member = {
    character_id: character.id,
    character_name: character.name,
    // A closed organization keeps its last known record (D39) and its members.
    corporation_id: organization === undefined && registered === undefined ? null : corporationId,
  };
  const { alliances, corporations, characters } = organization ?? EMPTY_SNAPSHOT;
  // The character may be among the fetched characters already, as its corporation's CEO.
  const others = characters.filter((other) => other.character_id !== character.id);
  return { alliances, corporations, characters: [...others, member] };
}
