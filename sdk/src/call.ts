/** Options and results of calls. */

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call early. */
  signal?: AbortSignal | undefined;
  /** Timeout in milliseconds for the whole call, retries included; overrides the client's. */
  timeout?: number | undefined;
  /** Number of retries after 429, 502, 503 and 504; overrides the client's, and applies to POST, too. */
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

/** The body of a success, among all answers that an operation can give. */
export type Success<A> = A extends { status: infer S; body: infer B }
  ? S extends 200 | 201 | 302
    ? B
    : never
  : never;
