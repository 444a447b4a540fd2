import { escapeHtml, page } from '../web/html.ts';
import type { Answer } from '../web/http.ts';
import type { Character, World } from '../world/world.ts';

/** Characters on the page at once; the search box finds the others. */
const SHOWN = 60;

/** An authorize request that passed its checks, as the page and its form carry it. */
export interface AuthorizeRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string | null;
  readonly codeChallenge: string | null;
  /** The request's own parameters, to be sent along with the choice. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * The page on which a character is chosen. One form without JavaScript: the search button sends it by GET to
 * this page again (with the ticks kept), a character's button by POST to the decision.
 */
export function authorizePage(
  world: World,
  request: AuthorizeRequest,
  shown: { readonly search: string; readonly granted: ReadonlySet<string> },
): Answer {
  const { characters, total } = world.search(shown.search, SHOWN);
  const hidden = Object.entries(request.parameters)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
  return page(
    200,
    'Choose a character',
    `<p>The application <code>${escapeHtml(request.clientId)}</code> asks who you are. This is the simulated sign-on: no
password, every character is yours.</p>
<form method="post" action="/v2/oauth/authorize">${hidden}<input type="hidden" name="chosen" value="1">
<div class="row" role="search"><input type="search" name="q" value="${escapeHtml(shown.search)}" aria-label="Search by name" placeholder="Search by name">
<button formmethod="get">Search</button><button name="cancel" value="1">Cancel</button></div>
<h2>What it may do</h2>${scopeList(request.scopes, shown.granted)}
<h2>Characters</h2><p class="note" role="status">${escapeHtml(found(characters.length, total))}</p>
<ul class="people">${characters.map((character) => entry(world, character)).join('')}</ul></form>`,
  );
}

/** The page for a request that cannot be sent back to the application. */
export function refusalPage(reason: string): Answer {
  return page(400, 'Sign-on not possible', `<p>${escapeHtml(reason)}</p>`);
}

function scopeList(scopes: readonly string[], granted: ReadonlySet<string>): string {
  if (scopes.length === 0) return '<p class="note">Nothing but to know your name.</p>';
  const boxes = scopes.map((scope) => {
    const tick = granted.has(scope) ? ' checked' : '';
    return `<li><label><input type="checkbox" name="grant" value="${escapeHtml(scope)}"${tick}>${escapeHtml(scope)}</label></li>`;
  });
  return `<ul class="scopes">${boxes.join('')}</ul>`;
}

function entry(world: World, character: Character): string {
  const corporation = world.corporation(character.corporationId);
  const alliance = character.allianceId === null ? undefined : world.alliance(character.allianceId);
  const executor = character.isCeo && alliance?.executorCorporationId === character.corporationId;
  const remark = world.remarks.get(character.id) ?? '';
  const badges = [character.isCeo ? 'CEO' : '', executor ? 'Executor' : '', remark].filter(
    (badge) => badge !== '',
  );
  return `<li><button name="character_id" value="${character.id}">${escapeHtml(character.name)}</button>${badges
    .map((badge) => `<span class="badge">${escapeHtml(badge)}</span>`)
    .join(
      '',
    )}<p>${escapeHtml(corporation?.name ?? '')}</p><p>${escapeHtml(alliance?.name ?? 'No alliance')}</p></li>`;
}

function found(shown: number, total: number): string {
  if (total === 0) return 'No character of that name.';
  return shown === total ? `${total} found.` : `${shown} of ${total} shown: search to narrow them down.`;
}
