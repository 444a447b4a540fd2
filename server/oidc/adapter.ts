import type { Adapter, AdapterPayload } from 'oidc-provider';
import { constraintOf, isUnreachable } from '../database/errors.ts';
import { untilReachable } from '../database/until-reachable.ts';
import type { Services } from '../services/services.ts';
import {
  consumeArtifact,
  deleteArtifact,
  deleteGrant,
  deleteTokens,
  findArtifact,
  findSession,
  giveArtifactBack,
  hasRefreshTokens,
  rememberSignIn,
  type StoredArtifact,
  saveArtifact,
} from '../session/artifacts.queries.ts';
import { digestOf } from '../shared/digest.ts';
import { DomainError } from '../shared/domain-error.ts';
import { errors } from './library.ts';
import { LIFETIMES } from './lifetimes.ts';
import { relyingParty } from './relying-party.ts';

type AdapterServices = Pick<Services, 'db' | 'clock' | 'keys' | 'log'>;

/**
 * Storage of the OpenID Connect library in PostgreSQL, so that any process can continue what another began. The ids are
 * secrets (codes, tokens, cookies), so only their hashes are stored.
 */
export function createAdapter(services: AdapterServices, model: string): Adapter {
  const { db, clock, log } = services;
  const at = (id: string) => ({ model, idHash: digestOf(id) });
  return {
    async upsert(id, payload, expiresIn) {
      const { sid, clientId, accountId } = payload;
      const after = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);
      const grantHash = grantOf(model, id, payload);
      if (model === 'RefreshToken' && grantHash !== null) await requireRoom(db, grantHash);
      try {
        await saveArtifact(db, {
          ...at(id),
          payload: withoutId(id, payload),
          grantHash,
          sessionUid: payload.uid ?? null,
          characterId: payload.accountId === undefined ? null : Number(payload.accountId),
          clientId: payload.clientId ?? null,
          expiresOn: after(expiresIn ?? 0),
        });
        if (sid !== undefined && clientId !== undefined && accountId !== undefined) {
          const expiresOn = after(LIFETIMES.session);
          await rememberSignIn(db, { sid, clientId, characterId: Number(accountId), expiresOn });
        }
      } catch (error) {
        if (constraintOf(error)?.kind !== 'foreign_key') throw error;
        // The user or application was deleted meanwhile. A session, which names the user alone, is stored when the answer
        // is made already: the library has none for an error then.
        if (model === 'Session') throw new DomainError('forbidden_to_all', 'Your user was deleted.');
        // Each by what its endpoint may answer (RFC 6749, 4.1.2.1 and 5.2).
        throw model in TOKENS
          ? new errors.InvalidGrant('the user or application was deleted')
          : new errors.AccessDenied();
      }
    },
    find: async (id) =>
      model === 'Client'
        ? relyingParty(services, id)
        : withId(await findArtifact(db, at(id), clock.now()), id),
    async findByUid(uid) {
      return withId(await findSession(db, uid, clock.now()));
    },
    findByUserCode: () => Promise.reject(new Error('there are no user codes')),
    async consume(id) {
      const on = clock.now();
      const consumed = await consumeArtifact(db, at(id), on).catch((error: unknown) => {
        // PostgreSQL may have carried it out all the same, and a retry would count as the second use.
        if (isUnreachable(error)) {
          untilReachable(() => giveArtifactBack(db, at(id), on, on)).catch((err: unknown) =>
            log.warn({ err }, 'what a failed token request used up is lost'),
          );
        }
        throw error;
      });
      if (consumed) return;
      // A concurrent second use of a code: either may be the attacker's, so the whole grant is revoked (D84).
      const twice = await findArtifact(db, at(id), clock.now());
      const grantId = twice?.payload.grantId;
      if (typeof grantId === 'string') await deleteGrant(db, digestOf(grantId));
      throw new errors.InvalidGrant('used already');
    },
    destroy(id) {
      if (model === 'Grant') return deleteGrant(db, digestOf(id));
      // The library would delete a token that is revoked first, and what belongs to it afterwards (D84).
      return model in TOKENS ? deleteTokens(db, at(id)) : deleteArtifact(db, at(id));
    },
    revokeByGrantId: (grantId) => deleteGrant(db, digestOf(grantId), model),
  };
}

/**
 * Maximum number of refresh tokens of a grant. Used ones are kept as long as they could be used, so that a second use is
 * noticed (D84): one for every ten minutes, the lifetime of an access token, are 4,320. The oldest must not give way
 * to new ones, or a thief would use the grant so often that the owner's own token is forgotten.
 */
const MOST_REFRESH_TOKENS = 10_000;

/** Ends a grant that has too many of them: one statement deletes all of them when it ends. */
async function requireRoom(db: Services['db'], grantHash: string): Promise<void> {
  if (!(await hasRefreshTokens(db, grantHash, MOST_REFRESH_TOKENS))) return;
  await deleteGrant(db, grantHash);
  throw new errors.InvalidGrant('refreshed too often');
}

const TOKENS = { AccessToken: true, RefreshToken: true };

function grantOf(model: string, id: string, { grantId }: AdapterPayload): string | null {
  const grant = model === 'Grant' ? id : model === 'Interaction' ? undefined : grantId;
  return grant === undefined ? null : digestOf(grant);
}

/** Removes the secret id from the payload, which repeats it; in an interaction also at the end of `returnTo`. */
function withoutId(id: string, payload: AdapterPayload): object {
  const { jti: _id, session, returnTo, ...rest } = payload as AdapterPayload & { returnTo?: string };
  const { cookie: _cookie, ...named } = (session ?? {}) as { cookie?: string };
  return {
    ...rest,
    ...(session !== undefined && { session: named }),
    ...(returnTo?.endsWith(id) && { returnTo: returnTo.slice(0, -id.length) }),
  };
}

function withId(stored: StoredArtifact | undefined, id?: string): AdapterPayload | undefined {
  if (stored === undefined) return undefined;
  const { returnTo } = stored.payload;
  return {
    ...stored.payload,
    ...(id !== undefined && { jti: id }),
    ...(typeof returnTo === 'string' && id !== undefined && { returnTo: returnTo + id }),
    ...(stored.consumed_on !== null && { consumed: Math.floor(stored.consumed_on.getTime() / 1000) }),
  };
}
