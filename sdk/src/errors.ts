import type { Answer, Success } from './call.ts';
import type { ErrorCode, ValidationIssue } from './generated/types.ts';
import { VERSION } from './generated/version.ts';

/** An answer that is no success. Holds nothing of the request, so no token either. */
export class CastellanError extends Error {
  override readonly name = 'CastellanError';
  /** HTTP status of the answer. */
  declare readonly status: number;
  /** What went wrong, for programs; undefined where the answer is not the service's own, as a proxy's. */
  declare readonly code: ErrorCode | undefined;
  /** What the service says went wrong: a sentence, or everything that is wrong with the request. */
  declare readonly detail: string | readonly ValidationIssue[];
  /** Everything that is wrong with the request; empty where it is not the request's fault. */
  declare readonly issues: readonly ValidationIssue[];
  /** Names the request in the service's logs; quote it when asking for help. */
  declare readonly requestId: string | undefined;
  /** Seconds after which asking again makes sense. */
  declare readonly retryAfter: number | undefined;
  /** The stored crash report of an unforeseen error. */
  declare readonly crashReportId: string | undefined;
  /** Version of the service that answered; the message says so where it is older than this client. */
  declare readonly serviceVersion: string | undefined;
  /** Headers of the answer. */
  declare readonly headers: Headers;

  constructor({ status, body, headers }: Answer<number, unknown>) {
    // A proxy in between may answer with anything, or with nothing.
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

/** What an older service does not know yet, it refuses: said, because the sentence of the refusal cannot tell. */
function age(version = VERSION): string {
  const older = version.localeCompare(VERSION, 'en', { numeric: true }) < 0;
  return older ? ` (the service has version ${version}, this client ${VERSION})` : '';
}

/** The seconds that an answer asks to wait, given as such or as a date. */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
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
