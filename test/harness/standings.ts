import type { Event } from '../../contract/event.ts';
import type { PreviewChange } from '../../contract/preview.ts';
import { ok } from '../../sdk/src/index.ts';
import type { Client, TestApp } from './app.ts';

/** A user as the API shows it, with everything that a preview is about. */
interface Standing {
  readonly name: string;
  readonly level: number;
  /** Whether its token is accepted, which below level 9 means that it may log in. */
  readonly login: boolean;
  readonly groups: ReadonlySet<string>;
  readonly valid: boolean;
}

/** The standings of all users, and the names of all groups. */
export interface Seen {
  readonly users: ReadonlyMap<number, Standing>;
  readonly groups: ReadonlyMap<string, string>;
}

/** Reads the users for whom clients are given, with the operations that an application would use. */
export async function look(app: TestApp, clients: ReadonlyMap<number, Client>): Promise<Seen> {
  const root = app.client(app.root);
  const groups = await Promise.all(
    (await ok(root.group.list())).map(({ group_id }) => ok(root.group.get({ params: { group_id } }))),
  );
  const tracked = await Promise.all(
    (await ok(root.corporation.list())).map(({ corporation_id }) =>
      ok(root.corporation.tracking({ params: { corporation_id } })),
    ),
  );
  const valid = new Set(
    tracked.flatMap(({ valid_refresh_token }) => valid_refresh_token.map(({ character_id }) => character_id)),
  );
  const rows = await app.db
    .selectFrom('users')
    .select(['character_id', 'character_name', 'clearance_level'])
    .where('character_id', '!=', 0)
    .execute();
  const users = await Promise.all(
    rows.map(async ({ character_id: id, character_name: name, clearance_level: level }) => {
      const status = (await clients.get(id)?.group.list())?.status;
      const of = groups.filter(({ members }) => members.some(({ character_id }) => character_id === id));
      // A guest that may log in gets a 403 because of its level.
      const login = status === 200 || status === 403;
      const ids = new Set(of.map(({ group_id }) => group_id));
      return [id, { name, level, login, groups: ids, valid: valid.has(id) }] as const;
    }),
  );
  return {
    users: new Map(users),
    groups: new Map(groups.map(({ group_id, group_name }) => [group_id, group_name])),
  };
}

const NOBODY = { login: false, groups: new Set<string>(), valid: false };

/** The differences between two readings, in the form of a preview, unordered. */
export function changesBetween(before: Seen, after: Seen): Set<string> {
  const found = new Map<string, number[]>();
  const note = (what: string, id: number) => found.set(what, [...(found.get(what) ?? []), id]);
  for (const [id, was] of before.users) {
    const is = after.users.get(id) ?? { ...NOBODY, level: null };
    if (was.login !== is.login) note(`login ${is.login ? 'gained' : 'lost'}`, id);
    if (was.valid !== is.valid) note(`validity ${is.valid ? 'gained' : 'lost'}`, id);
    if (was.level !== is.level) {
      const gained = is.level !== null && is.level > was.level;
      note(`level ${gained ? 'gained' : 'lost'} ${was.level} ${is.level}`, id);
    }
    for (const group of was.groups)
      if (!is.groups.has(group)) note(`group lost ${before.groups.get(group)}`, id);
    for (const group of is.groups)
      if (!was.groups.has(group)) note(`group gained ${after.groups.get(group)}`, id);
  }
  return new Set([...found].map(([what, ids]) => `${what}: ${sorted(ids)}`));
}

/** What events tell of levels and logins, taken together, in the same form. */
export function changesTold(events: readonly Event[]): Set<string> {
  const found = new Map<string, number[]>();
  const note = (what: string, id: number) => found.set(what, [...(found.get(what) ?? []), id]);
  const logins = new Map<number, number>();
  for (const { targets, changes } of events) {
    const id = Number(targets[0]?.id);
    for (const change of changes) {
      if ('added' in change || id === 0) continue;
      const { field, before, after } = change;
      const more = Number(after) - Number(before);
      if (field === 'may_log_in') logins.set(id, (logins.get(id) ?? 0) + more);
      if (field === 'clearance_level') note(`level ${more > 0 ? 'gained' : 'lost'} ${before} ${after}`, id);
    }
  }
  for (const [id, more] of logins) if (more !== 0) note(`login ${more > 0 ? 'gained' : 'lost'}`, id);
  return new Set([...found].map(([what, ids]) => `${what}: ${sorted(ids)}`));
}

/** The entries of a preview in the same form. */
export function changesOf(changes: readonly PreviewChange[]): Set<string> {
  return new Set(
    changes.map(({ about, effect, group, from_level, to_level, users }) => {
      const which = about === 'group' ? ` ${group?.group_name}` : '';
      const levels = about === 'level' ? ` ${from_level} ${to_level}` : '';
      return `${about} ${effect}${which}${levels}: ${sorted(users.map(({ character_id }) => character_id))}`;
    }),
  );
}

const sorted = (ids: readonly number[]) => [...ids].sort((a, b) => a - b).join();
