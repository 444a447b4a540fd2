import type { Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';
import { inTransactionIfKept, type Outcome } from '../database/transaction.ts';
import { recordEvents, userTarget } from '../event/record.ts';
import { ensureAutogroups } from '../group/autogroup.queries.ts';
import { lockGroupsOf } from '../group/group.queries.ts';
import type { Detail } from '../guard/held-event.ts';
import { guardMassChange, type Refusal, storeRefusal } from '../guard/mass-change-guard.ts';
import type { Change, Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcome } from '../session/end-sessions.ts';
import { chunksOf } from '../shared/chunks.ts';
import type { Touched } from '../standing/standing.queries.ts';
import {
  changedStandings,
  loses,
  recordStandings,
  type StandingChange,
  standingDetails,
} from '../standing/standing-events.ts';
import { removeUsers } from '../user/remove-users.ts';
import { findTokenLosers, lockDeleted, type Move, moveUsers, type Seen } from './apply-plan.queries.ts';
import { charactersOf, idsOf, lockOrganizations, lockTouched, touchedBy } from './lock-snapshot.ts';
import { organizationDetails, organizationEvents } from './organization-events.ts';
import {
  type OrganizationIds,
  readOrganizations,
  readUserNames,
  type StoredOrganizations,
  unmarkRefreshed,
} from './organizations.queries.ts';
import type { ProviderSnapshot } from './provider-snapshot.ts';
import { raiseCeos } from './save-snapshot.queries.ts';
import { writeSnapshot } from './save-snapshot.ts';

/** All changes that a run will write, collected before the first write. */
export interface SyncPlan {
  /** Number of users that were compared. */
  readonly lookedAt: number;
  /** Whether the provider answered all requests of the run, but for records for which alone it fails. */
  readonly healthy: boolean;
  /** False when the provider did not know something that it was asked for, or did not answer. */
  readonly complete?: boolean;
  /** Organizations as the provider described them, and users to register. */
  readonly snapshot: ProviderSnapshot;
  /** The stored organizations when the provider was asked, to detect concurrent changes. */
  readonly asRead: StoredOrganizations;
  readonly moves: readonly Move[];
  /** Deleted characters (D63b). */
  readonly deleted: readonly Seen[];
  /** Organizations in the snapshot that need another refresh, and the time of refresh to store for them. */
  readonly unfinished?: readonly { readonly ids: OrganizationIds; readonly refreshedOn: Date }[];
}

/** Users deleted in one statement: limits the mail rows that are deleted with them. */
const DELETED_AT_ONCE = 100;

type Needs = Pick<Services, 'db' | 'clock' | 'log' | 'queue' | 'metrics'>;

/**
 * Writes a plan in one transaction. Rolls back when the run is a dry run, or when the mass-change guard holds it back
 * (D63). Rows that somebody else has changed since the run read them are left alone. Returns the changes that were, or
 * would be, made.
 */
export async function applyPlan(services: Needs, run: Run, plan: SyncPlan): Promise<readonly Change[]> {
  const { alliances, corporations, characters } = plan.snapshot;
  const size = alliances.length + corporations.length + characters.length;
  if (size + plan.moves.length + plan.deleted.length === 0) {
    const { lookedAt, healthy, complete = true } = plan;
    // This plan is empty, so the guard may forget the changes that it held back before.
    const losses = { lookedAt, losses: [], details: () => [], healthy, complete };
    await guardMassChange(services.db, services, run, losses);
    return [];
  }
  const { changes, refusal } = await inTransactionIfKept(services.db, (tx) => write(services, tx, run, plan));
  await storeRefusal(services, refusal);
  return changes;
}

interface Written {
  readonly changes: readonly Change[];
  readonly refusal: Refusal | undefined;
}

async function write(
  services: Needs,
  tx: Transaction<Database>,
  run: Run,
  plan: SyncPlan,
): Promise<Outcome<Written>> {
  const { lookedAt, healthy, complete = true, moves } = plan;
  const ids = idsOf(plan.snapshot);
  const before = await lockOrganizations(tx, plan.snapshot);
  const users = await readUserNames(tx, charactersOf(plan.snapshot));
  const snapshot = stillAsRead(plan, before, users);
  const homes = [...new Set(moves.flatMap(({ to }) => to ?? []))];
  const touched = withMoves(touchedBy(snapshot, before), moves, homes);
  await lockGroupsOf(
    tx,
    plan.deleted.map((seen) => seen.character_id),
  );
  const standings = await lockTouched(tx, snapshot, before, touched);
  // After the wait for locks, so that no later time is overwritten.
  const now = services.clock.now();
  if (ids.alliances.length + ids.corporations.length + snapshot.characters.length > 0) {
    await writeSnapshot(tx, snapshot, standings, now);
    for (const { ids, refreshedOn } of plan.unfinished ?? []) await unmarkRefreshed(tx, ids, refreshedOn);
  }
  if (moves.length > 0) {
    await moveUsers(tx, moves, now);
    await raiseCeos(tx, homes, [...standings.keys()], now);
    await ensureAutogroups(tx, { corporations: homes }, now);
  }
  const deleted = await lockDeleted(tx, plan.deleted);
  const changed = await changedStandings(tx, standings, { users: charactersOf(snapshot) });
  const losing = changed.filter(loses);
  const tokenLosers = await findTokenLosers(tx, deleted);
  const after = await readOrganizations(tx, ids);
  const changes = [
    ...organizationChanges(before, after),
    ...snapshot.characters.map((row) => ({ character_id: row.character_id, registered: row.corporation_id })),
    ...changed.flatMap(userChange),
    ...deleted.map((character_id) => ({ character_id, deleted: true })),
  ];
  // All that is shown of the losers: an approval of these changes must let no others pass.
  const lost = standingDetails(losing);
  const losses = [
    ...lost.map(({ target, changes }) => [Number(target.id), JSON.stringify(changes)] as const),
    ...deleted.map((id) => [id, 'deleted'] as const),
    ...tokenLosers.map((id) => [id, 'tokens'] as const),
  ];
  const details = () => [
    ...organizationDetails(before, after),
    ...deleted.map((id) => detail(id, 'deleted', false, true)),
    ...lost,
    ...tokenLosers.map((id) => detail(id, 'tokens', 'valid', 'deleted')),
  ];
  const found = { lookedAt, losses, details, healthy, complete };
  const refusal = await guardMassChange(tx, services, run, found);
  const result = { changes, refusal };
  if (run.dryRun || refusal !== undefined) return { result, kept: false };
  await recordEvents(tx, organizationEvents(before, after), now);
  await recordStandings(tx, changed, now);
  for (const some of chunksOf(deleted, DELETED_AT_ONCE)) {
    await removeUsers(services, tx, some, { by: null, now });
  }
  await endUnwelcome(services, tx, { users: changed.flatMap(({ after }) => after?.character_id ?? []) });
  return { result, kept: true };
}

/**
 * Removes from the snapshot organizations that another transaction refreshed meanwhile, and users that exist by now.
 */
function stillAsRead(
  { snapshot, asRead }: SyncPlan,
  stored: StoredOrganizations,
  users: ReadonlyMap<number, string>,
): ProviderSnapshot {
  const isSame = (one: { refreshed_on: Date } | undefined, other: { refreshed_on: Date } | undefined) =>
    one?.refreshed_on.getTime() === other?.refreshed_on.getTime();
  return {
    alliances: snapshot.alliances.filter(({ alliance_id: id }) =>
      isSame(asRead.alliances.get(id), stored.alliances.get(id)),
    ),
    corporations: snapshot.corporations.filter(({ corporation_id: id }) =>
      isSame(asRead.corporations.get(id), stored.corporations.get(id)),
    ),
    characters: snapshot.characters.filter((row) => !users.has(row.character_id)),
  };
}

function withMoves(touched: Touched, moves: readonly Move[], homes: readonly number[]): Touched {
  const { users = [], led = [] } = touched;
  return {
    ...touched,
    users: [...users, ...moves.map((move) => move.character_id)],
    led: [...led, ...homes],
  };
}

function organizationChanges(before: StoredOrganizations, after: StoredOrganizations): Change[] {
  return [
    ...[...after.alliances.values()].flatMap((now) =>
      change({ alliance_id: now.alliance_id }, before.alliances.get(now.alliance_id), now, {
        name: 'alliance_name',
        ticker: 'ticker',
        executor: 'executor_corporation_id',
      }),
    ),
    ...[...after.corporations.values()].flatMap((now) =>
      change({ corporation_id: now.corporation_id }, before.corporations.get(now.corporation_id), now, {
        name: 'corporation_name',
        ticker: 'ticker',
        alliance: 'alliance_id',
        ceo: 'ceo_id',
      }),
    ),
  ];
}

/** The fields of `names` that differ, each as [from, to]. */
function change<T extends object>(
  which: Change,
  before: T | undefined,
  after: T,
  fields: Readonly<Record<string, keyof T>>,
): Change[] {
  if (before === undefined) return [{ ...which, registered: true }];
  const differing = Object.entries(fields).filter(([, field]) => before[field] !== after[field]);
  if (differing.length === 0) return [];
  return [
    {
      ...which,
      ...Object.fromEntries(differing.map(([name, field]) => [name, [before[field], after[field]]])),
    },
  ];
}

function detail(id: number, field: string, before: string | boolean, after: string | boolean): Detail {
  return { target: userTarget(id), changes: [{ field, before, after }] };
}

function userChange({ before, after }: StandingChange): Change[] {
  if (before === undefined || after === undefined) return [];
  const moved = before.corporation_id !== after.corporation_id;
  const ranked = before.clearance_level !== after.clearance_level;
  if (!moved && !ranked) return [];
  return [
    {
      character_id: before.character_id,
      ...(moved && { corporation: [before.corporation_id, after.corporation_id] }),
      ...(ranked && { level: [before.clearance_level, after.clearance_level] }),
    },
  ];
}
