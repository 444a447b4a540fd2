import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor, Cause, EventContext } from '../../contract/event.ts';
import { answersFor } from '../access/account.ts';
import type { Caller } from '../access/caller.queries.ts';

/**
 * Actor, request context and cause of the present work, which events contain unless another actor or cause is given.
 */
export interface Origin {
  readonly actor: Actor;
  readonly context: EventContext | null;
  readonly cause: Cause | null;
  /** Where the events of a request are counted that it is charged for. */
  readonly tally?: { events: number };
}

const NOBODY: Actor = { kind: 'cli', character_id: null, token: null, app_token: null, on_behalf_of: null };

/** The actor of what the game did, none of whose users is known here. */
export const GAME: Actor = { ...NOBODY, kind: 'provider' };

/** The origin when none is set: a command that runs beside the service. */
const COMMAND: Origin = { actor: NOBODY, context: null, cause: null };

const origins = new AsyncLocalStorage<Origin>();

/**
 * Runs work with this origin: of a request, a job or a sign-in. The origin is passed on through the asynchronous
 * context, so functions that change something need no parameter for it.
 */
export function onAccountOf<T>(origin: Partial<Origin>, work: () => T): T {
  return origins.run({ ...presentOrigin(), ...origin }, work);
}

export function presentOrigin(): Origin {
  return origins.getStore() ?? COMMAND;
}

/** Whether the present work is a consequence of an event, which is then the cause of its events. */
export function followsEvent(): boolean {
  return presentOrigin().cause?.event_id != null;
}

/** The caller of a request as an actor; for a user token of the built-in user the character is its sponsor (D23). */
export function callerAsActor(caller: Caller): Actor {
  return {
    kind: caller.token_type === 'use' && caller.sponsor_id === null ? 'user' : 'app',
    character_id: answersFor(caller),
    token: caller.uuid,
    app_token: caller.app_token,
    on_behalf_of: null,
  };
}

/** The origin of changes that the service makes by itself, outside any run of a job. */
export const BY_ITSELF = { actor: { ...NOBODY, kind: 'job' } } as const satisfies Partial<Origin>;

/** The origin of changes that a run of a job makes; the run's id is their cause. */
export function runAsOrigin(job: string, id: string): Origin {
  return {
    actor: { ...NOBODY, kind: 'job' },
    context: null,
    cause: { event_id: null, run_id: id, job },
  };
}
