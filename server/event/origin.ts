import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor, Cause, EventContext } from '../../contract/event.ts';
import type { Caller } from '../access/caller.queries.ts';

/** Who is at work at this moment, from where, and on which occasion: what events say unless told otherwise. */
export interface Origin {
  readonly actor: Actor;
  readonly context: EventContext | null;
  readonly cause: Cause | null;
}

const NOBODY: Actor = { kind: 'cli', character_id: null, token: null, app_token: null, on_behalf_of: null };

/** Of a command beside the service, where nothing else was said. */
const COMMAND: Origin = { actor: NOBODY, context: null, cause: null };

const origins = new AsyncLocalStorage<Origin>();

/**
 * Does some work on somebody's account: a request's, a job's, of whoever signs in. It goes along by itself, so that
 * functions that change something need not be handed who asked them to.
 */
export function onAccountOf<T>(origin: Partial<Origin>, work: () => T): T {
  return origins.run({ ...presentOrigin(), ...origin }, work);
}

export function presentOrigin(): Origin {
  return origins.getStore() ?? COMMAND;
}

/** The caller of a request, by the token that it shows; of a token of the built-in user, who stands behind it (D23). */
export function callerAsActor(caller: Caller): Actor {
  return {
    kind: caller.token_type === 'use' && caller.sponsor_id === null ? 'user' : 'app',
    character_id: caller.sponsor_id ?? caller.owner_id,
    token: caller.uuid,
    app_token: caller.app_token,
    on_behalf_of: null,
  };
}

/** What the service does by itself, on no occasion that has a name. */
export const BY_ITSELF: Partial<Origin> = { actor: { ...NOBODY, kind: 'job' } };

/** A run of a job, whose id names the occasion. */
export function runAsOrigin(job: string, id: string): Origin {
  return {
    actor: { ...NOBODY, kind: 'job' },
    context: null,
    cause: { event_id: null, run_id: id, job },
  };
}
