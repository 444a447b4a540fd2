import type { contract } from '../../contract/index.ts';
import { inLineOfCaller } from '../access/lines.ts';
import { PAGE_HEADERS } from '../http/html-page.ts';
import { methodNotAllowed } from '../http/http-error.ts';
import type { Handler, Handlers } from '../http/mount.ts';
import { chargeMore } from '../http/rate-limit.ts';
import type { Services } from '../services/services.ts';
import { isRecorded, REFUSED_CODE, type Refusal } from './outcome.ts';
import { refusalPage } from './pages.ts';
import { completeSignIn } from './sign-in.ts';
import { startLogin } from './start-login.ts';

/** No `Referer` for the next page, and no cache may keep the URL with the token (D26). */
const REDIRECT_HEADERS = { 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' };

/** Requests that a refused code counts as (D60): the provider was asked about it in our name. */
const REFUSED_CODE_COSTS = 10;
/** Those that a sign-in counts as which nobody lets in: an event is kept of it for years. */
const KEPT_REFUSAL_COSTS = 5;

function costOf(refusal: Refusal): number {
  if (refusal === REFUSED_CODE) return REFUSED_CODE_COSTS;
  return isRecorded(refusal) ? KEPT_REFUSAL_COSTS : 1;
}

const STATUS = {
  'bad-request': 400,
  cancelled: 403,
  'provider-failed': 502,
  'told-of-failure': 502,
  'not-allowed': 403,
  'too-few-scopes': 403,
} as const satisfies Record<Refusal['kind'], number>;

export function startLoginHandler(services: Services): Handler<typeof contract.token.startLogin> {
  return async ({ admission, body }) => ({
    status: 200,
    body: await startLogin(services, admission.caller, body, (write) =>
      inLineOfCaller(services.lines, admission, write),
    ),
  });
}

export function callbackHandlers(services: Services): Handlers<typeof contract.callback> {
  return {
    ext: async ({ query, req, res }) => {
      // Link previews send HEAD before a person follows the link; that must not complete the sign-in, which works only
      // once.
      if (req.method === 'HEAD') throw methodNotAllowed(['GET']);
      const outcome = await completeSignIn(services, query, req.headers.cookie);
      if (outcome.kind === 'signed-in') {
        res.set({ ...REDIRECT_HEADERS, Location: outcome.redirectTo });
        return { status: 302, body: undefined };
      }
      const { refusal, waysOn, cookie } = outcome;
      await chargeMore(res, costOf(refusal) - 1);
      res.set(PAGE_HEADERS);
      if (cookie !== undefined) res.append('Set-Cookie', cookie);
      return { status: STATUS[refusal.kind], body: refusalPage(refusal, waysOn) };
    },
  };
}
