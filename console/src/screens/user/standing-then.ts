/** The parts of an event that describe a change of standing. */
interface StandingEvent {
  readonly position: number | null;
  readonly occurred_on: string;
  readonly type: string;
  readonly changes: readonly object[];
}

interface ValueChange {
  readonly field: string;
  readonly before: unknown;
}

/** The standing of a user, by the field names of events. */
export interface Standing {
  readonly may_log_in: boolean | null;
  readonly clearance_level: number;
  readonly corporation: number | null;
  readonly alliance: number | null;
  readonly coalitions: readonly string[];
}

export const STANDING_FIELDS = [
  'may_log_in',
  'clearance_level',
  'corporation',
  'alliance',
  'coalitions',
] as const satisfies readonly (keyof Standing)[];

/** The event of a deletion lists only the fields that differed from these values, so undoing it starts from them. */
const NOTHING: Standing = {
  may_log_in: false,
  clearance_level: 0,
  corporation: null,
  alliance: null,
  coalitions: [],
};

/** The types of events about standings. */
export const TOLD_BY = 'user.registered,user.standing_changed,user.deleted';

/**
 * The standing of a user at a moment, computed from the present one by undoing all later events, latest first.
 * Undefined when the user was not registered then.
 */
export function standingThen(
  now: Standing,
  events: readonly StandingEvent[],
  then: Date,
): Standing | undefined {
  const after = events
    .filter(({ occurred_on }) => Date.parse(occurred_on) > then.getTime())
    .toSorted((a, b) => orderOf(b) - orderOf(a));
  let standing: Standing | undefined = now;
  for (const { type, changes } of after) {
    if (type === 'user.registered') standing = undefined;
    else standing = takenBack(standing ?? NOTHING, changes);
  }
  return standing;
}

/** The position of an event; one that has none yet is the latest. */
function orderOf({ position }: StandingEvent): number {
  return position ?? Number.MAX_SAFE_INTEGER;
}

function takenBack(standing: Standing, changes: StandingEvent['changes']): Standing {
  const fields: readonly string[] = STANDING_FIELDS;
  const values = changes
    .filter((change): change is ValueChange => 'before' in change && 'field' in change)
    .filter(({ field }) => fields.includes(field));
  return { ...standing, ...Object.fromEntries(values.map(({ field, before }) => [field, before])) };
}
