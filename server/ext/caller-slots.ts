import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { leaveSlot, renewSlot, takeSlot } from './caller-slots.queries.ts';

/** Concurrent joined answers of one caller, over all processes (D30). */
export const SLOTS_PER_CALLER = 4;
/** Lease in seconds: the slot of a killed process is free after that. */
const LEASE = 60;
/** Milliseconds between two renewals of the lease. */
const RENEW_EVERY = 20_000;

/**
 * Takes a slot and keeps its lease renewed; undefined when the caller has no slot left. The returned function releases
 * it.
 */
export async function holdSlot(
  db: Kysely<Database>,
  caller: string,
): Promise<(() => Promise<void>) | undefined> {
  const holder = { caller, id: randomUUID() };
  if (!(await takeSlot(db, holder, SLOTS_PER_CALLER, LEASE))) return undefined;
  // A lease that cannot be renewed or released expires by itself.
  const ignore = () => undefined;
  const renewing = setInterval(() => void renewSlot(db, holder, LEASE).catch(ignore), RENEW_EVERY);
  renewing.unref();
  return () => {
    clearInterval(renewing);
    return leaveSlot(db, holder).catch(ignore);
  };
}
