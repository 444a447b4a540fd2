import type { Change, Event } from '../../contract/event.ts';
import { ok } from '../../sdk/src/index.ts';
import { readPosition } from '../../server/event/read.queries.ts';
import { readStandings } from '../../server/standing/read-standings.queries.ts';
import { allSealed } from '../fixtures/events.ts';
import type { TestApp } from './app.ts';
import { type KnownPeople, learnOfPeople, noPeople, presentPeople } from './replay-people.ts';

/** State that is rebuilt from the feed: users with their standing, groups with their members, and joining. */
export interface Known extends KnownPeople {
  readonly users: Map<string, Record<string, unknown>>;
  readonly groups: Map<string, { name: unknown; owner: unknown; members: Set<number> }>;
}

export const nothing = (): Known => ({ users: new Map(), groups: new Map(), ...noPeople() });

/** The same state as read from the tables and the API. */
export async function present(app: TestApp): Promise<Known> {
  const root = app.client(app.root);
  const ids = await app.db
    .selectFrom('users')
    .select('character_id')
    .where('character_id', '!=', 0)
    .execute();
  const standings = await readStandings(app.db, { users: ids.map(({ character_id }) => character_id) });
  const users = [...standings.values()].map((standing) => {
    const { character_id, corporation_id: corporation, alliance_id: alliance } = standing;
    const { character_name, clearance_level, coalitions, may_log_in } = standing;
    const known = { character_name, clearance_level, corporation, alliance, coalitions, may_log_in };
    return [String(character_id), known] as const;
  });
  const groups = await Promise.all(
    (await ok(root.group.list())).map((params) => ok(root.group.get({ params }))),
  );
  return {
    ...(await presentPeople(app)),
    users: new Map(users),
    groups: new Map(
      groups.map(({ group_id, group_name: name, is_autogroup, owner, members }) => [
        group_id,
        {
          name,
          // The owner of an autogroup is the CEO of its organization, which the organization's events contain.
          owner: is_autogroup ? null : (owner?.character_id ?? null),
          members: new Set(members.map((one) => one.character_id)),
        },
      ]),
    ),
  };
}

/** Waits until every event has a position, and returns the last one. */
export async function headOf({ db }: Pick<TestApp, 'db'>): Promise<number> {
  await allSealed(db);
  return readPosition(db);
}

/** Reads the feed from a position to its end and applies the events. */
export async function follow(app: TestApp, known: Known, after: number): Promise<void> {
  const head = await headOf(app);
  const root = app.client(app.root);
  for (let cursor = after; cursor < head; ) {
    const page = await ok(root.event.list({ query: { after: cursor, limit: 1000 } }));
    for (const event of page.events) {
      learn(known, event);
      learnOfPeople(known, event);
    }
    cursor = Number(page.cursor);
  }
}

/** Applies one event as described in docs/events.md. */
function learn({ users, groups }: Known, { type, targets, changes, position }: Event): void {
  const id = targets[0]?.id ?? '';
  const known = <T>(map: Map<string, T>): T => {
    const found = map.get(id);
    if (found === undefined) throw new Error(`${position} ${type} is about ${id}, of whom nothing was told`);
    return found;
  };
  switch (type) {
    case 'user.registered':
      users.set(id, { corporation: null, alliance: null, ...valuesOf(changes) });
      break;
    case 'user.renamed':
    case 'user.moved':
    case 'user.standing_changed':
      Object.assign(known(users), valuesOf(changes));
      break;
    case 'user.deleted':
      users.delete(id);
      break;
    case 'group.created':
      groups.set(id, { name: null, owner: null, members: new Set() });
      update(known(groups), changes);
      break;
    case 'group.updated':
      update(known(groups), changes);
      break;
    case 'group.members_changed':
      for (const change of changes) {
        if (!('added' in change)) continue;
        const { members } = known(groups);
        for (const one of change.added) members.add(one);
        for (const one of change.removed) members.delete(one);
      }
      break;
    case 'group.deleted':
      groups.delete(id);
  }
}

function valuesOf(changes: readonly Change[]): Record<string, unknown> {
  return Object.fromEntries(
    changes.flatMap((change) => ('after' in change ? [[change.field, change.after]] : [])),
  );
}

function update(group: { name: unknown; owner: unknown }, changes: readonly Change[]): void {
  const { group_name = group.name, owner = group.owner } = valuesOf(changes);
  Object.assign(group, { name: group_name, owner });
}
