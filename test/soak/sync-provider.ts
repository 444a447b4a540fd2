/**
 * The simulated provider in a process of its own, so that its memory and time are not the sync's. It fills a
 * registry with its world, changes that world, and tells what it was asked.
 */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { type SimulatedProvider, startSimulatedProvider } from '../../dev/provider/provider.ts';
import { FIRST_CHARACTER_ID } from '../../dev/world/world.ts';
import { nameKey } from '../../server/database/name-key.ts';
import type { Database } from '../../server/database/tables.ts';

export interface WorldSize {
  readonly alliances: number;
  readonly corporations: number;
  readonly characters: number;
  /** The last so many corporations are left to their CEOs, and nobody has registered them. */
  readonly unfounded: number;
}

export type Order =
  | {
      readonly kind: 'start';
      readonly size: WorldSize;
      readonly clientId: string;
      readonly clientSecret: string;
    }
  /** Registers everything as it is, but for the unfounded corporations. */
  | { readonly kind: 'populate'; readonly databaseUrl: string }
  /** Moves one character in so many, others in each round. */
  | { readonly kind: 'move'; readonly oneIn: number; readonly round: number }
  /** Requests by route since the last time, and users that the registry has elsewhere than the world. */
  | { readonly kind: 'report'; readonly databaseUrl: string };

export type Reply =
  | { readonly kind: 'started'; readonly ssoUrl: string; readonly apiUrl: string; readonly specUrl: string }
  | { readonly kind: 'populated'; readonly users: number }
  | { readonly kind: 'moved'; readonly characters: number }
  | {
      readonly kind: 'reported';
      readonly requests: Readonly<Record<string, number>>;
      readonly untrue: number;
    };

const BATCH = 5_000;
let provider: SimulatedProvider;
let unfoundedCount: number;

process.on('message', (order: Order) => {
  obey(order).then(
    (reply) => process.send?.(reply),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));

async function obey(order: Order): Promise<Reply> {
  switch (order.kind) {
    case 'start': {
      const { clientId, clientSecret, size } = order;
      provider = await startSimulatedProvider({ clientId, clientSecret, ...size });
      unfoundedCount = size.unfounded;
      emptyTheUnfounded();
      const { ssoUrl, apiUrl, specUrl } = provider;
      return { kind: 'started', ssoUrl, apiUrl, specUrl };
    }
    case 'populate':
      return { kind: 'populated', users: await withDatabase(order.databaseUrl, populate) };
    case 'move':
      return { kind: 'moved', characters: move(order.oneIn, order.round) };
    case 'report': {
      const requests = countRequests();
      provider.reset();
      return { kind: 'reported', requests, untrue: await withDatabase(order.databaseUrl, countUntrue) };
    }
  }
}

function players() {
  const all = provider.world.corporations.filter(({ npc }) => !npc);
  return { founded: all.slice(0, -unfoundedCount), unfounded: all.slice(-unfoundedCount) };
}

function emptyTheUnfounded(): void {
  const { world } = provider;
  const { founded, unfounded } = players();
  for (const { id, ceoId } of unfounded) {
    for (const member of world.membersOf(id)) {
      const home = founded[member % founded.length]?.id ?? 0;
      if (member !== ceoId) world.moveCharacter(member, home);
    }
  }
}

/** Every character but the CEOs of unfounded corporations. */
function* people() {
  const { world } = provider;
  const leaders = new Set(players().unfounded.map(({ ceoId }) => ceoId));
  for (let n = 0; n < world.population; n += 1) {
    const character = world.character(FIRST_CHARACTER_ID + n);
    if (character !== undefined && !leaders.has(character.id)) yield character;
  }
}

async function withDatabase<T>(url: string, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

async function populate(db: Kysely<Database>): Promise<number> {
  const { world } = provider;
  const named = <Row extends object>(row: Row, name: string) => ({ ...row, name_key: nameKey(name) });
  const corporations = players().founded.map(({ id, name, ticker, allianceId, ceoId }) =>
    named(
      { id, name, ticker, alliance: allianceId, ceo: ceoId, ceo_name: world.character(ceoId ?? 0)?.name },
      name,
    ),
  );
  const alliances = world.alliances.map(({ id, name, ticker, executorCorporationId }) =>
    named({ id, name, ticker, executor: executorCorporationId }, name),
  );
  await db.transaction().execute(async (tx) => {
    await sql`
      insert into alliances (alliance_id, alliance_name, name_key, ticker, executor_corporation_id)
      select id, name, name_key, ticker, executor from jsonb_to_recordset(${JSON.stringify(alliances)}::jsonb)
        as f(id bigint, name text, name_key text, ticker text, executor bigint)`.execute(tx);
    await sql`
      insert into corporations (corporation_id, corporation_name, name_key, ticker, alliance_id, ceo_id, ceo_name)
      select id, name, name_key, ticker, alliance, ceo, ceo_name
      from jsonb_to_recordset(${JSON.stringify(corporations)}::jsonb)
        as f(id bigint, name text, name_key text, ticker text, alliance bigint, ceo bigint, ceo_name text)`.execute(
      tx,
    );
    const coalition = {
      coalition_id: 'c0'.repeat(12),
      coalition_name: 'All',
      name_key: 'all',
      ticker: 'ALL',
    };
    await tx
      .insertInto('coalitions')
      .values({ ...coalition, authorized_to_login: true })
      .execute();
    await sql`
      insert into coalition_alliances select ${coalition.coalition_id}, alliance_id from alliances`.execute(
      tx,
    );
  });
  let users = 0;
  let batch: object[] = [];
  const insert = async () => {
    await sql`
      insert into users (character_id, character_name, name_key, corporation_id)
      select id, name, name_key, corporation from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb)
        as f(id bigint, name text, name_key text, corporation bigint)`.execute(db);
    users += batch.length;
    batch = [];
  };
  for (const { id, name, corporationId } of people()) {
    const corporation = world.corporation(corporationId)?.npc ? null : corporationId;
    batch.push(named({ id, name, corporation }, name));
    if (batch.length === BATCH) await insert();
  }
  await insert();
  await sql`vacuum analyze`.execute(db);
  return users;
}

/** Into another corporation, now and then into an unfounded one. */
function move(oneIn: number, round: number): number {
  const { world } = provider;
  const { founded, unfounded } = players();
  let moved = 0;
  for (const { id, isCeo, corporationId } of people()) {
    if (isCeo || id % oneIn !== round % oneIn) continue;
    const among = moved % 100 === 0 ? unfounded : founded;
    const to = among[Math.floor(id / oneIn) % among.length]?.id ?? 0;
    if (to === corporationId) continue;
    world.moveCharacter(id, to);
    moved += 1;
  }
  return moved;
}

function countRequests(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, route, path } of provider.requests) {
    const name = `${method} ${route ?? path}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

async function countUntrue(db: Kysely<Database>): Promise<number> {
  const { world } = provider;
  let untrue = 0;
  const rows = await db
    .selectFrom('users')
    .select(['character_id', 'corporation_id'])
    .where('character_id', '>', 0)
    .execute();
  for (const { character_id, corporation_id } of rows) {
    const home = world.corporation(world.character(Number(character_id))?.corporationId ?? 0);
    if ((home?.npc ? null : home?.id) !== (corporation_id === null ? null : Number(corporation_id)))
      untrue += 1;
  }
  return untrue;
}
