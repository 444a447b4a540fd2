import type { Event } from '../../contract/event.ts';
import { toCsv } from '../shared/csv.ts';

const COLUMNS: Readonly<Record<string, (event: Event) => unknown>> = {
  event_id: (event) => event.event_id,
  position: (event) => event.position,
  occurred_on: (event) => event.occurred_on,
  type: (event) => event.type,
  outcome: (event) => event.outcome,
  actor_kind: ({ actor }) => actor.kind,
  actor_character_id: ({ actor }) => actor.character_id,
  actor_token: ({ actor }) => actor.token,
  actor_app_token: ({ actor }) => actor.app_token,
  on_behalf_of: ({ actor }) => actor.on_behalf_of,
  targets: ({ targets }) =>
    targets.map(({ type, id, name }) => `${type}:${id} ${name ?? ''}`.trim()).join('; '),
  changes: ({ changes }) => (changes.length === 0 ? '' : JSON.stringify(changes)),
  reason: (event) => event.reason,
  cause: ({ cause }) => cause?.event_id ?? (cause?.job ? `${cause.job} ${cause.run_id}` : ''),
  request_id: ({ context }) => context?.request_id,
  address: ({ context }) => context?.address,
  user_agent: ({ context }) => context?.user_agent,
};

/** Events as CSV, with a header line. */
export function toTable(events: readonly Event[]): string {
  return toCsv([
    Object.keys(COLUMNS),
    ...events.map((event) => Object.values(COLUMNS).map((of) => of(event))),
  ]);
}
