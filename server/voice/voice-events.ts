import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type NewEvent, recordEvents, userTarget } from '../event/record.ts';
import type { Released } from './voice.queries.ts';

function targetsOf({ client_database_id, character_id }: Released): NewEvent['targets'] {
  return [{ type: 'voice_identity', id: String(client_database_id), name: null }, userTarget(character_id)];
}

/** Records that a user bound a voice identity (D41), and what was released by that; returns the event as a cause. */
export async function recordBound(
  db: Kysely<Database>,
  bound: Released,
  released: readonly Released[],
  now: Date,
): Promise<{ readonly event_id: string }> {
  const [event_id = ''] = await recordEvents(
    db,
    [{ type: 'voice.bound', targets: targetsOf(bound) }, ...released.map(unbound)],
    now,
  );
  return { event_id };
}

/** Records voice identities that are nobody's any more. */
export async function recordUnbound(
  db: Kysely<Database>,
  released: readonly Released[],
  now: Date,
): Promise<void> {
  await recordEvents(db, released.map(unbound), now);
}

function unbound(identity: Released): NewEvent {
  return { type: 'voice.unbound', targets: targetsOf(identity) };
}
