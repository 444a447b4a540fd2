import type { IncomingMessage, ServerResponse } from 'node:http';
import { isOwnHost } from '../../server/http/own-host.ts';

const BODY_LIMIT = 1_048_576;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A refusal that a handler throws; the API answers it as `{"error": …}`. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body };
}

export function html(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body };
}

export function redirect(status: number, location: string): Answer {
  return { status, headers: { location, 'cache-control': 'no-store' }, body: '' };
}

/** @throws Refusal 421 for a Host header with which a page of another site would come (DNS rebinding). */
export function requireOwnHost({ headers }: IncomingMessage): void {
  if (!isOwnHost(headers.host)) throw new Refusal(421, 'Only localhost is answered');
}

/** @throws Refusal 413 for a body above 1 MiB. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_LIMIT) throw new Refusal(413, 'Request entity too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function send(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  const bodiless = answer.status === 304 || answer.status === 204;
  response.writeHead(
    answer.status,
    bodiless ? answer.headers : { ...answer.headers, 'content-length': body.length },
  );
  response.end(bodiless ? undefined : body);
}
