import type { Event } from '../../contract/event.ts';
import type { PreviewChange } from '../../contract/preview.ts';
import { ok } from '../../sdk/src/index.ts';
import type { Client, TestApp } from './app.ts';

/** What the API tells of one user: what a preview speaks of, seen from outside. */
interface Standing {
  readonly name: string;
  readonly level: number;
  /** Whether its token works: below level 9 that is whether it may log in. */
  readonly login: boolean;
  readonly groups: ReadonlySet<string>;
  readonly valid: boolean;
}

/** The standing of everybody, and the names of all groups. */
export interface Seen {
  readonly users: ReadonlyMap<number, Standing>;
  readonly groups: ReadonlyMap<string, string>;
}

/** Looks at everybody whose client is given, by the operations that an application would use. */
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
      // A guest that may log in is turned away for its level.
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

/** What has changed between two looks, as a preview would have said it, in no order. */
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

/** What events of one change tell of levels and logins, in the same words. */
export function changesTold(events: readonly Event[]): Set<string> {
  const found = new Map<string, number[]>();
  for (const { type, targets, changes } of events) {
    if (type !== 'user.standing_changed') continue;
    const id = Number(targets[0]?.id);
    for (const change of changes) {
      if ('added' in change || id === 0) continue;
      const { field, before, after } = change;
      const effect = Number(after) > Number(before) ? 'gained' : 'lost';
      const what =
        field === 'may_log_in'
          ? `login ${effect}`
          : field === 'clearance_level'
            ? `level ${effect} ${before} ${after}`
            : undefined;
      if (what !== undefined) found.set(what, [...(found.get(what) ?? []), id]);
    }
  }
  return new Set([...found].map(([what, ids]) => `${what}: ${sorted(ids)}`));
}

/** The same of a preview. */
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
