import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_VERSION } from '../../contract/version.ts';
import { crossOrigin, unreadCrossOrigin } from './cross-origin.ts';
import { errorBody } from './error-body.ts';
import { HttpError } from './http-error.ts';
import { createMessageClasses, type Listener, type MessageClasses } from './message-classes.ts';
import type { NoteRefusal } from './refusal-log.ts';

/**
 * The server's outermost request listener. It lets the port be bound before anything else is started, and drains
 * requests before the process stops.
 */
export interface Gate extends Listener {
  readonly messages: MessageClasses;
  /** From now on requests are passed to the service. */
  open(service: Listener): void;
  /**
   * From now on `/readyz` says 503 and every answer has `Connection: close`, but requests are still passed on. Resolves
   * after the given time; if requests still arrive then, once they cease, at most two seconds later.
   */
  drain(seconds: number): Promise<void>;
}

/** Milliseconds without a request that end a drain, that it may be extended by, and between two checks of that. */
const TIMES = { quiet: 500, later: 2_000, look: 50 };

/** Milliseconds that a drain of so many seconds takes at the most. */
export function longestDrain(seconds: number, { later } = TIMES): number {
  return seconds === 0 ? 0 : seconds * 1000 + later;
}

/** Health checks, which arrive as long as the process runs and so do not extend a drain. */
const CHECKS: readonly (string | undefined)[] = ['/readyz', '/healthz'];

/**
 * Until the gate is opened, `/healthz` says 200 and everything else 503.
 *
 * @param origins CORS_ORIGINS: scripts can read the 503 and its `Retry-After`, too (D62)
 */
export function createGate(
  times: typeof TIMES = TIMES,
  origins?: readonly string[],
  noteRefusal?: NoteRefusal,
): Gate {
  const allow = crossOrigin(origins);
  let service: Listener | undefined;
  let draining = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  const listener: Listener = (req, res) => {
    if (draining) res.setHeader('Connection', 'close');
    const path = req.url?.split('?')[0];
    if (draining && !CHECKS.includes(path)) askedAt = performance.now();
    const stopping = draining && path === '/readyz';
    if (service !== undefined && !stopping) return service(req, res);
    const own = () => {
      if (stopping) refuse(res, STOPPING, noteRefusal);
      else if (path === '/healthz') answer(res, 200, { status: 'ok' });
      else refuse(res, STARTING, noteRefusal);
    };
    if (isRedirectedTo(path)) own();
    else allow(req, res, own);
  };
  return Object.assign(listener, {
    messages: createMessageClasses(),
    unreadHeaders: unreadCrossOrigin(origins),
    noteRefusal,
    open: (opened: Listener) => {
      service = opened;
    },
    drain: async (seconds: number) => {
      draining = true;
      const latest = performance.now() + longestDrain(seconds, times);
      await sleep(seconds * 1000);
      // A balancer that has not noticed yet would lose requests: a write on a closing connection cannot be retried.
      while (performance.now() < latest && performance.now() - askedAt < times.quiet) await sleep(times.look);
    },
  });
}

/** As `isForPeople`, without loading the contract, which takes most of the start's time. */
export const isRedirectedTo = (path = '') =>
  /^\/(callback\/|oidc\/(auth|logout|interaction)(\/|$))/.test(path);

/** The client should retry soon; behind a load balancer another process may answer at once. */
const HEADERS = { 'Retry-After': '5' };
const STARTING = new HttpError('service_starting', 'The service is starting.', { headers: HEADERS });
export const STOPPING = new HttpError('service_stopping', 'The service is stopping.', { headers: HEADERS });

/**
 * Answers with an error where no Express app does: before the start has finished, or during the stop. What Express has
 * seen has its id, and is logged there.
 */
export function refuse(res: ServerResponse, error: HttpError, noteRefusal?: NoteRefusal): void {
  const { status, code } = error;
  if (!res.hasHeader('X-Request-Id')) {
    const request_id = randomUUID();
    res.setHeader('X-Request-Id', request_id);
    noteRefusal?.({ request_id, status, code, peer: res.req.socket.remoteAddress });
  }
  answer(res, status, errorBody(error), error.headers);
}

function answer(
  res: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  if (!res.hasHeader('X-Request-Id')) res.setHeader('X-Request-Id', randomUUID());
  res.setHeader('X-Api-Version', API_VERSION);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.writeHead(status, headers).end(text);
}
