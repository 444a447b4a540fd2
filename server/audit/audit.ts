import type { Event } from '../../contract/event.ts';
import { USUAL_LIMIT } from '../../contract/paging.ts';
import type { Admission } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { lineKeyOf } from '../access/lines.ts';
import { readAudit } from '../event/audit.queries.ts';
import { leastIdOf } from '../event/event-id.ts';
import { auditReader, viewerOf } from '../event/reader.ts';
import { shown } from '../event/show.ts';
import type { Services } from '../services/services.ts';
import { pageOf, placeIn, uuidIn } from '../shared/paging.ts';

/** Maximum number of events examined for one answer. */
const MOST = 5000;

export interface AuditQuery {
  readonly actor?: number | undefined;
  readonly target?: string | undefined;
  readonly type?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

interface AuditPage {
  readonly events: Event[];
  readonly next: string | undefined;
}

/** A page of the events that the caller may see, latest first, and the cursor of the next page (D94). */
export async function findAudit(
  { db, lines }: Pick<Services, 'db' | 'lines'>,
  admission: Admission,
  query: AuditQuery,
): Promise<AuditPage> {
  const read = ({ caller }: Admission) => pageFor(db, caller, query);
  // For everybody else thousands of events are judged.
  return auditReader(admission.caller) === 'all'
    ? read(admission)
    : lines.events(lineKeyOf(admission.caller), admission, read);
}

async function pageFor(
  db: Services['db'],
  caller: Caller,
  { actor, target, type, since, until, limit = USUAL_LIMIT, after }: AuditQuery,
): Promise<AuditPage> {
  const ends = [placeIn(after, uuidIn), until && leastIdOf(new Date(until))]
    .filter((id) => id !== undefined)
    .sort();
  const { events, last, more } = await readAudit(db, auditReader(caller), {
    actor,
    target,
    types: type,
    from: since && leastIdOf(new Date(since)),
    before: ends[0],
    limit: limit + 1,
    most: MOST,
  });
  const viewer = viewerOf(caller);
  const { rows, next } = pageOf(
    events.map((event) => shown(event, viewer)),
    limit,
    ({ event_id }) => event_id,
  );
  return { events: rows, next: next ?? (more ? (last ?? undefined) : undefined) };
}
