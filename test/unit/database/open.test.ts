import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pino from 'pino';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { connect } from '../../../server/database/connection.ts';
import { openDatabase } from '../../../server/database/open.ts';
import { examineDatabase } from '../../../server/doctor/database.ts';
import { CannotStart } from '../../../server/shared/cannot-start.ts';
import { databaseUrl, onServer } from '../../harness/postgres.ts';

const logged: string[] = [];
const log = pino({}, { write: (line: string) => void logged.push(line) });
const server = inject('templateUrl');
let name: string;
let url: string;
beforeEach(() => {
  name = `castellan_encoding_${randomBytes(8).toString('hex')}`;
  url = databaseUrl(server, name);
  logged.length = 0;
});
afterEach(() => onServer(server, `drop database ${name} with (force)`));

const create = (encoding: string) =>
  onServer(
    server,
    `create database ${name} template template0 encoding '${encoding}' locale_provider libc locale 'C'`,
  );

it('an empty database that cannot hold every name is refused, with what to do', async () => {
  await create('LATIN1');
  const opened = openDatabase(url, log);
  await expect(opened).rejects.toThrow(CannotStart);
  await expect(opened).rejects.toThrow(
    /^The encoding of the database is LATIN1; castellan needs UTF8: make it /,
  );
});

it('one that is in use already is opened, and the doctor says what to do', async () => {
  await create('LATIN1');
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

it('one without an encoding, as a server has them whose locale is C, is taken, with a warning', async () => {
  await create('SQL_ASCII');
  const { close } = await openDatabase(url, log);
  await close();
  expect(logged.join('')).toContain('give the database the encoding UTF8');
});
