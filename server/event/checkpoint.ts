import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type Checkpoint, readCheckpoint, signCheckpoint } from '../keys/checkpoints.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { findFirstEvent, listCheckpoints, readHashes } from './checkpoint.queries.ts';
import { momentOf } from './event-id.ts';
import { type EventBody, recordEvents, valueChanges } from './record.ts';
import { verifyChain } from './verify.ts';

/** A checkpoint as its event contains it: in plain values, and signed as a JWT. */
type RecordedCheckpoint = Checkpoint & { readonly signature: string };

const FIELDS = ['position', 'hash', 'signature'] as const;

/** The result of comparing the checkpoints with the chain. */
export interface CheckpointVerdict {
  /** The last valid checkpoint whose key is still configured, and its time. */
  readonly last: (Checkpoint & { readonly on: Date }) | undefined;
  /**
   * The time from which the age of the checkpoints is counted: that of the last one or, without any, of the first
   * event.
   */
  readonly since: Date | undefined;
  /** Number of checkpoints that cannot be verified, because their key is not configured any more. */
  readonly unknown: number;
  /** The first fault; undefined when there is none. */
  readonly fault: string | undefined;
}

/**
 * Verifies the chain since the last checkpoint, signs its present end, and records that as an event (D90). With such a
 * checkpoint, a reader of the feed or of the log can find out that the table was truncated or rewritten later.
 *
 * @returns the signed checkpoint; undefined when there are no events yet
 * @throws Error that names the first faulty position; then nothing is signed
 */
export async function writeCheckpoint(
  db: Kysely<Database>,
  keys: SigningKeys,
  now: Date,
): Promise<RecordedCheckpoint | undefined> {
  const { last, fault } = await verifyCheckpoints(db, keys);
  const from = {
    position: last?.position ?? 0,
    hash: last === undefined ? null : Buffer.from(last.hash, 'hex'),
  };
  const walked = await verifyChain(db, from, now);
  const wrong = fault ?? walked.fault;
  if (wrong !== undefined) throw new Error(`no checkpoint is signed: the events are not whole, ${wrong}`);
  const { position, hash } = walked.end;
  if (hash === null) return undefined;
  const checkpoint = { position, hash: hash.toString('hex') };
  const recorded = { ...checkpoint, signature: await signCheckpoint(keys, checkpoint, now) };
  await recordEvents(
    db,
    [{ type: 'audit.checkpoint', targets: [], changes: valueChanges({}, recorded, FIELDS) }],
    now,
  );
  return recorded;
}

/**
 * Compares every stored checkpoint with the chain. It is a fault when its position no longer exists, when the chain has
 * another hash there, or when its values differ from the signed ones.
 */
export async function verifyCheckpoints(
  db: Kysely<Database>,
  keys: Pick<SigningKeys, 'jwks'>,
): Promise<CheckpointVerdict> {
  let last: CheckpointVerdict['last'];
  let unknown = 0;
  const events = (await listCheckpoints(db)).map((body) => JSON.parse(body) as EventBody);
  const hashes = await readHashes(
    db,
    events.map((event) => checkpointOf(event).position),
  );
  for (const event of events) {
    const recorded = checkpointOf(event);
    const signed = await readCheckpoint(keys, recorded.signature);
    if (signed === 'unknown key') {
      unknown += 1;
      continue;
    }
    const fault = faultOf(recorded, signed, hashes.get(recorded.position));
    if (fault !== undefined) return { last, since: last?.on, unknown, fault };
    last = { position: recorded.position, hash: recorded.hash, on: new Date(event.occurred_on) };
  }
  const first = last === undefined ? await findFirstEvent(db) : undefined;
  return {
    last,
    since: last?.on ?? (first === undefined ? undefined : momentOf(first)),
    unknown,
    fault: undefined,
  };
}

/**
 * Compares the chain with a checkpoint that was kept outside the service; undefined when they agree. What is no checkpoint
 * of this service, such as a part of one, says nothing of the chain, nor does one whose key is not configured any more:
 * these are not `compared`.
 */
export async function verifyKeptCheckpoint(
  db: Kysely<Database>,
  keys: Pick<SigningKeys, 'jwks'>,
  kept: string,
): Promise<{ readonly fault: string; readonly compared: true | 'not ours' | 'unknown key' } | undefined> {
  const signed = await readCheckpoint(keys, kept);
  if (signed === undefined)
    return { fault: 'the checkpoint was not signed by this service', compared: 'not ours' };
  if (signed === 'unknown key')
    return { fault: 'the checkpoint was signed with a key that is not there any more', compared: signed };
  const { position } = signed;
  const fault = faultOf(signed, signed, (await readHashes(db, [position])).get(position));
  return fault === undefined ? undefined : { fault, compared: true };
}

function faultOf(stated: Checkpoint, signed: Checkpoint | undefined, present: string | undefined) {
  const about = `checkpoint of position ${stated.position}: `;
  if (signed?.position !== stated.position || signed.hash !== stated.hash)
    return `${about}not as it was signed`;
  if (present === undefined) return `${about}there is no such position any more`;
  return present === stated.hash ? undefined : `${about}something up to there was written anew`;
}

function checkpointOf({ changes }: EventBody): RecordedCheckpoint {
  const values = Object.fromEntries(
    changes.map((change) => [change.field, 'after' in change ? change.after : null]),
  );
  return {
    position: Number(values['position']),
    hash: String(values['hash']),
    signature: String(values['signature']),
  };
}
