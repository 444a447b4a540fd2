import { MAX_LISTED, type Target, type ValueChange } from '../../contract/event.ts';
import type { HeldDetail } from '../../contract/system.ts';
import type { EventBody, NewEvent } from '../event/record.ts';

/** Changed fields of one user or organization. */
export interface Detail {
  readonly target: Target;
  readonly changes: readonly ValueChange[];
}

const COUNTS = ['losers', 'looked_at', 'details'] as const;
type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

/**
 * The event of a run that was held back: three counts, then the fields that would change, each named `type:id field`;
 * an event holds at most MAX_LISTED of them.
 */
export function heldEvent(
  job: string,
  heldId: string,
  counts: Omit<Counts, 'details'>,
  details: readonly Detail[],
): NewEvent {
  const values = details.flatMap(({ target, changes }) =>
    changes.map((change) => ({ ...change, field: `${target.type}:${target.id} ${change.field}` })),
  );
  const counted = { ...counts, details: values.length };
  return {
    type: 'registry.change_held',
    outcome: 'held',
    targets: [
      { type: 'job', id: job, name: null },
      { type: 'held_change', id: heldId, name: null },
    ],
    changes: [
      ...COUNTS.map((field) => ({ field, before: null, after: counted[field] })),
      ...values.slice(0, MAX_LISTED),
    ],
  };
}

/** Reads {@link heldEvent} back. Targets have no names yet. */
export function readHeldEvent({ changes }: EventBody): Counts & { readonly shown: readonly HeldDetail[] } {
  const values = changes.filter((change): change is ValueChange => 'before' in change);
  const counted = (field: string) => Number(values.find((each) => each.field === field)?.after ?? 0);
  return {
    losers: counted('losers'),
    looked_at: counted('looked_at'),
    details: counted('details'),
    shown: values.flatMap(({ field, before, after }) => {
      const [, type = '', id = '', name = ''] = /^(\w+):(\S+) (.+)$/.exec(field) ?? [];
      return name === ''
        ? []
        : [{ target: { type: type as Target['type'], id, name: null }, field: name, before, after }];
    }),
  };
}
