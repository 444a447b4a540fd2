import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type Checkpoint, readCheckpoint, signCheckpoint } from '../keys/checkpoints.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { findFirstEvent, listCheckpoints, readHashes } from './checkpoint.queries.ts';
import { momentOf } from './event-id.ts';
import { type EventBody, recordEvents, valueChanges } from './record.ts';
import { verifyChain } from './verify.ts';

/** A checkpoint as its event tells it, signed as a JWT. */
type Told = Checkpoint & { readonly signature: string };

const FIELDS = ['position', 'hash', 'signature'] as const;

/** What is wrong with checkpoints, and what is known of them. */
export interface CheckpointVerdict {
  /** The last one that was signed with a key that is there, and when. */
  readonly last: (Checkpoint & { readonly on: Date }) | undefined;
  /** The moment from which on one is due: of the last one, or of the first event. */
  readonly since: Date | undefined;
  /** How many were signed with keys that are gone. */
  readonly unknown: number;
  readonly fault: string | undefined;
}

/**
 * Signs up to where the events are whole, and tells it as an event (D90): whoever follows the events, or keeps the log,
 * has what finds a table that was cut off, or written anew by somebody who could. What came since the last one is
 * looked at before.
 *
 * @returns the checkpoint, signed; undefined: nothing ever happened
 * @throws Error that names the first position that is wrong: nothing is signed then
 */
export async function writeCheckpoint(
  db: Kysely<Database>,
  keys: SigningKeys,
  now: Date,
): Promise<Told | undefined> {
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
  const told = { ...checkpoint, signature: await signCheckpoint(keys, checkpoint, now) };
  await recordEvents(
    db,
    [{ type: 'audit.checkpoint', targets: [], changes: valueChanges({}, told, FIELDS) }],
    now,
  );
  return told;
}

/**
 * Holds every checkpoint that is kept against the chain: one whose position is not there any more, or has another hash,
 * or that is not as it was signed, is a fault.
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
    events.map((event) => toldBy(event).position),
  );
  for (const event of events) {
    const told = toldBy(event);
    const signed = await readCheckpoint(keys, told.signature);
    if (signed === 'unknown key') {
      unknown += 1;
      continue;
    }
    const fault = faultOf(told, signed, hashes.get(told.position));
    if (fault !== undefined) return { last, since: last?.on, unknown, fault };
    last = { position: told.position, hash: told.hash, on: new Date(event.occurred_on) };
  }
  const first = last === undefined ? await findFirstEvent(db) : undefined;
  return {
    last,
    since: last?.on ?? (first === undefined ? undefined : momentOf(first)),
    unknown,
    fault: undefined,
  };
}

/** What the chain says of a checkpoint that somebody kept elsewhere; undefined: they agree. */
export async function verifyKeptCheckpoint(
  db: Kysely<Database>,
  keys: Pick<SigningKeys, 'jwks'>,
  kept: string,
): Promise<string | undefined> {
  const signed = await readCheckpoint(keys, kept);
  if (signed === undefined) return 'the checkpoint was not signed by this service';
  if (signed === 'unknown key') return 'the checkpoint was signed with a key that is not there any more';
  const { position } = signed;
  return faultOf(signed, signed, (await readHashes(db, [position])).get(position));
}

function faultOf(told: Checkpoint, signed: Checkpoint | undefined, present: string | undefined) {
  const about = `checkpoint of position ${told.position}: `;
  if (signed?.position !== told.position || signed.hash !== told.hash) return `${about}not as it was signed`;
  if (present === undefined) return `${about}there is no such position any more`;
  return present === told.hash ? undefined : `${about}something up to there was written anew`;
}

function toldBy({ changes }: EventBody): Told {
  const values = Object.fromEntries(
    changes.map((change) => [change.field, 'after' in change ? change.after : null]),
  );
  return {
    position: Number(values['position']),
    hash: String(values['hash']),
    signature: String(values['signature']),
  };
}
