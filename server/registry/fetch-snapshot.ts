import type { Kysely } from 'kysely';
import { FIRST_PLAYER_CORPORATION } from '../access/levels.ts';
import type { Database } from '../database/tables.ts';
import { type AllianceFacts, askNames, type CorporationFacts, createGameApi } from '../provider/api.ts';
import type { ProviderClient } from '../provider/client.ts';
import type { ProviderError } from '../provider/http.ts';
import { firstOfEach } from '../shared/first-of-each.ts';
import { askAll } from './ask-all.ts';
import {
  type OrganizationIds,
  readOrganizations,
  readUserNames,
  type StoredOrganizations,
} from './organizations.queries.ts';
import { FIRST_CHARACTER, type ProviderSnapshot } from './provider-snapshot.ts';

/**
 * For a run of a job: thousands of organizations, of which some may not be answered for. It compares with what the registry
 * holds, takes a corporation's own word for where it belongs, and leaves CEOs alone that are users. Somebody who
 * waits for one body is served by `provider-snapshot.ts`, where all three are otherwise.
 */

/** What the provider says about many organizations: only what it answered. */
export interface FetchedSnapshot {
  /** Open organizations; the characters are CEOs that are no users yet. */
  readonly snapshot: ProviderSnapshot;
  /** What the registry held of all these organizations before the provider was asked. */
  readonly asRead: StoredOrganizations;
  /** Answered: the body is closed, and its last known record stays (D39). */
  readonly closed: OrganizationIds;
  /** Not known (404), or not to be had: to be asked for again later (D63b). */
  readonly missing: OrganizationIds;
  /** Why there are no answers about some of them. */
  readonly failure: ProviderError | undefined;
}

type OpenCorporation = CorporationFacts & { readonly ceo_id: number };
type OpenAlliance = AllianceFacts & { readonly executor_corporation_id: number };

/**
 * Asks for corporations and alliances, for alliances that they name and the registry lacks, and for the executors
 * of those. A corporation's own record says where it belongs: what an affiliation or a list says may be older.
 */
export async function fetchSnapshot(
  db: Kysely<Database>,
  client: ProviderClient,
  wanted: OrganizationIds,
): Promise<FetchedSnapshot> {
  const api = createGameApi(client);
  const players = wanted.corporations.filter((id) => id >= FIRST_PLAYER_CORPORATION);
  let asRead = await readOrganizations(db, { alliances: wanted.alliances, corporations: players });
  const members = await askAll(players, (id) => api.corporation(id));
  const named = [...members.answers.values()].flatMap((facts) => facts?.alliance_id ?? []);
  const namedAlliances = await readOrganizations(db, { alliances: [...new Set(named)], corporations: [] });
  const unregistered = named.filter((id) => !namedAlliances.alliances.has(id));
  const alliances = await askAll([...wanted.alliances, ...unregistered], (id) => api.alliance(id));
  const executorIds = [...alliances.answers.values()].flatMap(
    (facts) => facts?.executor_corporation_id ?? [],
  );
  const unasked = [...new Set(executorIds)].filter((id) => !members.answers.has(id));
  const knownExecutors = await readOrganizations(db, { alliances: [], corporations: unasked });
  asRead = {
    alliances: new Map([...asRead.alliances, ...namedAlliances.alliances]),
    corporations: new Map([...asRead.corporations, ...knownExecutors.corporations]),
  };
  const executors = await askAll(
    unasked.filter((id) => id >= FIRST_PLAYER_CORPORATION && !asRead.corporations.has(id)),
    (id) => api.corporation(id),
  );

  const corporationAnswers = new Map([...members.answers, ...executors.answers]);
  const corporations = openOnes(corporationAnswers, isOpenCorporation);
  const ceos = await nameCeos(db, client, [...corporations.values()], asRead);
  const described = new Map([...corporations].filter(([, { ceo_id }]) => ceos.names.has(ceo_id)));

  /** An alliance comes with its executor, which is registered or can be (D39); others wait, or are closed. */
  const isReady = (id: number, executorId: number) => {
    const home = described.get(executorId)?.alliance_id;
    if (described.has(executorId) && (home === undefined || home === id || asRead.alliances.has(home)))
      return true;
    return asRead.corporations.has(executorId);
  };
  const openAlliances = openOnes(alliances.answers, isOpenAlliance);
  const ready = new Map(
    [...openAlliances].filter(([id, facts]) => isReady(id, facts.executor_corporation_id)),
  );
  const closedAlliances = [...alliances.answers].flatMap(([id, facts]) => {
    const executorId = facts?.executor_corporation_id;
    const ends = executorId === undefined || executorId < FIRST_PLAYER_CORPORATION;
    const leaderless = executorId !== undefined && !ready.has(id) && isClosed(corporationAnswers, executorId);
    return facts !== undefined && (ends || leaderless) ? [id] : [];
  });
  const certain = new Set([...asRead.alliances.keys(), ...ready.keys(), ...closedAlliances]);
  for (const [id, facts] of alliances.answers) if (facts === undefined) certain.add(id);
  // Without a word about its alliance nothing is known about where a corporation belongs.
  const settled = [...described].filter(([, { alliance_id: id }]) => id === undefined || certain.has(id));
  const failures = [members.failure, alliances.failure, executors.failure, ceos.failure];
  return {
    snapshot: {
      alliances: [...ready].map(([alliance_id, { name, ticker, executor_corporation_id }]) => ({
        alliance_id,
        alliance_name: name,
        ticker,
        executor_corporation_id,
      })),
      corporations: settled.map(([corporation_id, { name, ticker, alliance_id, ceo_id }]) => ({
        corporation_id,
        corporation_name: name,
        ticker,
        alliance_id: alliance_id ?? null,
        ceo_id,
        ceo_name: ceos.names.get(ceo_id) as string,
      })),
      characters: firstOfEach(
        settled.flatMap(([corporation_id, { ceo_id }]) => {
          const character_name = ceos.newcomers.get(ceo_id);
          return character_name === undefined
            ? []
            : [{ character_id: ceo_id, character_name, corporation_id }];
        }),
        (row) => row.character_id,
      ),
    },
    asRead,
    closed: {
      alliances: closedAlliances,
      corporations: [...corporationAnswers.keys()].filter((id) => isClosed(corporationAnswers, id)),
    },
    missing: {
      alliances: [...unknownOnes(alliances.answers), ...alliances.failed],
      corporations: [...unknownOnes(corporationAnswers), ...members.failed],
    },
    failure: failures.find((failure) => failure !== undefined),
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

/** Names of CEOs: a user's own, the provider's, what was stored, or a makeshift one where there is none. */
async function nameCeos(
  db: Kysely<Database>,
  client: ProviderClient,
  corporations: readonly OpenCorporation[],
  asRead: StoredOrganizations,
) {
  const ceoIds = corporations.map(({ ceo_id }) => ceo_id);
  const users = await readUserNames(db, ceoIds);
  const strangers = ceoIds.filter((id) => !users.has(id));
  const { found, failure } = await askNames(client, strangers);
  const newcomers = new Map(found.flatMap(({ id, name }) => (name === '' ? [] : [[id, name] as const])));
  const stored = [...asRead.corporations.values()].map(({ ceo_id, ceo_name }) => [ceo_id, ceo_name] as const);
  const makeshift = failure === undefined ? strangers.map((id) => [id, `#${id}`] as const) : [];
  return { names: new Map([...makeshift, ...stored, ...newcomers, ...users]), newcomers, failure };
}
