import type { Change, Event, Target } from '../../contract/event.ts';
import type { StoredEvent } from './read.queries.ts';
import { type EventBody, isUserField } from './record.ts';

/** Who looks at an event. */
export interface Beholder {
  readonly characterId: number;
  readonly administrator: boolean;
}

/** Anybody may look these up, with their names. */
const PUBLIC: ReadonlySet<Target['type']> = new Set(['group', 'coalition', 'corporation', 'alliance']);

/** An actor of whom nothing is said. */
const NOBODY = { character_id: null, app_token: null, on_behalf_of: null } as const;

/**
 * An event as somebody may see it (D94). What it tells of people whom the beholder does not reach is left out: they
 * themselves among targets and members, and whatever is said about them. From where a request came is for level 9 and
 * for whose request it was.
 */
export function shown({ position, body, context, seen, acted }: StoredEvent, beholder: Beholder): Event {
  const { context_digest: _, ...event } = JSON.parse(body) as EventBody;
  const whole: Event = {
    ...event,
    position,
    context: context !== null && (beholder.administrator || acted) ? JSON.parse(context) : null,
  };
  return seen === null ? whole : withoutOthers(whole, new Set(seen), acted, beholder);
}

function withoutOthers(
  event: Event,
  seen: ReadonlySet<number>,
  acted: boolean,
  { characterId }: Beholder,
): Event {
  const users = event.targets.filter(({ type }) => type === 'user');
  // What neither names somebody nor is everybody's to look up is its maker's business.
  const own = users.length === 0 && !event.targets.some(({ type }) => PUBLIC.has(type));
  const hides = users.some(({ id }) => !seen.has(Number(id))) || (own && !acted);
  // Who links somebody is mostly the same human (D100).
  const { character_id: actor, on_behalf_of: behalf } = event.actor;
  const linksOthers =
    event.type.startsWith('person.') && actor !== null && !seen.has(actor) && !seen.has(characterId);
  // Whoever may see a policy asks for it; it names people and what is asked of them (D110).
  const isTold = ({ field }: Change) => field !== 'policy' || acted;
  const isShown = ({ type, id }: Target) =>
    type === 'user' ? seen.has(Number(id)) : PUBLIC.has(type) || (own ? acted : !hides);
  return {
    ...event,
    actor: {
      ...(linksOthers ? NOBODY : event.actor),
      kind: event.actor.kind,
      token: acted ? event.actor.token : null,
      on_behalf_of: behalf === characterId || seen.has(behalf ?? Number.NaN) ? behalf : null,
    },
    targets: event.targets.filter(isShown),
    changes: hides ? [] : event.changes.filter(isTold).map((change) => withoutUsers(change, seen)),
    reason: acted || !hides ? event.reason : null,
  };
}

function withoutUsers(change: Change, seen: ReadonlySet<number>): Change {
  if (!isUserField(change.field)) return change;
  if ('added' in change) {
    const only = (ids: readonly number[]) => ids.filter((id) => seen.has(id));
    return { ...change, added: only(change.added), removed: only(change.removed) };
  }
  const known = (value: typeof change.before) => (seen.has(Number(value ?? Number.NaN)) ? value : null);
  return { ...change, before: known(change.before), after: known(change.after) };
}
