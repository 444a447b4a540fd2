import { createRemoteJWKSet, jwtVerify } from 'jose';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeCheckpoint } from '../../jobs/write-checkpoint.ts';
import { examineEvents } from '../../server/doctor/events.ts';
import { toLines } from '../../server/doctor/finding.ts';
import { verifyCheckpoints } from '../../server/event/checkpoint.ts';
import { recordEvents } from '../../server/event/record.ts';
import { verifyEvents } from '../../server/event/verify.ts';
import { loadSigningKeys } from '../../server/keys/signing-keys.ts';
import { allEvents } from '../fixtures/events.ts';
import { newSigningKey, startTestApp, type TestApp } from '../harness/app.ts';
import { testRun } from '../harness/run.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  for (let n = 0; n < 3; n += 1)
    await recordEvents(app.db, Array(4).fill({ type: 'group.created', targets: [] }), app.clock.now());
  await allEvents(app.db);
});
afterAll(() => app.stop());

/** The fault that is found after a superuser made this change without triggers; the change is rolled back. */
async function foundAfter(...statements: string[]): Promise<string | undefined> {
  const before = await copy();
  await past(...statements);
  const { fault } = await verifyEvents(app.db, app.clock.now());
  await past('truncate events, event_seals', ...before);
  expect((await verifyEvents(app.db, app.clock.now())).fault).toBeUndefined();
  return fault;
}

async function past(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('set local session_replication_role = replica');
  for (const statement of statements) await client.query(statement);
  await client.query('commit');
  await client.end();
}

/** Statements that recompute the whole chain. */
async function copy(): Promise<string[]> {
  const statements: string[] = [];
  for (const table of ['events', 'event_seals'] as const) {
    const rows = await app.db
      .selectFrom(table)
      .select((eb) => eb.fn<string>('to_jsonb', [eb.table(table)]).as('row'))
      .execute();
    const text = JSON.stringify(rows.map(({ row }) => row)).replaceAll("'", "''");
    statements.push(`insert into ${table} select (jsonb_populate_recordset(null::${table}, '${text}')).*`);
  }
  return statements;
}

/** The finding of the doctor. */
async function examined(kept?: string): Promise<string[]> {
  const { db, keys } = app.app.services;
  return (await examineEvents(db, keys, app.clock.now(), { kept })).map(toLines);
}

const idAt = (position: number) => `(select event_id from event_seals where position = ${position})`;

describe('D90: the chain of hashes', () => {
  it('is intact, and the doctor says up to which position', async () => {
    const head = (await allEvents(app.db)).length;
    expect(await verifyEvents(app.db, app.clock.now())).toEqual({ looked: head, head, fault: undefined });
    expect(await verifyEvents(app.db, app.clock.now(), 5)).toEqual({ looked: 5, head, fault: undefined });
    expect(await examined()).toEqual([
      `ok   events: whole, up to position ${head}; ${head} looked at\n`,
      'ok   checkpoint: none\n',
    ]);
  });

  it.each([
    [
      'an event that was changed',
      [`update events set body = body || ' ' where event_id = ${idAt(7)}`],
      'position 7: changed event',
    ],
    [
      'an event that was removed',
      [`delete from events where event_id = ${idAt(6)}`],
      'position 6: missing event',
    ],
    ['a table that was emptied', ['truncate events'], 'position 1: missing event'],
    ['a seal that was removed', ['delete from event_seals where position = 5'], 'position 5: missing seal'],
    [
      'a digest that was fitted to a change',
      ["update event_seals set digest = sha256('x') where position = 4"],
      'position 4: broken chain',
    ],
  ])('names %s', async (_, statements, fault) => {
    expect(await foundAfter(...statements)).toBe(fault);
  });

  it('names events whose seals were removed', async () => {
    expect(await foundAfter('truncate event_seals')).toMatch(
      /^event [0-9a-f-]{36} has no position any more$/,
    );
  });

  it('does not report expired events as missing', async () => {
    const later = new Date(app.clock.now().getTime() + 401 * 86_400_000);
    await past('create table aside as select * from events', 'truncate events');
    expect((await verifyEvents(app.db, later)).fault).toBeUndefined();
    await past('insert into events select * from aside', 'drop table aside');
  });
});

// Last, because these tests advance the clock
// ------------------------------------------------------------------------------------------

describe('D90: the daily checkpoint', () => {
  const DAY = 86_400_000;
  const write = () => writeCheckpoint(app.app.services, testRun('write-checkpoint'));
  const more = () => recordEvents(app.db, [{ type: 'group.created', targets: [] }], app.clock.now());
  /** The last checkpoint, as in its event. */
  async function lastOne() {
    const event = (await allEvents(app.db)).findLast(({ type }) => type === 'audit.checkpoint');
    const values = event?.changes.map((change) => ('after' in change ? change.after : null)) ?? [];
    return { position: Number(values[0]), hash: String(values[1]), signature: String(values[2]) };
  }
  /** The finding of the doctor after a superuser made this change, which is rolled back. */
  async function doctorAfter(statements: readonly string[], kept?: string): Promise<string> {
    const before = await copy();
    await past(...statements);
    const found = await examined(kept);
    await past('truncate events, event_seals', ...before);
    return found.join('');
  }
  /** Recomputes the whole chain for the present events. */
  const REWRITE = `do $$ declare chained bytea := ''; entry record; begin
    for entry in select s.position, sha256(convert_to(e.body, 'UTF8')) as digest
      from event_seals s join events e using (event_id) order by s.position loop
      chained := sha256(chained || entry.digest);
      update event_seals set digest = entry.digest, hash = chained where position = entry.position;
    end loop; end $$`;

  it('is an event with position and hash, signed with the key of tokens, and in the log', async () => {
    const head = (await allEvents(app.db)).at(-1)?.position;
    await write();
    const { position, hash, signature } = await lastOne();
    expect(position).toBe(head);
    const seal = await app.db
      .selectFrom('event_seals')
      .select('hash')
      .where('position', '=', position)
      .executeTakeFirstOrThrow();
    expect(hash).toBe(seal.hash.toString('hex'));
    const keys = createRemoteJWKSet(new URL(`${app.url}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(signature, keys, { typ: 'castellan-checkpoint+jwt' });
    expect(payload).toMatchObject({ position, hash });
    expect(app.logged.some((line) => line.includes(signature))).toBe(true);
    expect((await examined())[1]).toMatch(/^ok {3}checkpoint: of .+, up to position \d+\n$/);
    // It cannot be used as a token.
    expect((await app.client(signature).token.current()).status).toBe(401);
  });

  it('is recorded each day, and the doctor reports when it is not', async () => {
    app.clock.advance(2.1 * DAY);
    expect((await examined())[1]).toMatch(/^mind checkpoint: .*\n.*does the job write-checkpoint run/);
    const { position } = await lastOne();
    await write();
    expect((await lastOne()).position).toBe(position + 1);
    expect((await examined())[1]).toMatch(/^ok/);
  });

  it('reveals a rewritten chain before it, by somebody with write access to the tables but without the key', async () => {
    await more();
    await write();
    const { position } = await lastOne();
    const edit = `update events set body = body || ' ' where event_id = ${idAt(7)}`;
    expect(await doctorAfter([edit])).toContain('position 7: changed event');
    const found = await doctorAfter([edit, REWRITE]);
    expect(found).toMatch(
      /^BAD {2}events: checkpoint of position \d+: something up to there was written anew/,
    );
    // A checkpoint that is adapted to the new chain differs from its signature.
    const fit = `update events set body = replace(body, (body::jsonb #>> '{changes,1,after}'),
      (select encode(hash, 'hex') from event_seals where position = (body::jsonb #>> '{changes,0,after}')::int))
      where type = 'audit.checkpoint'`;
    expect(await doctorAfter([edit, REWRITE, fit, REWRITE])).toMatch(
      /^BAD {2}events: checkpoint of position \d+: not as it was signed/,
    );
    expect(position).toBeGreaterThan(7);
  });

  it('reveals a chain that was truncated before it', async () => {
    const found = await doctorAfter(['delete from event_seals where position > 5']);
    expect(found).toMatch(/BAD {2}events: checkpoint of position \d+: there is no such position any more/);
  });

  it('kept outside, reveals an end that was truncated with it, and a rewritten one', async () => {
    await more();
    await write();
    const { position, signature } = await lastOne();
    expect((await examined(signature)).every((line) => line.startsWith('ok'))).toBe(true);
    const cut = [
      `delete from events where event_id in (select event_id from event_seals where position >= ${position})`,
      `delete from event_seals where position >= ${position}`,
    ];
    expect(await doctorAfter(cut)).not.toContain('BAD');
    expect(await doctorAfter(cut, signature)).toContain(
      `BAD  events: checkpoint of position ${position}: there is no such position any more`,
    );
    const anew = [...cut, `update events set body = body || ' ' where event_id = ${idAt(3)}`, REWRITE];
    expect(
      await doctorAfter([...anew, "delete from events where type = 'audit.checkpoint'"], signature),
    ).toContain(`BAD  events: checkpoint of position ${position}`);
  });

  it('kept outside, has every event up to it verified, however few of the last ones were asked for', async () => {
    await more();
    await write();
    const { position, signature } = await lastOne();
    const { db, keys } = app.app.services;
    const examine = async (kept?: string) =>
      (await examineEvents(db, keys, app.clock.now(), { most: 3, kept })).map(toLines).join('');
    const before = await copy();
    await past(`update events set body = body || ' ' where event_id = ${idAt(7)}`);
    const [last, all] = [await examine(), await examine(signature)];
    await past('truncate events, event_seals', ...before);
    expect(position).toBeGreaterThan(7 + 3);
    expect(last).not.toContain('BAD');
    expect(all).toContain('BAD  events: position 7: changed event');
  });

  it('kept outside, is compared also where the events cannot be read', async () => {
    await write();
    const { position, signature } = await lastOne();
    const before = await copy();
    await past(
      `delete from event_seals where position >= ${position}`,
      'alter table unsealed_events rename to aside',
    );
    const found = (await examined(signature)).join('');
    await past('alter table aside rename to unsealed_events', 'truncate events, event_seals', ...before);
    expect(found).toMatch(/^BAD {2}events: relation "unsealed_events" does not exist/);
    expect(found).toContain(
      `BAD  events: checkpoint of position ${position}: there is no such position any more`,
    );
  });

  it.each([
    ['is forged', (signature: string) => `${signature.slice(0, -4)}AAAA`],
    ['was cut short', (signature: string) => signature.slice(0, 40)],
    ['is missing from its file', () => ''],
  ])('that %s says nothing of the events, and the doctor says so', async (_, change) => {
    await write();
    const lines = await examined(change((await lastOne()).signature));
    expect(lines.join('')).toMatch(/^ok {3}events: whole/m);
    expect(lines.at(-1)).toMatch(
      /^BAD {2}kept checkpoint: the checkpoint was not signed by this service\n {5}→ nothing was compared/,
    );
  });

  it('is not written when the chain is faulty', async () => {
    const before = await copy();
    const { position } = await lastOne();
    await more();
    const last = (await allEvents(app.db)).at(-1)?.position ?? 0;
    await past(`update events set body = body || ' ' where event_id = ${idAt(last)}`);
    await expect(write()).rejects.toThrow(`position ${last}: changed event`);
    await past('truncate events, event_seals', ...before);
    expect((await lastOne()).position).toBe(position);
  });

  it('with a removed key is skipped and reported', async () => {
    const { db, clock } = app.app.services;
    const others = await loadSigningKeys(
      { keys: [await newSigningKey()] } as never,
      'https://castellan.test',
      clock,
    );
    expect((await verifyCheckpoints(db, others)).fault).toBeUndefined();
    const found = (await examineEvents(db, others, clock.now())).map(toLines).join('');
    expect(found).toMatch(
      /ok {3}checkpoint: none; \d+ of former keys were not looked at|mind checkpoint: none; \d+ of former/,
    );
    const kept = (await lastOne()).signature;
    const compared = (await examineEvents(db, others, clock.now(), { kept })).map(toLines);
    expect(compared.at(-1)).toMatch(
      /^BAD {2}kept checkpoint: .* a key that is not there any more\n {5}→ nothing was compared with it: put the key's public half/,
    );
  });
});
