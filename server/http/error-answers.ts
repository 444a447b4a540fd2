import { RequestValidationError } from '@ts-rest/express';
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Caller } from '../access/caller.queries.ts';
import { constraintOf, isOverdue, isUndone, isUnreachable } from '../database/errors.ts';
import { MissingKey } from '../keys/vault.ts';
import { ProviderError } from '../provider/http.ts';
import { ProviderRefusal } from '../provider/refusal.ts';
import type { Services } from '../services/services.ts';
import { DomainError, revoked } from '../shared/domain-error.ts';
import { throttled } from '../shared/throttle.ts';
import { VoiceError } from '../voice-server/voice-error.ts';
import { errorBody } from './error-body.ts';
import { failurePage, isForPeople, PAGE_HEADERS } from './html-page.ts';
import { databaseLost, HttpError, statusOf } from './http-error.ts';
import { expressProblem } from './input/express-problem.ts';
import { validationProblem } from './input/problem.ts';

/**
 * The 409 message for each unique constraint that a request can violate (D7). A violation of any other constraint is
 * answered as an unforeseen error (500).
 */
const CONFLICTS: Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => string>> = {
  coalition_name_taken: (body) => taken('coalition', body.coalition_name),
  group_name_taken: (body) => taken('group', body.group_name),
};

function taken(kind: string, name: unknown): string {
  return `A ${kind} named "${name}" exists already (upper and lower case count as the same).`;
}

/**
 * Foreign keys to the calling token or its owner. A violation means that one of them was deleted after the request was
 * admitted, so the answer is 401.
 */
const OWN_TOKEN = new Set([
  'tokens_parent_fkey',
  'tokens_owner_id_fkey',
  'tokens_app_token_fkey',
  'state_codes_app_token_fkey',
]);

/** Stores a crash report and returns its id (D50); undefined where it was not stored, there being too many. */
export type StoreCrash = (
  db: Services['db'],
  now: Date,
  crash: {
    readonly error: unknown;
    readonly req: Request;
    readonly params: Readonly<Record<string, unknown>>;
    readonly caller: Caller | undefined;
    /** The W3C trace context of the request; undefined where tracing is off. */
    readonly traceparent: string | undefined;
  },
) => Promise<string | undefined>;

/** Milliseconds between two lines about statements that took too long: hundreds of requests may share one. */
const TELL_EVERY = 60_000;

/** Express error handler: the only place that turns an error into an HTTP answer (D2–D8). */
export function answerErrors(services: Services, storeCrash: StoreCrash): ErrorRequestHandler {
  const noteOverdue = throttled<{ readonly res: Response; readonly error: unknown }>(
    TELL_EVERY,
    ({ res, error }, untold) => note(services, res, error, 'a statement took longer than it may', { untold }),
  );
  return (error: unknown, req, res, next) => {
    // The graceful stop has answered this request with 503 already, so the error of its handler no longer matters.
    if (res.writableEnded) return;
    if (res.headersSent) return next(error);
    // Without the database no crash report can be stored, so the error goes to the log (D8).
    if (isUnreachable(error)) note(services, res, error, 'the database cannot be reached');
    if (error instanceof VoiceError) note(services, res, error, 'the voice server failed');
    if (error instanceof MissingKey)
      services.outages.failed('encryption keys', { err: error }, LACKS_KEY, 'error');
    if (isUndone(error))
      note(services, res, error, 'others overtook a transaction each time that it was tried');
    if (isOverdue(error)) noteOverdue({ res, error });
    const problem = toProblem(error, req);
    if (problem !== undefined) return send(req, res, problem);
    void crash(services, storeCrash, error, req, res);
  };
}

function toProblem(error: unknown, req: Request): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof DomainError) return domainProblem(error);
  if (error instanceof RequestValidationError) return validationProblem(error);
  if (isUnreachable(error)) return databaseLost();
  if (isOverdue(error)) return databaseLost('The database takes too long for this at the moment.');
  if (isUndone(error)) return databaseLost('Others are changing the same at the moment.');
  if (error instanceof ProviderError) return providerProblem(error);
  if (error instanceof ProviderRefusal) return mirrored(error);
  if (error instanceof VoiceError) return voiceProblem();
  if (error instanceof MissingKey) return keyProblem(error);
  const constraint = constraintOf(error)?.constraint ?? '';
  const conflict = CONFLICTS[constraint];
  if (conflict !== undefined) return new HttpError('name_taken', conflict(req.body));
  if (OWN_TOKEN.has(constraint)) return domainProblem(revoked());
  return expressProblem(error);
}

function domainProblem({ code, detail, retryAfter }: DomainError): HttpError {
  const headers = {
    ...(statusOf(code) === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  };
  return new HttpError(code, detail, { headers });
}

/** Passes the provider's refusal on. Its 401 becomes a 502: it concerns our access token, not the caller's (D30). */
function mirrored({ message, answer }: ProviderRefusal): HttpError {
  const status = answer.status_code === 401 ? 502 : answer.status_code;
  return new HttpError('provider_refused', message, { status, more: { ...answer } });
}

/** Maps a failure of the provider to the error that the caller gets (D30, D33). */
function providerProblem({ fault, message, retryAfter = 60 }: ProviderError): HttpError {
  const headers = { 'Retry-After': String(retryAfter) };
  switch (fault) {
    case 'timeout':
      return new HttpError('provider_timeout', 'The provider did not answer in time.');
    case 'exhausted': {
      const detail = 'The limits of the provider are used up for the moment.';
      return new HttpError('provider_limits_used_up', detail, { headers });
    }
    case 'caller-exhausted': {
      const detail = 'Your requests caused too many errors at the provider.';
      return new HttpError('caller_errors_used_up', detail, { headers });
    }
    case 'no-token':
      return new HttpError('no_refresh_token', message);
    default: {
      const detail = 'The provider cannot be reached or gave an answer that cannot be used.';
      return new HttpError('provider_unavailable', detail);
    }
  }
}

/** One error for every fault of the voice server (D42): the log has the details, which concern the operator only. */
function voiceProblem(): HttpError {
  const detail = 'The voice server cannot be reached or gave an answer that cannot be used.';
  return new HttpError('voice_server_unavailable', detail);
}

const LACKS_KEY =
  'a request needs an encryption key that other processes of the service have: add it to ENCRYPTION_KEYS of this one';

/** The process was left out when a key was added: others of the service may answer, and nothing is wrong with the data. */
function keyProblem({ keyId }: MissingKey): HttpError {
  const detail = `This process lacks the encryption key ${keyId}. Whoever runs the service has to add it.`;
  return new HttpError('encryption_key_missing', detail, { headers: { 'Retry-After': '60' } });
}

/** Sends the error as JSON, or as an HTML page on paths that browsers are redirected to (D2). */
function send(req: Request, res: Response, error: HttpError): void {
  // The graceful stop has answered this request with 503 while the crash report was stored.
  if (res.writableEnded) return;
  const { status, detail, headers } = error;
  res.status(status).set(headers);
  if (!isForPeople(req.path)) {
    // The type of what failed may be set already: a file's is, before its preconditions are looked at.
    res.setHeader('Content-Type', 'application/json');
    res.json(errorBody(error));
  } else
    res
      .set(PAGE_HEADERS)
      .send(failurePage(typeof detail === 'string' ? detail : 'The address is not valid.', status));
}

interface CrashLocals {
  readonly params: Readonly<Record<string, unknown>>;
  readonly traceparent: string | undefined;
}

const CRASHED = 'Internal Server Error';

/** Handles an unforeseen error: stores a crash report and tells the client its id only (D8). */
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
    const { params: inPath, traceparent } = res.locals as Partial<CrashLocals>;
    const params = { ...req.query, ...inPath };
    const id = await storeCrash(db, clock.now(), { error, req, params, caller, traceparent });
    const more = id === undefined ? {} : { crash_report_id: id };
    send(req, res, new HttpError('internal_error', CRASHED, { more }));
  } catch (storing) {
    note(services, res, storing, 'the crash report could not be stored');
    send(req, res, isUnreachable(storing) ? databaseLost() : new HttpError('internal_error', CRASHED));
  }
}

function note({ log }: Services, res: Response, error: unknown, message: string, more: object = {}): void {
  log.error({ err: error, request_id: res.getHeader('X-Request-Id'), ...more }, message);
}
