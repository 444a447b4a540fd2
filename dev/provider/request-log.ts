/** A request as the simulator saw it: no token, no secret, no body. */
export interface RecordedRequest {
  readonly at: Date;
  readonly area: 'api' | 'sso' | 'none';
  readonly method: string;
  /** As it came, without the query. */
  readonly path: string;
  /** Query parameters of the API; the sign-on's are secrets and are left out. */
  readonly query: string;
  /** Template of the route; null for a path that does not exist. */
  readonly route: string | null;
  /** `grant_type` of a token request, once its body has been read. */
  readonly grantType: string | null;
  /** The character of a valid bearer token. */
  readonly characterId: number | null;
  readonly userAgent: string | null;
  readonly compatibilityDate: string | null;
  readonly ifNoneMatch: string | null;
  /** Requests open at its arrival, itself included. */
  readonly open: number;
  /** Kind of the fault that it met. */
  readonly fault: string | null;
  /** null until it is answered, and for ever when the connection broke before. */
  readonly status: number | null;
}

/** A record while its request is served. */
export type OpenRecord = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] };

const KEPT = 10_000;

/** The newest 10,000 requests, oldest first. */
export interface RequestLog {
  readonly records: readonly RecordedRequest[];
  add(record: OpenRecord): void;
  reset(): void;
}

export function createRequestLog(): RequestLog {
  let records: OpenRecord[] = [];
  return {
    get records() {
      return records;
    },
    add(record) {
      records.push(record);
      if (records.length >= 2 * KEPT) records = records.slice(-KEPT);
    },
    reset() {
      records = [];
    },
  };
}
