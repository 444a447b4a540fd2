import { type Kysely, type RawBuilder, sql } from 'kysely';
import { mayUseTokens } from '../access/login-permission.queries.ts';
import type { Database } from '../database/tables.ts';
import { inPieces } from '../shared/in-pieces.ts';
import { type Touched, touchedUsers } from './standing.queries.ts';

/** A user's memberships, level and rights, as events report them. */
export interface Standing {
  readonly character_id: number;
  readonly character_name: string;
  readonly clearance_level: number;
  readonly corporation_id: number | null;
  readonly alliance_id: number | null;
  /** Sorted by id. */
  readonly coalitions: readonly string[];
  /** Whether its tokens may be used, as previews have it: always for levels 9 and 10 (D27b). */
  readonly may_log_in: boolean;
  /** The voice autogroup if the user has a voice identity (D41), else null. */
  readonly voice_group: string | null;
}

export type Standings = ReadonlyMap<number, Standing>;

/** The standings of users at this moment; of many in several statements, as they delay other requests if read at once. */
export async function readStandings(db: Kysely<Database>, touched: Touched): Promise<Standings> {
  const { users = [], ...others } = touched;
  const ids = Object.values(others).every((some) => some.length === 0)
    ? users
    : await findTouched(db, touched);
  const pieces = await inPieces(ids, async (some) => {
    const { rows } = await sql<Standing>`${standingsAmong(touchedUsers({ users: some }))}`.execute(db);
    return rows;
  });
  return byUser(pieces.flat());
}

/** Ids of the users whose standing may be touched. */
async function findTouched(db: Kysely<Database>, touched: Touched): Promise<readonly number[]> {
  const { rows } = await sql<{ ids: number[] }>`
    select coalesce(jsonb_agg(character_id), '[]') as ids from (${touchedUsers(touched)}) t`.execute(db);
  return rows[0]?.ids ?? [];
}

/** The standings of the users whose ids a query gives, as a query. */
export const standingsAmong = (characterIds: RawBuilder<unknown>) => sql`
  with people as materialized (
    select u.* from users u where u.character_id in (${characterIds})
  ), organizations as materialized (
    select c.corporation_id, c.alliance_id, array(select r.coalition_id::text from coalition_reach r
      where r.corporation_id = c.corporation_id order by 1) as coalitions
    from corporations c where c.corporation_id in (select corporation_id from people)
  )
  select u.character_id, u.character_name, u.clearance_level, u.corporation_id, o.alliance_id,
    coalesce(o.coalitions, '{}') as coalitions, ${mayUseTokens} as may_log_in,
    (select group_id from group_members m join groups g using (group_id)
      where m.character_id = u.character_id and g.is_voice) as voice_group
  from people u left join organizations o using (corporation_id)`;

export const byUser = (rows: readonly Standing[]): Standings =>
  new Map(rows.map((row) => [row.character_id, row]));

/** An organization and the autogroup of its members. */
export interface Autogroup {
  readonly group_id: string;
  readonly group_name: string;
  /** As `type:id`. */
  readonly organization: string;
}

/** The autogroups of these organizations, given as `type:id`. */
export async function findAutogroups(
  db: Kysely<Database>,
  organizations: readonly string[],
): Promise<Autogroup[]> {
  const idsOf = (type: string) =>
    organizations.flatMap((organization) =>
      organization.startsWith(`${type}:`) ? [organization.slice(type.length + 1)] : [],
    );
  const organization = sql<string>`coalesce('corporation:' || corporation_id, 'alliance:' || alliance_id,
    'coalition:' || coalition_id)`;
  return db
    .selectFrom('groups')
    .select(['group_id', 'group_name', organization.as('organization')])
    .where(sql<boolean>`(corporation_id = any(${idsOf('corporation')}::bigint[])
      or alliance_id = any(${idsOf('alliance')}::bigint[]) or coalition_id = any(${idsOf('coalition')}::text[]))`)
    .orderBy('group_id')
    .execute();
}
