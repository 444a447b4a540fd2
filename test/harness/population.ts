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

/** Users and corporations that the registry has elsewhere than the simulated world; none when all is well. */
export async function untrue(app: TestApp): Promise<unknown[]> {
  const { world } = app.provider;
  const users = await app.db
    .selectFrom('users')
    .select(['character_id', 'corporation_id', 'character_name'])
    .where('character_id', '>', 0)
    .where('clearance_level', '>=', 0)
    .execute();
  const corporations = await app.db
    .selectFrom('corporations')
    .select(['corporation_id', 'alliance_id', 'ceo_id', 'corporation_name'])
    .execute();
  return [
    ...users.filter((user) => {
      const character = world.character(user.character_id);
      const home = world.corporation(character?.corporationId ?? 0);
      return character?.deleted || (home?.npc ? null : home?.id) !== user.corporation_id;
    }),
    ...corporations.filter((row) => {
      const corporation = world.corporation(row.corporation_id);
      if (corporation?.closed) return row.alliance_id !== null;
      return (
        corporation?.allianceId !== row.alliance_id ||
        corporation?.ceoId !== row.ceo_id ||
        corporation?.name !== row.corporation_name
      );
    }),
  ];
}

/** Requests among these that the provider counts as errors. */
export function errorsIn(requests: TestApp['provider']['requests']): number {
  return requests.filter(({ area, status }) => area === 'api' && (status === null || status >= 400)).length;
}

/** Who belongs where at which level, and which tokens and grants there are. */
export async function standings({ db }: TestApp): Promise<unknown> {
  const { rows } = await sql`
    select character_id, corporation_id, clearance_level, character_name,
      (select count(*) from tokens t where t.owner_id = u.character_id) as tokens,
      (select count(*) from grants g where g.character_id = u.character_id and g.valid) as grants
    from users u order by character_id`.execute(db);
  const { rows: bodies } = await sql`
    select corporation_id, alliance_id, ceo_id from corporations order by corporation_id`.execute(db);
  return { rows, bodies };
}

/** A client that does something before its n-th request, counted from 1. */
export function atRequest(
  client: TestApp['app']['parts']['client'],
  nth: number,
  happens: () => void,
): TestApp['app']['parts']['client'] {
  let made = 0;
  return {
    ask(request) {
      made += 1;
      if (made === nth) happens();
      return client.ask(request);
    },
  };
}

/** As if nobody had ever registered the corporation, or the alliance with its corporations, or anybody in them. */
export async function forget(
  { db, provider }: TestApp,
  body: { readonly corporation_id: number } | { readonly alliance_id: number },
): Promise<void> {
  const corporations =
    'corporation_id' in body ? [body.corporation_id] : provider.world.corporationsOf(body.alliance_id);
  const alliance = 'alliance_id' in body ? body.alliance_id : -1;
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('users').where('corporation_id', 'in', corporations).execute();
    await tx.deleteFrom('groups').where('corporation_id', 'in', corporations).execute();
    await tx.deleteFrom('groups').where('alliance_id', '=', alliance).execute();
    await tx.deleteFrom('coalition_corporations').where('corporation_id', 'in', corporations).execute();
    await tx.deleteFrom('coalition_alliances').where('alliance_id', '=', alliance).execute();
    await tx
      .updateTable('corporations')
      .set({ alliance_id: null })
      .where('corporation_id', 'in', corporations)
      .execute();
    await tx.deleteFrom('alliances').where('alliance_id', '=', alliance).execute();
    await tx.deleteFrom('corporations').where('corporation_id', 'in', corporations).execute();
  });
}
