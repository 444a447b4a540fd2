import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
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
    if (draining && path === '/readyz') return refuse(res, 'The service is stopping.');
    if (service !== undefined) return service(req, res);
    if (path === '/healthz') return answer(res, 200, { status: 'ok' });
    refuse(res, 'The service is starting.');
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

/** 503: not now, but soon, and perhaps another process at once. */
export function refuse(res: ServerResponse, detail: string): void {
  answer(res, 503, { detail }, { 'Retry-After': '5' });
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
