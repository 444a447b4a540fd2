import { type Application, MOST_APPLICATIONS } from '../../contract/application.ts';
import { answersFor, type Caller } from '../access/caller.queries.ts';
import type { Services } from '../services/services.ts';
import { invalid } from '../shared/domain-error.ts';
import {
  type ApplicationRow,
  findApplicationsFor,
  findApplicationsOf,
  findApplicationsTo,
  type Page,
} from './application.queries.ts';
import { requireModerator } from './moderation.ts';

/** An application as answers contain it; only those who decide see the note. */
export function toApplication({ sequence: _, ...row }: ApplicationRow, asModerator: boolean): Application {
  return {
    ...row,
    note: asModerator ? row.note : null,
    created_on: row.created_on.toISOString(),
    expires_on: row.expires_on.toISOString(),
    decided_on: row.decided_on?.toISOString() ?? null,
  };
}

/** A page of applications, newest first, with the cursor of the next page if there is one. */
export interface Applications {
  readonly applications: Application[];
  readonly next?: string;
}

interface PageAsked {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

async function pageOf(
  { limit = MOST_APPLICATIONS, after }: PageAsked,
  { now, asModerator }: { readonly now: Date; readonly asModerator: boolean },
  find: (page: Page) => Promise<ApplicationRow[]>,
): Promise<Applications> {
  // Reads one more than wanted, to learn whether there is a next page.
  const found = await find({ after: placeIn(after), most: limit + 1, now });
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const applications = rows.map((row) => toApplication(row, asModerator));
  return last === undefined ? { applications } : { applications, next: cursorAt(last) };
}

function cursorAt({ sequence }: ApplicationRow): string {
  return Buffer.from(JSON.stringify([sequence])).toString('base64url');
}

/** Decodes a cursor; an invalid one is a 422. */
function placeIn(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [, sequence] = /^\[([1-9][0-9]{0,14})\]$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (sequence === undefined) {
    throw invalid(['query', 'after'], 'Must be what X-Next said beside the page before');
  }
  return Number(sequence);
}

/** The caller's own applications, or those that it may decide. */
export async function listApplications(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  caller: Caller,
  { role, ...page }: PageAsked & { readonly role: 'applicant' | 'moderator' },
): Promise<Applications> {
  // A user token of the built-in user may decide no more than its sponsor (D23).
  const now = clock.now();
  return role === 'moderator'
    ? pageOf(page, { now, asModerator: true }, (one) => findApplicationsFor(db, answersFor(caller), one))
    : pageOf(page, { now, asModerator: false }, (one) => findApplicationsOf(db, caller.owner_id, one));
}

/** The applications to a group, for those who decide them. */
export async function listApplicationsTo(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  caller: Caller,
  groupId: string,
  { state, ...page }: PageAsked & { readonly state?: Application['state'] | undefined },
): Promise<Applications> {
  await requireModerator({ db }, caller, groupId);
  const as = { now: clock.now(), asModerator: true };
  return pageOf(page, as, (one) => findApplicationsTo(db, groupId, state, one));
}
