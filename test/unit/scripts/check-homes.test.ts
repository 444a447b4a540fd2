import { describe, expect, it } from 'vitest';
import { strayIn } from '../../../scripts/check-homes/homes.ts';

const SQL = 'SQL belongs into *.queries.ts';
const LEVEL = 'a bare level has a name in server/access/clearance-levels.ts or clearance-levels.queries.ts';
const BUILT_IN =
  "the built-in user's id is asked for by isBuiltIn of server/access/clearance-levels.ts or clearance-levels.queries.ts";

const inFile = (path: string) => (text: string) => strayIn({ path, text });

describe('code outside its home', () => {
  it('is reported with file, line and text', () => {
    expect(inFile('server/a/a.ts')('\n  if (level < 0) return;')).toEqual([
      `server/a/a.ts:2: ${LEVEL}: if (level < 0) return;`,
    ]);
  });

  const SQL_SIGNS = [
    'const { rows } = await sql`select 1`.execute(db);',
    'sql<{ id: string }>`',
    'sql.raw(text)',
    "db.selectFrom('users')",
    '    .insertInto(table)',
    "tx.updateTable('users')",
    "tx.deleteFrom('users')",
    'db.executeQuery(CompiledQuery.raw(text))',
    "pool.query('select now()')",
    'client.query(`listen castellan_jobs`)',
    "'update boss.job set state = 1'",
  ];
  it.each(SQL_SIGNS)('SQL: %s', (line) => {
    expect(inFile('server/a/a.ts')(line)).toEqual([`server/a/a.ts:1: ${SQL}: ${line.trim()}`]);
    expect(inFile('jobs/worker.ts')(line)).toHaveLength(1);
    expect(inFile('server/a/a.queries.ts')(line)).toEqual([]);
    expect(inFile('server/database/migrate.ts')(line)).toEqual([]);
  });

  it("a table of pg-boss's", () => {
    const line = '    select count(*) from pgboss.job';
    expect(inFile('server/a/a.queries.ts')(line)).toEqual([
      `server/a/a.queries.ts:1: a table of pg-boss's is touched by server/queue/pgboss.queries.ts alone: ${line.trim()}`,
    ]);
    expect(inFile('server/queue/pgboss.queries.ts')(line)).toEqual([]);
    expect(inFile('server/a/a.ts')("import { setUp } from '../queue/pgboss.queries.ts';")).toEqual([]);
  });

  it.each([
    'where u.clearance_level >= 0',
    'u.clearance_level<9',
    ".where('clearance_level', '<', 0)",
    'clearance_level: -1,',
    'if (caller.level >= 9)',
    'known?.clearance_level ?? 0',
    'const ANY_GROUP_LEVEL = 9;',
    'greatest(u.clearance_level, 0)',
    'u.clearance_level between 0 and 3',
    'then u.clearance_level else 0 end',
    'level === 10',
  ])('levels: %s', (line) => {
    expect(inFile('server/a/a.queries.ts')(line)).toEqual([`server/a/a.queries.ts:1: ${LEVEL}: ${line}`]);
    expect(inFile('server/access/clearance-levels.ts')(line)).toEqual([]);
  });

  it.each([
    'u.character_id <> 0',
    'where u.character_id = 0',
    'u.character_id > 0',
    ".where('owner_id', '=', 0)",
    'if (characterId === 0)',
    'if (owner_id !== BUILT_IN_USER)',
    "import { BUILT_IN_USER } from '../../contract/access.ts';",
  ])('the built-in user: %s', (line) => {
    expect(inFile('server/a/a.queries.ts')(line)).toEqual([`server/a/a.queries.ts:1: ${BUILT_IN}: ${line}`]);
    expect(inFile('server/access/clearance-levels.ts')(line)).toEqual([]);
  });

  it.each([
    '// where level < 0 a guest is',
    ' * Levels: level 9 >= 0, `select 1`',
    "log({ level: 'info' })",
    'clearance_level: GUEST_LEVEL,',
    "where('clearance_level', '<', MEMBER_LEVEL)",
    'characterId: as?.characterId ?? 0,',
    'character_id = 0x7f',
    'owner: BUILT_IN_USER,',
    'const selected = list.with(1, 2);',
  ])('nothing of it: %s', (line) => {
    expect(inFile('server/a/a.ts')(line)).toEqual([]);
  });
});
