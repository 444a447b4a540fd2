import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { untilReachable } from '../database/until-reachable.ts';
import type { Vault } from '../keys/vault.ts';
import type { AccessTokens, Asked, Death, HeldGrant } from '../provider/access-token-source.ts';
import { ProviderError } from '../provider/http.ts';
import type { Sso } from '../provider/sso.ts';
import type { Queue } from '../queue/queue.ts';
import type { Clock } from '../shared/clock.ts';
import { findValidScopes, grantBinding, lockGrants, nextCheck } from './grant.queries.ts';
import { recordDeaths, recordGrant } from './grant-events.ts';
import {
  claimRefresh,
  endRefresh,
  leaveToCheck,
  markInvalid,
  readRefreshState,
  storeAccessToken,
  storeRefreshToken,
} from './refresh-tokens.queries.ts';

/** Minimum remaining lifetime of an access token in milliseconds; with less it is refreshed. */
const SPARE_LIFE = 60_000;
/** Milliseconds between two checks of a refresh by another process. */
const LOOK_EVERY = 40;

/** A grant whose refresh this process has claimed, with the refresh token that it uses. */
interface Claimed extends Pick<Death, 'grantId' | 'characterId' | 'used'> {
  /** When its check was due before. */
  readonly nextCheckOn: Date;
}

/** The access tokens of one process. */
interface RefreshedTokens extends AccessTokens {
  /**
   * Begins no more refreshes, and waits for those under way until the deadline (of `performance.now()`): the sign-on
   * may have replaced a refresh token already, and then its answer is all there is.
   */
  finish(deadline: number): Promise<void>;
}

/**
 * Exchanges the refresh tokens of grants for access tokens, and decides what becomes of a grant whose refresh token is
 * dead (D34). Which answers of the provider mean that is in `provider/dead-refresh-token.ts`; a refresh may run in
 * several processes at once, so it is claimed in the grant's row first.
 */
export function createAccessTokens(services: {
  readonly db: Kysely<Database>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly sso: Pick<Sso, 'refresh' | 'identify'>;
  readonly queue: Pick<Queue, 'send'>;
  readonly log: Logger;
}): RefreshedTokens {
  const { db, vault, clock, sso, queue, log } = services;
  /** Refreshes under way by grant: within one process all callers share one refresh, and its failure. */
  const refreshing = new Map<string, Promise<string | undefined>>();
  let finishing = false;

  function living(grant: HeldGrant, refused: string | undefined): string | undefined {
    const { access_token: encrypted, access_expires_on: expiresOn, grant_id: id, cut_off: cutOff } = grant;
    if (encrypted === null || expiresOn === null || cutOff) return undefined;
    if (expiresOn.getTime() - clock.now().getTime() < SPARE_LIFE) return undefined;
    const token = vault.decrypt(encrypted, grantBinding(id, 'access_token'));
    return token === refused ? undefined : token;
  }

  /** Refreshes the grant's tokens, or waits until another process has done so and reads the result from the row. */
  async function renew(
    grantId: string,
    characterId: number,
    deadline: number,
    { refused, dead = 'mark' }: Asked,
  ): Promise<string | undefined> {
    for (;;) {
      if (finishing) throw new ProviderError('unreachable', 'the process stops and refreshes no more tokens');
      const state = await readRefreshState(db, grantId);
      if (state === undefined || !state.valid) return undefined;
      const token = living({ ...state, grant_id: grantId }, refused);
      if (token !== undefined) return state.of_another ? undefined : token;
      if (!state.in_flight) {
        // A process that lacks the key leaves the refresh to others.
        const refreshToken = vault.decrypt(state.refresh_token, grantBinding(grantId, 'refresh_token'));
        if (await claimRefresh(db, grantId, state.refresh_token, clock.now())) {
          const used = { grantId, characterId, used: state.refresh_token, nextCheckOn: state.next_check_on };
          return refresh(used, refreshToken, dead);
        }
      }
      if (performance.now() + LOOK_EVERY >= deadline) {
        throw new ProviderError('timeout', 'another process did not end its refresh of this token in time');
      }
      await sleep(LOOK_EVERY);
    }
  }

  async function refresh(
    { nextCheckOn, ...claimed }: Claimed,
    refreshToken: string,
    dead: NonNullable<Asked['dead']>,
  ): Promise<string | undefined> {
    const { grantId, characterId, used } = claimed;
    let current = used;
    try {
      const outcome = await askTwice(refreshToken);
      if (outcome.kind === 'dead') {
        await handleDeath({ ...claimed, cause: outcome.cause }, nextCheckOn, dead);
        return undefined;
      }
      // Stored before the access token is verified, which may fail or take its time: the provider may have invalidated
      // the former refresh token, and the new one is nowhere else.
      const renewed = vault.encrypt(outcome.refreshToken, grantBinding(grantId, 'refresh_token'));
      let deleted = false;
      await untilReachable(async () => {
        if (await replace(claimed, renewed)) return;
        deleted = (await readRefreshState(db, grantId)) === undefined;
        // What its deletion handed to this job (D19b, D29b) is the former refresh token.
        const revoke = { grant_id: grantId, refresh_token: renewed.toString('base64') };
        if (deleted) await queue.send(db, 'revoke-grant', revoke);
      });
      if (deleted) return undefined;
      current = renewed;
      if (outcome.kind === 'replaced') throw outcome.fault;
      const { accessToken } = outcome;
      const identity = await sso.identify(accessToken);
      if (identity.characterId !== characterId) {
        throw new ProviderError('unusable', 'the provider refreshed a token into that of another character');
      }
      const verified = {
        accessToken: vault.encrypt(accessToken, grantBinding(grantId, 'access_token')),
        accessExpiresOn: identity.expiresOn,
        owner: identity.ownerHash,
        nextCheckOn: nextCheck(clock.now()),
      };
      const usable = await untilReachable(() => storeAccessToken(db, grantId, renewed, verified));
      if (usable) return accessToken;
      log.warn(
        { character_id: characterId, grant_id: grantId },
        'a refresh token gives the data of another owner',
      );
      return undefined;
    } catch (error) {
      // A failed request says nothing about the refresh token, so it stays valid (D34).
      if (error instanceof ProviderError) await endRefresh(db, grantId, current, nextCheckOn);
      throw error;
    }
  }

  /**
   * Stores the new refresh token. Whoever took over a refresh that had lasted too long may have found the former one
   * dead: then the grant is valid again, which is told as that was (D91). False when the grant has another one, or is gone.
   */
  async function replace(
    { grantId, characterId, used }: Omit<Claimed, 'nextCheckOn'>,
    renewed: Buffer,
  ): Promise<boolean> {
    if (await storeRefreshToken(db, grantId, used, renewed, 'valid')) return true;
    return inTransaction(db, async (tx) => {
      await lockGrants(tx, [characterId]);
      const before = await findValidScopes(tx, characterId);
      if (!(await storeRefreshToken(tx, grantId, used, renewed, 'invalid'))) return false;
      const after = await findValidScopes(tx, characterId);
      await recordGrant(tx, { characterId }, { before, after }, clock.now());
      return true;
    });
  }

  async function handleDeath(
    death: Death,
    nextCheckOn: Date,
    dead: NonNullable<Asked['dead']>,
  ): Promise<void> {
    const { grantId, characterId, used, cause } = death;
    if (dead === 'leave') return leaveToCheck(db, grantId, used);
    if (dead !== 'mark') {
      await endRefresh(db, grantId, used, nextCheckOn);
      return dead(death);
    }
    await inTransaction(db, async (tx) => {
      await lockGrants(tx, [characterId]);
      if (await markInvalid(tx, grantId, used, cause, clock.now()))
        await recordDeaths(tx, [death], clock.now());
    });
    log.info({ character_id: characterId, grant_id: grantId, cause }, 'a refresh token is dead');
  }

  /**
   * Retries once at once: if the provider's answer was lost, it may have replaced the refresh token, and that has to be
   * known before the next use.
   */
  async function askTwice(refreshToken: string) {
    try {
      return await sso.refresh(refreshToken);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.fault !== 'unreachable') throw error;
      return sso.refresh(refreshToken);
    }
  }

  return {
    async of(grant, characterId, deadline, asked = {}) {
      const { refused } = asked;
      const token = living(grant, refused);
      if (token !== undefined) return token;
      const { grant_id: id } = grant;
      const started = refreshing.get(id);
      if (started !== undefined) {
        const shared = await until(deadline, started);
        // The caller asked because this access token was refused, so a shared refresh that returns it again is no help.
        if (shared !== refused || shared === undefined) return shared;
      }
      const renewing = renew(id, characterId, deadline, asked).finally(() => {
        if (refreshing.get(id) === renewing) refreshing.delete(id);
      });
      refreshing.set(id, renewing);
      return until(deadline, renewing);
    },
    async finish(deadline) {
      finishing = true;
      if (refreshing.size === 0) return;
      log.info({ refreshes: refreshing.size }, 'the stop waits for refresh tokens that are being replaced');
      await until(deadline, Promise.allSettled(refreshing.values())).catch(() => undefined);
      if (refreshing.size === 0) return;
      log.error(
        { grant_ids: [...refreshing.keys()] },
        'the sign-on took too long to replace refresh tokens, which may be lost: their users may have to sign in again',
      );
    },
  };
}

/** Rejects at the deadline, but lets the refresh go on: its answer may hold the only refresh token that still works. */
async function until<T>(deadline: number, work: Promise<T>): Promise<T> {
  const gone = new AbortController();
  const late = sleep(Math.max(deadline - performance.now(), 0), undefined, { signal: gone.signal }).then(
    () => {
      throw new ProviderError('timeout', 'an access token was not refreshed in time');
    },
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    gone.abort();
    late.catch(() => undefined);
  }
}
