import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pino from 'pino';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { connect } from '../../../server/database/connection.ts';
import { openDatabase } from '../../../server/database/open.ts';
import { examineDatabase } from '../../../server/doctor/database.ts';
import { CannotStart } from '../../../server/shared/cannot-start.ts';
import { databaseUrl, onServer } from '../../harness/postgres.ts';

const log = pino({ level: 'silent' });
const server = inject('templateUrl');
let name: string;
let url: string;
beforeEach(async () => {
  name = `castellan_latin_${randomBytes(8).toString('hex')}`;
  url = databaseUrl(server, name);
  await onServer(
    server,
    `create database ${name} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`,
  );
});
afterEach(() => onServer(server, `drop database ${name} with (force)`));

it('an empty database that cannot hold every name is refused, with what to do', async () => {
  const opened = openDatabase(url, log);
  await expect(opened).rejects.toThrow(CannotStart);
  await expect(opened).rejects.toThrow(
    /^The encoding of the database is LATIN1; castellan needs UTF8: make it /,
  );
});

it('one that is in use already is opened, and the doctor says what to do', async () => {
  const { db, close } = connect({ url, log, poolSize: 1 });
  try {
    await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
      db,
    );
    await sql`insert into kysely_migration values ('9999_of_a_later_release', 'now')`.execute(db);
    await expect(openDatabase(url, log)).rejects.toThrow(/of a later release/);
    expect((await examineDatabase(db)).find(({ about }) => about === 'PostgreSQL')).toMatchObject({
      state: 'mind',
      says: expect.stringMatching(/, of the encoding LATIN1$/),
    });
  } finally {
    await close();
  }
});
