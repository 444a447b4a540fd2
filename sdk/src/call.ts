/** What every call may be given, and what it gives back. */

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call early. */
  signal?: AbortSignal | undefined;
  /** Further request headers. */
  headers?: Record<string, string | number | undefined> | undefined;
}

/** The service's answer. `status` tells which body it is: `if (answer.status === 200) answer.body…` */
export interface Answer<Status extends number, Body> {
  readonly status: Status;
  readonly body: Body;
  readonly headers: Headers;
}
