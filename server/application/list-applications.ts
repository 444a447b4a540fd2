import { type Application, MOST_APPLICATIONS } from '../../contract/application.ts';
import { ObjectId } from '../../contract/common.ts';
import { answersFor, type Caller } from '../access/caller.queries.ts';
import type { Services } from '../services/services.ts';
import { invalid } from '../shared/errors.ts';
import {
  type ApplicationRow,
  findApplicationsFor,
  findApplicationsOf,
  findApplicationsTo,
  type Page,
} from './application.queries.ts';
import { requireModerator } from './moderation.ts';

/** An application as answers contain it; only those who decide see the note. */
export function toApplication(row: ApplicationRow, asModerator: boolean): Application {
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
  asModerator: boolean,
  find: (page: Page) => Promise<ApplicationRow[]>,
): Promise<Applications> {
  if (after !== undefined && !ObjectId.safeParse(after).success) {
    throw invalid(['query', 'after'], 'Must be what X-Next said beside the page before');
  }
  // Reads one more than wanted, to learn whether there is a next page.
  const found = await find({ after, most: limit + 1 });
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const applications = rows.map((row) => toApplication(row, asModerator));
  return last === undefined ? { applications } : { applications, next: last.application_id };
}

/** The caller's own applications, or those that it may decide. */
export async function listApplications(
  { db }: Pick<Services, 'db'>,
  caller: Caller,
  { role, ...page }: PageAsked & { readonly role: 'applicant' | 'moderator' },
): Promise<Applications> {
  // A user token of the built-in user may decide no more than its sponsor (D23).
  return role === 'moderator'
    ? pageOf(page, true, (one) => findApplicationsFor(db, answersFor(caller), one))
    : pageOf(page, false, (one) => findApplicationsOf(db, caller.owner_id, one));
}

/** The applications to a group, for those who decide them. */
export async function listApplicationsTo(
  { db }: Pick<Services, 'db'>,
  caller: Caller,
  groupId: string,
  { state, ...page }: PageAsked & { readonly state?: Application['state'] | undefined },
): Promise<Applications> {
  await requireModerator({ db }, caller, groupId);
  return pageOf(page, true, (one) => findApplicationsTo(db, groupId, state, one));
}
