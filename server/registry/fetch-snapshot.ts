import type { Kysely } from 'kysely';
import { FIRST_PLAYER_CORPORATION } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';
import { type AllianceFacts, type CorporationFacts, createGameApi } from '../provider/api.ts';
import type { ProviderClient } from '../provider/client.ts';
import type { ProviderError } from '../provider/http.ts';
import type { Clock } from '../shared/clock.ts';
import { firstOfEach } from '../shared/first-of-each.ts';
import { askAll } from './ask-all.ts';
import { nameStrangers } from './name-strangers.ts';
import {
  type OrganizationIds,
  readOrganizations,
  readUserNames,
  type StoredOrganizations,
} from './organizations.queries.ts';
import { FIRST_CHARACTER, type ProviderSnapshot } from './provider-snapshot.ts';

/**
 * Fetching for a job: thousands of organizations, some of which may not be answered. It compares with the stored rows,
 * takes the alliance from the corporation's own record, and does not fetch CEOs that are users already. For a request
 * that waits for one organization see `provider-snapshot.ts`, which differs in all three points.
 */

/** What the provider answered about many organizations. */
export interface FetchedSnapshot {
  /** Open organizations; the characters are CEOs that are not users yet. */
  readonly snapshot: ProviderSnapshot;
  /** The stored rows of all these organizations before the provider was asked. */
  readonly asRead: StoredOrganizations;
  /** Organizations that the provider reports as closed; their last known record is kept (D39). */
  readonly closed: OrganizationIds;
  /** Organizations that were unknown (404) or not answered; to be requested again later (D63b). */
  readonly missing: OrganizationIds;
  /** The first failure, if some were not answered. */
  readonly failure: ProviderError | undefined;
  /** The first failure that is not one record's alone. */
  readonly outage: ProviderError | undefined;
}

type OpenCorporation = CorporationFacts & { readonly ceo_id: number };
type OpenAlliance = AllianceFacts & { readonly executor_corporation_id: number };

/**
 * Fetches corporations and alliances, then the unregistered alliances that they belong to, and the executors of those.
 * A corporation's alliance is taken from its own record, because affiliations and member lists may be older.
 *
 * @param check see {@link askAll}
 */
export async function fetchSnapshot(
  services: { readonly db: Kysely<Database>; readonly clock: Clock },
  client: ProviderClient,
  wanted: OrganizationIds,
  check?: () => Promise<boolean>,
): Promise<FetchedSnapshot> {
  const asked = await askForOrganizations(services.db, createGameApi(client), wanted, check);
  const { asRead, members, alliances, executors } = asked;
  const corporationAnswers = new Map([...members.answers, ...executors.answers]);
  const corporations = openOnes(corporationAnswers, isOpenCorporation);
  const ceos = await nameCeos(services, client, [...corporations.values()], asRead);
  const described = new Map([...corporations].filter(([, { ceo_id }]) => ceos.names.has(ceo_id)));
  const ready = readyAlliances(alliances.answers, described, asRead);
  const closed = closedAlliances(alliances.answers, ready, corporationAnswers);
  const unknown = unknownOnes(alliances.answers);
  const certain = new Set([...asRead.alliances.keys(), ...ready.keys(), ...closed, ...unknown]);
  // If its alliance could not be fetched, the corporation's membership is unknown, so the corporation is left out.
  const settled = [...described].filter(([, { alliance_id: id }]) => id === undefined || certain.has(id));
  const outage = members.outage ?? alliances.outage ?? executors.outage ?? ceos.failure;
  return {
    snapshot: toSnapshot(ready, settled, ceos),
    asRead,
    closed: {
      alliances: closed,
      corporations: [...corporationAnswers.keys()].filter((id) => isClosed(corporationAnswers, id)),
    },
    missing: {
      alliances: [...unknown, ...alliances.failed],
      corporations: [...unknownOnes(corporationAnswers), ...members.failed],
    },
    failure: outage ?? members.failure ?? alliances.failure ?? executors.failure,
    outage,
  };
}

/** Asks the provider; the executors are only those that were neither asked for nor are stored. */
async function askForOrganizations(
  db: Kysely<Database>,
  api: ReturnType<typeof createGameApi>,
  wanted: OrganizationIds,
  check: (() => Promise<boolean>) | undefined,
) {
  const players = wanted.corporations.filter((id) => id >= FIRST_PLAYER_CORPORATION);
  const wantedRows = await readOrganizations(db, { alliances: wanted.alliances, corporations: players });
  const members = await askAll(players, (id) => api.corporation(id), check);
  const named = [...members.answers.values()].flatMap((facts) => facts?.alliance_id ?? []);
  const namedRows = await readOrganizations(db, { alliances: [...new Set(named)], corporations: [] });
  const unregistered = named.filter((id) => !namedRows.alliances.has(id));
  const alliances = await askAll([...wanted.alliances, ...unregistered], (id) => api.alliance(id), check);
  const executorIds = [...alliances.answers.values()].flatMap(
    (facts) => facts?.executor_corporation_id ?? [],
  );
  const unasked = [...new Set(executorIds)].filter((id) => !members.answers.has(id));
  const executorRows = await readOrganizations(db, { alliances: [], corporations: unasked });
  const asRead: StoredOrganizations = {
    alliances: new Map([...wantedRows.alliances, ...namedRows.alliances]),
    corporations: new Map([...wantedRows.corporations, ...executorRows.corporations]),
  };
  const executors = await askAll(
    unasked.filter((id) => id >= FIRST_PLAYER_CORPORATION && !asRead.corporations.has(id)),
    (id) => api.corporation(id),
    check,
  );
  return { asRead, members, alliances, executors };
}

/**
 * An alliance is stored only with its executor, which must be registered or open (D39). Others wait for a later run, or
 * are closed.
 */
function readyAlliances(
  answers: Answered<AllianceFacts>,
  described: ReadonlyMap<number, OpenCorporation>,
  asRead: StoredOrganizations,
): Map<number, OpenAlliance> {
  const isReady = (id: number, executorId: number) => {
    const home = described.get(executorId)?.alliance_id;
    if (described.has(executorId) && (home === undefined || home === id || asRead.alliances.has(home)))
      return true;
    return asRead.corporations.has(executorId);
  };
  return new Map(
    [...openOnes(answers, isOpenAlliance)].filter(([id, facts]) =>
      isReady(id, facts.executor_corporation_id),
    ),
  );
}

/** Alliances without an executor among the players' corporations, and those whose executor is closed itself. */
function closedAlliances(
  answers: Answered<AllianceFacts>,
  ready: ReadonlyMap<number, OpenAlliance>,
  corporationAnswers: Answered<CorporationFacts>,
): number[] {
  return [...answers].flatMap(([id, facts]) => {
    const executorId = facts?.executor_corporation_id;
    const ends = executorId === undefined || executorId < FIRST_PLAYER_CORPORATION;
    const leaderless = executorId !== undefined && !ready.has(id) && isClosed(corporationAnswers, executorId);
    return facts !== undefined && (ends || leaderless) ? [id] : [];
  });
}

function toSnapshot(
  alliances: ReadonlyMap<number, OpenAlliance>,
  corporations: readonly (readonly [number, OpenCorporation])[],
  ceos: Awaited<ReturnType<typeof nameCeos>>,
): ProviderSnapshot {
  return {
    alliances: [...alliances].map(([alliance_id, { name, ticker, executor_corporation_id }]) => ({
      alliance_id,
      alliance_name: name,
      ticker,
      executor_corporation_id,
    })),
    corporations: corporations.map(([corporation_id, { name, ticker, alliance_id, ceo_id }]) => ({
      corporation_id,
      corporation_name: name,
      ticker,
      alliance_id: alliance_id ?? null,
      ceo_id,
      ceo_name: ceos.names.get(ceo_id) as string,
    })),
    characters: firstOfEach(
      corporations.flatMap(([corporation_id, { ceo_id }]) => {
        const character_name = ceos.newcomers.get(ceo_id);
        return character_name === undefined ? [] : [{ character_id: ceo_id, character_name, corporation_id }];
      }),
      (row) => row.character_id,
    ),
  };
}

function isOpenCorporation(facts: CorporationFacts): facts is OpenCorporation {
  return facts.ceo_id !== undefined && facts.ceo_id >= FIRST_CHARACTER;
}

function isOpenAlliance(facts: AllianceFacts): facts is OpenAlliance {
  return facts.executor_corporation_id !== undefined;
}

type Answered<T> = ReadonlyMap<number, T | undefined>;

function openOnes<T, Open extends T>(
  answers: Answered<T>,
  isOpen: (facts: T) => facts is Open,
): Map<number, Open> {
  const open = new Map<number, Open>();
  for (const [id, facts] of answers) if (facts !== undefined && isOpen(facts)) open.set(id, facts);
  return open;
}

function isClosed(answers: Answered<CorporationFacts>, id: number): boolean {
  const facts = answers.get(id);
  return facts !== undefined && !isOpenCorporation(facts);
}

function unknownOnes<T>(answers: Answered<T>): number[] {
  return [...answers].flatMap(([id, facts]) => (facts === undefined ? [id] : []));
}

/** Names of CEOs, by preference: the user's name, the provider's, the stored one, a placeholder. */
async function nameCeos(
  services: { readonly db: Kysely<Database>; readonly clock: Clock },
  client: ProviderClient,
  corporations: readonly OpenCorporation[],
  asRead: StoredOrganizations,
) {
  const ceoIds = corporations.map(({ ceo_id }) => ceo_id);
  const users = await readUserNames(services.db, ceoIds);
  const strangers = ceoIds.filter((id) => !users.has(id));
  const { found, failure } = await nameStrangers(services, client, strangers);
  const newcomers = new Map(found.map(({ id, name }) => [id, name] as const));
  const stored = [...asRead.corporations.values()].map(({ ceo_id, ceo_name }) => [ceo_id, ceo_name] as const);
  const makeshift = failure === undefined ? strangers.map((id) => [id, `#${id}`] as const) : [];
  return { names: new Map([...makeshift, ...stored, ...newcomers, ...users]), newcomers, failure };
}
