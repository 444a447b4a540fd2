import type { Compliance, ComplianceDay, CompliancePerson } from '../../contract/compliance.ts';
import type { UserShort } from '../../contract/user.ts';
import { type JsonText, withField } from '../database/json-text.ts';
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

/** Compliance as JSON text, which is made in pieces as the table is (D3c). */
export async function toJson({ persons, ...rest }: Compliance): Promise<JsonText<Compliance>> {
  const some = await inPieces(persons, (piece) => JSON.stringify(piece).slice(1, -1));
  const list: JsonText<Compliance['persons']> = `[${some.join()}]`;
  return withField(rest, 'persons', list);
}

/** Compliance as CSV: a line for each character, those that never signed in last. */
export async function toTable({ persons, never_signed_in: strangers }: Compliance): Promise<string> {
  const lines = [
    [toCsv([COLUMNS])],
    await inPieces(persons, (some) => toCsv(some.flatMap(linesOf))),
    await inPieces(strangers, (some) => toCsv(some.map(lineOfStranger))),
  ];
  return lines.flat().join('');
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
  return [...['', '', character_id, character_name, 'never_signed_in'], ...['', '', '', '', '']];
}

const DAY = ['day', 'persons', 'ok', 'grace', 'failing', 'unknown', 'never_signed_in'] as const;

/** A line for each day, the latest first. */
export function daysAsTable(days: readonly ComplianceDay[]): string {
  return toCsv([DAY, ...days.map((day) => DAY.map((name) => day[name]))]);
}
