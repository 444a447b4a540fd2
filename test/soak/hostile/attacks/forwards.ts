import { ask, rest } from '../ask.ts';
import { type Attack, type Attacker, pick, STOPPED, whole, word } from '../attack.ts';
import { listPath, WIDTHS } from '../lists.ts';

/** What a forwarded request may end in when the provider, or our own limits, say so. */
const LIMITS = ['429', '503'];
const FIRST_CHARACTER = 2_112_000_001;

const seed = (attacker: Attacker) => whole(attacker, 1_000_000_000);

/** Parameters that the document declares, each time others: each answer is another row of the cache. */
function declared(attacker: Attacker): Promise<string> {
  const region = 10_000_001 + whole(attacker, 9);
  const params = { type_id: 34 + whole(attacker, 3_000), order_type: pick(attacker, ['all', 'buy', 'sell']) };
  return ask(attacker, 'POST', `/ext/markets/${region}/orders`, { body: { params } });
}

/** Parameters that it does not, of any shape. */
function undeclared(attacker: Attacker): Promise<string> {
  const name = () => word(attacker, 1 + whole(attacker, 20));
  const entries = Array.from({ length: whole(attacker, 300) }, () => [
    name(),
    pick(attacker, [word(attacker, 50), 1, true, [1, 2, 3], null, 'é\u0301']),
  ]);
  // Those that are null count as absent, so one is not.
  const params: unknown = Object.fromEntries([...entries, [name(), 1]]);
  if (attacker.random() < 0.5) return ask(attacker, 'POST', '/ext/status', { body: { params } });
  const query = new URLSearchParams({ params: JSON.stringify(params).slice(0, 6_000) });
  return ask(attacker, 'GET', `/ext/status?${query}`);
}

/** A list nobody has asked for: of many pages or of wide ones. */
function allPages(attacker: Attacker): Promise<string> {
  const kilobytes = pick(attacker, WIDTHS);
  const most = kilobytes === 1 ? 300 : Math.min(60, Math.floor(9_000 / kilobytes));
  const path = `/ext/${listPath(1 + whole(attacker, most), kilobytes, seed(attacker))}`;
  const id_annotations = attacker.random() < 0.3;
  if (attacker.random() < 0.5)
    return ask(attacker, 'POST', path, { body: { all_pages: true, id_annotations } });
  return ask(attacker, 'GET', `${path}?all_pages=true&id_annotations=${id_annotations}`);
}

/** More than a joined answer may have, by its pages' number or by their width. */
function tooManyPages(attacker: Attacker): Promise<string> {
  const [pages, kilobytes] = pick(attacker, [[1_001, 1] as const, [100, 900] as const]);
  return ask(attacker, 'GET', `/ext/${listPath(pages, kilobytes, seed(attacker))}?all_pages=true`);
}

const BURST = 8;

/** Single wide pages, many at once. */
function burst(attacker: Attacker): Promise<string[]> {
  const path = () => `/ext/${listPath(1, pick(attacker, [300, 900]), seed(attacker))}`;
  return Promise.all(Array.from({ length: BURST }, () => ask(attacker, 'GET', path())));
}

/** Goes away at some moment between the first page and the last byte. */
async function hangUp(attacker: Attacker): Promise<string> {
  const gone = new AbortController();
  const signal = AbortSignal.any([attacker.signal, gone.signal]);
  const asked = allPages({ ...attacker, signal });
  await rest(whole(attacker, 400), signal);
  gone.abort();
  const ending = await asked;
  if (attacker.signal.aborted) return STOPPED;
  return /ABORT|ECONNRESET|broken off/.test(ending) ? 'hung up' : ending;
}

export const forwardAttacks: readonly Attack[] = [
  {
    name: 'declared parameters, never the same',
    callers: 1,
    pause: 150,
    run: declared,
    must: ['200'],
    may: LIMITS,
  },
  { name: 'parameters that there are not', callers: 1, pause: 250, run: undeclared, must: ['422'] },
  {
    name: 'errors at the provider',
    // Twenty errors a minute each, of the seventy that callers have together (D33).
    callers: 2,
    pause: 500,
    run: (attacker) => ask(attacker, 'GET', `/ext/characters/${3_000_000_000 + seed(attacker)}`),
    must: ['404', '429'],
    may: ['503'],
  },
  {
    name: 'data of others',
    callers: 1,
    pause: 400,
    run: (attacker) => {
      const other = FIRST_CHARACTER + whole(attacker, 100);
      if (other === attacker.person.id) return Promise.resolve('403');
      return ask(attacker, 'POST', `/ext/characters/${other}/skills`, { body: { on_behalf_of: other } });
    },
    // 404: nobody of that id is registered.
    must: ['403', '404'],
  },
  {
    name: 'own data, without end',
    callers: 1,
    pause: 250,
    run: (attacker) => ask(attacker, 'GET', `/ext/characters/${attacker.person.id}/skills`),
    must: ['200'],
    may: LIMITS,
  },
  { name: 'all pages', callers: 2, pause: 1_000, run: allPages, must: ['200'], may: LIMITS },
  { name: 'too many pages', callers: 1, pause: 2_000, run: tooManyPages, must: ['422'], may: LIMITS },
  {
    name: 'all pages, hung up',
    callers: 1,
    pause: 1_500,
    run: hangUp,
    must: ['hung up'],
    may: ['200', ...LIMITS],
  },
  {
    name: 'bursts of wide pages',
    callers: 1,
    pause: 4_000,
    run: burst,
    must: ['200'],
    may: LIMITS,
  },
];
