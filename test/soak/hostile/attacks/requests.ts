import { SignJWT } from 'jose';
import { ask } from '../ask.ts';
import { type Attack, type Attacker, pick, whole, word } from '../attack.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'] as const;
const RESOURCES = [
  'alliance',
  'coalition',
  'corporation',
  'crash',
  'group',
  'system',
  'token',
  'user',
  'voice',
];
const STEPS = [
  '..',
  '%2e%2e',
  '%2F',
  '%00',
  '%zz',
  '%C3%A9',
  '//',
  'history',
  '1',
  '-1',
  '9e99',
  'constructor',
];

function randomPath(attacker: Attacker): string {
  const depth = 1 + whole(attacker, 5);
  const steps = Array.from({ length: depth }, () => pick(attacker, [...STEPS, word(attacker, 8)]));
  const root = pick(attacker, [...RESOURCES, 'ext', 'ext/characters', word(attacker, 6)]);
  const query = attacker.random() < 0.3 ? `?${word(attacker, 4)}=${word(attacker, 2_000)}` : '';
  return `/${root}/${steps.join('/')}${query}`;
}

/** What is below level 0's reach, by the first check that stops it. */
const FORBIDDEN = [
  ['GET', '/system/configuration'],
  ['GET', '/crash'],
  ['POST', '/group'],
  ['POST', '/token/dyn'],
  ['PUT', '/alliance/99000001'],
  ['DELETE', '/user/2112000001'],
  ['POST', '/system/job/maintenance'],
] as const;

/** Tokens that are none, or not ours. */
async function badToken(attacker: Attacker): Promise<string | null> {
  const { person, random } = attacker;
  const kind = random();
  if (kind < 0.2) return null;
  if (kind < 0.4) return word(attacker, 40);
  if (kind < 0.6) return `${person.jwt.slice(0, -6)}${word(attacker, 6)}`;
  if (kind < 0.8) return word(attacker, 7_000);
  const own = new SignJWT({ typ: 'use', azp: word(attacker, 8) }).setProtectedHeader({ alg: 'HS256' });
  return own.setSubject(String(person.id)).sign(Buffer.from(word(attacker, 32)));
}

const VOLLEY = 20;

/** Many at once, so that the limit is passed however slow the machine is. */
function volley(work: () => Promise<string>): Promise<string[]> {
  return Promise.all(Array.from({ length: VOLLEY }, work));
}

export const requestAttacks: readonly Attack[] = [
  {
    name: 'random paths and methods',
    callers: 1,
    pause: 150,
    run: (attacker) => ask(attacker, pick(attacker, METHODS), randomPath(attacker)),
    must: ['404', '405', '422'],
    // 204: what an OPTIONS gets. 400: a path that is no HTTP.
    may: ['200', '204', '400', '401', '403'],
  },
  {
    name: 'what level 0 may not do',
    callers: 1,
    pause: 400,
    run: (attacker) => {
      const [method, path] = pick(attacker, FORBIDDEN);
      return ask(attacker, method, path);
    },
    must: ['403'],
  },
  {
    name: 'bad tokens, one address',
    callers: 1,
    pause: 800,
    run: (attacker) =>
      volley(async () => {
        const path = pick(attacker, ['/token', '/user', '/nothing']);
        return ask(attacker, 'GET', path, { token: await badToken(attacker) });
      }),
    // 404: what is nowhere says so without a token, too.
    must: ['401', '404', '429'],
  },
  {
    name: 'bad tokens, many addresses',
    callers: 2,
    pause: 500,
    run: async (attacker) => ask(attacker, 'PUT', '/group', { token: await badToken(attacker), body: '{' }),
    must: ['405'],
    may: ['401', '429'],
  },
  {
    name: 'one token, beyond its limit',
    callers: 1,
    pause: 800,
    run: (attacker) => volley(() => ask(attacker, 'GET', '/token')),
    must: ['200', '429'],
  },
];
