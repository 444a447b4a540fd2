import { escapeHtml, page } from '../web/html.ts';
import type { Answer } from '../web/http.ts';
import type { World } from '../world/world.ts';
import type { Faults } from './faults.ts';
import type { ErrorBudget } from './limits.ts';

/** The page at the simulator's root: what it is, and what is going wrong on purpose. */
export function homePage(
  world: World,
  urls: Readonly<Record<string, string>>,
  faults: Faults,
  errors: ErrorBudget,
): Answer {
  const addresses = Object.entries(urls)
    .map(
      ([name, url]) =>
        `<tr><th scope="row">${escapeHtml(name)}</th><td><code>${escapeHtml(url)}</code></td></tr>`,
    )
    .join('');
  const active = faults.active
    .map(({ target, fault, strikes }) => {
      const fields = Object.entries(fault).filter(
        ([name, value]) => name !== 'kind' && typeof value !== 'object',
      );
      const description = [fault.kind, ...fields.map(([name, value]) => `${name}=${value}`)].join(' ');
      return `<tr><td><code>${escapeHtml(target)}</code></td><td>${escapeHtml(description)}</td><td>${strikes}</td></tr>`;
    })
    .join('');
  const table = `<table><thead><tr><th>Where</th><th>What</th><th>Strikes</th></tr></thead><tbody>${active}</tbody></table>`;
  return page(
    200,
    'Simulated game provider',
    `<p>A stand-in for the game’s sign-on and its API, for development and tests. Nobody here is real.</p>
<table><tbody>${addresses}</tbody></table>
<h2>World</h2><p>${world.alliances.length} alliances, ${world.corporations.length} corporations, ${world.population}
characters; seed ${world.seed}, hour ${world.hour}.</p>
<h2>Faults</h2>${faults.downtime ? '<p><strong>Downtime: the API answers 503.</strong></p>' : ''}
${active === '' ? '<p class="note">None is switched on.</p>' : table}
<p class="note">Error budget: ${errors.remaining} left, whole again in ${errors.reset} s.</p>`,
  );
}
