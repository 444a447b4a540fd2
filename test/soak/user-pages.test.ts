import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findUsers, type Place, type UserFilter } from '../../server/user/list-users.queries.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { costOf, statementOf } from './statement.ts';

/** Users of the large registry; fewer for a quick look. */
const USERS = Number(process.env['SOAK_PEOPLE'] ?? 1_000_000);
const PAGE = 100;
/** Pages read of each listing: they are spread over it by the cursor of a user in so many. */
const PLACES = 4;
/**
 * Blocks that a page may touch, wherever it begins and whatever is asked for. The most is what a name needs that is
 * just too rare for the names that come next: whoever has it is read from the table to know its place.
 */
const MOST_BLOCKS = 25_000;

const ALLIANCE = 99_000_001;
const COALITION = 'c0'.repeat(12);
/** Those that follow a body, one that hardly anybody was put into, and one with half of all. */
const GROUPS = {
  corporation: 'f1'.repeat(12),
  alliance: 'f2'.repeat(12),
  coalition: 'f3'.repeat(12),
  few: 'f4'.repeat(12),
  many: 'f5'.repeat(12),
};

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // Filled before it is indexed, in a quarter of the time.
  const { rows } = await client.query("select indexdef from pg_indexes where indexname = 'users_name_parts'");
  await client.query('drop index users_name_parts');
  await client.query(FILL);
  await client.query(rows[0].indexdef);
  await client.query('vacuum analyze users');
}, 30 * 60_000);
afterAll(async () => {
  await client.end();
  await database.drop();
});

/**
 * Two thirds of all are of 2,000 corporations of one alliance, one in a hundred is a guest, one in a thousand has a
 * level. Names are three syllables and a number: parts of any frequency.
 */
const FILL = `
  insert into alliances (alliance_id, alliance_name, name_key, ticker, executor_corporation_id)
    values (${ALLIANCE}, 'All', 'all', 'ALL', 98000001);
  insert into corporations (corporation_id, corporation_name, name_key, ticker, alliance_id, ceo_id, ceo_name)
    select 98000000 + n, 'Corporation ' || n, 'corporation ' || n, 'C' || n, ${ALLIANCE}, 1, 'CEO'
    from generate_series(1, 2000) n;
  insert into coalitions (coalition_id, coalition_name, name_key, ticker)
    values ('${COALITION}', 'All of it', 'all of it', 'CO');
  insert into coalition_alliances values ('${COALITION}', ${ALLIANCE});
  insert into users (character_id, character_name, name_key, corporation_id, clearance_level)
    select id, initcap(name), name, corporation,
      case when corporation is null then 0 when id % 100 = 0 then -1 when id % 1000 = 1 then id % 9 else 0 end
    from (
      select 2100000000 + n as id,
        case when n % 3 = 0 then null else 98000001 + n % 2000 end as corporation,
        syllables[1 + n * 7 % 20] || syllables[1 + n * 11 % 19] || ' ' || syllables[1 + n * 13 % 17]
          || case when n % 50000 = 0 then 'zyx' else '' end || ' ' || n as name
      from generate_series(1, ${USERS}) n, (select
        '{ka,ro,mi,ta,sel,vor,an,el,is,or,un,dra,gon,lith,mer,nox,pal,qua,rin,syl}'::text[] as syllables) of
    ) made;
  insert into groups (group_id, group_name, name_key, corporation_id, alliance_id, coalition_id) values
    ('${GROUPS.corporation}', 'One', 'one', 98000011, null, null),
    ('${GROUPS.alliance}', 'Alliance', 'alliance', null, ${ALLIANCE}, null),
    ('${GROUPS.coalition}', 'Coalition', 'coalition', null, null, '${COALITION}'),
    ('${GROUPS.few}', 'Few', 'few', null, null, null),
    ('${GROUPS.many}', 'Many', 'many', null, null, null);
  insert into group_members (group_id, character_id)
    select '${GROUPS.many}', character_id from users where character_id % 2 = 1;
  insert into group_members (group_id, character_id)
    select '${GROUPS.few}', character_id from users where character_id % 2003 = 1;
  analyze group_members; analyze groups; analyze corporations`;

async function pageOf(filter: UserFilter, after: Place | undefined) {
  const statement = await statementOf((db) => findUsers(db, filter, after, PAGE));
  const { rows } = await client.query<{ users: string }>(statement.sql, [...statement.parameters]);
  const { length } = JSON.parse(rows[0]?.users ?? '[]') as unknown[];
  return { length, ...(await costOf(client, statement)) };
}

describe(`D71: pages of ${USERS} users`, () => {
  it.each<UserFilter>([
    {},
    { min_level: 0 },
    { min_level: 1 },
    { min_level: 9 },
    { corporation_id: 98_000_011 },
    { alliance_id: ALLIANCE },
    { coalition_id: COALITION },
    { coalition_id: COALITION, min_level: 1 },
    ...Object.values(GROUPS).map((group_id) => ({ group_id })),
    { group_id: GROUPS.alliance, min_level: 1 },
    { group_id: GROUPS.many, search: 'ka' },
    ...[
      'a',
      'z',
      '日',
      'qu',
      'ka',
      'kar',
      'syl',
      'mi ka',
      'qua 1',
      'zyx',
      'zyx 5',
      'nothing',
      '777',
      '99999',
      'lithmer',
    ].map((search) => ({ search })),
    { search: 'a', min_level: 1 },
    { search: 'ka', corporation_id: 98_000_011 },
  ])('%j: each touches a bounded part of it, wherever it begins', async (filter) => {
    const costs = [];
    for (let place = 0; place < PLACES; place += 1) {
      const letter = String.fromCharCode(97 + Math.floor((place * 26) / PLACES));
      const after = place === 0 ? undefined : { name_key: letter, character_id: 0 };
      const { length, blocks, milliseconds } = await pageOf(filter, after);
      costs.push(`${length} users, ${blocks} blocks, ${milliseconds.toFixed(1)} ms`);
      expect.soft(blocks, JSON.stringify(filter)).toBeLessThan(MOST_BLOCKS);
    }
    process.stdout.write(`${JSON.stringify(filter)}: ${costs.join(' | ')}\n`);
  });
});
