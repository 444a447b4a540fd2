import type { Compliance, ComplianceDay, CompliancePerson } from '../../contract/compliance.ts';
import type { UserShort } from '../../contract/user.ts';
import type { JsonBytes } from '../database/json-text.ts';
import { toCsv } from '../shared/csv.ts';
import { inPieces } from '../shared/in-pieces.ts';

const COLUMNS = [
  'person_id',
  'main',
  'character_id',
  'character_name',
  'status',
  'reason',
  'missing_scopes',
  'since',
  'days',
  'grace_until',
] as const;

/** Compliance as the bytes of its JSON, which are made in pieces as those of the table are (D3c). */
export async function toJson({
  persons,
  never_signed_in,
  ...rest
}: Compliance): Promise<JsonBytes<Compliance>> {
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"persons":[`),
    ...(await listed(persons)),
    Buffer.from('],"never_signed_in":['),
    ...(await listed(never_signed_in)),
    Buffer.from(']}'),
  ]);
}

/** The elements as JSON, with commas in between. */
async function listed(list: readonly object[]): Promise<Buffer[]> {
  const pieces = await inPieces(list, (some) => Buffer.from(`,${JSON.stringify(some).slice(1, -1)}`));
  return pieces.map((piece, n) => (n === 0 ? piece.subarray(1) : piece));
}

/** Compliance as CSV: a line for each character, those that never signed in last. */
export async function toTable({ persons, never_signed_in: strangers }: Compliance): Promise<Buffer> {
  return Buffer.concat([
    Buffer.from(toCsv([COLUMNS])),
    ...(await inPieces(persons, (some) => Buffer.from(toCsv(some.flatMap(linesOf))))),
    ...(await inPieces(strangers, (some) => Buffer.from(toCsv(some.map(lineOfStranger))))),
  ]);
}

function linesOf({ person_id, main, characters }: CompliancePerson) {
  return characters.map(({ user, status, reason, missing_scopes, since, days, grace_until }) => [
    person_id,
    main?.character_name ?? '',
    user.character_id,
    user.character_name,
    status,
    reason ?? '',
    missing_scopes.join(' '),
    since ?? '',
    days ?? '',
    grace_until ?? '',
  ]);
}

function lineOfStranger({ character_id, character_name }: UserShort) {
  return ['', '', character_id, character_name, 'never_signed_in', '', '', '', '', ''];
}

const DAY = ['day', 'persons', 'ok', 'grace', 'failing', 'unknown', 'never_signed_in'] as const;

/** A line for each day, the latest first. */
export function daysAsTable(days: readonly ComplianceDay[]): string {
  return toCsv([DAY, ...days.map((day) => DAY.map((name) => day[name]))]);
}
