import { CLOSE, type Link, page, paragraphs, WAIT } from '../http/html-page.ts';
import { escapeHtml } from '../shared/html.ts';
import {
  COMPLETED,
  isRecorded,
  type NotAllowed,
  OTHER_OWNER,
  type Refusal,
  type TooFewScopes,
  UNKNOWN,
  type WaysOn,
} from './outcome.ts';

const START_AGAIN = 'Please go back to the application and sign in again.';

/** The page for a refused sign-in: the reason, and links to continue (D26). */
export function refusalPage(refusal: Refusal, waysOn: WaysOn): string {
  const { title, body } = contentOf(refusal);
  return page(title, body, linksOf(waysOn), footerOf(refusal));
}

/**
 * What is known to be stored. After a success a sign-in is completed, or, with OpenID Connect, forgotten; and a
 * hand-over stays, whatever becomes of the sign-in that brought it (D29b).
 */
function footerOf(refusal: Refusal): { footer?: string } {
  if (isRecorded(refusal)) return { footer: `It is recorded that this sign-in was refused. ${CLOSE}` };
  return [COMPLETED, UNKNOWN, OTHER_OWNER].includes(refusal) ? { footer: CLOSE } : {};
}

export function linksOf({ again, application, giveUp, asAnother }: WaysOn): Link[] {
  return [
    ...(again === undefined ? [] : [{ href: again, text: 'Sign in and grant all' }]),
    ...(application === undefined
      ? []
      : [{ href: application, text: `Back to ${new URL(application).host}` }]),
    ...(giveUp === undefined ? [] : [{ href: giveUp, text: 'Back to the application' }]),
    ...(asAnother === undefined ? [] : [{ href: asAnother, text: 'Sign in with another character' }]),
  ];
}

export interface Content {
  readonly title: string;
  readonly body: string;
}

function contentOf(refusal: Refusal): Content {
  switch (refusal.kind) {
    case 'bad-request':
      return {
        title: 'This sign-in cannot be completed',
        body: paragraphs(refusal.reason, START_AGAIN),
      };
    case 'cancelled':
      return {
        title: 'You cancelled the sign-in',
        body: paragraphs('The provider told us that you did not want to go on.', START_AGAIN),
      };
    case 'provider-failed':
    case 'told-of-failure':
      return {
        title: 'The game’s provider is out of order',
        body: paragraphs(
          'Its sign-on or its API gave no answer that could be used, so you could not be signed in. This is not your fault.',
          WAIT,
        ),
      };
    case 'not-allowed':
      return notAllowed(refusal);
    case 'too-few-scopes':
      return tooFewScopes(refusal);
  }
}

/** The reason why a user may not log in, with the names of the groups and coalitions that forbid it (D26). */
export function notAllowed({ sentence, refusedBy }: Omit<NotAllowed, 'kind'>): Content {
  const items = refusedBy.map(({ type, name }) => `<li>the ${type} <b>${escapeHtml(name ?? '')}</b></li>`);
  const list = items.length === 0 ? '' : `\n<ul>${items.join('')}</ul>`;
  const reason = paragraphs(sentence) + list;
  return {
    title: 'You are not allowed to log in here',
    body: `${reason}
${paragraphs(
  'If you have another character that may, go back to the application and sign in with that one.',
  'If you think that this is wrong, ask the leaders of your corporation or alliance.',
)}`,
  };
}

function tooFewScopes({ name, characterId, required, provided }: TooFewScopes): Content {
  const missing = new Set<string>(required.filter((scope) => !provided.includes(scope)));
  return {
    title: 'More scopes are needed',
    body: `${paragraphs(`${name} (character ${characterId}) granted too few scopes. Sign in again and grant all that are required.`)}
<h2>Required</h2>
${scopeList(required, missing)}
<h2>Provided</h2>
${scopeList(provided, new Set())}`,
  };
}

function scopeList(scopes: readonly string[], missing: ReadonlySet<string>): string {
  if (scopes.length === 0) return '<p>none</p>';
  const items = scopes.map((scope) =>
    missing.has(scope)
      ? `<li class="missing"><code>${escapeHtml(scope)}</code> (missing)</li>`
      : `<li><code>${escapeHtml(scope)}</code></li>`,
  );
  return `<ul>${items.join('')}</ul>`;
}
