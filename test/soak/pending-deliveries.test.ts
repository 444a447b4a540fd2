import type { Kysely } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../server/database/tables.ts';
import {
  claimDue,
  deleteOldestTests,
  findWork,
  hasWaiting,
  insertInHand,
  listDeliveries,
} from '../../server/webhook/delivery.queries.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { type Cost, costOf, statementOf } from './statement.ts';

/** Deliveries that wait for one dead subscriber; fewer for a quick look. */
const PENDING = Number(process.env['SOAK_EVENTS'] ?? 1_000_000);
/** Blocks that a statement may touch, however many wait: some for each delivery that it takes. */
const MOST_BLOCKS = 6_000;
const ROOM = 256;

const NOW = new Date();
const until = new Date(NOW.getTime() + 60_000);
/** One whose deliveries are due, one whose are not, and an ordered one of either kind. */
const WEBHOOKS = {
  due: { id: 'a0'.repeat(12), ordered: false, next: NOW },
  later: { id: 'a1'.repeat(12), ordered: false, next: until },
  dueInOrder: { id: 'b0'.repeat(12), ordered: true, next: NOW },
  laterInOrder: { id: 'b1'.repeat(12), ordered: true, next: until },
} as const;

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  for (const { id, ordered, next } of Object.values(WEBHOOKS)) {
    await client.query(
      `insert into webhooks (webhook_id, owner_id, url, types, ordered, secret, position)
         values ('${id}', 0, 'https://bot.example/', '{*}', ${ordered}, '', 0)`,
    );
    await client.query(
      `insert into webhook_deliveries (webhook_id, delivery_id, type, position, state, next_try_on)
         select '${id}', gen_random_uuid(), 'group.created', n, 'waiting', $1
         from generate_series(1, ${PENDING / 4}) n`,
      [next],
    );
  }
  await client.query('vacuum analyze');
}, 10 * 60_000);
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/** What a statement costs, of which nothing is left. */
async function cost(work: (db: Kysely<Database>) => Promise<unknown>): Promise<Cost> {
  await client.query('begin');
  try {
    return await costOf(client, await statementOf(work));
  } finally {
    await client.query('rollback');
  }
}

const events = Array.from({ length: ROOM }, (_, n) => ({
  ...{ delivery_id: `01920f3e-8a4c-7d21-9b3f-${n.toString(16).padStart(12, '0')}`, type: 'group.created' },
  position: PENDING + n,
}));
const STATEMENTS: Readonly<
  Record<string, (db: Kysely<Database>, webhook_id: string, ordered: boolean) => Promise<unknown>>
> = {
  'a look for work': (db) => findWork(db, NOW),
  'taking what is due': (db, webhook_id, ordered) =>
    claimDue(db, { webhook_id, ordered }, { now: NOW, until, most: ROOM, testsAlone: false }),
  'whether anything waits': (db, webhook_id) => hasWaiting(db, webhook_id),
  'taking up events': (db, webhook_id) => insertInHand(db, webhook_id, events, { now: NOW, until }),
  'making room for a test': (db, webhook_id) => deleteOldestTests(db, webhook_id, 10),
  'a page of those that failed': (db, webhook_id) =>
    listDeliveries(db, webhook_id, { state: 'failed', after: undefined, limit: 100 }),
};

it.each(Object.entries(STATEMENTS))(
  `D93: %s costs the same however many deliveries wait, ${PENDING} here`,
  async (name, work) => {
    for (const [which, { id, ordered }] of Object.entries(WEBHOOKS)) {
      const { blocks, milliseconds, readWhole } = await cost((db) => work(db, id, ordered));
      process.stdout.write(`${name}, ${which}: ${blocks} blocks ${milliseconds.toFixed(1)} ms\n`);
      expect.soft(blocks, which).toBeLessThan(MOST_BLOCKS);
      expect.soft(readWhole, which).toEqual([]);
    }
  },
);
