import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { HttpError } from './http-error.ts';
import { createMessages, type Listener, type MessageClasses } from './messages.ts';

/** Stands before the service, so that its port is bound before anything else is touched, and is left slowly. */
export interface Gate extends Listener {
  readonly messages: MessageClasses;
  /** From now on the service answers. */
  open(service: Listener): void;
  /** The service still answers, but each connection ends with its answer, and `/readyz` says 503. */
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

/** Not now, but soon, and perhaps another process at once. */
const HEADERS = { 'Retry-After': '5' };
const STARTING = new HttpError('service_starting', 'The service is starting.', { headers: HEADERS });
export const STOPPING = new HttpError('service_stopping', 'The service is stopping.', { headers: HEADERS });

/** Answers with an error where there is no Express yet, or no more. */
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
