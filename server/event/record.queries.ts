import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** An event as it is stored, with the context of its request. */
export interface EventRow {
  readonly kept: 'short' | 'long';
  readonly event_id: string;
  readonly type: string;
  readonly actor_id: number | null;
  readonly on_behalf_of: number | null;
  readonly concerns: readonly number[];
  readonly targets: readonly string[];
  readonly body: string;
  readonly context: string | null;
}

/** Stores any number of events in one statement. */
export async function insertEvents(db: Kysely<Database>, rows: readonly EventRow[]): Promise<void> {
  await sql`
    with arriving as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e(kept text, event_id uuid, type text,
        actor_id bigint, on_behalf_of bigint, concerns bigint[], targets text[], body text, context text)
    ), contexts as (
      insert into event_contexts (event_id, context)
      select event_id, context from arriving where context is not null
    )
    insert into events (kept, event_id, type, actor_id, on_behalf_of, concerns, targets, body)
    select kept, event_id, type, actor_id, on_behalf_of, concerns, targets, body from arriving`.execute(db);
}
