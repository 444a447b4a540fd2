import { request } from 'undici';
import type { TestApp } from './app.ts';
import { expectDocumented } from './documented.ts';

export interface Sent {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is; anything but text and bytes as JSON. */
  readonly body?: unknown;
}

export interface Got<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body, where it is JSON; what is in it, the test says and finds out. */
  readonly json: Body;
}

/** What most answers are looked at for. */
export interface Problem {
  readonly detail: unknown;
  readonly code?: string;
  readonly crash_report_id?: string;
}

/** A request exactly as given: nothing about path, method or body is put right on the way. */
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
