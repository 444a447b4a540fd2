import type { Change, Event, Target } from '../../contract/event.ts';
import type { StoredEvent } from './read.queries.ts';
import { type EventBody, isUserField } from './record.ts';

/** The user to whom an event is shown, and the token that it reads with, if any. */
export interface Viewer {
  readonly characterId: number;
  readonly administrator: boolean;
  readonly token?: string;
  /** Whether it is an application that reads for more than its owner, who may act in other ways. */
  readonly application?: boolean;
}

/** Kinds of targets that everybody may look up by name. */
const PUBLIC: ReadonlySet<Target['type']> = new Set(['group', 'coalition', 'corporation', 'alliance']);

/** Kinds of targets that several characters of one human have, now or one after the other (D100). */
const LINKING: ReadonlySet<Target['type']> = new Set(['person', 'voice_identity']);

/** Replaces an actor that is hidden. */
const NOBODY = { character_id: null, app_token: null, on_behalf_of: null } as const;

/**
 * The event as the viewer may see it (D94). Users that the viewer may not read are left out of targets and members,
 * and so is what is said about them. The context of a request is shown to level 9 and to the actor itself; to an
 * application that reads for more than its owner, only what it did itself.
 */
export function shown(stored: StoredEvent, viewer: Viewer): Event {
  const { position, body, context, seen } = stored;
  const { context_digest: _, ...event } = JSON.parse(body) as EventBody;
  const { token } = event.actor;
  const itself = token !== null && token === viewer.token;
  const acted = viewer.application === true ? itself : stored.acted || (seen === null && itself);
  const isIntimate = viewer.administrator || acted;
  const whole: Event = {
    ...event,
    position,
    context: context !== null && isIntimate ? JSON.parse(context) : null,
  };
  if (seen !== null) return withoutOthers(whole, new Set(seen), stored, viewer, acted);
  return isIntimate || isReasonFor(event, undefined) ? whole : { ...whole, reason: null };
}

function withoutOthers(
  event: Event,
  seen: ReadonlySet<number>,
  { acted, hidesActor, hidesPerson, hidesCause }: StoredEvent,
  { characterId, application }: Viewer,
  tellsReason: boolean,
): Event {
  const users = event.targets.filter(({ type }) => type === 'user');
  // An event without users and without public targets, for example about a webhook, is shown in full to its actor only.
  const own = users.length === 0 && !event.targets.some(({ type }) => PUBLIC.has(type));
  const hides = users.some(({ id }) => !seen.has(Number(id))) || (own && !acted);
  const { on_behalf_of: behalf } = event.actor;
  const isShown = ({ type, id }: Target) =>
    type === 'user'
      ? seen.has(Number(id))
      : PUBLIC.has(type) || (own ? acted : !hides && !(hidesPerson && LINKING.has(type)));
  return {
    ...event,
    actor: {
      ...(hidesActor ? NOBODY : event.actor),
      kind: event.actor.kind,
      token: acted ? event.actor.token : null,
      on_behalf_of: behalf === characterId || seen.has(behalf ?? Number.NaN) ? behalf : null,
    },
    targets: event.targets.filter(isShown),
    changes: hides
      ? []
      : withoutCeoName(event.changes, seen)
          .filter((change) => acted || !isOfPolicy(change))
          .filter(({ field }) => !(hidesPerson && field === 'person_id'))
          .map((change) => withoutUsers(change, seen)),
    reason:
      tellsReason ||
      (!hides &&
        (acted || !event.changes.some(isOfPolicy)) &&
        isReasonFor(event, application === true ? undefined : characterId))
        ? event.reason
        : null,
    cause: hidesCause ? withoutEvent(event.cause) : event.cause,
  };
}

/** Leaves the run of a job. */
function withoutEvent(cause: Event['cause']): Event['cause'] {
  return cause === null || cause.run_id === null ? null : { ...cause, event_id: null };
}

/**
 * Whether a change is one of a policy, which names people and the questions to applicants, and whose setter is an
 * administrator or not; the reason beside it says what it was. Those who may see the policy read it from its own
 * operation (D110).
 */
function isOfPolicy({ field }: Change): boolean {
  return field === 'policy' || field === 'by_administrator';
}

/**
 * Whether the reason is for this reader. A moderator writes that of a decision for the applicant (D111), an
 * administrator that of a merge or split for the history of the person, which level 9 alone reads (D101).
 */
function isReasonFor(
  { type, targets }: Pick<Event, 'type' | 'targets'>,
  characterId: number | undefined,
): boolean {
  if (type.startsWith('person.')) return false;
  return (
    type !== 'application.decided' ||
    targets.some(({ type, id }) => type === 'user' && Number(id) === characterId)
  );
}

/** Hides the name of a CEO with the id beside it; without one the present CEO has a new name, which is public (D38). */
function withoutCeoName(changes: readonly Change[], seen: ReadonlySet<number>): readonly Change[] {
  const ceo = changes.find(({ field }) => field === 'ceo');
  if (ceo === undefined || 'added' in ceo) return changes;
  const sees = (id: typeof ceo.before) => seen.has(Number(id ?? Number.NaN));
  return changes.map((change) =>
    change.field !== 'ceo_name' || 'added' in change
      ? change
      : {
          ...change,
          before: sees(ceo.before) ? change.before : null,
          after: sees(ceo.after) ? change.after : null,
        },
  );
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
