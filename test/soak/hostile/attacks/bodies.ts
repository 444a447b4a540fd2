import { gzipSync } from 'node:zlib';
import { SHAPES } from '../../../harness/heavy/shapes.ts';
import { ask, endingOf, headOf, open } from '../ask.ts';
import { type Attack, type Attacker, pick, STOPPED, word } from '../attack.ts';

const KIB = 1024;
const shapes = Object.values(SHAPES).map((shape) => [shape(32 * KIB), shape(KIB * KIB)] as const);
/** Blank JSON of 64 MiB, packed into as many kilobytes. */
const BOMB = gzipSync(`${' '.repeat(64 * KIB * KIB)}{}`);
const NO_UTF8 = Buffer.from('{"description":"\xC9claireurs"}', 'latin1');

/** What is hard to read, at an operation that takes much and at one that takes little. */
function heavy(attacker: Attacker): Promise<string> {
  const [small, large] = pick(attacker, shapes);
  if (attacker.random() < 0.5) return ask(attacker, 'POST', '/ext/status', { body: `{"params":${small}}` });
  return ask(attacker, 'PUT', `/group/${attacker.person.group}`, { body: large });
}

/** Nine thousand people that there are not: 404 until the ids beyond a thousand have used up the minute. */
function strangers(attacker: Attacker): Promise<string> {
  const add_members = Array.from({ length: 9_000 }, () => word(attacker, 12));
  return ask(attacker, 'PUT', `/group/${attacker.person.group}`, { body: { add_members } });
}

/** Beyond the limit, packed, in another encoding, or not what its headers say. */
function odd(attacker: Attacker): Promise<string> {
  const [headers, body] = pick<readonly [Record<string, string>, unknown]>(attacker, [
    [{}, 'x'.repeat(2 * KIB * KIB)],
    [{ 'content-encoding': 'gzip' }, BOMB],
    [{ 'content-encoding': 'gzip' }, 'not packed at all'],
    [{ 'content-encoding': 'br' }, '{}'],
    [{ 'content-type': 'text/plain; charset=utf-16' }, NO_UTF8],
    [{ 'content-type': word(attacker, 2_000) }, '{"description": 5}'],
    [{ expect: '100-continue' }, '{"description":'],
  ]);
  return ask(attacker, 'PUT', `/group/${attacker.person.group}`, { headers, body });
}

/** Bytes that are no HTTP, or too much of it. */
async function unreadable(attacker: Attacker): Promise<string> {
  const { jwt } = attacker.person;
  const socket = open(attacker);
  const ending = endingOf(socket);
  socket.end(
    pick(attacker, [
      `${word(attacker, 300)}\r\n\r\n`,
      `${headOf('GET', '/token', jwt, [`X-Long: ${'x'.repeat(20_000)}`])}\r\n`,
      `${headOf('PUT', '/group/1', jwt, ['Content-Length: 5', 'Transfer-Encoding: chunked'])}\r\n0\r\n\r\n`,
      `${headOf('PUT', '/group/1', jwt, ['Content-Length: -1'])}\r\n`,
      `${headOf('GET', '/token', jwt, ['Bad Name: x'])}\r\n`,
    ]),
  );
  const status = await ending;
  return attacker.signal.aborted ? STOPPED : status;
}

/** Every byte as a piece of its own. */
async function scattered(attacker: Attacker): Promise<string> {
  const { jwt, group } = attacker.person;
  const socket = open(attacker);
  const ending = endingOf(socket);
  const bytes = word(attacker, pick(attacker, [2 * KIB, 20 * KIB, 200 * KIB]));
  socket.write(`${headOf('PUT', `/group/${group}`, jwt, ['Transfer-Encoding: chunked'])}\r\n`);
  socket.write(Array.from(bytes, (byte) => `1\r\n${byte}\r\n`).join(''));
  socket.end('0\r\n\r\n');
  const status = await ending;
  return attacker.signal.aborted ? STOPPED : status;
}

export const bodyAttacks: readonly Attack[] = [
  { name: 'heavy bodies', callers: 1, pause: 700, run: heavy, must: ['413', '422'], may: ['200'] },
  { name: 'strangers by the thousand', callers: 1, pause: 2_000, run: strangers, must: ['404', '429'] },
  { name: 'odd bodies', callers: 1, pause: 400, run: odd, must: ['413', '415', '422'] },
  {
    name: 'bodies byte by byte',
    callers: 1,
    pause: 700,
    run: scattered,
    must: ['400', '422'],
    may: ['closed'],
  },
  { name: 'what is no HTTP', callers: 1, pause: 400, run: unreadable, must: ['400', '431'] },
];
