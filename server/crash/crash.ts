import type { IncomingHttpHeaders } from 'node:http';
import type { Kysely } from 'kysely';
import type { CrashReport, CrashReportShort } from '../../contract/crash.ts';
import { type Admission, readmit } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { objectId } from '../database/object-id.ts';
import type { Database } from '../database/tables.ts';
import { storable } from '../database/text.ts';
import { inTransaction } from '../database/transaction.ts';
import { recordEvents } from '../event/record.ts';
import { redactText, redactValues } from '../observability/redact.ts';
import { notFound } from '../shared/domain-error.ts';
import { deleteCrash, findCrash, insertCrash, newestCrashes } from './crash.queries.ts';

/** Maximum length of a stored stack trace in characters. */
const LONGEST_TRACE = 20_000;

interface Crash {
  readonly error: unknown;
  readonly req: {
    readonly method: string;
    readonly originalUrl: string;
    readonly headers: IncomingHttpHeaders;
  };
  /** Parameters of the URL: of its path and its query. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly caller: Caller | undefined;
  /** Stored among the headers, whether or not the client sent it. */
  readonly traceparent?: string | undefined;
}

/** Maximum number of reports stored per hour, so that a crash that anybody can cause does not fill the disk. */
const MOST_IN_AN_HOUR = 500;

/**
 * Stores a crash report after removing secrets (D50), and returns its id; undefined when the maximum of the hour is
 * reached, and the log has to suffice.
 */
export async function storeCrash(
  db: Kysely<Database>,
  now: Date,
  { error, req, params, caller, traceparent }: Crash,
): Promise<string | undefined> {
  const id = objectId(now);
  const headers = Object.fromEntries(
    Object.entries({ ...req.headers, ...(traceparent && { traceparent }) }).map(([name, value]) => [
      name,
      String(value),
    ]),
  );
  const request = {
    headers: redactValues(headers),
    method: req.method,
    params: keepable(params),
    url: redactText(req.originalUrl),
  };
  const trace = redactText(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const report = {
    id,
    timestamp: now,
    request: JSON.stringify(request),
    token: caller === undefined ? null : JSON.stringify(describeToken(caller)),
    trace: storable(trace).slice(0, LONGEST_TRACE),
  };
  return (await insertCrash(db, report, MOST_IN_AN_HOUR)) ? id : undefined;
}

/** Parameters as they can be stored, without secrets: in a query the client chooses the names, too. */
function keepable(params: Crash['params']): Record<string, unknown> {
  const clean = (value: unknown) => (typeof value === 'string' ? storable(value) : value);
  return Object.fromEntries(
    Object.entries(redactValues(params)).map(([name, value]) => [
      storable(redactText(name)),
      Array.isArray(value) ? value.map(clean) : clean(value),
    ]),
  );
}

function describeToken(caller: Caller): CrashReport['token'] {
  return {
    uuid: caller.uuid,
    token_type: caller.token_type,
    owner: { character_id: caller.owner_id, character_name: caller.owner_name },
    created_on: caller.created_on.toISOString(),
    expires_on: caller.expires_on?.toISOString() ?? null,
  };
}

export async function listCrashReports(db: Kysely<Database>): Promise<CrashReportShort[]> {
  const rows = await newestCrashes(db);
  return rows.map((row) => ({
    id: row.id,
    timestamp: row.timestamp.toISOString(),
    url: (row.request as CrashReport['request']).url,
    user: (row.token as CrashReport['token'])?.owner ?? null,
  }));
}

export async function getCrashReport(db: Kysely<Database>, id: string): Promise<CrashReport> {
  const row = await findCrash(db, id);
  if (row === undefined) throw notFound('crash report', id);
  return {
    id: row.id,
    _version: row.version as 1,
    request: row.request as CrashReport['request'],
    timestamp: row.timestamp.toISOString(),
    token: row.token as CrashReport['token'],
    trace: row.trace,
  };
}

export async function deleteCrashReport(
  db: Kysely<Database>,
  admission: Admission,
  id: string,
  now: Date,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await readmit(tx, admission);
    if (!(await deleteCrash(tx, id))) throw notFound('crash report', id);
    const targets = [{ type: 'crash_report' as const, id, name: null }];
    await recordEvents(tx, [{ type: 'crash.deleted', targets }], now);
  });
}
