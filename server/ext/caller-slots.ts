import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { leaveSlot, renewSlot, takeSlot } from './caller-slots.queries.ts';

/** Joined answers of one caller at work at the same time, in all processes together (D30). */
export const SLOTS_PER_CALLER = 4;
/** Seconds after which the place of a process that was killed is free again. */
const LEASE = 60;
/** Milliseconds between two renewals. */
const RENEW_EVERY = 20_000;

/** Undefined: the caller has no place left. What comes back gives the place up. */
export async function holdSlot(
  db: Kysely<Database>,
  caller: string,
): Promise<(() => Promise<void>) | undefined> {
  const holder = { caller, id: randomUUID() };
  if (!(await takeSlot(db, holder, SLOTS_PER_CALLER, LEASE))) return undefined;
  // A lease that cannot be renewed, or given back, ends by itself.
  const ignore = () => undefined;
  const renewing = setInterval(() => void renewSlot(db, holder, LEASE).catch(ignore), RENEW_EVERY);
  renewing.unref();
  return () => {
    clearInterval(renewing);
    return leaveSlot(db, holder).catch(ignore);
  };
}
