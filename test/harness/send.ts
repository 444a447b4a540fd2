import { request } from 'undici';
import type { TestApp } from './app.ts';
import { expectDocumented } from './documented.ts';

export interface Sent {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

export interface Got<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body if it is JSON; untyped, as the test checks its contents. */
  readonly json: Body;
}

/** The properties of an answer that most tests check. */
export interface Problem {
  readonly detail: unknown;
  readonly code?: string;
  readonly crash_report_id?: string;
}

/** Sends a request exactly as given, without normalising path, method or body. */
export async function send<Body = Problem>(
  { url }: Pick<TestApp, 'url'>,
  method: string,
  path: string,
  { token, headers = {}, body }: Sent = {},
): Promise<Got<Body>> {
  const raw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
  const answer = await request(`${url}${path}`, {
    method: method as 'GET',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: raw ? ((body as string | Uint8Array | undefined) ?? null) : JSON.stringify(body),
  });
  const text = await answer.body.text();
  const { statusCode: status, headers: given } = answer;
  expectDocumented({ method, path, status, type: String(given['content-type'] ?? ''), text });
  return { status, headers: given, text, json: parsed(text) as Body };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
