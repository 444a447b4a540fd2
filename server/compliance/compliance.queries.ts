import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ComplianceCharacter, ComplianceDay } from '../../contract/compliance.ts';
import type { CorporationShort } from '../../contract/membership.ts';
import type { ExtScope } from '../../contract/scopes.ts';
import { isMemberIn } from '../access/clearance-levels.queries.ts';
import type { Database } from '../database/tables.ts';
import { belonging, type TrackedOrganization } from '../grant/tracking.queries.ts';
import { statesOf } from './states.queries.ts';

/** A member of an organization; times are text, because they are read from JSON. */
export interface MemberRow {
  readonly character_id: number;
  readonly character_name: string;
  readonly person_id: string | null;
  readonly main_id: number | null;
  readonly main_name: string | null;
  /** All characters of its person; null when it was never linked. */
  readonly linked: readonly number[] | null;
  readonly stranger: boolean;
  readonly status: ComplianceCharacter['status'];
  readonly reason: ComplianceCharacter['reason'];
  readonly since: string | null;
  readonly missing: readonly ExtScope[] | null;
}

export interface Found {
  readonly members: readonly MemberRow[];
  readonly unlisted: readonly CorporationShort[];
}

const inIso = (time: RawBuilder<unknown>) =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The required scopes that are missing in the valid refresh token with the most of them. */
const missing = sql`case when s.reason = 'scopes_missing' then array(
  select r collate "C" from unnest(o.required) r where not r = any((
    select best.scopes from standing_grants best where best.character_id = s.character_id and best.valid
    order by (select count(*) from unnest(o.required) r where r = any(best.scopes)) desc, best.grant_id
      limit 1)::text[])
  order by 1) end`;

/** Whether a member of the corporation `c` has granted the scope for reading its list of members. */
const isListed = (scope: ExtScope) => sql`exists (
  select from users l join standing_grants g using (character_id)
  where l.corporation_id = c.corporation_id and ${isMemberIn('l')} and g.valid and ${scope} = any(g.scopes))`;

/** A member or an unlisted corporation; the other one is null. */
export interface FoundRow {
  readonly member: MemberRow | null;
  readonly unlisted: CorporationShort | null;
}

/**
 * The compliance of an organization's members in the order of D9, in one statement. `scope` is the one for reading
 * lists of members. A row for each, as parsing one long list would block the event loop (D3c).
 */
export async function findCompliance(
  db: Kysely<Database>,
  of: TrackedOrganization,
  scope: ExtScope,
  now: Date,
): Promise<Found> {
  const { rows } = await sql<FoundRow>`
    with ${statesOf(belonging(of), now)}
    select member, unlisted from (
      select json_build_object(
          'character_id', s.character_id, 'character_name', s.character_name, 'person_id', s.person_id,
          'main_id', p.main_id, 'main_name', m.character_name, 'stranger', s.stranger,
          'linked', (select json_agg(l.character_id) from person_characters l where l.person_id = s.person_id),
          'status', s.status, 'reason', s.reason, 'since', ${inIso(sql`s.since`)}, 'missing', ${missing}
        ) as member, null::json as unlisted, s.name_key, s.character_id as id
      from states s join organizations o using (corporation_id)
        left join persons p using (person_id) left join users m on m.character_id = p.main_id
      union all
      select null, json_build_object(
          'corporation_id', c.corporation_id, 'corporation_name', c.corporation_name
        ), c.name_key, c.corporation_id
      from organizations o join corporations c using (corporation_id) where not ${isListed(scope)}
    ) found order by name_key, id`.execute(db);
  return foundIn(rows);
}

export function foundIn(rows: readonly FoundRow[]): Found {
  const members: MemberRow[] = [];
  const unlisted: CorporationShort[] = [];
  for (const row of rows) {
    if (row.member !== null) members.push(row.member);
    if (row.unlisted !== null) unlisted.push(row.unlisted);
  }
  return { members, unlisted };
}

/** The kind and id of an organization, as the table of days has them. */
function keyOf(of: TrackedOrganization): readonly [kind: string, id: string] {
  if ('corporation_id' in of) return ['corporation', String(of.corporation_id)];
  if ('alliance_id' in of) return ['alliance', String(of.alliance_id)];
  return ['coalition', of.coalition_id];
}

/** The daily counts, latest first. */
export async function findDays(db: Kysely<Database>, of: TrackedOrganization): Promise<ComplianceDay[]> {
  const [kind, id] = keyOf(of);
  const { rows } = await sql<ComplianceDay>`
    select to_char(day, 'YYYY-MM-DD') as day, persons, ok, grace, failing, unknown, never_signed_in
    from compliance_days where kind = ${kind} and id = ${id} order by compliance_days.day desc`.execute(db);
  return rows;
}
