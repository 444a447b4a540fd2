import type { ServerResponse } from 'node:http';
import { type Answer, html, json, redirect, send, text } from '../web/http.ts';
import { type Fault, OAUTH_FAULTS } from './faults.ts';

const REASONS: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'Not found',
  420: 'Error limited',
  429: 'Rate limit exceeded',
  500: 'Internal server error',
  502: 'Bad gateway',
  503: 'The datasource tranquility is temporarily unavailable',
  504: 'Timeout contacting tranquility',
};
const OVERSIZED = 32 * 1_048_576;
/** Levels of nesting: to write that many again is more than a stack can hold. */
const NESTED = 10_000;
const CHUNK = 65_536;
const DRIP_MS = 50;

/** The error page of a proxy in front of the provider. */
export function proxyPage(status: number): Answer {
  const reason = `${status} ${REASONS[status] ?? 'Error'}`;
  return html(
    status,
    `<html><head><title>${reason}</title></head><body><center><h1>${reason}</h1></center></body></html>`,
  );
}

/** The faults that are an answer of their own, not something about the connection. */
type AnswerFault = Extract<
  Fault,
  { kind: 'status' | 'oauth' | 'unusable token answer' | 'odd 403' | 'not json' | 'empty list' | 'redirect' }
>;

function cannedAnswer(fault: AnswerFault): Answer {
  switch (fault.kind) {
    case 'status':
      return statusAnswer(fault);
    case 'oauth': {
      const { status, error, description } = OAUTH_FAULTS[fault.error];
      return json(status, description === '' ? { error } : { error, error_description: description });
    }
    case 'unusable token answer':
      return json(200, { token_type: 'Bearer', expires_in: 1199 });
    case 'odd 403':
      return json(403, { error: 'unexpected end of JSON input', sso_status: 401 });
    case 'not json':
      return {
        status: 200,
        headers: { 'content-type': fault.contentType ?? 'application/json' },
        body: '<p>Back soon</p>',
      };
    case 'empty list':
      return json(200, []);
    case 'redirect':
      return redirect(302, fault.to ?? 'http://elsewhere.invalid/');
  }
}

/**
 * Sends, or fails to send, an answer over a faulty connection.
 * @param process processes the request; not called by faults that strike before it.
 * @param count counts an answer towards the limits, whether real or canned.
 */
export async function sendFaultily(
  response: ServerResponse,
  fault: Fault,
  process: () => Promise<Answer>,
  count: (answer: Answer) => Answer,
): Promise<void> {
  const produce = async () => count(await process());
  switch (fault.kind) {
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'lose answer':
      await produce();
      response.socket?.resetAndDestroy();
      return;
    case 'hold': {
      const answer = await produce();
      await fault.until;
      send(response, answer);
      return;
    }
    case 'truncate':
      truncate(response, await produce());
      return;
    case 'drip':
      drip(response, fault.everyMs ?? DRIP_MS);
      return;
    case 'oversized':
      oversize(response, fault.bytes ?? OVERSIZED);
      return;
    default:
      send(response, count(cannedAnswer(fault)));
  }
}

function statusAnswer(fault: Extract<Fault, { kind: 'status' }>): Answer {
  const { status, as = 'json', retryAfter } = fault;
  const seconds = retryAfter ?? (status === 429 ? 30 : undefined);
  const headers = {
    ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
    ...(status === 420 ? { 'x-esi-error-limit-remain': '0' } : {}),
  };
  const error = REASONS[status] ?? 'Error';
  if (as === 'html') return { ...proxyPage(status), headers: { ...proxyPage(status).headers, ...headers } };
  if (as === 'text') return text(status, error, headers);
  if (as === 'nested') {
    const details = `${'['.repeat(NESTED)}${']'.repeat(NESTED)}`;
    return { ...json(status, {}, headers), body: `{"error":"${error}","details":${details}}` };
  }
  return json(status, status === 504 ? { error, timeout: 10 } : { error }, headers);
}

function truncate(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.socket?.destroy());
}

function drip(response: ServerResponse, everyMs: number): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('[');
  const timer = setInterval(() => response.write(' '), everyMs);
  response.on('close', () => clearInterval(timer));
}

/** A JSON string of the wanted length, sent no faster than it is read. */
function oversize(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes });
  const chunk = Buffer.alloc(CHUNK, 'x');
  let left = bytes - 2;
  response.write('"');
  const pump = (): void => {
    while (left > 0) {
      const size = Math.min(left, CHUNK);
      left -= size;
      if (!response.write(chunk.subarray(0, size))) {
        response.once('drain', pump);
        return;
      }
    }
    response.end('"');
  };
  pump();
}
