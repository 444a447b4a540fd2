import type { KoaContextWithOIDC } from 'oidc-provider';
import { contentPolicy, type Link, page, paragraphs } from '../http/html-page.ts';
import { escapeHtml } from '../shared/html.ts';
import type { NotAllowed } from '../sign-in/outcome.ts';
import { notAllowed } from '../sign-in/pages.ts';
import { errors } from './library.ts';

/** Explanation of each scope on the consent page (D82). */
const LEARNS: Readonly<Record<string, string>> = {
  openid: 'which character you are',
  profile:
    'its name, portrait, corporation, alliance and clearance level, and which character is your main one',
  groups: 'the groups that it is in',
  email: 'an address made of its id, to which no mail goes',
  offline_access: 'all of this also while you are away, until you lose the right to log in',
};

const CLOSE = 'You can close this page.';

/** The consent page, shown before an application is first used. The buttons submit the form; the link declines. */
export function consentPage(
  { client, character, scopes }: { client: string; character: string; scopes: readonly string[] },
  action: string,
  deny: string,
): string {
  const learns = scopes.flatMap((scope) => LEARNS[scope] ?? []).map((what) => `<li>${escapeHtml(what)}</li>`);
  return page(
    `Sign in to ${client}`,
    `${paragraphs(`${client} asks who you are. You are signed in as ${character}. If you go on, it learns`)}
<ul>${learns.join('')}</ul>`,
    [{ href: deny, text: 'No, go back' }],
    {
      form: `<form method="post" action="${escapeHtml(action)}"><button class="main">Go on to ${escapeHtml(client)}</button></form>`,
      footer: 'You are asked this once for each application.',
    },
  );
}

/** The page for a user whom the application does not admit (D84). */
export function refusedPage(
  why: Omit<NotAllowed, 'kind'> | { readonly name: string; readonly groups: readonly string[] },
  client: string,
  links: readonly Link[],
): string {
  if ('refusedBy' in why) {
    const { title, body } = notAllowed(why);
    return page(title, body, links, { footer: CLOSE });
  }
  const groups = why.groups.map((name) => `<li><b>${escapeHtml(name)}</b></li>`).join('');
  const reason =
    groups === ''
      ? paragraphs(`${client} lets nobody in at present.`)
      : `${paragraphs(`${why.name} is in none of the groups that ${client} lets in:`)}\n<ul>${groups}</ul>`;
  return page(
    `${client} does not let you in`,
    `${reason}\n${paragraphs('If you think that this is wrong, ask the leaders of your corporation or alliance.')}`,
    links,
    { footer: CLOSE },
  );
}

/**
 * @param form the library's logout form, which has no buttons
 */
export function logoutPage(form: string, client: string | undefined): string {
  const only =
    client === undefined
      ? ''
      : `\n<button type="submit" form="op.logoutForm">${escapeHtml(`Only of ${client}`)}</button>`;
  const buttons = `<button class="main" type="submit" form="op.logoutForm" name="logout" value="yes">Log out everywhere</button>${only}`;
  return page(
    'Log out?',
    paragraphs('Applications that you signed in to from this browser are told that you are gone.'),
    [],
    {
      form: `${form}${buttons}`,
      footer: 'The game itself does not hear of it. To stay signed in, close this page.',
    },
  );
}

export function loggedOutPage(client: string | undefined): string {
  const where = client === undefined ? '' : ` of ${client}`;
  return page('You are logged out', paragraphs(`You are logged out${where}.`), [], { footer: CLOSE });
}

/**
 * The page for errors of an authorization request that cannot be reported by redirecting to the application.
 *
 * @param cause the error itself, or the page whose form cannot be taken
 */
export function errorPage(
  { error, error_description: description }: { error: string; error_description?: string | undefined },
  cause: Error | 'logout',
): string {
  const known =
    cause === 'logout' ? LEFT : cause instanceof errors.SessionNotFound ? LOST : KNOWN_ERRORS[error];
  return page(
    known === undefined ? 'This request cannot be answered' : known.title,
    paragraphs(
      ...(known === undefined
        ? [`The application asked for something that it may not: ${description ?? error}.`]
        : known.says),
    ),
    [],
    { footer: CLOSE },
  );
}

interface KnownError {
  readonly title: string;
  readonly says: readonly string[];
}

/** Of an interaction that is over, or another browser's; its code is that of any invalid request. */
const LOST: KnownError = {
  title: 'This sign-in cannot be completed',
  says: [
    'It was begun in another browser, was completed already, or not completed in time.',
    'Please go back to the application and sign in again.',
  ],
};

/** Of a logout page that was pressed before, was asked for once more, or whose session is over. */
const LEFT: KnownError = {
  title: 'This page was used already, or replaced',
  says: [
    'You are logged out, unless you opened this page in another window, too.',
    'If you are still signed in, please log out again.',
  ],
};

const KNOWN_ERRORS: Readonly<Record<string, KnownError>> = {
  invalid_client: {
    title: 'This application is not known here',
    says: ['Whoever runs it has to register it anew.'],
  },
  invalid_redirect_uri: {
    title: 'This application does not come from where it says',
    says: [
      'The address that it wants you to be sent back to is not one of those that were registered for it.',
      'Do not go on. If you trust it, tell whoever runs it.',
    ],
  },
};

/**
 * Ends with an empty `script-src`, because the library adds the hashes of its own inline scripts to that directive only
 * if it is present.
 */
const policyFor = (formAction: string) => `${contentPolicy(formAction)}; script-src`;

/** Headers of all answers of the library. */
export const PROTOCOL_HEADERS = {
  'Content-Security-Policy': policyFor("'self'"),
  'Referrer-Policy': 'no-referrer',
};

/** Extends the policy of a page of the library by the redirect targets that it has validated. */
export function withFormAction(
  ctx: { response: { get(name: string): string }; set(name: string, value: string): void },
  oidc: KoaContextWithOIDC['oidc'],
): void {
  const { Client: client, Interaction: interaction } = oidc.entities;
  const back = interaction?.params.redirect_uri;
  const schemes = schemesOf([
    ...(client?.redirectUris ?? []),
    ...(client?.postLogoutRedirectUris ?? []),
    ...(typeof back === 'string' ? [back] : []),
  ]);
  const policy = ctx.response.get('Content-Security-Policy');
  ctx.set('Content-Security-Policy', policy.replace("form-action 'self'", `form-action 'self'${schemes}`));
}

/** The policy of a page whose form is finally redirected to `redirectUri`. */
export function policyOfForm(redirectUri: string): string {
  return contentPolicy(`'self'${schemesOf([redirectUri])}`);
}

/**
 * How a content security policy names the targets: by their schemes alone. Chromium and Safari apply `form-action` to every
 * redirect after a form until a page is shown, and an application may redirect on to another host: Keycloak as a broker
 * does, and a portal that signs in for several. Of these hosts nobody tells us.
 */
function schemesOf(uris: readonly string[]): string {
  return [...new Set(uris.map((uri) => ` ${new URL(uri).protocol}`))].join('');
}
