import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leastIdOf } from '../../server/event/event-id.ts';
import { ensureEventPartitions } from '../../server/event/partitions.ts';
import { type AuditQuestion, type Reader, readAudit, readFeed } from '../../server/event/read.queries.ts';
import { addBodies } from '../fixtures/users.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { type Cost, costOf, statementOf } from './statement.ts';

/** Events of the large table; fewer for a quick look. */
const EVENTS = Number(process.env['SOAK_EVENTS'] ?? 1_000_000);
const DAY = 86_400_000;
/** The feed keeps 30 days: all of the events are younger. */
const DAYS = 29;
const PEOPLE = 20_000;
const GROUPS = 500;
/** As the service asks: events on a page, and that one answer looks at. */
const PAGE = 100;
const LOOKED_AT = { feed: 2_000, audit: 5_000 } as const;
/** Blocks that a page may touch, wherever it begins: some for each event that it may look at. */
const MOST_BLOCKS = 80_000;
/** How much dearer one place may be than another. */
const FLAT = 3;

const NOW = new Date();
const at = (share: number) => new Date(NOW.getTime() - DAYS * DAY * (1 - share));
const CORPORATION = 98_000_001;
const person = (n: number) => 2_100_000_000 + n;

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await ensureEventPartitions(database.db, at(0));
  await ensureEventPartitions(database.db, NOW);
  await addBodies({ db: database.db, clock: { now: () => NOW } } as never, [{ corporations: [CORPORATION] }]);
  await client.query(FILL);
  await client.query('vacuum analyze');
}, 30 * 60_000);
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/**
 * Events of several types at even distances, by and about people whose numbers are spread; most of them about memberships
 * of groups, one in a thousand about a token. Seals are there for their order alone.
 */
const FILL = `
  set session_replication_role = replica;
  insert into users (character_id, character_name, name_key, corporation_id, clearance_level)
    select 2100000000 + n, 'Person ' || n, 'person ' || n, ${CORPORATION}, 0 from generate_series(1, ${PEOPLE}) n;
  create temporary table made as
    select n, kind, actor, member, 'group:' || lpad(to_hex(n % ${GROUPS}), 24, '0') as key,
      (lpad(to_hex(moment), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
        || lpad(to_hex(n), 15, '0'))::uuid as event_id
    from (
      select n, ${at(0).getTime()}::bigint + n * ${DAYS * DAY}::bigint / ${EVENTS} as moment, 2100000001 + n * 7919 % ${PEOPLE} as actor,
        2100000001 + n * 104729 % ${PEOPLE} as member,
        case when n % 1000 = 0 then 'token.created' when n % 5 = 0 then 'user.moved' else 'group.members_changed' end as kind
      from generate_series(1::bigint, ${EVENTS}) n
    ) numbered;
  insert into events (kept, event_id, type, actor_id, on_behalf_of, concerns, targets, body)
    select case when kind like 'group%' then 'short' else 'long' end, event_id, kind, actor, null, array[member],
      array[case when kind like 'group%' then key else 'user:' || member end],
      json_build_object('event_id', event_id, 'occurred_on', '2026-01-01T00:00:00.000Z', 'type', kind, 'version', 1,
        'actor', json_build_object('kind', 'user', 'character_id', actor), 'targets', '[]'::json, 'outcome', 'done',
        'changes', json_build_array(json_build_object('field', 'members', 'added', json_build_array(member),
          'removed', '[]'::json)), 'reason', null, 'cause', null, 'context_digest', null)
    from made;
  insert into event_seals (position, event_id, digest, hash) select n, event_id, '', '' from made;
  set session_replication_role = default`;

const READERS: Readonly<Record<string, Reader>> = {
  'somebody who reads all': 'all',
  'a member of level 0': { owner_id: person(77), sponsor_id: null, reachesOthers: false },
  'a director, who reads his corporation': { owner_id: person(78), sponsor_id: null, reachesOthers: true },
};
/** Where pages begin: at the oldest event, in the middle, and where as many are left as one answer looks at. */
const PLACES = [0, 0.5, 1 - (1.5 * LOOKED_AT.audit) / EVENTS] as const;

function judge(what: string, costs: readonly Cost[]): void {
  const told = costs.map(({ blocks, milliseconds }) => `${blocks} blocks ${milliseconds.toFixed(1)} ms`);
  process.stdout.write(`${what}: ${told.join(' | ')}\n`);
  const blocks = costs.map((cost) => cost.blocks);
  expect.soft(Math.max(...blocks), what).toBeLessThan(MOST_BLOCKS);
  expect.soft(Math.max(...blocks) / Math.max(Math.min(...blocks), 500), what).toBeLessThan(FLAT);
  for (const { readWhole } of costs)
    expect
      .soft(
        readWhole.filter((table) => /event/.test(table)),
        what,
      )
      .toEqual([]);
}

describe.each(Object.entries(READERS))(`${EVENTS} events, read by %s`, (name, reader) => {
  it.each([undefined, ['group.members_changed'], ['token.created'], ['audit.checkpoint']])(
    'D92: pages of the feed cost the same everywhere; types %j',
    async (types) => {
      const costs: Cost[] = [];
      for (const place of PLACES) {
        const after = Math.floor(EVENTS * place);
        const question = { after, types, limit: PAGE, most: LOOKED_AT.feed };
        costs.push(await costOf(client, await statementOf((db) => readFeed(db, reader, question))));
      }
      judge(`feed, ${name}, ${types ?? 'all types'}`, costs);
    },
  );

  it.each<Partial<AuditQuestion>>([
    {},
    { actor: person(4_711) },
    { target: `user:${person(815)}` },
    { target: `group:${'0'.repeat(22)}2a` },
    { types: ['token.created'] },
    { types: ['group.members_changed'] },
    { types: ['audit.checkpoint'] },
    { actor: person(4_711), types: ['user.moved'] },
  ])('D94: pages of the audit cost the same everywhere; %j', async (asked) => {
    const costs: Cost[] = [];
    for (const place of PLACES) {
      const question: AuditQuestion = {
        ...{ actor: undefined, target: undefined, types: undefined, from: undefined },
        ...{
          before: leastIdOf(at(1 - place)),
          limit: PAGE,
          most: LOOKED_AT.audit,
          ...asked,
        },
      };
      costs.push(await costOf(client, await statementOf((db) => readAudit(db, reader, question))));
    }
    judge(`audit, ${name}, ${JSON.stringify(asked)}`, costs);
  });
});
