import { type Application, MOST_APPLICATIONS } from '../../contract/application.ts';
import { answersFor } from '../access/account.ts';
import type { Caller } from '../access/caller.queries.ts';
import type { Services } from '../services/services.ts';
import { cursorOf, pageOf, placeIn, valuesIn } from '../shared/paging.ts';
import {
  type ApplicationRow,
  findApplicationsFor,
  findApplicationsOf,
  findApplicationsTo,
  type Page,
} from './application.queries.ts';
import { mayDecide, requireModerator } from './moderation.ts';

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
  readonly next: string | undefined;
}

interface PageAsked {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

async function read(
  { limit = MOST_APPLICATIONS, after }: PageAsked,
  { now, asModerator }: { readonly now: Date; readonly asModerator: boolean },
  find: (page: Page) => Promise<ApplicationRow[]>,
): Promise<Applications> {
  const found = await find({ after: placeIn(after, sequenceIn), most: limit + 1, now });
  const { rows, next } = pageOf(found, limit, ({ sequence }) => cursorOf([sequence]));
  return { applications: rows.map((row) => toApplication(row, asModerator)), next };
}

function sequenceIn(cursor: string): number | undefined {
  const [sequence] = valuesIn(cursor);
  return Number.isSafeInteger(sequence) && Number(sequence) > 0 ? Number(sequence) : undefined;
}

/** The caller's own applications, or those that it may decide. */
export async function listApplications(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  caller: Caller,
  { role, ...page }: PageAsked & { readonly role: 'applicant' | 'moderator' },
): Promise<Applications> {
  const now = clock.now();
  if (role === 'applicant') {
    return read(page, { now, asModerator: false }, (one) => findApplicationsOf(db, caller.owner_id, one));
  }
  // A user token of the built-in user may decide no more than its sponsor (D23).
  return read(page, { now, asModerator: true }, async (one) =>
    mayDecide(caller) ? findApplicationsFor(db, answersFor(caller), one) : [],
  );
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
  const deciders = [caller.owner_id, answersFor(caller)];
  return read(page, as, (one) => findApplicationsTo(db, groupId, deciders, state, one));
}
