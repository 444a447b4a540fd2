/** What of an event tells of a standing. */
interface Told {
  readonly position: number | null;
  readonly occurred_on: string;
  readonly type: string;
  readonly changes: readonly object[];
}

interface ValueChange {
  readonly field: string;
  readonly before: unknown;
}

/** What somebody is and may do, by the names that events have for it. */
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

/** Of somebody who was deleted, that is told alone which was not so. */
const NOTHING: Standing = {
  may_log_in: false,
  clearance_level: 0,
  corporation: null,
  alliance: null,
  coalitions: [],
};

/** Events that tell of standings. */
export const TOLD_BY = 'user.registered,user.standing_changed,user.deleted';

/**
 * How somebody stood at a moment, from how he stands now: every event after it is taken back, the latest first.
 * Undefined: nobody of that id was registered then.
 */
export function standingThen(now: Standing, events: readonly Told[], then: Date): Standing | undefined {
  const after = events
    .filter(({ occurred_on }) => Date.parse(occurred_on) > then.getTime())
    .toSorted((a, b) => placeOf(b) - placeOf(a));
  let standing: Standing | undefined = now;
  for (const { type, changes } of after) {
    if (type === 'user.registered') standing = undefined;
    else standing = takenBack(standing ?? NOTHING, changes);
  }
  return standing;
}

/** Its place among all events; what has none yet is the latest. */
function placeOf({ position }: Told): number {
  return position ?? Number.MAX_SAFE_INTEGER;
}

function takenBack(standing: Standing, changes: Told['changes']): Standing {
  const fields: readonly string[] = STANDING_FIELDS;
  const values = changes
    .filter((change): change is ValueChange => 'before' in change && 'field' in change)
    .filter(({ field }) => fields.includes(field));
  return { ...standing, ...Object.fromEntries(values.map(({ field, before }) => [field, before])) };
}
