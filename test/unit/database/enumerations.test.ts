import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXT_SCOPES } from '../../../contract/scopes.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await sql`insert into users (character_id, character_name, name_key) values (1, 'Pilot', 'pilot')`.execute(
    database.db,
  );
});
afterAll(() => database.drop());

/** Inserts a row with one value, and rolls back. */
function storing(table: string, values: Readonly<Record<string, unknown>>): Promise<unknown> {
  const columns = sql.join(Object.keys(values).map((column) => sql.ref(column)));
  const row = sql.join(Object.values(values));
  return database.db.transaction().execute(async (tx) => {
    await sql`insert into ${sql.table(table)} (${columns}) values (${row})`.execute(tx);
    throw new Error('stored');
  });
}

const named = (kind: string, id: unknown) => ({
  [`${kind}_id`]: id,
  [`${kind}_name`]: 'Name',
  name_key: 'name',
});

describe('the database checks enumerations', () => {
  it('has the scopes of the contract', async () => {
    const { rows } = await sql`select unnest(ext_scopes()) as scope`.execute(database.db);
    expect(rows).toEqual(EXT_SCOPES.map((scope) => ({ scope })));
  });

  const BODIES = [
    [
      'alliances',
      'mandatory_ext_scopes',
      { ...named('alliance', 1), ticker: 'A', executor_corporation_id: 1 },
    ],
    [
      'corporations',
      'mandatory_ext_scopes',
      { ...named('corporation', 2_000_001), ticker: 'C', ceo_id: 1, ceo_name: 'Pilot' },
    ],
    ['coalitions', 'mandatory_ext_scopes', { ...named('coalition', 'a'.repeat(24)), ticker: 'C' }],
    [
      'grants',
      'scopes',
      { grant_id: '5a0d7c1a-2b3c-4d5e-8f60-718293a4b5c6', character_id: 1, refresh_token: Buffer.from('x') },
    ],
  ] as const;
  it.each(BODIES)('%s.%s', async (table, column, values) => {
    await expect(storing(table, { ...values, [column]: ['publicData'] })).rejects.toThrow('stored');
    const odd = { ...values, [column]: ['publicData', 'esi-skills.read_skills.v1'] };
    await expect(storing(table, odd)).rejects.toThrow('known_ext_scopes');
  });

  it.each([-2, 11])('level %s', async (clearance_level) => {
    const user = { ...named('character', 2), clearance_level };
    await expect(storing('users', user)).rejects.toThrow('violates check constraint');
  });
});
