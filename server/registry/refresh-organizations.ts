import { inTransaction } from '../database/transaction.ts';
import { findHeldOn } from '../guard/held.queries.ts';
import { askMembers, createGameApi, MEMBERSHIP_SCOPE } from '../provider/api.ts';
import type { ProviderClient } from '../provider/client.ts';
import { ProviderError } from '../provider/http.ts';
import type { Change, Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { firstOfEach } from '../shared/first-of-each.ts';
import { applyPlan } from './apply-plan.ts';
import { type Answers, askAll, createRegistryClient } from './ask-all.ts';
import { fetchSnapshot } from './fetch-snapshot.ts';
import { idsOf } from './lock-snapshot.ts';
import { nameStrangers } from './name-strangers.ts';
import {
  markRefreshed,
  type OrganizationIds,
  readDue,
  readOrganizations,
  type StoredOrganizations,
  unmarkRefreshed,
} from './organizations.queries.ts';
import { fetchMembers, type ProviderSnapshot, type SnapshotCharacter } from './provider-snapshot.ts';
import {
  countPeople,
  type Lister,
  readListers,
  withoutMembership,
  withoutUsers,
} from './refresh-organizations.queries.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/**
 * Milliseconds after which an organization is refreshed again. Together with 15 minutes between two runs and the hour
 * for which the provider caches its answers, a new CEO is known within two hours (D39).
 */
const GOOD_FOR = 40 * MINUTE;
/**
 * Organizations per run; the rest waits for the next one. Within two hours: 4,000 alliances and 16,000 corporations.
 */
const MOST = { alliances: 500, corporations: 2_000 } as const;
/** Members of one corporation whose grants are tried before its member list counts as unavailable. */
const MOST_LISTERS = 3;

type Needs = Pick<Services, 'db' | 'client' | 'clock' | 'log' | 'queue' | 'metrics'>;

/**
 * Refreshes the alliances and corporations that were not refreshed for 40 minutes (due or not in a run that an
 * administrator requested), oldest first and up to {@link MOST}, and the levels that follow from them (D19). Registers
 * what is missing: corporations of these alliances and, where a member's grant allows reading the member list, the
 * members. Requests are conditional (ETag), so unchanged records cost the provider nothing. A closed organization keeps
 * its last known record (D39); what the provider did not answer stays unchanged and due.
 */
export async function refreshOrganizations(services: Needs, run: Run): Promise<readonly Change[]> {
  const { db, clock, log } = services;
  const startedOn = clock.now();
  const client = createRegistryClient(services.client, run);
  const dueAtOnce = new Date(startedOn.getTime() - GOOD_FOR);
  // A record that fails every time must not delay all others, so it is due again only in an hour.
  const dueInAnHour = new Date(dueAtOnce.getTime() + HOUR);
  // No right clock writes a later time while this runs.
  const latest = new Date(startedOn.getTime() + HOUR);
  // What was due when the guard held something back is not put off: runs that leave it out would forget that (D63). But
  // for an hour only: one that fails for good would keep what is held from ever being counted.
  const heldOn = await findHeldOn(db, run.job);
  const isRecent = heldOn !== undefined && startedOn.getTime() - heldOn.getTime() < HOUR;
  const after = isRecent ? new Date(heldOn.getTime() - GOOD_FOR) : undefined;
  const putOff = { on: dueInAnHour, latest, after };
  const due = await readDue(db, { before: run.asked ? latest : dueAtOnce, latest }, MOST);
  // What this run does not store stays due: a later one that left it out would forget what the guard held back (D63).
  if (run.asked && !run.dryRun) {
    await inTransaction(db, async (tx) => {
      await readOrganizations(tx, due, 'lock');
      await unmarkRefreshed(tx, due, dueAtOnce);
    });
  }
  const total = due.alliances.length + due.corporations.length;
  run.progress(0, total);
  const found = await fetchSnapshot(services, client, due);
  const joining = await findJoining(services, client, due.alliances);
  const members = await findPeople(services, client, due.corporations);
  run.progress(total, total);
  run.signal.throwIfAborted();
  const failure = found.failure ?? joining.failure ?? members.failure;
  if (failure !== undefined) {
    log.warn(
      { err: failure, job: run.job, run_id: run.id, total },
      'the provider failed: records without an answer stay unchanged until the next run',
    );
  }
  const snapshot = merge(found.snapshot, joining.snapshot, members.people);
  const compared = snapshot.alliances.length + snapshot.corporations.length;
  // Single records that fail are left out, as by a run, and so is what comes after too many that the game does not know.
  // What an outage left out would look like unchanged.
  const away = failure?.fault !== 'exhausted' && (client.stopped !== undefined || compared === 0);
  if (run.dryRun && failure !== undefined && away) throw failure;
  const unread = { alliances: joining.unread, corporations: members.unread };
  const failed = { alliances: joining.failed, corporations: members.failed };
  if (!run.dryRun) {
    await markRefreshed(db, without(found.closed, unread), { on: startedOn, latest });
    await markRefreshed(db, found.missing, putOff);
  }
  const asRead = {
    alliances: found.asRead.alliances,
    corporations: new Map([...joining.asRead.corporations, ...found.asRead.corporations]),
  };
  const changes = await applyPlan(services, run, {
    lookedAt: await countPeople(db, idsOf(snapshot).corporations),
    healthy: failure === undefined,
    complete: found.missing.alliances.length + found.missing.corporations.length === 0,
    snapshot,
    asRead,
    moves: [],
    deleted: [],
    // Organizations whose lists could not be read are stored as fetched, but stay due.
    unfinished: [
      { ids: without(unread, failed), refreshedOn: dueAtOnce },
      { ids: failed, refreshedOn: dueInAnHour },
    ],
  });
  // After the plan is applied: an organization marked before would look as if somebody else had refreshed it.
  if (!run.dryRun) await markRefreshed(db, failed, putOff);
  return changes;
}

function without(ids: OrganizationIds, others: OrganizationIds): OrganizationIds {
  const alliances = new Set(others.alliances);
  const corporations = new Set(others.corporations);
  return {
    alliances: ids.alliances.filter((id) => !alliances.has(id)),
    corporations: ids.corporations.filter((id) => !corporations.has(id)),
  };
}

/** Merges snapshots; of an organization or character that occurs in several the first counts. */
function merge(
  found: ProviderSnapshot,
  joining: ProviderSnapshot,
  people: readonly SnapshotCharacter[],
): ProviderSnapshot {
  return {
    alliances: found.alliances,
    corporations: firstOfEach([...found.corporations, ...joining.corporations], (row) => row.corporation_id),
    characters: firstOfEach(
      [...found.characters, ...joining.characters, ...people],
      (row) => row.character_id,
    ),
  };
}

/** Result of reading the lists of members. */
interface Lists {
  /** Organizations whose list is not known; `failed` are those of them whose request failed. */
  readonly unread: readonly number[];
  readonly failed: readonly number[];
  readonly failure: ProviderError | undefined;
}

function unreadOf(ids: readonly number[], { answers, failed }: Answers<unknown>) {
  return { unread: ids.filter((id) => !answers.has(id)), failed };
}

const NOTHING: ProviderSnapshot = { alliances: [], corporations: [], characters: [] };

/**
 * Corporations that are in the lists of these alliances and confirm it in their own record, but are not stored as
 * members.
 */
async function findJoining(
  { db }: Needs,
  client: ProviderClient,
  allianceIds: readonly number[],
): Promise<Lists & { snapshot: ProviderSnapshot; asRead: StoredOrganizations }> {
  const api = createGameApi(client);
  const lists = await askAll(allianceIds, (id) => api.allianceCorporations(id));
  const listed = [...lists.answers].flatMap(([alliance_id, ids]) =>
    ids.map((corporation_id) => ({ alliance_id, corporation_id })),
  );
  const missing = listed.length === 0 ? [] : await withoutMembership(db, listed);
  const asRead = await readOrganizations(db, {
    alliances: [],
    corporations: missing.map((row) => row.corporation_id),
  });
  const alliances = new Set(missing.map((row) => row.alliance_id));
  const found = await askAll(alliances, (id) =>
    fetchMembers(
      api,
      id,
      missing.flatMap((row) => (row.alliance_id === id ? [row.corporation_id] : [])),
    ),
  );
  const snapshot = [...found.answers.values()].reduce(
    (all, answer) => merge(all, answer.snapshot, []),
    NOTHING,
  );
  const unanswered = [...found.answers.values()].flatMap(({ failed }) => failed).length;
  const failure =
    lists.failure ??
    found.failure ??
    (unanswered === 0
      ? undefined
      : new ProviderError('unusable', `${unanswered} corporations could not be asked for`));
  return { ...unreadOf(allianceIds, lists), snapshot, asRead, failure };
}

/** Members of these corporations that are not users yet, where a member's grant allows reading the list. */
async function findPeople(
  services: Pick<Needs, 'db' | 'clock'>,
  client: ProviderClient,
  corporationIds: readonly number[],
): Promise<Lists & { people: SnapshotCharacter[] }> {
  const { db } = services;
  const listers = await readListers(db, corporationIds, MEMBERSHIP_SCOPE, MOST_LISTERS);
  const lists = await askAll(
    listers.map((lister) => lister.corporation_id),
    (id) =>
      listMembers(
        client,
        id,
        listers.filter((lister) => lister.corporation_id === id),
      ),
  );
  const homes = new Map([...lists.answers].flatMap(([id, members]) => members.map((member) => [member, id])));
  const strangers = await withoutUsers(db, [...homes.keys()]);
  const { found, failure } = await nameStrangers(services, client, [...strangers]);
  const people = found.flatMap(({ id, name }) => {
    const corporation_id = homes.get(id);
    return corporation_id === undefined ? [] : [{ character_id: id, character_name: name, corporation_id }];
  });
  const listed = listers.map((lister) => lister.corporation_id);
  return { ...unreadOf(listed, lists), people, failure: lists.failure ?? failure };
}

/** The list as the first of these characters may read it; empty when none may, or their grants no longer work. */
async function listMembers(client: ProviderClient, corporationId: number, listers: readonly Lister[]) {
  let exhausted: ProviderError | undefined;
  for (const { character_id } of listers) {
    try {
      const members = await askMembers(client, corporationId, character_id);
      if (members !== undefined) return members;
    } catch (error) {
      if (!(error instanceof ProviderError) || !(error.fault === 'no-token' || error.ofCharacter))
        throw error;
      if (error.ofCharacter) exhausted = error;
    }
  }
  if (exhausted !== undefined) throw exhausted;
  return [];
}
