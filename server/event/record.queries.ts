import { type Kysely, sql } from 'kysely';
import { PLANNED_EACH_TIME } from '../database/statements.ts';
import type { Database } from '../database/tables.ts';
import { tellsByActor } from './linking.queries.ts';

/** An event as it is stored, with the context of its request. */
export interface EventRow {
  readonly kept: 'short' | 'long';
  readonly event_id: string;
  readonly type: string;
  readonly actor_id: number | null;
  readonly on_behalf_of: number | null;
  readonly concerns: readonly number[];
  readonly targets: readonly string[];
  /** Whether its actor tells which other character a human plays (D100): by itself, or because its cause does. */
  readonly hides_actor: boolean;
  /** The event that caused it. */
  readonly cause: string | null;
  readonly body: string;
  readonly context: string | null;
}

/** Stores any number of events in one statement. */
export async function insertEvents(db: Kysely<Database>, rows: readonly EventRow[]): Promise<void> {
  const causes = [...new Set(rows.flatMap(({ cause }) => cause ?? []))];
  // Planned for these ids, it looks at the partitions of their month alone.
  const [plan, hiding] =
    causes.length === 0
      ? [sql``, sql`e.hides_actor`]
      : [
          sql.raw(PLANNED_EACH_TIME),
          sql`e.hides_actor or e.cause in (
            select event_id from events c where event_id = any(${causes}::uuid[]) and ${tellsByActor('c')})`,
        ];
  await sql`${plan}
    with arriving as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e(kept text, event_id uuid, type text,
        actor_id bigint, on_behalf_of bigint, concerns bigint[], targets text[], hides_actor boolean, cause uuid,
        body text, context text)
    ), contexts as (
      insert into event_contexts (event_id, context)
      select event_id, context from arriving where context is not null
    )
    insert into events (kept, event_id, type, actor_id, on_behalf_of, concerns, targets, hides_actor, body)
    select kept, event_id, type, actor_id, on_behalf_of, concerns, targets, coalesce(${hiding}, false), body
    from arriving e`.execute(db);
}
