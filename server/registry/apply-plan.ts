import type { Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { revokeGrants } from '../grant/revoke.ts';
import { ensureAutogroups } from '../group/autogroup.queries.ts';
import { guardMassChange } from '../guard/mass-change-guard.ts';
import type { Change, Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { endSessions, endUnwelcome } from '../session/end-sessions.ts';
import { chunksOf } from '../shared/chunks.ts';
import {
  type ChangedStanding,
  compareStandings,
  storeStandings,
  type Touched,
} from '../standing/standing.queries.ts';
import { deleteUsers } from '../user/user.queries.ts';
import { findTokenLosers, lockDeleted, type Move, moveUsers, type Seen } from './apply-plan.queries.ts';
import {
  type OrganizationIds,
  readOrganizations,
  readUserNames,
  type StoredOrganizations,
  unmarkRefreshed,
} from './organizations.queries.ts';
import type { ProviderSnapshot } from './provider-snapshot.ts';
import { raiseCeos } from './save-snapshot.queries.ts';
import { saveSnapshot } from './save-snapshot.ts';

/** Everything that a run wants to write, gathered before the first write. */
export interface SyncPlan {
  /** Users that were looked at. */
  readonly lookedAt: number;
  /** Whether the provider answered everything. */
  readonly healthy: boolean;
  /** Organizations as the provider has them, and users to be registered. */
  readonly snapshot: ProviderSnapshot;
  /** What the registry held of those organizations when the provider was asked. */
  readonly asRead: StoredOrganizations;
  readonly moves: readonly Move[];
  /** Deleted characters (D63b). */
  readonly deleted: readonly Seen[];
  /** Organizations in the snapshot about which not everything is known yet, and when they count as refreshed. */
  readonly unfinished?: readonly { readonly ids: OrganizationIds; readonly refreshedOn: Date }[];
}

/** Bounds the mails of all their mailboxes, which are named one by one when they are deleted. */
const DELETED_AT_ONCE = 100;

type Needs = Pick<Services, 'db' | 'clock' | 'log' | 'queue' | 'metrics'>;

/** Thrown to undo what was only tried, or was too much. */
class RolledBack extends Error {
  readonly changes: readonly Change[];
  constructor(changes: readonly Change[]) {
    super('undone');
    this.changes = changes;
  }
}

/**
 * Writes a plan in one transaction, or nothing of it: when the run is dry, or would take too much away (D63).
 * What somebody else has written since the run read it stays. Returns what changed, or would.
 */
export async function applyPlan(services: Needs, run: Run, plan: SyncPlan): Promise<readonly Change[]> {
  const { alliances, corporations, characters } = plan.snapshot;
  const size = alliances.length + corporations.length + characters.length;
  if (size + plan.moves.length + plan.deleted.length === 0) {
    const { lookedAt, healthy } = plan;
    // What was held before is not found any more.
    await guardMassChange(services.db, services, run, { lookedAt, losers: [], changes: '', healthy });
    return [];
  }
  try {
    return await inTransaction(services.db, (tx) => write(services, tx, run, plan));
  } catch (error) {
    if (error instanceof RolledBack) return error.changes;
    throw error;
  }
}

async function write(
  services: Needs,
  tx: Transaction<Database>,
  run: Run,
  plan: SyncPlan,
): Promise<readonly Change[]> {
  const { lookedAt, healthy, moves } = plan;
  const now = services.clock.now();
  const ids = {
    alliances: plan.snapshot.alliances.map((row) => row.alliance_id),
    corporations: plan.snapshot.corporations.map((row) => row.corporation_id),
  };
  const before = await readOrganizations(tx, ids, 'lock');
  const users = await readUserNames(
    tx,
    plan.snapshot.characters.map((row) => row.character_id),
  );
  const snapshot = stillAsRead(plan, before, users);
  const homes = [...new Set(moves.flatMap(({ to }) => to ?? []))];
  await storeStandings(tx, touchedBy(snapshot, before, moves, homes));
  if (ids.alliances.length + ids.corporations.length + snapshot.characters.length > 0) {
    await saveSnapshot(tx, snapshot, now);
    for (const { ids, refreshedOn } of plan.unfinished ?? []) await unmarkRefreshed(tx, ids, refreshedOn);
  }
  if (moves.length > 0) {
    await moveUsers(tx, moves, now);
    await raiseCeos(tx, homes, now);
    await ensureAutogroups(tx, { corporations: homes }, now);
  }
  const deleted = await lockDeleted(tx, plan.deleted);
  const standings = await compareStandings(tx);
  const losing = standings.filter(({ loses }) => loses);
  const losers = [
    ...losing.map((row) => row.character_id),
    ...deleted,
    ...(await findTokenLosers(tx, deleted)),
  ];
  const changes = [
    ...organizationChanges(before, await readOrganizations(tx, ids)),
    ...snapshot.characters.map((row) => ({ character_id: row.character_id, registered: row.corporation_id })),
    ...standings.flatMap(userChange),
    ...deleted.map((character_id) => ({ character_id, deleted: true })),
  ];
  const text = JSON.stringify([losing.map(userLoss), deleted]);
  const losses = { lookedAt, losers: [...new Set(losers)], changes: text, healthy };
  if (run.dryRun || !(await guardMassChange(tx, services, run, losses))) throw new RolledBack(changes);
  for (const some of chunksOf(deleted, DELETED_AT_ONCE)) {
    await revokeGrants(tx, services.queue, some);
    await endSessions(services, tx, some);
    await deleteUsers(tx, some, { by: null, now });
  }
  await endUnwelcome(services, tx, { users: standings.map((row) => row.character_id) });
  return changes;
}

/** Leaves out organizations that somebody else refreshed meanwhile, and users that exist by now. */
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

function touchedBy(
  { alliances, corporations }: ProviderSnapshot,
  before: StoredOrganizations,
  moves: readonly Move[],
  homes: readonly number[],
): Touched {
  const moving = corporations.filter((found) => {
    const stored = before.corporations.get(found.corporation_id);
    return stored !== undefined && stored.alliance_id !== found.alliance_id;
  });
  const executors = alliances.flatMap((found) => [
    found.executor_corporation_id,
    before.alliances.get(found.alliance_id)?.executor_corporation_id ?? found.executor_corporation_id,
  ]);
  return {
    users: [...moves.map((move) => move.character_id), ...corporations.map((found) => found.ceo_id)],
    corporations: moving.map((found) => found.corporation_id),
    led: [...corporations.map((found) => found.corporation_id), ...homes, ...executors],
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

/** Which of the named fields differ, as [from, to]. */
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

function userChange({ character_id, from, to, from_level, to_level }: ChangedStanding): Change[] {
  const moved = from !== to;
  const ranked = from_level !== to_level;
  if (!moved && !ranked) return [];
  return [
    {
      character_id,
      ...(moved && { corporation: [from, to] }),
      ...(ranked && { level: [from_level, to_level] }),
    },
  ];
}

function userLoss({ character_id, from, to, from_level, to_level }: ChangedStanding) {
  return [character_id, from, to, from_level, to_level];
}
