import type { Compliance, ComplianceCharacter, CompliancePerson } from '../../contract/compliance.ts';
import type { UserShort } from '../../contract/user.ts';
import type { Caller } from '../access/caller.queries.ts';
import type { TrackedOrganization } from '../grant/tracking.queries.ts';
import { idFor } from '../person/person-id.ts';
import { withinReach } from '../person/reach.ts';
import { MEMBERSHIP_SCOPE } from '../provider/api.ts';
import type { Services } from '../services/services.ts';
import { inPieces } from '../shared/in-pieces.ts';
import { type Found, findCompliance, type MemberRow } from './compliance.queries.ts';
import { GRACE } from './states.queries.ts';

const DAY = 24 * 3_600_000;
/** Worst first. */
const STATUSES = ['failing', 'unknown', 'grace', 'ok'] as const;

/** The compliance of an organization by persons (D102). One statement, or two when persons have characters outside it. */
export async function getCompliance(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  caller: Caller,
  of: TrackedOrganization,
): Promise<Compliance> {
  const now = clock.now();
  const found = await findCompliance(db, of, MEMBERSHIP_SCOPE, now);
  const known = found.members.filter(({ stranger }) => !stranger);
  return toCompliance(found, await visibleCharacters(db, caller, known), now);
}

/** Groups the members by persons. */
export async function toCompliance(
  { members, unlisted }: Found,
  visible: ReadonlySet<number>,
  now: Date,
): Promise<Compliance> {
  const known = members.filter(({ stranger }) => !stranger);
  const persons = await inPieces(await byPerson(known), (some) =>
    some.map((rows) => toPerson(rows, visible, now)),
  );
  return {
    as_of: now.toISOString(),
    persons: persons.flat(),
    never_signed_in: members.filter(({ stranger }) => stranger).map(toShort),
    unlisted: [...unlisted],
  };
}

/** Characters that the caller may see: members of the organization, and others within its read authority (D100). */
async function visibleCharacters(
  db: Services['db'],
  caller: Caller,
  rows: readonly MemberRow[],
): Promise<ReadonlySet<number>> {
  const here = new Set(rows.map((row) => row.character_id));
  const linked = new Set(rows.flatMap((row) => row.linked ?? []));
  const elsewhere = [...linked].filter((id) => !here.has(id));
  if (elsewhere.length === 0) return here;
  return new Set([...here, ...(await withinReach(db, caller, elsewhere))]);
}

/** Persons in the order of their first characters. */
async function byPerson(rows: readonly MemberRow[]): Promise<[MemberRow, ...MemberRow[]][]> {
  /** By the ids of persons, and of characters that were never linked. */
  const persons = new Map<string | number, [MemberRow, ...MemberRow[]]>();
  await inPieces(rows, (some) => {
    for (const row of some) {
      const id = row.person_id ?? row.character_id;
      const others = persons.get(id);
      if (others === undefined) persons.set(id, [row]);
      else others.push(row);
    }
  });
  return [...persons.values()];
}

function toPerson(
  rows: readonly [MemberRow, ...MemberRow[]],
  visible: ReadonlySet<number>,
  now: Date,
): CompliancePerson {
  const [{ person_id, linked, character_id }] = rows;
  return {
    person_id: idFor(person_id, linked ?? [character_id], visible),
    main: mainOf(rows[0], visible),
    status: STATUSES.find((status) => rows.some((row) => row.status === status)) ?? 'ok',
    characters: rows.map((row) => toCharacter(row, now)),
  };
}

function mainOf(row: MemberRow, visible: ReadonlySet<number>): UserShort | null {
  if (row.main_id === null || row.main_name === null) return toShort(row);
  return visible.has(row.main_id) ? { character_id: row.main_id, character_name: row.main_name } : null;
}

function toCharacter(row: MemberRow, now: Date): ComplianceCharacter {
  const since = row.since === null ? null : new Date(row.since);
  return {
    user: toShort(row),
    status: row.status,
    reason: row.reason,
    missing_scopes: [...(row.missing ?? [])],
    since: row.since,
    days: since === null ? null : Math.max(0, Math.floor((now.getTime() - since.getTime()) / DAY)),
    grace_until: since === null ? null : new Date(since.getTime() + GRACE).toISOString(),
  };
}

function toShort({ character_id, character_name }: MemberRow): UserShort {
  return { character_id, character_name };
}
