import type { Kysely } from 'kysely';
import type { Tracking } from '../../contract/user.ts';
import type { JsonBytes } from '../database/json-text.ts';
import { sharedRead } from '../database/shared-read.ts';
import type { Database } from '../database/tables.ts';
import { findTracking, type TrackedOrganization } from './tracking.queries.ts';

/**
 * An organization's members by the state of their refresh tokens (D35); concurrent callers share one statement and its
 * bytes.
 */
export function getTracking(
  db: Kysely<Database>,
  organization: TrackedOrganization,
): Promise<JsonBytes<Tracking>> {
  return shared(db, JSON.stringify(organization));
}

const shared = sharedRead(
  async (db, organization: string): Promise<JsonBytes<Tracking>> =>
    Buffer.from(await findTracking(db, JSON.parse(organization) as TrackedOrganization)),
);
