import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../contract/event-types.ts';
import { type AuditQuestion, findAudited } from '../../server/event/audit.queries.ts';
import { leastIdOf } from '../../server/event/event-id.ts';
import { ensureEventPartitions } from '../../server/event/partitions.ts';
import {
  examined,
  findStretch,
  type Reader,
  readStretch,
  type Stretch,
} from '../../server/event/read.queries.ts';
import { addOrganizations } from '../fixtures/users.ts';
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
const MOST_BLOCKS = { feed: 15_000, audit: 40_000 } as const;
/** How much dearer a page further back may be than the first one. */
const FLAT = 3;
/** Blocks of a page that are too few to be compared. */
const FEW_BLOCKS = 500;

const NOW = new Date();
const at = (share: number) => new Date(NOW.getTime() - DAYS * DAY * (1 - share));
const CORPORATION = 98_000_001;
const person = (n: number) => 2_100_000_000 + n;
/** Somebody who is the actor of one event in four and a member in as many, and a group that as many are about. */
const BUSY = { person: person(1), group: `group:${'f'.repeat(24)}` } as const;

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await ensureEventPartitions(database.db, at(0));
  await ensureEventPartitions(database.db, NOW);
  await addOrganizations({ db: database.db, clock: { now: () => NOW } } as never, [
    { corporations: [CORPORATION] },
  ]);
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
    select n, kind, actor, member,
      case when n % 4 = 3 then '${BUSY.group}' else 'group:' || lpad(to_hex(n % ${GROUPS}), 24, '0') end as key,
      (lpad(to_hex(moment), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
        || lpad(to_hex(n), 15, '0'))::uuid as event_id
    from (
      select n, ${at(0).getTime()}::bigint + n * ${DAYS * DAY}::bigint / ${EVENTS} as moment,
        case when n % 4 = 1 then ${BUSY.person} else 2100000001 + n * 7919 % ${PEOPLE} end as actor,
        case when n % 4 = 2 then ${BUSY.person} else 2100000001 + n * 104729 % ${PEOPLE} end as member,
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
  insert into event_subjects (key, event_id)
    select distinct key, event_id from events, unnest(targets || array(select 'user:' || id from unnest(concerns) id)) key
    on conflict do nothing;
  insert into event_seals (position, event_id, digest, hash) select n, event_id, '', '' from made;
  set session_replication_role = default`;

const READERS: Readonly<Record<string, Reader>> = {
  'somebody who reads all': 'all',
  'a member of level 0 who is everywhere': { owner_id: BUSY.person, sponsor_id: null, reachesOthers: false },
  'a member of level 0': { owner_id: person(77), sponsor_id: null, reachesOthers: false },
  'a director, who reads his corporation': { owner_id: person(78), sponsor_id: null, reachesOthers: true },
};
/** Where pages begin: at the oldest event, in the middle, and where as many are left as one answer looks at. */
const PLACES = [0, 0.5, 1 - (1.5 * LOOKED_AT.audit) / EVENTS] as const;

function judge(what: string, costs: readonly Cost[], most: number): void {
  const told = costs.map(({ blocks, milliseconds }) => `${blocks} blocks ${milliseconds.toFixed(1)} ms`);
  process.stdout.write(`${what}: ${told.join(' | ')}\n`);
  const blocks = costs.map((cost) => cost.blocks);
  expect.soft(Math.max(...blocks), what).toBeLessThan(most);
  // A place behind which little is left may be cheap: it makes no other one dear.
  const floor = Math.max(FEW_BLOCKS, costs[0]?.blocks ?? 0);
  expect.soft(Math.max(...blocks) / floor, what).toBeLessThan(FLAT);
  for (const { readWhole } of costs)
    expect
      .soft(
        readWhole.filter((table) => /event/.test(table)),
        what,
      )
      .toEqual([]);
}

/** What may be asked of the audit, each with each: what there is nothing of, little, and very much. */
const ASKED = {
  actor: [undefined, person(4_711), BUSY.person],
  target: [undefined, `user:${person(815)}`, `user:${BUSY.person}`, `group:${'0'.repeat(22)}2a`, BUSY.group],
  types: [
    undefined,
    ['group.members_changed'],
    ['token.created'],
    ['audit.checkpoint'],
    ['user.registered', 'user.moved', 'user.renamed', 'user.deleted'],
    Object.keys(EVENT_TYPES),
  ],
} as const;
const QUESTIONS = ASKED.actor.flatMap((actor) =>
  ASKED.target.flatMap((target) => ASKED.types.map((types) => ({ actor, target, types }))),
);

describe.each(Object.entries(READERS))(`${EVENTS} events, read by %s`, (name, reader) => {
  it.each([undefined, ['group.members_changed'], ['token.created'], ['audit.checkpoint']])(
    'D92: pages of the feed cost the same everywhere; types %j',
    async (types) => {
      const costs: Cost[] = [];
      for (const place of PLACES) {
        const after = Math.floor(EVENTS * place);
        const question = { after, types, limit: PAGE, most: LOOKED_AT.feed };
        const look = await statementOf((db) => findStretch(db, after, examined(reader, question)));
        const [stretch] = (await client.query<Stretch>(look.sql, [...look.parameters])).rows;
        if (stretch === undefined) throw new Error('an aggregate has one row');
        const read = await statementOf((db) => readStretch(db, reader, question, stretch));
        const [looked, page] = [await costOf(client, look), await costOf(client, read)];
        costs.push({ ...page, blocks: looked.blocks + page.blocks });
      }
      judge(`feed, ${name}, ${types ?? 'all types'}`, costs, MOST_BLOCKS.feed);
    },
  );

  it('D94: pages of the audit cost no more than what they look at, whatever is asked, wherever they begin', async () => {
    for (const { actor, target, types } of QUESTIONS) {
      const costs: Cost[] = [];
      for (const place of PLACES) {
        const question: AuditQuestion = {
          ...{ actor, target, types, from: undefined },
          ...{ before: leastIdOf(at(1 - place)), limit: PAGE, most: LOOKED_AT.audit },
        };
        costs.push(await costOf(client, await statementOf((db) => findAudited(db, reader, question))));
      }
      const told = types === undefined || types.length < 5 ? (types ?? []) : ['all types'];
      judge(`audit, ${name}, ${JSON.stringify({ actor, target, types: told })}`, costs, MOST_BLOCKS.audit);
    }
  });
});
