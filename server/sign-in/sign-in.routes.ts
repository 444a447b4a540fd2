import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Parts } from '../parts.ts';
import { Problem } from '../problem.ts';
import {
  badRequestPage,
  cancelledPage,
  notAllowedPage,
  PAGE_HEADERS,
  providerFailedPage,
  tooFewScopesPage,
} from './pages.ts';
import { completeSignIn, type SignInOutcome } from './sign-in.ts';

/** The browser learns nothing about where it came from, and no cache keeps the token (D26). */
const REDIRECT_HEADERS = { 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' };

export function callbackHandlers(parts: Parts): Handlers<typeof contract.callback> {
  return {
    ext: async ({ query, req, res }) => {
      // Links are looked at by HEAD before they are followed, and a sign-in can be completed only once.
      if (req.method === 'HEAD') throw new Problem(405, 'This path knows only GET', { Allow: 'GET' });
      const outcome = await completeSignIn(parts, query);
      if (outcome.kind === 'signed-in') {
        res.set({ ...REDIRECT_HEADERS, Location: outcome.redirectTo });
        return { status: 302, body: undefined };
      }
      res.set(PAGE_HEADERS);
      return pageFor(outcome);
    },
  };
}

function pageFor(outcome: Exclude<SignInOutcome, { kind: 'signed-in' }>) {
  switch (outcome.kind) {
    case 'bad-request':
      return { status: 400 as const, body: badRequestPage(outcome.reason) };
    case 'cancelled':
      return { status: 403 as const, body: cancelledPage() };
    case 'provider-failed':
      return { status: 502 as const, body: providerFailedPage() };
    case 'not-allowed':
      return { status: 403 as const, body: notAllowedPage(outcome.name) };
    case 'too-few-scopes':
      return { status: 403 as const, body: tooFewScopesPage(outcome) };
  }
}
