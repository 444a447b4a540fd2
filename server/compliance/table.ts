import type { Compliance } from '../../contract/compliance.ts';

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

/** Compliance as CSV as in RFC 4180: a line for each character, those that never signed in last. */
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
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

/** Matches text that a spreadsheet would interpret as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: string | number): string {
  const text = FORMULA.test(String(value)) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
