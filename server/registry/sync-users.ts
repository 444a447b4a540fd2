import { FIRST_PLAYER_CORPORATION } from '../access/clearance-levels.ts';
import { sharedTime } from '../database/clock.queries.ts';
import { type Affiliation, askAffiliations, BULK } from '../provider/api.ts';
import type { ProviderClient } from '../provider/client.ts';
import { ProviderError } from '../provider/http.ts';
import { OUT_OF_TIME } from '../provider/run-client.ts';
import type { Change, Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import type { Move, Seen } from './apply-plan.queries.ts';
import { applyPlan } from './apply-plan.ts';
import { createRegistryClient, FAILURES_WITH_CHECK } from './ask-all.ts';
import { type FetchedSnapshot, fetchSnapshot } from './fetch-snapshot.ts';
import {
  type OrganizationIds,
  readOrganizations,
  type StoredOrganizations,
} from './organizations.queries.ts';
import {
  countUsers,
  noteComplete,
  type Place,
  readCursor,
  readUsers,
  saveCursor,
  saveMarks,
  type VisitedUser,
} from './sync-users.queries.ts';

/** Share of a run's time limit that is reserved for fetching the organizations of the users. */
const TIME_FOR_ORGANIZATIONS = 0.5;

/** A run is not complete when its answers lack at least so many characters, and more than this share of them. */
const [MANY_ABSENT, ABSENT_SHARE] = [20, 0.1];

/** Maximum number of organizations of each kind that a log line names. */
const MOST_NAMED = 20;

/** The corporation in which the provider shows deleted characters (provider.md §2). */
const GRAVEYARD = 1_000_001;

/** Results of a run so far. It holds differences only, so it stays small. */
interface SyncState {
  answered: number;
  /** Users whose affiliation was in an answer: `answered` without those that were refused. */
  compared: number;
  /** Left out of the answers. */
  absent: number;
  /** A character that the provider has answered. */
  known: number | undefined;
  readonly moves: Move[];
  /** Corporations that are not registered or changed their alliance, each with its present alliance. */
  readonly allegiances: Map<number, number | null>;
  /** Corporations whose CEO left or was deleted. */
  readonly leaderless: number[];
  readonly buried: number[];
  readonly risen: number[];
  readonly deleted: Seen[];
  readonly refused: number[];
  /** The cursor up to which all users were answered. */
  place: Place | undefined;
  failure: ProviderError | undefined;
}

type Needs = Pick<Services, 'db' | 'client' | 'clock' | 'log' | 'queue' | 'metrics'>;

/**
 * Updates all users' affiliations from the provider, in requests of 1,000, latest sign-ins first: moves with their
 * consequences (D19, D28), corporations that are new or changed their alliance, and deleted characters (D63b). The
 * users of deleted characters are deleted with all tokens and grants (D19b), administrators too, because nobody can
 * sign in as them any more. When the provider fails or the time limit is near, the run ends early and writes its
 * results; the next run continues there.
 */
export async function syncUsers(services: Needs, run: Run): Promise<readonly Change[]> {
  const { db, clock, log } = services;
  const startedOn = await sharedTime(db, clock);
  const client = createRegistryClient(services.client, run, FAILURES_WITH_CHECK);
  const total = await countUsers(db, startedOn);
  const visit = await visitAll(services, client, run, startedOn, total);
  const targets = visit.moves.flatMap(({ to }) => to ?? []);
  const organizations = await readOrganizations(db, {
    alliances: [...new Set(visit.allegiances.values())].flatMap((id) => id ?? []),
    corporations: [...new Set([...targets, ...visit.allegiances.keys()])],
  });
  // Users stay where they left as long as their new corporation is not answered, and it is asked for in every run. So a
  // few that always fail must not end the run for the others.
  const check = () => stillAnswers(client, visit);
  const found = await fetchSnapshot(services, client, concerned(visit, organizations), check);
  const outage = visit.failure ?? found.outage ?? absenceOf(visit);
  const failure = outage ?? found.failure;
  if (failure !== undefined) {
    log.warn(
      {
        err: failure,
        job: run.job,
        run_id: run.id,
        done: visit.answered,
        total,
        missing: firstOf(found.missing),
      },
      'the provider failed: users without an answer stay unchanged until the next run',
    );
  }
  run.signal.throwIfAborted();
  // What an outage left out would look like unchanged. A single organization that fails is left out, as by a run, and
  // so is what comes after too many ids that the game does not know.
  if (run.dryRun && outage !== undefined && outage.fault !== 'exhausted') throw outage;
  if (!run.dryRun) {
    await saveMarks(db, { ...visit, buried: [] }, await sharedTime(db, clock));
    await saveCursor(db, run.job, visit.failure && visit.place);
  }
  const changes = await applyPlan(services, run, {
    lookedAt: visit.compared,
    // A record that fails for good would keep what the guard holds from ever being listed or counted (D63).
    healthy: outage === undefined,
    complete: failure === undefined,
    snapshot: found.snapshot,
    asRead: found.asRead,
    moves: possibleMoves(visit.moves, organizations, found),
    deleted: visit.deleted,
  });
  // Not by a run that fails: its retry, seconds later, would be the second run that finds them deleted (D63b).
  run.signal.throwIfAborted();
  if (!run.dryRun) {
    await saveMarks(db, { buried: visit.buried, risen: [], refused: [] }, await sharedTime(db, clock));
    if (failure === undefined) await noteComplete(db, run.job, startedOn);
  }
  return changes;
}

function firstOf({ alliances, corporations }: OrganizationIds): OrganizationIds {
  return { alliances: alliances.slice(0, MOST_NAMED), corporations: corporations.slice(0, MOST_NAMED) };
}

/** Visits every user once: from the stored cursor to the end, then from the beginning to the cursor. */
async function visitAll(
  { db }: Pick<Services, 'db'>,
  client: ProviderClient,
  run: Run,
  startedOn: Date,
  total: number,
): Promise<SyncState> {
  const stopped = await readCursor(db, run.job);
  const visit: SyncState = {
    answered: 0,
    compared: 0,
    absent: 0,
    known: undefined,
    moves: [],
    allegiances: new Map(),
    leaderless: [],
    buried: [],
    risen: [],
    deleted: [],
    refused: [],
    place: stopped,
    failure: undefined,
  };
  const stretches = [
    { after: stopped, upTo: undefined },
    ...(stopped ? [{ after: undefined, upTo: stopped }] : []),
  ];
  for (const { after, upTo } of stretches) {
    const pages = readAhead(after, (place) => readUsers(db, { after: place, upTo, startedOn, most: BULK }));
    for await (const users of pages) {
      run.signal.throwIfAborted();
      run.progress(visit.answered, total);
      if (run.timeLeft() < TIME_FOR_ORGANIZATIONS) {
        visit.failure = new ProviderError('exhausted', OUT_OF_TIME);
        return visit;
      }
      const isFirst = visit.answered === 0;
      await visitPage(client, users, visit);
      // A run begins at the page where the last one failed. If that page fails again, the next run begins behind it, so
      // that a page that always fails cannot block all others.
      if (visit.failure === undefined || isFirst) visit.place = placeOf(users);
      if (visit.failure !== undefined) return visit;
    }
  }
  run.progress(visit.answered, total);
  return visit;
}

/**
 * The pages of users from a cursor on. The next page is read from the database while the provider is asked about the
 * present one.
 */
async function* readAhead(
  first: Place | undefined,
  read: (after: Place | undefined) => Promise<VisitedUser[]>,
): AsyncGenerator<VisitedUser[]> {
  let next = read(first);
  for (;;) {
    const users = await next;
    if (users.length === BULK) {
      next = read(placeOf(users));
      // A failure is seen when the promise is awaited. If the run ends before that, this prevents an unhandled
      // rejection.
      next.catch(() => undefined);
    }
    if (users.length > 0) yield users;
    if (users.length < BULK) return;
  }
}

function placeOf(users: readonly VisitedUser[]): Place | undefined {
  const last = users.at(-1);
  return last && { key: last.signed_in, id: last.character_id };
}

async function visitPage(
  client: ProviderClient,
  users: readonly VisitedUser[],
  visit: SyncState,
): Promise<void> {
  const { found, refused, unanswered, failure } = await askAffiliations(
    client,
    users.map((user) => user.character_id),
  );
  // If all ids were refused, the fault is the provider's, so no id is marked.
  if (found.length > 0) visit.refused.push(...refused);
  const answered = users.length - unanswered;
  const suspicion = suspicionOf(answered - (found.length > 0 ? refused.length : 0), found.length);
  visit.failure = failure ?? suspicion;
  if (suspicion !== undefined) return;
  visit.known ??= found[0]?.character_id;
  const byId = new Map(found.map((affiliation) => [affiliation.character_id, affiliation]));
  let absent = answered - refused.length;
  for (const user of users) {
    const affiliation = byId.get(user.character_id);
    // A character missing from the answer does not count as deleted (D63b).
    if (affiliation === undefined) continue;
    visit.compared += 1;
    absent -= 1;
    note(user, affiliation, visit);
  }
  visit.absent += absent;
  // Where only the rest of the page failed, as refused ids have used up the run's errors, what was answered counts.
  visit.answered += answered - absent;
}

/** Whether the provider still answers what it has answered before in this run. */
async function stillAnswers(client: ProviderClient, { known }: SyncState): Promise<boolean> {
  const { found } = await askAffiliations(client, known === undefined ? [] : [known]);
  return found.length > 0;
}

/**
 * Treats an answer that lacks most of the requested characters as a failure of the provider, whatever its status (D63).
 */
function suspicionOf(asked: number, found: number): ProviderError | undefined {
  if (asked < 2 || found * 2 >= asked) return undefined;
  return new ProviderError('unusable', `the provider answered for ${found} of ${asked} characters`);
}

/** The same where all answers of the run together lack many: a few may be unknown to the game for good (D63b). */
function absenceOf({ answered, absent }: SyncState): ProviderError | undefined {
  const asked = answered + absent;
  if (absent < MANY_ABSENT || absent <= asked * ABSENT_SHARE) return undefined;
  return new ProviderError('unusable', `the provider left out ${absent} of ${asked} characters`);
}

function note(user: VisitedUser, { corporation_id, alliance_id }: Affiliation, visit: SyncState): void {
  const { character_id, signed_in, guest, marked, buried, corporation_id: from } = user;
  const leads = user.ceo && from !== null;
  if (corporation_id === GRAVEYARD) {
    if (leads && !marked) visit.leaderless.push(from);
    if (buried) visit.deleted.push({ character_id, signed_in });
    else visit.buried.push(character_id);
    return;
  }
  if (marked) visit.risen.push(character_id);
  const to = corporation_id < FIRST_PLAYER_CORPORATION ? null : corporation_id;
  if (leads && to !== from) visit.leaderless.push(from);
  // A guest stays unchanged until it joins its host (D28).
  if (guest ? to === from : to !== from) visit.moves.push({ character_id, signed_in, from, to, guest });
  else if (guest) return;
  const allianceId = alliance_id ?? null;
  if (to !== null && (to !== from || allianceId !== user.alliance_id)) visit.allegiances.set(to, allianceId);
}

/**
 * The organizations to fetch: corporations that are new, changed their alliance or lost their CEO, and the registered
 * alliances that they left or joined.
 */
function concerned(
  { allegiances, leaderless }: SyncState,
  organizations: StoredOrganizations,
): OrganizationIds {
  const alliances = new Set<number>();
  const corporations = [...leaderless];
  for (const [id, allianceId] of allegiances) {
    const stored = organizations.corporations.get(id);
    if (stored?.alliance_id === allianceId) continue;
    corporations.push(id);
    if (stored === undefined) continue;
    // The alliance's executor may have changed with it.
    if (stored.alliance_id !== null) alliances.add(stored.alliance_id);
    if (allianceId !== null && organizations.alliances.has(allianceId)) alliances.add(allianceId);
  }
  return { alliances: [...alliances], corporations };
}

/**
 * The moves whose target corporation is registered or in the snapshot. A closed corporation that was never registered
 * counts as no corporation; if nothing is known about the target, the user is not moved until the next run.
 */
function possibleMoves(
  moves: readonly Move[],
  organizations: StoredOrganizations,
  { snapshot, closed }: FetchedSnapshot,
): Move[] {
  const registered = new Set(organizations.corporations.keys());
  for (const found of snapshot.corporations) registered.add(found.corporation_id);
  const none = new Set(closed.corporations);
  return moves.flatMap((move): Move[] => {
    if (move.to === null || registered.has(move.to)) return [move];
    return none.has(move.to) && move.from !== null ? [{ ...move, to: null }] : [];
  });
}
