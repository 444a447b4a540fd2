import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Services } from '../services/services.ts';
import { rememberEnd } from '../session/artifacts.queries.ts';
import { LIFETIMES } from './lifetimes.ts';

type SessionServices = Pick<Services, 'db' | 'clock'>;

/**
 * Corrects when the library ends, renames and replaces the session of a browser, whose requests may overlap, and whose
 * answers may get lost (D82).
 */
export function correctBrowserSessions(provider: Provider, services: SessionServices): void {
  storeEnds(provider, services);
  storeBeforeDeleting(provider);
  preserveId(provider);
}

/** A session that the user ended stays over, whatever requests were under way: the library would store it again. */
function storeEnds(provider: Provider, { db, clock }: SessionServices): void {
  const { destroy } = provider.Session.prototype;
  Object.assign(provider.Session.prototype, {
    async destroy(this: InstanceType<typeof provider.Session>) {
      // Nobody is signed in yet in a session without a user, unless an interaction that is under way ends in it.
      const seconds = this.accountId === undefined ? LIFETIMES.interaction : LIFETIMES.endedSession;
      await rememberEnd(db, this.uid, new Date(clock.now().getTime() + seconds * 1000));
      await destroy.call(this);
    },
  });
}

/** A session that gets another id, as stored by the library. */
interface RenamedSession {
  oldId?: string | undefined;
  /** Whether it is to be stored. */
  touched?: boolean;
  readonly adapter: { destroy(id: string): Promise<unknown> };
}

/** Stores a session under its new id before that under the former one is deleted: the library would delete it first. */
function storeBeforeDeleting(provider: Provider): void {
  const { save } = provider.Session.prototype;
  Object.assign(provider.Session.prototype, {
    async save(this: InstanceType<typeof provider.Session> & RenamedSession, ttl: number) {
      const former = this.oldId;
      this.oldId = undefined;
      const saved = await save.call(this, ttl).catch((error: unknown) => {
        // The library would try once more, for an answer that has failed: the browser keeps the former one.
        if (former !== undefined) this.touched = false;
        throw error;
      });
      if (former !== undefined) await this.adapter.destroy(former);
      return saved;
    },
  });
}

/** A session with the request that it was loaded for. */
interface LoadedSession {
  exp?: number;
  loadedFor?: KoaContextWithOIDC['oidc'];
}

/**
 * A session keeps its id unless somebody signs in: the library changes it at the end of every interaction, also of a mere
 * consent. Of another request of the browser, which still names the former id, it would make a session of nobody, and
 * give its cookie to the browser.
 */
function preserveId(provider: Provider): void {
  const { get } = provider.Session;
  const { resetIdentifier } = provider.Session.prototype;
  Object.assign(provider.Session, {
    async get(ctx: KoaContextWithOIDC) {
      const session = (await get.call(provider.Session, ctx)) as LoadedSession;
      Object.defineProperty(session, 'loadedFor', { value: ctx.oidc });
      // The id in the cookie may have been replaced just now: like a browser without one, it gets one with what is stored.
      if (session.exp === undefined) Object.defineProperty(session, 'new', { value: true });
      return session;
    },
  });
  Object.assign(provider.Session.prototype, {
    resetIdentifier(this: InstanceType<typeof provider.Session> & LoadedSession) {
      const { route, entities } = this.loadedFor ?? {};
      if (route !== 'resume' || signsIn(entities?.Interaction)) resetIdentifier.call(this);
    },
  });
}

type Interaction = NonNullable<KoaContextWithOIDC['oidc']['entities']['Interaction']>;

/** Whether somebody signed in at this step, and not at one before, whose result the library repeats. */
function signsIn({ result, lastSubmission }: Partial<Interaction> = {}): boolean {
  return JSON.stringify(result?.login) !== JSON.stringify(lastSubmission?.login);
}
