import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('column types', () => {
  it('reads int8 as a number, alone and in arrays', async () => {
    const { rows } =
      await sql`select 9007199254740991::int8 as id, array[1, null, -2]::int8[] as ids`.execute(database.db);
    expect(rows).toEqual([{ id: 9007199254740991, ids: [1, null, -2] }]);
  });
});
