import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpError } from './http-error.ts';
import { createMessages, type Listener, type MessageClasses } from './messages.ts';

/** Stands before the service, so that its port is bound before anything else is touched, and is left slowly. */
export interface Gate extends Listener {
  readonly messages: MessageClasses;
  /** From now on the service answers. */
  open(service: Listener): void;
  /**
   * From now on `/readyz` says 503, and each connection ends with its answer, but the service still answers. Resolves when
   * so many seconds have passed; where requests still come by then, when they have ceased, two seconds later at the most.
   */
  drain(seconds: number): Promise<void>;
}

/** In milliseconds: who was sent no request for so long is forgotten; whoever sends some is waited for so long. */
const TIMES = { quiet: 500, later: 2_000, look: 50 };

/** Milliseconds that a drain of so many seconds takes at the most. */
export function longestDrain(seconds: number, { later } = TIMES): number {
  return seconds === 0 ? 0 : seconds * 1000 + later;
}

/** What balancers ask, as long as there is anything to ask. */
const CHECKS: readonly (string | undefined)[] = ['/readyz', '/healthz'];

/** Until the gate is opened, `/healthz` says 200 and everything else 503. */
export function createGate(times: typeof TIMES = TIMES): Gate {
  let service: Listener | undefined;
  let draining = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  const listener: Listener = (req, res) => {
    if (draining) res.setHeader('Connection', 'close');
    const path = req.url?.split('?')[0];
    if (draining && !CHECKS.includes(path)) askedAt = performance.now();
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
    drain: async (seconds: number) => {
      draining = true;
      const latest = performance.now() + longestDrain(seconds, times);
      await sleep(seconds * 1000);
      // A balancer that has not noticed yet would find a closed door, or a connection that closes under its request.
      while (performance.now() < latest && performance.now() - askedAt < times.quiet) await sleep(times.look);
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
