import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type CheckpointVerdict, verifyCheckpoints, verifyKeptCheckpoint } from '../event/checkpoint.ts';
import { verifyEvents } from '../event/verify.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { messageOf } from '../shared/message-of.ts';
import { bad, type Finding, good, mind } from './finding.ts';

/** Milliseconds after which a missing daily checkpoint is reported; the job may have been late. */
const LATE = 2 * 86_400_000;
const ADVICE = 'somebody changed the table: compare with a backup; see "What is kept" in docs/events.md';
/** What to do about a stored checkpoint with which nothing was compared. */
const NOT_COMPARED = {
  'not ours':
    'nothing was compared with it: give all of one line that was stored; see "Checkpoints of the events" in docs/operating.md',
  'unknown key':
    'nothing was compared with it: put the key\'s public half back, behind the others; see "Keys" in docs/operating.md',
};

export interface EventsQuestion {
  /** Number of latest events to verify; all when absent, or when a stored checkpoint is compared. */
  readonly most?: number | undefined;
  /** A checkpoint that was stored elsewhere. */
  readonly kept?: string | undefined;
}

/** Verifies the chain of digests: no event was changed, removed or inserted (D90). */
export async function examineEvents(
  db: Kysely<Database>,
  keys: Pick<SigningKeys, 'jwks'>,
  now: Date,
  { most, kept }: EventsQuestion = {},
): Promise<Finding[]> {
  // The checkpoints are compared even where this fails: after a restore or on suspicion they are what counts.
  // They say that the hashes are as they were; only all events say that nothing below was rewritten beside these.
  const looked = kept === undefined ? most : undefined;
  const chain = await verifyEvents(db, now, looked).catch((error: unknown) => ({ error }));
  const checkpoints = await verifyCheckpoints(db, keys);
  const outside = kept === undefined ? undefined : await verifyKeptCheckpoint(db, keys, kept);
  const unread = 'error' in chain ? [bad('events', messageOf(chain.error), 'see docs/events.md')] : [];
  const wrong = [
    'error' in chain ? undefined : chain.fault,
    checkpoints.fault,
    outside?.compared === true ? outside.fault : undefined,
  ].filter((one) => one !== undefined);
  const findings =
    'error' in chain || wrong.length > 0
      ? [...unread, ...wrong.map((one) => bad('events', one, ADVICE))]
      : [
          good('events', `whole, up to position ${chain.head}; ${chain.looked} looked at`),
          ofCheckpoints(checkpoints, now),
        ];
  return outside === undefined || outside.compared === true
    ? findings
    : [...findings, bad('kept checkpoint', outside.fault, NOT_COMPARED[outside.compared])];
}

function ofCheckpoints({ last, since, unknown }: CheckpointVerdict, now: Date): Finding {
  const others = unknown === 0 ? '' : `; ${unknown} of former keys were not looked at`;
  const says = last
    ? `of ${last.on.toISOString()}, up to position ${last.position}${others}`
    : `none${others}`;
  const late = since !== undefined && now.getTime() - since.getTime() > LATE;
  return late
    ? mind('checkpoint', says, 'does the job write-checkpoint run? If so, somebody removed the later ones')
    : good('checkpoint', says);
}
