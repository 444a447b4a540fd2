import type { Transaction } from 'kysely';
import type { Coalition, PostCoalition, PutCoalition } from '../../contract/coalition.ts';
import { type Admission, readmit } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { ADMINISTRATOR_LEVEL, isAdministrator } from '../access/clearance-levels.ts';
import { requireAuthorityOverAll } from '../access/require-authority.ts';
import { nameKey } from '../database/name-key.ts';
import { objectId } from '../database/object-id.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { ensureAutogroups, lockGrouping } from '../group/autogroup.queries.ts';
import { forgetDeleted } from '../policy/forget-deleted.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcome } from '../session/end-sessions.ts';
import { forbidden, notFound, notFoundAmong } from '../shared/domain-error.ts';
import { changeList, difference, isEmpty, type ListChange, mentioned } from '../shared/list-change.ts';
import { findAutogroups, readStandings } from '../standing/read-standings.queries.ts';
import {
  changedStandings,
  LOGIN,
  LOGIN_AND_COALITIONS,
  recordStandings,
} from '../standing/standing-events.ts';
import {
  type ByKind,
  type CoalitionRow,
  changeMembers,
  deleteCoalition,
  findCoalition,
  findMembers,
  insertCoalition,
  lockCoalition,
  setCoalition,
} from './coalition.queries.ts';
import {
  recordAutogroupsDeleted,
  recordCoalitionCreated,
  recordCoalitionDeleted,
  recordCoalitionUpdated,
} from './coalition-events.ts';

function toCoalition(row: CoalitionRow): Coalition {
  return { ...row, created_on: row.created_on.toISOString(), updated_on: row.updated_on.toISOString() };
}

export async function getCoalition({ db }: Pick<Services, 'db'>, coalitionId: string): Promise<Coalition> {
  const row = await findCoalition(db, coalitionId);
  if (row === undefined) throw notFound('coalition', coalitionId);
  return toCoalition(row);
}

/** Creates a coalition without members, which allows its members to log in (D27); 409 when the name is taken (D7). */
export async function createCoalition(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  admission: Admission,
  { coalition_name, ticker }: PostCoalition,
): Promise<Coalition> {
  const now = clock.now();
  const coalition = {
    coalition_id: objectId(now),
    coalition_name,
    ticker,
    authorized_to_login: true,
    mandatory_ext_scopes: [],
    created_on: now,
    updated_on: now,
  };
  await inTransaction(db, async (tx) => {
    await readmit(tx, admission);
    await insertCoalition(tx, { ...coalition, name_key: nameKey(coalition_name) });
    await recordCoalitionCreated(tx, coalition, now);
  });
  // Not read back, because another request may have deleted it by now.
  return toCoalition({ ...coalition, member_alliances: [], member_corporations: [] });
}

/** Applies an update atomically; updates of one coalition run one after another. */
export async function updateCoalition(
  services: Pick<Services, 'db' | 'clock' | 'queue' | 'touches'>,
  admission: Admission,
  coalitionId: string,
  body: PutCoalition,
): Promise<Coalition> {
  const { db, clock } = services;
  return inTransaction(db, async (tx) => {
    const before = await lockCoalition(tx, coalitionId);
    const now = clock.now();
    const caller = await readmit(tx, admission);
    if (before === undefined) throw notFound('coalition', coalitionId);
    const { alliances, corporations, bars, grouped } = await findMoves(tx, coalitionId, body);
    const moved = !isEmpty(alliances) || !isEmpty(corporations);
    if (moved && bars) requireRightToBar(caller);
    const moving = {
      alliances: [...alliances.added, ...alliances.removed],
      corporations: [...corporations.added, ...corporations.removed],
    };
    await requireAuthorityOverAll(tx, caller, moving);
    const after = {
      authorized_to_login: body.authorized_to_login ?? before.authorized_to_login,
      mandatory_ext_scopes:
        body.mandatory_ext_scopes == null
          ? before.mandatory_ext_scopes
          : [...new Set(body.mandatory_ext_scopes)].sort(),
      ticker: body.ticker ?? before.ticker,
    };
    const sameLogin = after.authorized_to_login === before.authorized_to_login;
    const all = {
      coalitions: [coalitionId],
      alliances: alliances.added,
      corporations: corporations.added,
    };
    // Who stays is affected by what the coalition says and by an autogroup that it gets, not by who else is in it.
    const stayersMatter = !grouped || !sameForMembers(before, after);
    const rehearsed = await services.touches(tx, stayersMatter ? all : moving);
    if (moved && !rehearsed) await lockGrouping(tx, true);
    // A login that changes meanwhile for somebody else is told by whoever changes it (D91).
    const standings = moved || !sameLogin ? await readStandings(tx, sameLogin ? moving : all) : undefined;
    await changeMembers(tx, coalitionId, 'alliances', alliances);
    await changeMembers(tx, coalitionId, 'corporations', corporations);
    if (moved || !sameValues(before, after)) {
      await setCoalition(tx, coalitionId, { ...after, updated_on: now });
    }
    const cause = await recordCoalitionUpdated(
      tx,
      coalitionId,
      before,
      after,
      { alliances, corporations },
      now,
    );
    if (moved) await ensureAutogroups(tx, { coalitions: [coalitionId], regrouped: true, rehearsed }, now);
    if (standings !== undefined) {
      const own = moved ? LOGIN_AND_COALITIONS : LOGIN;
      await recordStandings(tx, await changedStandings(tx, standings, {}, own), now, cause);
      await endUnwelcome(services, tx, { coalitions: [coalitionId], users: [...standings.keys()] });
    }
    return getCoalition({ db: tx }, coalitionId);
  });
}

/** The members that actually join and leave; 404 for an id that is not registered. */
async function findMoves(tx: Transaction<Database>, coalitionId: string, body: PutCoalition) {
  const asked = memberChanges(body);
  const { members, bars, grouped, unregistered } = await findMembers(tx, coalitionId, {
    alliances: [...mentioned(asked.alliances)],
    corporations: [...mentioned(asked.corporations)],
  });
  requireNone('alliance', unregistered.alliances);
  requireNone('corporation', unregistered.corporations);
  return {
    alliances: changes(members.alliances, asked.alliances),
    corporations: changes(members.corporations, asked.corporations),
    bars,
    grouped,
  };
}

/**
 * Requires level 9 while the coalition forbids its members to log in: joining shuts members out, and leaving lets them
 * in (D14).
 */
function requireRightToBar({ level }: Caller): void {
  if (isAdministrator(level)) return;
  const to = 'adding or removing members of a coalition whose authorized_to_login is false';
  throw forbidden({ level: ADMINISTRATOR_LEVEL, has: level, to });
}

function memberChanges(body: PutCoalition): ByKind<ListChange<number>> {
  return {
    alliances: {
      add: body.add_member_alliances,
      replace: body.member_alliances,
      remove: body.remove_member_alliances,
    },
    corporations: {
      add: body.add_member_corporations,
      replace: body.member_corporations,
      remove: body.remove_member_corporations,
    },
  };
}

function changes(members: readonly number[], asked: ListChange<number>) {
  const before = new Set(members);
  return difference(before, changeList(before, asked));
}

function requireNone(kind: string, unregistered: readonly number[]): void {
  if (unregistered.length > 0) throw notFoundAmong(kind, unregistered);
}

type Values = Pick<CoalitionRow, 'authorized_to_login' | 'mandatory_ext_scopes' | 'ticker'>;

function sameValues(one: Values, other: Values): boolean {
  return one.ticker === other.ticker && sameForMembers(one, other);
}

/** Whether the values are the same that affect what members may do. */
function sameForMembers(one: Values, other: Values): boolean {
  return (
    one.authorized_to_login === other.authorized_to_login &&
    one.mandatory_ext_scopes.join() === other.mandatory_ext_scopes.join()
  );
}

export async function removeCoalition(
  services: Pick<Services, 'db' | 'clock' | 'queue' | 'touches'>,
  admission: Admission,
  coalitionId: string,
): Promise<void> {
  await inTransaction(services.db, async (tx) => {
    const before = await lockCoalition(tx, coalitionId);
    const now = services.clock.now();
    await readmit(tx, admission);
    if (before === undefined) throw notFound('coalition', coalitionId);
    const rehearsed = await services.touches(tx, { coalitions: [coalitionId] });
    if (!rehearsed) await lockGrouping(tx, true);
    const standings = await readStandings(tx, { coalitions: [coalitionId] });
    const gone = await findAutogroups(tx, [`coalition:${coalitionId}`]);
    await deleteCoalition(tx, coalitionId);
    const { cause } = await recordCoalitionDeleted(tx, coalitionId, before, now);
    await recordStandings(tx, await changedStandings(tx, standings, {}, LOGIN_AND_COALITIONS), now, {
      cause,
      gone,
    });
    await recordAutogroupsDeleted(tx, gone, cause, now);
    const groups = gone.map(({ group_id }) => group_id);
    await forgetDeleted(tx, { coalitions: [coalitionId], groups }, cause, now);
    await endUnwelcome(services, tx, { users: [...standings.keys()] });
  });
}
