import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { HttpError } from './http-error.ts';
import { createMessages, type Listener, type MessageClasses } from './messages.ts';

/**
 * The server's outermost request listener. It lets the port be bound before anything else is started, and drains
 * requests before the process stops.
 */
export interface Gate extends Listener {
  readonly messages: MessageClasses;
  /** From now on requests are passed to the service. */
  open(service: Listener): void;
  /** Requests are still passed on, but every answer has `Connection: close` and `/readyz` says 503. */
  drain(): void;
}

/** Until the gate is opened, `/healthz` says 200 and everything else 503. */
export function createGate(): Gate {
  let service: Listener | undefined;
  let draining = false;
  const listener: Listener = (req, res) => {
    if (draining) res.setHeader('Connection', 'close');
    const path = req.url?.split('?')[0];
    if (draining && path === '/readyz') return refuse(res, STOPPING);
    if (service !== undefined) return service(req, res);
    if (path === '/healthz') return answer(res, 200, { status: 'ok' });
    refuse(res, STARTING);
  };
  return Object.assign(listener, {
    messages: createMessages(),
    open: (opened: Listener) => {
      service = opened;
    },
    drain: () => {
      draining = true;
    },
  });
}

/** The client should retry soon; behind a load balancer another process may answer at once. */
const HEADERS = { 'Retry-After': '5' };
const STARTING = new HttpError('service_starting', 'The service is starting.', { headers: HEADERS });
export const STOPPING = new HttpError('service_stopping', 'The service is stopping.', { headers: HEADERS });

/** Answers with an error while no Express app exists: before the start has finished, or during the stop. */
export function refuse(res: ServerResponse, { status, body, headers }: HttpError): void {
  answer(res, status, body, headers);
}

function answer(
  res: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  if (!res.hasHeader('X-Request-Id')) res.setHeader('X-Request-Id', randomUUID());
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.writeHead(status, headers).end(text);
}
