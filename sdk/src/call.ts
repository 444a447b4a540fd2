/** What every call may be given, and what it gives back. */

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call early. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, further tries included; instead of the client's. */
  timeout?: number | undefined;
  /** Further tries after 429, 502, 503 and 504; instead of the client's, and for a POST, too. */
  retries?: number | undefined;
  /** Further request headers. */
  headers?: Record<string, string | number | undefined> | undefined;
}

/** The service's answer. `status` tells which body it is: `if (answer.status === 200) answer.body…` */
export interface Answer<Status extends number, Body> {
  readonly status: Status;
  readonly body: Body;
  readonly headers: Headers;
}

/** What a success holds, of all answers that an operation can give. */
export type Success<A> = A extends { status: infer S; body: infer B }
  ? S extends 200 | 201 | 302
    ? B
    : never
  : never;
