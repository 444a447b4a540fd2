import type { Answer } from './call.ts';
import type { ValidationIssue } from './generated/types.ts';

/** An answer that is no success, as {@link ok} throws it. Holds nothing of the request, so no token either. */
export class CastellanError extends Error {
  override readonly name = 'CastellanError';
  /** HTTP status of the answer. */
  readonly status: number;
  /** What the service says went wrong: a sentence, or everything that is wrong with the request. */
  readonly detail: string | readonly ValidationIssue[];
  /** Names the request in the service's logs; quote it when asking for help. */
  readonly requestId: string | undefined;
  /** The stored crash report of an unforeseen error. */
  readonly crashReportId: string | undefined;

  constructor(answer: Answer<number, unknown>) {
    const { detail, crash_report_id } = problemIn(answer.body);
    const told = detail ?? `HTTP status ${answer.status}`;
    super(typeof told === 'string' ? told : told.map(sentence).join('; '));
    this.status = answer.status;
    this.detail = told;
    this.requestId = answer.headers.get('x-request-id') ?? undefined;
    this.crashReportId = crash_report_id;
  }
}

interface Problem {
  detail?: string | readonly ValidationIssue[];
  crash_report_id?: string;
}

/** A proxy in between may answer with anything. */
function problemIn(body: unknown): Problem {
  return typeof body === 'object' && body !== null ? (body as Problem) : {};
}

function sentence({ loc, msg }: ValidationIssue): string {
  return `${loc.join('.')}: ${msg}`;
}

type Success<A> = A extends { status: infer S; body: infer B }
  ? S extends 200 | 201 | 302
    ? B
    : never
  : never;

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
