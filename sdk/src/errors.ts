import type { Answer, Success } from './call.ts';
import type { ErrorCode, ValidationIssue } from './generated/types.ts';
import { VERSION } from './generated/version.ts';

/** Any answer that is not a success. It contains nothing of the request, so no token either. */
export class CastellanError extends Error {
  override readonly name = 'CastellanError';
  /** HTTP status of the answer. */
  declare readonly status: number;
  /** The error code; undefined when the answer does not come from the service but, for example, from a proxy. */
  declare readonly code: ErrorCode | undefined;
  /** The service's message: a sentence, or the list of faults in the request. */
  declare readonly detail: string | readonly ValidationIssue[];
  /** The faults in the request; empty for other errors. */
  declare readonly issues: readonly ValidationIssue[];
  /** The request's id in the service's logs; quote it when asking for help. */
  declare readonly requestId: string | undefined;
  /** Seconds after which a retry makes sense. */
  declare readonly retryAfter: number | undefined;
  /** The id of the crash report of an unforeseen error. */
  declare readonly crashReportId: string | undefined;
  /** Version of the service. The message mentions it when it is older than this client. */
  declare readonly serviceVersion: string | undefined;
  /** Headers of the answer. */
  declare readonly headers: Headers;

  constructor({ status, body, headers }: Answer<number, unknown>) {
    // A proxy may answer with any body, or none.
    const { detail, code, crash_report_id } = (body ?? {}) as Problem;
    const told = detail ?? `HTTP status ${status}`;
    const listed = told as readonly ValidationIssue[];
    const issues = listed.every?.((one) => one?.loc?.join) ? listed : [];
    const header = (name: string) => headers.get(name) ?? undefined;
    const version = header('x-api-version');
    super((issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') || told) + age(version));
    this.status = status;
    this.code = code;
    this.detail = told;
    this.issues = issues;
    this.requestId = header('x-request-id');
    this.retryAfter = retryAfterOf(headers);
    this.serviceVersion = version;
    this.crashReportId = crash_report_id;
    this.headers = headers;
  }
}

interface Problem {
  detail?: string | readonly ValidationIssue[];
  code?: ErrorCode;
  crash_report_id?: string;
}

/**
 * A hint for the message when the service is older than this client, because it may refuse what it does not know yet.
 */
function age(version = VERSION): string {
  const older = version.localeCompare(VERSION, 'en', { numeric: true }) < 0;
  return older ? ` (service ${version} is older than client ${VERSION})` : '';
}

/** `Retry-After` in seconds, whether given as seconds or as a date. */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/**
 * The body of a successful answer: `const token = await ok(client.token.current());`
 *
 * @throws {CastellanError} when the answer is no success.
 */
export async function ok<A extends Answer<number, unknown>>(answer: Promise<A> | A): Promise<Success<A>> {
  const given = await answer;
  if (given.status < 200 || given.status >= 400) throw new CastellanError(given);
  return given.body as Success<A>;
}
