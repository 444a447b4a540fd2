import { expect, it } from 'vitest';
import { complianceCsv } from '../../../console/src/screens/registry/compliance-csv.ts';

it('D102: the table of compliance tells when grace ends', () => {
  const ada = { character_id: 2112000001, character_name: 'Ada Vale' };
  const state = { status: 'grace' as const, reason: 'no_grant' as const, missing_scopes: [] };
  const since = '2026-03-01T18:20:00.000Z';
  const character = { user: ada, ...state, since, days: 1, grace_until: '2026-03-04T18:20:00.000Z' };
  const person = { person_id: '66f2a1b3c4d5e6f708192a3e', main: ada, status: 'grace' as const };
  const csv = complianceCsv({
    as_of: '2026-03-02T19:00:00.000Z',
    persons: [{ ...person, characters: [character] }],
    never_signed_in: [],
    unlisted: [],
  });
  expect(csv.split('\r\n')).toEqual([
    'Person,Character,Character id,Status,Why,Since,Days,Grace until',
    'Ada Vale,Ada Vale,2112000001,In grace,never granted anything,2026-03-01T18:20:00.000Z,1,2026-03-04T18:20:00.000Z',
    '',
  ]);
});
