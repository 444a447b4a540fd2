import type { Compliance, ComplianceDay } from '../../contract/compliance.ts';
import { toCsv } from '../shared/csv.ts';

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

/** Compliance as CSV: a line for each character, those that never signed in last. */
export function toTable({ persons, never_signed_in: strangers }: Compliance): string {
  const lines = [
    [...COLUMNS],
    ...persons.flatMap(({ person_id, main, characters }) =>
      characters.map(({ user, status, reason, missing_scopes, since, days, grace_until }) => [
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
      ]),
    ),
    ...strangers.map(({ character_id, character_name }) => [
      ...['', '', character_id, character_name, 'never_signed_in'],
      ...['', '', '', '', ''],
    ]),
  ];
  return toCsv(lines);
}

const DAY = ['day', 'persons', 'ok', 'grace', 'failing', 'unknown', 'never_signed_in'] as const;

/** A line for each day, the latest first. */
export function daysAsTable(days: readonly ComplianceDay[]): string {
  return toCsv([DAY, ...days.map((day) => DAY.map((name) => day[name]))]);
}
