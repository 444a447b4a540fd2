import type { interactionPolicy as Policies } from 'oidc-provider';
import { interactionPolicy } from './library.ts';

const { base, Check, Prompt } = interactionPolicy;

/**
 * The prompts of an authorization request, in this order: sign in, choose another character if the application asks for
 * that, check that the user may log in, consent. A user who may not log in any more is refused before the consent page
 * (D84).
 */
export function policy(): Policies.DefaultPolicy {
  const prompts = base();
  const refused = new Check(
    'not_allowed',
    'this application does not let the user in',
    'access_denied',
    ({ oidc }) => oidc.session?.accountId !== undefined && oidc.account === undefined,
  );
  prompts.add(new Prompt({ name: 'select_account', requestable: true }), 1);
  prompts.add(new Prompt({ name: 'access', requestable: false }, refused), 2);
  return prompts;
}
