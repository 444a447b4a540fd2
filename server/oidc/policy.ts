import type { interactionPolicy as Policies } from 'oidc-provider';
import { interactionPolicy } from './library.ts';

const { base, Check, Prompt } = interactionPolicy;

/**
 * What a browser is asked before an application learns who it is: to sign in, whether it may at all, then whether it
 * wants to. In this order: whoever has a session and may not log in any more is refused, not asked (D84).
 */
export function policy(): Policies.DefaultPolicy {
  const prompts = base();
  const refused = new Check(
    'not_allowed',
    'this application does not let the user in',
    'access_denied',
    ({ oidc }) => oidc.session?.accountId !== undefined && oidc.account === undefined,
  );
  prompts.add(new Prompt({ name: 'access', requestable: false }, refused), 1);
  return prompts;
}
