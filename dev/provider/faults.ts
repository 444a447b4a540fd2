import { sequence } from '../world/random.ts';

/** The sign-on's error answers (provider.md §1). `deadly`: the answer means that the refresh token is dead. */
export const OAUTH_FAULTS = {
  'token missing': {
    status: 400,
    error: 'invalid_grant',
    description: 'Invalid refresh token. Token missing/expired.',
    deadly: true,
  },
  'character grant missing': {
    status: 400,
    error: 'invalid_grant',
    description: 'Invalid refresh token. Character grant missing/expired.',
    deadly: true,
  },
  'unable to migrate': {
    status: 400,
    error: 'invalid_grant',
    description: 'Invalid refresh token. Unable to migrate grant.',
    deadly: true,
  },
  'grant not found': {
    status: 400,
    error: 'invalid_grant',
    description: 'The authorization grant could not be found',
    deadly: true,
  },
  'refresh token expired': {
    status: 400,
    error: 'invalid_token',
    description: 'The refresh token is expired.',
    deadly: true,
  },
  'other client': {
    status: 400,
    error: 'invalid_token',
    description: 'The refresh token does not match the client specified.',
    deadly: true,
  },
  'expired in the code': {
    status: 400,
    error: 'invalid_grant: Token is expired',
    description: '',
    deadly: true,
  },
  'grant type not supported': {
    status: 400,
    error: 'invalid_grant',
    description: 'Grant type is not supported.',
    deadly: false,
  },
  'invalid client': { status: 401, error: 'invalid_client', description: 'Unknown client.', deadly: false },
} as const;

export type OAuthFault = keyof typeof OAUTH_FAULTS;

/** What goes wrong. All but `truncate`, `lose answer` and `hold` keep the request from being processed. */
export type Fault =
  /** An error answer in one of the forms that the provider uses, or deeply nested; `retryAfter` in seconds. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly as?: 'json' | 'html' | 'text' | 'nested';
      readonly retryAfter?: number;
    }
  /** One of the sign-on's own errors; for its token endpoint. */
  | { readonly kind: 'oauth'; readonly error: OAuthFault }
  /** 200 without an access token; for the token endpoint. */
  | { readonly kind: 'unusable token answer' }
  /** The 403 of an API that could not ask its sick sign-on. */
  | { readonly kind: 'odd 403' }
  /** Never answers. */
  | { readonly kind: 'hang' }
  /** Answers 200, then a byte every so often (default 50 ms), without end. */
  | { readonly kind: 'drip'; readonly everyMs?: number }
  /** Processes the request, sends half of the answer and cuts the connection. */
  | { readonly kind: 'truncate' }
  /** Resets the connection at once. */
  | { readonly kind: 'reset' }
  /** Processes the request, then resets the connection: what was done is done, the caller does not know it. */
  | { readonly kind: 'lose answer' }
  /** 200 with a body that is no JSON; the content type (default JSON) may lie about it. */
  | { readonly kind: 'not json'; readonly contentType?: string }
  /** 200 with `[]`, as of a provider that has lost its data. */
  | { readonly kind: 'empty list' }
  /** 302 to another host. */
  | { readonly kind: 'redirect'; readonly to?: string }
  /** 200 with well-formed JSON of this many bytes (default 32 MiB). */
  | { readonly kind: 'oversized'; readonly bytes?: number }
  /** Processes the request, then waits with the answer: for tests of what happens meanwhile. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown> };

/**
 * Where: every route of the API, of the sign-on, or a pattern over path or route, optionally with the method
 * before it. `*` is one segment or a part of it, `**` anything: `GET /characters/**`, `/v2/oauth/token`,
 * `/corporations/{corporation_id}`. The API's base path and version prefixes are not part of it.
 */
export type FaultTarget = 'api' | 'sso' | `/${string}` | `GET /${string}` | `POST /${string}`;

interface FaultOptions {
  /** Only the next n matching requests; otherwise until cleared. */
  readonly times?: number;
  /** Chance of each matching request, 0 to 1, from the seeded generator. */
  readonly probability?: number;
}

interface ActiveFault {
  readonly target: FaultTarget;
  readonly fault: Fault;
  /** How often it has struck. */
  readonly strikes: number;
  clear(): void;
}

interface FaultRequest {
  readonly area: 'api' | 'sso' | 'none';
  readonly method: string;
  readonly path: string;
  /** The route's template, when the path is one of ours. */
  readonly route: string | null;
}

/** The switchboard of what goes wrong. */
export interface Faults {
  /** Switches a fault on. Of several that match a request, the one added first strikes. */
  add(target: FaultTarget, fault: Fault, options?: FaultOptions): ActiveFault;
  clear(): void;
  readonly active: readonly ActiveFault[];
  /** Daily downtime: 503 with an HTML body on every route of the API. */
  downtime: boolean;
}

/** The switchboard with the server's side of it. */
export interface FaultSwitchboard extends Faults {
  /** The fault that this request meets, counted as a strike. */
  strike(request: FaultRequest): Fault | undefined;
}

export function createFaults(seed: number): FaultSwitchboard {
  const random = sequence(seed + 11);
  let active: Rule[] = [];
  let downtime = false;
  return {
    add(target, fault, { times = Number.POSITIVE_INFINITY, probability = 1 } = {}) {
      const rule: Rule = {
        target,
        fault,
        strikes: 0,
        times,
        probability,
        matches: matcher(target),
        clear() {
          active = active.filter((other) => other !== rule);
        },
      };
      active.push(rule);
      return rule;
    },
    clear() {
      active = [];
      downtime = false;
    },
    get active() {
      return active;
    },
    get downtime() {
      return downtime;
    },
    set downtime(on) {
      downtime = on;
    },
    strike(request) {
      const rule = active.find((r) => r.matches(request) && (r.probability >= 1 || random() < r.probability));
      if (rule === undefined) return undefined;
      rule.strikes++;
      if (rule.strikes >= rule.times) rule.clear();
      return rule.fault;
    },
  };
}

interface Rule extends ActiveFault {
  strikes: number;
  readonly times: number;
  readonly probability: number;
  readonly matches: (request: FaultRequest) => boolean;
}

function matcher(target: FaultTarget): (request: FaultRequest) => boolean {
  if (target === 'api' || target === 'sso') return ({ area }) => area === target;
  const [path = '', method] = target.split(' ').reverse();
  const source = path
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*|\*/g, (stars) => (stars === '*' ? '[^/]*' : '.*'));
  const pattern = new RegExp(`^${source}$`);
  return (request) =>
    (method === undefined || method === request.method) &&
    (pattern.test(request.path) || (request.route !== null && pattern.test(request.route)));
}
