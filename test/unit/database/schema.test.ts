import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeSchema } from '../../../scripts/schema.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

/** One object of each kind that a migration may create. */
const EVERY_KIND = `
  create type mood as enum ('calm', 'it''s odd');
  create domain ticker as text collate "C" default 'X' not null check (length(value) < 20);
  create function touch() returns trigger language plpgsql as $$ begin new.at := now(); return new; end $$;
  create table "Odd one" (
    id bigint generated always as identity primary key,
    twice bigint generated always as (id * 2) stored,
    at timestamptz, mood mood default 'calm', ticker ticker, unique (ticker, mood)
  );
  create unlogged table child (odd bigint references "Odd one" on delete cascade, check (odd > 0 or odd < -5));
  create unique index on child (odd) where odd <> 7;
  create table by_time (at timestamptz primary key, what text) partition by range (at);
  create index on by_time (what);
  create table by_time_2026 partition of by_time for values from ('2026-01-01') to ('2027-01-01');
  create sequence counted;
  create view moody as select id, mood from "Odd one" where mood is not null;
  create trigger touching before update on "Odd one" for each row execute function touch();
  comment on table "Odd one" is 'it''s a table';
  comment on column child.odd is 'a column';
  comment on constraint child_odd_check on child is 'a constraint';
  comment on function touch() is 'a function';
  comment on domain ticker is 'a domain';
  comment on view moody is 'a view';
  comment on trigger touching on "Odd one" is 'a trigger'`;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('describeSchema', () => {
  it('its SQL creates the same schema again', async () => {
    await database.pool.query(EVERY_KIND);
    const described = await describeSchema(database.db);
    for (const { 0: what } of EVERY_KIND.matchAll(/(?<= is )'.*'(?=;|$)/gm))
      expect(described).toContain(what);
    expect(described).toMatch(/^CREATE FUNCTION touch\(\)/m);
    expect(described).toMatch(/^CREATE TRIGGER touching /m);
    expect(described).toMatch(/^CREATE UNIQUE INDEX child_odd_idx /m);
    expect(described).toContain('create sequence counted;');
    expect(described).toContain(') partition by RANGE (at);');
    expect(described).toMatch(/^CREATE INDEX by_time_what_idx ON by_time /m);
    expect(described).not.toContain('by_time_2026');
    expect(described).not.toContain('kysely_migration');
    expect(described).not.toContain('public.');

    await sql`drop schema public cascade; create schema public`.execute(database.db);
    expect(await describeSchema(database.db)).not.toContain('create table');
    await database.pool.query(described);
    expect(await describeSchema(database.db)).toBe(described);
  });

  it('refuses objects that it cannot describe', async () => {
    await sql`create materialized view frozen as select 1 as one`.execute(database.db);
    await expect(describeSchema(database.db)).rejects.toThrow('does not know how to write frozen');
  });
});
