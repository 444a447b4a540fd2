import type { Kysely } from 'kysely';
import type { Target, ValueChange } from '../../contract/event.ts';
import { isGuest } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';
import { followsEvent } from '../event/origin.ts';
import { listChanged, type NewEvent, recordEvents, userTarget, valueChanges } from '../event/record.ts';
import { inPieces } from '../shared/in-pieces.ts';
import type { ListDifference } from '../shared/list-change.ts';
import {
  type Autogroup,
  findAutogroups,
  readStandings,
  type Standing,
  type Standings,
} from './read-standings.queries.ts';
import type { Touched } from './standing.queries.ts';

/** A user's standing before and after; absent where the user did not, or does not, exist. */
export interface StandingChange {
  readonly before: Standing | undefined;
  readonly after: Standing | undefined;
}

/** What a change of who may log in brings about: nobody's row is locked for it. */
export const LOGIN = ['may_log_in'] as const;
/** The same of a coalition's members. */
export const LOGIN_AND_COALITIONS = ['coalitions', ...LOGIN] as const;
/** What a level brings about for its user. */
export const LEVEL = ['clearance_level'] as const;
/** The same where an administrator begins or ceases to be one. */
export const LOGIN_AND_LEVEL = [...LEVEL, ...LOGIN] as const;
/** What a voice identity brings about for its users. */
export const LOGIN_AND_VOICE = ['voice_group', ...LOGIN] as const;

/**
 * The users whose standing or name changed, and who were created or deleted.
 *
 * @param own for changes that do not lock the users: the only fields that they change. Other differences were made
 * concurrently by somebody else, whose transaction records them
 */
export async function changedStandings(
  db: Kysely<Database>,
  before: Standings,
  touched: Touched = {},
  own?: readonly (keyof Standing)[],
): Promise<StandingChange[]> {
  const ids = [...new Set([...before.keys(), ...(touched.users ?? [])])];
  const after = await readStandings(db, { users: ids });
  const changed = await inPieces(
    ids.sort((one, other) => one - other),
    (some) =>
      some
        .map((id) => ({ before: before.get(id), after: after.get(id) }))
        .map((change) => (own === undefined ? change : ownPart(change, own)))
        .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after)),
  );
  return changed.flat();
}

/** The change without what is not its own; both sides are equal where nothing is left. */
function ownPart({ before, after }: StandingChange, own: readonly (keyof Standing)[]): StandingChange {
  if (before === undefined || after === undefined) return { before: after, after };
  const former = Object.fromEntries(own.map((field) => [field, before[field]]));
  return { before: { ...after, ...former }, after };
}

/**
 * Runs `work` and records how it changed users' standings, of which it changes only `own` where that is given. Nothing is
 * locked for that: events describe what this transaction sees, and of an effect that two concurrent transactions cause
 * together each records its own view (docs/events.md).
 */
export async function followStandings<T>(
  db: Kysely<Database>,
  touched: Touched,
  now: Date,
  work: () => Promise<T>,
  { cause, own }: { readonly cause?: NewEvent['cause']; readonly own?: readonly (keyof Standing)[] } = {},
): Promise<T> {
  const before = await readStandings(db, touched);
  const done = await work();
  await recordStandings(db, await changedStandings(db, before, touched, own), now, cause && { cause });
  return done;
}

const FIELDS = ['clearance_level', 'corporation', 'alliance', 'coalitions', 'may_log_in'] as const;

/** A standing as events show it. */
type ShownStanding = Omit<Standing, 'corporation_id' | 'alliance_id' | 'voice_group'> & {
  readonly corporation: number | null;
  readonly alliance: number | null;
};

function shown(standing: Standing): ShownStanding {
  const { corporation_id: corporation, alliance_id: alliance, voice_group: _, ...rest } = standing;
  return { corporation, alliance, ...rest };
}

/**
 * Records the events of changed standings, then the resulting changes of members of organizations and autogroups.
 * Without another cause, the latter have that of the first user who left or came.
 *
 * @param gone autogroups that were deleted, with their organizations
 * @returns the ids of the events that tell of deleted users, by user
 */
export async function recordStandings(
  db: Kysely<Database>,
  changes: readonly StandingChange[],
  now: Date,
  { cause, gone = [] }: { readonly cause?: NewEvent['cause']; readonly gone?: readonly Autogroup[] } = {},
): Promise<ReadonlyMap<number, string>> {
  if (changes.length === 0) return new Map();
  const moved = await membershipChanges(changes);
  const autogroups = moved.size === 0 ? [] : [...gone, ...(await findAutogroups(db, [...moved.keys()]))];
  const recorded = await inPieces(changes, async (some) => {
    const events = some.flatMap(userEvents).map((event) => ({ ...event, ...(cause && { cause }) }));
    const ids = await recordEvents(db, events, now);
    return events.map(({ targets: [user] }, n) => [Number(user?.id), ids[n] ?? ''] as const);
  });
  const eventIds = new Map(recorded.flat());
  const membersChanged = (type: NewEvent['type'], target: Target, members: ListDifference<number>) => {
    const event_id = followsEvent() ? undefined : eventIds.get(members.removed[0] ?? members.added[0] ?? 0);
    const because = cause ?? (event_id === undefined ? undefined : { event_id });
    return listChanged({ type, targets: [target], ...(because && { cause: because }) }, 'members', members);
  };
  const memberships = [
    ...[...moved].flatMap(([organization, members]) => {
      const [type, id = ''] = organization.split(':');
      if (type !== 'corporation' && type !== 'group') return [];
      return membersChanged(`${type}.members_changed`, { type, id, name: null }, members);
    }),
    ...autogroups.flatMap(({ organization, group_id: id, group_name: name }) => {
      const members = moved.get(organization) ?? { added: [], removed: [] };
      return membersChanged('group.members_changed', { type: 'group', id, name }, members);
    }),
  ];
  await recordEvents(db, memberships, now);
  const deleted = changes.flatMap(({ before, after }) => (after ? [] : (before?.character_id ?? [])));
  return new Map(deleted.map((id) => [id, eventIds.get(id) ?? '']));
}

/** Changed fields of users who were there before and after, as the mass-change guard shows them (D63). */
export function standingDetails(
  changes: readonly StandingChange[],
): { readonly target: Target; readonly changes: readonly ValueChange[] }[] {
  return changes.flatMap(({ before, after }) => {
    if (before === undefined || after === undefined) return [];
    const values = valueChanges(shown(before), shown(after), FIELDS);
    return [{ target: userTarget(before.character_id), changes: values }];
  });
}

function userEvents({ before, after }: StandingChange): NewEvent[] {
  const known = after ?? before;
  if (known === undefined) return [];
  const targets = [userTarget(known.character_id, known.character_name)];
  if (after === undefined || before === undefined) {
    const [former, present] = [before && shown(before), after && shown(after)];
    const changes = valueChanges<Partial<ShownStanding>>(former ?? {}, present ?? {}, [
      'character_name',
      ...FIELDS,
    ]);
    return [{ type: after === undefined ? 'user.deleted' : 'user.registered', targets, changes }];
  }
  const changes = (fields: readonly (typeof FIELDS)[number][]) =>
    valueChanges(shown(before), shown(after), fields);
  const event = (type: NewEvent['type'], of: NewEvent['changes'] = []): NewEvent[] =>
    of.length === 0 ? [] : [{ type, targets, changes: of }];
  return [
    ...event('user.renamed', valueChanges(shown(before), shown(after), ['character_name'])),
    ...event('user.moved', changes(['corporation'])),
    ...event('user.standing_changed', changes(FIELDS)),
  ];
}

/** Who joined and who left each organization, given as `type:id`; guests are members of none. */
async function membershipChanges(changes: readonly StandingChange[]) {
  const moved = new Map<string, { added: number[]; removed: number[] }>();
  const of = (organization: string) => {
    const known = moved.get(organization) ?? { added: [], removed: [] };
    moved.set(organization, known);
    return known;
  };
  await inPieces(changes, (some) => {
    for (const { before, after } of some) {
      const [former, present] = [organizationsOf(before), organizationsOf(after)];
      for (const organization of former)
        if (!present.has(organization)) of(organization).removed.push(before?.character_id ?? 0);
      for (const organization of present)
        if (!former.has(organization)) of(organization).added.push(after?.character_id ?? 0);
    }
  });
  return moved;
}

function organizationsOf(standing: Standing | undefined): ReadonlySet<string> {
  if (standing === undefined || isGuest(standing.clearance_level)) return new Set();
  const { corporation_id, alliance_id, coalitions, voice_group } = standing;
  return new Set([
    ...(corporation_id === null ? [] : [`corporation:${corporation_id}`]),
    ...(alliance_id === null ? [] : [`alliance:${alliance_id}`]),
    ...coalitions.map((id) => `coalition:${id}`),
    ...(voice_group === null ? [] : [`group:${voice_group}`]),
  ]);
}

/** Whether membership, level or login permission was taken away (D63). */
export function loses({ before, after }: StandingChange): boolean {
  if (before === undefined) return false;
  if (after === undefined) return true;
  const organizations = organizationsOf(after);
  return (
    after.clearance_level < before.clearance_level ||
    (before.may_log_in && !after.may_log_in) ||
    [...organizationsOf(before)].some((organization) => !organizations.has(organization))
  );
}
