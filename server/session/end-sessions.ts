import type { Transaction } from 'kysely';
import { BUILT_IN_USER } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction, withoutJit } from '../database/transaction.ts';
import type { Change, Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { chunksOf } from '../shared/chunks.ts';
import {
  type Candidates,
  deleteGrants,
  deleteSessions,
  type EndedSession,
  type Excluded,
  findSignedIn,
  findUnwelcome,
  findUsersOf,
} from './endings.queries.ts';

/** Users whose rights one statement judges. */
const AT_ONCE = 1000;

type EndingServices = Pick<Services, 'queue' | 'clock'>;

/**
 * Ends the OpenID Connect sessions of these characters: browser sessions, grants, codes and tokens, in the transaction
 * that causes it. A job notifies the applications (D84).
 */
export async function endSessions(
  { queue, clock }: EndingServices,
  tx: Transaction<Database>,
  characterIds: readonly number[],
): Promise<void> {
  if (characterIds.length === 0) return;
  await tell(queue, tx, await deleteSessions(tx, characterIds, clock.now()));
}

/**
 * Ends the sessions of users who may not log in any more, and grants to applications that no longer admit them. Call it
 * at the end of every transaction that may have taken such a right away, because it reads the state as stored by then
 * (D84).
 */
export async function endUnwelcome(
  { queue, clock }: EndingServices,
  tx: Transaction<Database>,
  candidates: Candidates,
): Promise<void> {
  if (Object.values(candidates).every((some) => some.length === 0)) return;
  const unwelcome = await findUnwelcome(tx, candidates);
  const everywhere = new Set(
    unwelcome.flatMap(({ character_id, client_id }) => (client_id === null ? [character_id] : [])),
  );
  await endSessions({ queue, clock }, tx, [...everywhere]);
  const excluded = unwelcome.flatMap(({ character_id, client_id }): Excluded[] =>
    client_id === null || everywhere.has(character_id) ? [] : [{ character_id, client_id }],
  );
  if (excluded.length > 0) await tell(queue, tx, await deleteGrants(tx, excluded));
}

/**
 * Does the same for the users of an application that may admit fewer of them. A statement judges `atOnce` of them, as
 * those of {@link sweepSessions} do.
 */
export async function endUnwelcomeOf(
  services: EndingServices,
  tx: Transaction<Database>,
  client_id: string,
  atOnce = AT_ONCE,
): Promise<void> {
  await withoutJit(tx);
  for (const users of chunksOf(await findUsersOf(tx, client_id), atOnce)) {
    await endUnwelcome(services, tx, { client_id, users });
  }
}

/**
 * Does the same for all users, as a job: for rights that end by time, or where {@link endUnwelcome} was not called
 * (D84). A statement judges `atOnce` users: for 100,000 with sessions one alone would exceed its time limit. The changes
 * are those of a dry run.
 */
export async function sweepSessions(
  services: EndingServices & Pick<Services, 'db'>,
  { dryRun, signal }: Pick<Run, 'dryRun' | 'signal'>,
  atOnce = AT_ONCE,
): Promise<readonly Change[]> {
  const { db } = services;
  const changes: Change[] = [];
  for (let after = BUILT_IN_USER; ; ) {
    signal.throwIfAborted();
    const users = await findSignedIn(db, after, atOnce);
    const last = users.at(-1);
    if (last === undefined) return changes;
    await inTransaction(db, async (tx) => {
      await withoutJit(tx);
      if (!dryRun) return endUnwelcome(services, tx, { users });
      changes.push(...(await findUnwelcome(tx, { users })).map((ended) => ({ action: 'end', ...ended })));
    });
    after = last;
  }
}

async function tell(
  queue: Services['queue'],
  tx: Transaction<Database>,
  ended: readonly EndedSession[],
): Promise<void> {
  const payloads = ended.map((session) => ({ ...session, attempt: 0 }));
  await queue.sendAll(tx, 'send-logout', payloads);
}
