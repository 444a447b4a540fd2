/**
 * The first and the last page of a history where there are 1 thousand rows and where there are many more, in
 * alternation: what should not depend on the number of rows shows in the ratio of the two.
 */
import { sql } from 'kysely';
import { PAGE_SIZE } from '../../contract/paging.ts';
import type { Connection } from '../../server/database/connection.ts';
import { listLocations } from '../../server/history/location.ts';
import { listMails } from '../../server/history/mail.ts';
import { ensurePartitions } from '../../server/history/partitions.ts';
import { compare, createDatabase } from './scale.ts';

/** Entries of one character, by the hour; every character of the larger table has as many. */
const ENTRIES = 1_000;
/** A prime: the characters in no order of the table. */
const STRIDE = 7_919;
const HOUR = 3_600_000;

interface Filled extends Connection {
  readonly characters: number;
  /** Mails in the mailbox of the first character. */
  readonly mails: number;
}

/** Fills two databases on the server and returns the report; `rows` is a multiple of {@link ENTRIES}. */
export async function benchHistories(serverUrl: string, rows: number): Promise<string> {
  const few = await fill(serverUrl, 'few_rows', ENTRIES);
  const many = await fill(serverUrl, 'many_rows', rows);
  const lines: string[] = [];
  for (const page of ['first', 'last'] as const) {
    lines.push(
      await compare(
        `locations, ${page} page`,
        few,
        many,
        full((of) => location(of, 1, page)),
      ),
    );
    // What a cache smaller than the table adds: 50 rows from 50 places.
    const anybody = (of: Filled, n: number) => location(of, 1 + ((n * STRIDE) % of.characters), page);
    lines.push(await compare(`anybody's, ${page} page`, few, many, full(anybody)));
    lines.push(
      await compare(
        `mails, ${page} page`,
        few,
        many,
        full((of) => mail(of, page)),
      ),
    );
  }
  await few.close();
  await many.close();
  return `${ENTRIES} and ${rows} rows: median ms, and their ratio\n${lines.join('\n')}\n`;
}

/** Refuses a page that holds less than it should. */
function full(ask: (of: Filled, n: number) => Promise<{ entries: readonly unknown[] }>) {
  return async (of: Filled, n: number) => {
    const { entries } = await ask(of, n);
    if (entries.length !== PAGE_SIZE) throw new Error(`a page of ${entries.length} entries`);
  };
}

async function location({ db }: Filled, character: number, page: 'first' | 'last') {
  const clock = { now: () => new Date() };
  return listLocations({ db, clock }, character, page === 'first' ? 1 : ENTRIES / PAGE_SIZE);
}

async function mail({ db, mails }: Filled, page: 'first' | 'last') {
  return listMails({ db }, 1, page === 'first' ? 1 : mails / PAGE_SIZE);
}

async function fill(serverUrl: string, name: string, rows: number): Promise<Filled> {
  const connection = await createDatabase(serverUrl, name);
  const { db } = connection;
  const characters = rows / ENTRIES;
  const now = Date.now();
  for (let hour = 0; hour <= ENTRIES; hour += 24) await ensurePartitions(db, new Date(now - hour * HOUR));
  await db.connection().execute(async (one) => {
    await sql`set statement_timeout = 0`.execute(one);
    await sql`insert into users (character_id, character_name, name_key)
      select n, 'Pilot ' || n, 'pilot ' || n from generate_series(1, ${characters}::int) n`.execute(one);
    // Hour by hour, as they come: a character's entries lie far apart.
    await sql`
      insert into character_locations
      select character, ${new Date(now)}::timestamptz - hour * interval '1 hour', true, 'Second Thought', 587,
        'Courier', 30000142, 'Meridian', 60003760, 'Meridian IV, Freight Yard', null, null
      from generate_series(${ENTRIES - 1}::int, 0, -1) hour, generate_series(1, ${characters}::int) character`.execute(
      one,
    );
    await sql`
      insert into mails
      select n, 1, 'Pilot 1', '[{"recipient_id": 2, "recipient_name": "Pilot 2"}]', 'Subject ' || n,
        ${new Date(now)}::timestamptz - (${rows}::int - n) * interval '1 second'
      from generate_series(1, ${rows}::int) n`.execute(one);
    await sql`insert into mailboxes values (1, true)`.execute(one);
    await sql`insert into mailbox_mails select 1, n, n, true from generate_series(1, ${rows}::int) n`.execute(
      one,
    );
    // What autovacuum does in a service that has run for a while.
    await sql`vacuum analyze`.execute(one);
  });
  return { ...connection, characters, mails: rows };
}
