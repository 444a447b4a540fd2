import { RequestValidationError } from '@ts-rest/express';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { contract } from '../../contract/index.ts';
import type { Caller } from '../access/caller.queries.ts';
import { constraintOf, isOverdue, isUnreachable } from '../database/errors.ts';
import { ProviderError } from '../provider/http.ts';
import type { Services } from '../services/services.ts';
import { HttpError, revoked } from '../shared/errors.ts';
import { VoiceError } from '../voice-server/voice-error.ts';
import { validationProblem } from './input/problem.ts';
import { failurePage, PAGE_HEADERS } from './page.ts';

/** What the database's constraints say no to, in words (D7); a constraint missing here is a crash. */
const CONFLICTS: Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => string>> = {
  coalition_name_taken: (body) => taken('coalition', body.coalition_name),
  group_name_taken: (body) => taken('group', body.group_name),
};

function taken(kind: string, name: unknown): string {
  return `A ${kind} named "${name}" exists already (upper and lower case count as the same).`;
}

/** References to the token that calls, or to its owner: broken, it was deleted after it was admitted. */
const OWN_TOKEN = new Set([
  'tokens_parent_fkey',
  'tokens_owner_id_fkey',
  'tokens_app_token_fkey',
  'state_codes_app_token_fkey',
]);

/** Stores a crash report and returns its id (D50). */
export type StoreCrash = (
  db: Services['db'],
  now: Date,
  crash: {
    readonly error: unknown;
    readonly req: Request;
    readonly params: Readonly<Record<string, unknown>>;
    readonly caller: Caller | undefined;
  },
) => Promise<string>;

/** The one place where errors become answers (D2–D8). */
export function answerErrors(services: Services, storeCrash: StoreCrash): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    // The stop of the process was quicker: the client has its answer, and what the handler met no longer matters.
    if (res.writableEnded) return;
    if (res.headersSent) return next(error);
    // No report can be stored of this one, so the log has it (D8).
    if (isUnreachable(error)) note(services, res, error, 'the database cannot be reached');
    if (error instanceof VoiceError) note(services, res, error, 'the voice server failed');
    const problem = toProblem(error, req);
    if (problem !== undefined) return send(req, res, problem);
    void crash(services, storeCrash, error, req, res);
  };
}

function toProblem(error: unknown, req: Request): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof RequestValidationError) return validationProblem(error);
  if (isUnreachable(error) || isOverdue(error)) return databaseLost();
  if (error instanceof ProviderError) return providerProblem(error);
  if (error instanceof VoiceError) return voiceProblem();
  const constraint = constraintOf(error)?.constraint ?? '';
  const conflict = CONFLICTS[constraint];
  if (conflict !== undefined) return new HttpError(409, conflict(req.body));
  if (OWN_TOKEN.has(constraint)) return revoked();
  return requestProblem(error);
}

function databaseLost(): HttpError {
  return new HttpError(503, 'The database cannot be reached at the moment.', { 'Retry-After': '5' });
}

/** The provider's failures in its caller's terms (D30, D33). */
function providerProblem({ fault, message, retryAfter = 60 }: ProviderError): HttpError {
  const wait = { 'Retry-After': String(retryAfter) };
  switch (fault) {
    case 'timeout':
      return new HttpError(504, 'The provider did not answer in time.');
    case 'exhausted':
      return new HttpError(503, 'The limits of the provider are used up for the moment.', wait);
    case 'caller-exhausted':
      return new HttpError(429, 'Your requests caused too many errors at the provider.', wait);
    case 'no-token':
      return new HttpError(404, message);
    default:
      return new HttpError(502, 'The provider cannot be reached or gave an answer that cannot be used.');
  }
}

/** D42; which fault it was is the operator's business, and in the log. */
function voiceProblem(): HttpError {
  return new HttpError(502, 'The voice server cannot be reached or gave an answer that cannot be used.');
}

/** JSON, but for the one operation that people's browsers are sent to (D2). */
function send(req: Request, res: Response, { status, detail, headers, more }: HttpError): void {
  res.status(status).set(headers);
  if (req.path !== contract.callback.ext.path) res.json({ detail, ...more });
  else
    res
      .set(PAGE_HEADERS)
      .send(failurePage(typeof detail === 'string' ? detail : 'The address is not valid.'));
}

/** What Express and its body parser say of a request: errors that carry a status and may be shown. */
function requestProblem(error: unknown): HttpError | undefined {
  const { type, status, expose, message, limit } = error as Partial<BodyParserError>;
  // Its client went away while it was being admitted.
  if (type === 'stream.not.readable') return bodyUnreadable(type);
  if (expose !== true || status === undefined || message === undefined) return undefined;
  switch (type) {
    case 'entity.too.large':
      return new HttpError(413, `The request body is larger than ${inWords(limit)}.`);
    case 'encoding.unsupported':
      return new HttpError(415, 'The body must be JSON in UTF-8, plain or compressed with gzip or deflate.');
    default:
      // A body that lies about its encoding or length has no type; files have statuses of their own (range).
      return status === 400 ? bodyUnreadable(type) : new HttpError(status, message);
  }
}

function bodyUnreadable(type = 'body_unreadable'): HttpError {
  return new HttpError(422, [{ loc: ['body'], msg: 'The body cannot be read', type }]);
}

interface BodyParserError extends Error {
  readonly status: number;
  /** Whether the message is meant for the client: true below 500. */
  readonly expose: boolean;
  readonly type?: string;
  /** The bytes that a body was allowed. */
  readonly limit?: number;
}

function inWords(bytes = 0): string {
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`;
}

/** An error that nobody foresaw: stored as a crash report, told to the client by its id alone (D8). */
async function crash(
  services: Services,
  storeCrash: StoreCrash,
  error: unknown,
  req: Request,
  res: Response,
): Promise<void> {
  const { db, clock } = services;
  const caller = res.locals.caller as Caller | undefined;
  note(services, res, error, 'uncaught exception');
  try {
    const id = await storeCrash(db, clock.now(), { error, req, params: res.locals.params ?? {}, caller });
    send(req, res, new HttpError(500, 'Internal Server Error', {}, { crash_report_id: id }));
  } catch (storing) {
    note(services, res, storing, 'the crash report could not be stored');
    send(req, res, isUnreachable(storing) ? databaseLost() : new HttpError(500, 'Internal Server Error'));
  }
}

function note({ log }: Services, res: Response, error: unknown, message: string): void {
  log.error({ err: error, request_id: res.getHeader('X-Request-Id') }, message);
}
