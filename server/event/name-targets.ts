import type { Kysely } from 'kysely';
import type { Target } from '../../contract/event.ts';
import type { Database } from '../database/tables.ts';
import { findNames } from './name-targets.queries.ts';

/** Kinds of records that have names of their own. */
const NAMED: ReadonlySet<Target['type']> = new Set(['user', 'corporation', 'alliance', 'coalition', 'group']);

/** Adds the names of targets that lack them; deleted records have none (D90). */
export async function nameTargets<Event extends { readonly targets: readonly Target[] }>(
  db: Kysely<Database>,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const unnamed = events.flatMap(({ targets }) => targets.filter(lacksName));
  if (unnamed.length === 0) return events;
  const names = await findNames(db, unnamed);
  const named = (target: Target) =>
    lacksName(target) ? { ...target, name: names.get(`${target.type}:${target.id}`) ?? null } : target;
  return events.map((event) => ({ ...event, targets: event.targets.map(named) }));
}

function lacksName({ type, name }: Target): boolean {
  return name === null && NAMED.has(type);
}
