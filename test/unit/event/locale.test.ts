import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../../server/database/open.ts';
import { GAME } from '../../../server/event/origin.ts';
import { ensureEventPartitions } from '../../../server/event/partitions.ts';
import { findStretch, type Reader, readFeed } from '../../../server/event/read.queries.ts';
import { type NewEvent, recordEvents } from '../../../server/event/record.ts';
import { sealEvents } from '../../../server/event/seal.queries.ts';
import { addUser } from '../../fixtures/users.ts';
import { databaseUrl, onServer } from '../../harness/postgres.ts';

const server = inject('templateUrl');
const name = `castellan_danish_${randomBytes(8).toString('hex')}`;
let database: OpenDatabase;
beforeAll(async () => {
  // As `createdb --locale da_DK.UTF-8`, which not every machine has: "aa" comes after "z", as in Norwegian.
  const locale = `locale_provider icu icu_locale 'da' locale 'C'`;
  await onServer(server, `create database ${name} template template0 encoding 'UTF8' ${locale}`);
  database = await openDatabase(databaseUrl(server, name), pino({ level: 'silent' }));
});
afterAll(async () => {
  await database?.close();
  await onServer(server, `drop database if exists ${name} with (force)`);
});

const ADA = 2_113_000_001;
/** A moment whose milliseconds end with these four digits, which stand together in the ids of its events. */
const at = (digits: string) => new Date(Number.parseInt(`01930000${digits}`, 16));

/** Records an event of each moment in this order; returns what a reader then finds. */
async function told(reader: Reader, ...events: readonly (readonly [moment: Date, event: NewEvent])[]) {
  const { db } = database;
  const { head } = await findStretch(db, 0, 1);
  for (const [moment, event] of events) {
    await ensureEventPartitions(db, moment);
    await recordEvents(db, [event], moment);
  }
  await sealEvents(db, events.length);
  return readFeed(db, reader, { after: head, types: undefined, limit: 100, most: 100 });
}

const made: NewEvent = { type: 'group.created', targets: [{ type: 'group', id: 'g', name: 'Scouts' }] };

it('D92: no event is left out where the earlier one has "aa" in its id, whatever the locale', async () => {
  const { events, looked, head } = await told('all', [at('aa10'), made], [at('b000'), made]);
  expect(looked).toBe(head);
  expect(events).toHaveLength(2);
});

it('D94: a new owner does not see events of the former one, whatever the locale', async () => {
  await addUser(database, { id: ADA });
  const ada = [{ type: 'user', id: String(ADA), name: 'Ada' }] as const;
  const { events } = await told(
    { owner_id: ADA, sponsor_id: null, reachesOthers: false },
    [at('aa20'), { type: 'token.created', targets: ada, actor: { ...GAME, character_id: ADA } }],
    [at('b100'), { type: 'user.handed_over', targets: ada }],
    [at('b200'), { type: 'user.renamed', targets: ada }],
  );
  expect(events.map(({ body }) => JSON.parse(body).type)).toEqual(['user.renamed']);
});
