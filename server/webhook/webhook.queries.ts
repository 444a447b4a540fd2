import {
  type Insertable,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type Updateable,
} from 'kysely';
import type { WebhookTable } from '../database/event-tables.ts';
import type { Database } from '../database/tables.ts';

/** The owner of a webhook: an application or a user; the other one is null. */
export type Owner = Pick<WebhookTable, 'app_token' | 'owner_id'>;

/** The webhooks that a caller may use: all, or those of one application. */
export type Reach = 'all' | { readonly app_token: string };

const COLUMNS = [
  'webhook_id',
  'app_token',
  'owner_id',
  'url',
  'types',
  'group_ids',
  'ordered',
  'secret',
  'former_secret',
  'former_until',
  'position',
  'disabled_on',
  'disabled_because',
  'failures',
  'paused_until',
  'created_on',
  'updated_on',
] as const;

function select(db: Kysely<Database>) {
  return db.selectFrom('webhooks').select(COLUMNS);
}

function within<O>(query: SelectQueryBuilder<Database, 'webhooks', O>, reach: Reach) {
  return reach === 'all' ? query : query.where('app_token', '=', reach.app_token);
}

/**
 * The deliveries of a webhook that wait, of events and of tests apart: each have an index, and very many more have
 * ended, which are not read for them.
 */
export function waitingOf(webhookId: RawBuilder<unknown>): RawBuilder<unknown> {
  const waiting = sql`select * from webhook_deliveries where webhook_id = ${webhookId} and state = 'waiting'`;
  return sql`${waiting} and position is not null union all ${waiting} and position is null`;
}

const waiting = sql<number>`(
  select count(*) from (${waitingOf(sql.ref('webhooks.webhook_id'))}) waiting)`.as('waiting');

export type WebhookRow = Awaited<ReturnType<typeof listWebhooks>>[number];

/** Webhooks, oldest first, each with the number of its waiting deliveries. */
export async function listWebhooks(db: Kysely<Database>, reach: Reach) {
  return within(select(db), reach).select(waiting).orderBy('created_on').orderBy('webhook_id').execute();
}

export async function findWebhook(db: Kysely<Database>, webhookId: string, reach: Reach) {
  return within(select(db), reach).select(waiting).where('webhook_id', '=', webhookId).executeTakeFirst();
}

/** Locks a webhook, so that until the transaction ends nobody else changes it or claims its deliveries. */
export async function lockWebhook(db: Kysely<Database>, webhookId: string, reach: Reach = 'all') {
  return within(select(db), reach).where('webhook_id', '=', webhookId).forUpdate().executeTakeFirst();
}

/** Somebody else has locked the webhook, maybe for the minutes in which its deliveries are deleted. */
export class WebhookLocked extends Error {}

/**
 * Locks a webhook without waiting for anybody: whoever waited would keep his connection from all other webhooks.
 *
 * @throws WebhookLocked when somebody else has locked it
 */
export async function lockFreeWebhook(db: Kysely<Database>, webhookId: string) {
  const one = select(db).where('webhook_id', '=', webhookId);
  const webhook = await one.forUpdate().skipLocked().executeTakeFirst();
  if (webhook === undefined && (await one.executeTakeFirst()) !== undefined) throw new WebhookLocked();
  return webhook;
}

export type LockedWebhook = NonNullable<Awaited<ReturnType<typeof lockWebhook>>>;

/** Locks the enabled webhooks of a user. */
export async function lockWebhooksOf(db: Kysely<Database>, characterId: number): Promise<LockedWebhook[]> {
  const owned = select(db).where('owner_id', '=', characterId).where('disabled_on', 'is', null);
  return owned.orderBy('webhook_id').forUpdate().execute();
}

/**
 * The number of an owner's webhooks. Takes an advisory lock, so that no other transaction can add one meanwhile: the
 * caller's row is not locked where it is the built-in user.
 */
export async function countWebhooks(db: Kysely<Database>, { app_token, owner_id }: Owner): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext(${`webhooks of ${app_token ?? owner_id}`}))`.execute(db);
  const { count } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where((eb) => (app_token === null ? eb('owner_id', '=', owner_id) : eb('app_token', '=', app_token)))
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertWebhook(db: Kysely<Database>, row: Insertable<WebhookTable>): Promise<void> {
  await db.insertInto('webhooks').values(row).execute();
}

export async function setWebhook(
  db: Kysely<Database>,
  webhookId: string,
  values: Updateable<WebhookTable>,
): Promise<void> {
  await db.updateTable('webhooks').set(values).where('webhook_id', '=', webhookId).execute();
}

/** Those of the ids that are no group's. */
export async function findMissingGroups(
  db: Kysely<Database>,
  groupIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...groupIds]}::text[]) id
    where not exists (select from groups where group_id = id)`.execute(db);
  return rows.map(({ id }) => id);
}

/** The level of a user; undefined when the user does not exist. */
export async function findLevel(db: Kysely<Database>, characterId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('users')
    .select('clearance_level')
    .where('character_id', '=', characterId)
    .executeTakeFirst();
  return row?.clearance_level;
}

/** The encrypted secrets of all webhooks. */
export async function listSecrets(db: Kysely<Database>) {
  return db
    .selectFrom('webhooks')
    .select(['webhook_id', 'secret', 'former_secret', 'former_until', 'disabled_on'])
    .orderBy('webhook_id')
    .execute();
}

/** A secret that was encrypted anew. */
export interface Reencrypted {
  readonly webhook_id: string;
  readonly before: Buffer;
  readonly after: Buffer;
}

/** Stores re-encrypted secrets, except those that were changed meanwhile; returns how many. */
export async function replaceSecrets(
  db: Kysely<Database>,
  column: 'secret' | 'former_secret',
  secrets: readonly Reencrypted[],
): Promise<number> {
  if (secrets.length === 0) return 0;
  const [ids, before, after] = [
    secrets.map(({ webhook_id }) => webhook_id),
    secrets.map((secret) => secret.before),
    secrets.map((secret) => secret.after),
  ];
  const { numAffectedRows = 0n } = await sql`
    update webhooks w set ${sql.ref(column)} = s.after
    from unnest(${ids}::text[], ${before}::bytea[], ${after}::bytea[]) s (webhook_id, before, after)
    where w.webhook_id = s.webhook_id and w.${sql.ref(column)} = s.before`.execute(db);
  return Number(numAffectedRows);
}
