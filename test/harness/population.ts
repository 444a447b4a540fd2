import { sql } from 'kysely';
import { nameKey } from '../../server/database/name-key.ts';
import { FIRST_CHARACTER_ID } from '../../server/simulated/world.ts';
import type { TestApp } from './app.ts';
import { letIn } from './registry.ts';

/**
 * Registers everything and everybody of the simulated world as the provider has them, members of all alliances
 * and of no alliance alike being let in; returns the coalition that does it.
 */
export async function populate(app: TestApp): Promise<string> {
  const { world } = app.provider;
  const players = world.corporations.filter(({ npc, closed }) => !npc && !closed);
  const coalition = await letIn(app, {
    alliances: world.alliances.map(({ id }) => id),
    corporations: players.map(({ id }) => id),
  });
  const users = Array.from({ length: world.population }, (_, n) => {
    const character = world.character(FIRST_CHARACTER_ID + n);
    if (character === undefined) throw new Error('the world is smaller than it says');
    const corporation = world.corporation(character.corporationId);
    return {
      character_id: character.id,
      character_name: character.name,
      name_key: nameKey(character.name),
      corporation_id: corporation?.npc ? null : character.corporationId,
    };
  });
  await sql`
    insert into users (character_id, character_name, name_key, corporation_id)
    select * from jsonb_to_recordset(${JSON.stringify(users)}::jsonb)
      as f(character_id bigint, character_name text, name_key text, corporation_id bigint)
    on conflict do nothing`.execute(app.db);
  return coalition;
}

/** Affiliation requests that `work` makes, as numbers of requests by path. */
export async function requestsOf(app: TestApp, work: () => Promise<unknown>): Promise<Map<string, number>> {
  const before = app.provider.requests.length;
  await work();
  const made = new Map<string, number>();
  for (const { route, path } of app.provider.requests.slice(before)) {
    const name = route ?? path;
    made.set(name, (made.get(name) ?? 0) + 1);
  }
  return made;
}

/** Members of the autogroup of a body, as the API tells them. */
export async function membersOf(
  app: TestApp,
  of: { readonly corporation_id: number } | { readonly alliance_id: number },
): Promise<number[]> {
  const column = 'corporation_id' in of ? 'corporation_id' : 'alliance_id';
  const id = 'corporation_id' in of ? of.corporation_id : of.alliance_id;
  const { group_id } = await app.db
    .selectFrom('groups')
    .select('group_id')
    .where(column, '=', id)
    .executeTakeFirstOrThrow();
  const answer = await app.client(app.root).group.get({ params: { group_id } });
  if (answer.status !== 200) throw new Error(`no group of ${id}: ${answer.status}`);
  return answer.body.members.map((member) => member.character_id);
}
