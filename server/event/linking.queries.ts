import { type RawBuilder, sql } from 'kysely';

/** Subjects whose events link characters: the actor is mostly another character of the human whom they are about. */
export const LINKING: ReadonlySet<string> = new Set(['person', 'voice']);

/**
 * Whether the actor of event `e` (another alias if given) tells which other character a human plays (D100). A process of
 * the release before 0038 did not decide that, and events never change. Of its events that is the case if they link
 * characters, and presumed if they follow from any other event: the cause is not read, as it may be in a partition that
 * the statement is not planned for, or dropped before them (D90).
 */
export function tellsByActor(alias = 'e'): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  const linking = sql.join([...LINKING].map((subject) => sql.lit(subject)));
  return sql`coalesce(${column('hides_actor')}, split_part(${column('type')}, '.', 1) in (${linking})
    or ${column('body')}::jsonb #>> '{cause,event_id}' is not null)`;
}
