import { endingOf, headOf, open, rest } from '../ask.ts';
import { type Attack, type Attacker, pick, STOPPED, whole, word } from '../attack.ts';

const BYTE_EVERY = 500;

/** Sends a text byte by byte until the connection ends, or there is no more of it. */
async function drip(attacker: Attacker, first: string, text: () => string): Promise<string> {
  const socket = open(attacker);
  const ending = endingOf(socket);
  socket.write(first);
  while (!socket.destroyed && socket.writable) {
    await rest(BYTE_EVERY, attacker.signal);
    if (socket.writable) socket.write(text());
  }
  return attacker.signal.aborted ? STOPPED : ending;
}

/** A header that never ends. */
const slowHead = (attacker: Attacker) =>
  drip(attacker, headOf('GET', '/token', attacker.person.jwt), () => pick(attacker, ['x', 'X-A: b\r\n']));

/** A body that never comes to its length. */
function slowBody(attacker: Attacker): Promise<string> {
  const { person } = attacker;
  const [method, path] = pick(attacker, [
    ['PUT', `/group/${person.group}`] as const,
    ['POST', '/ext/status'] as const,
  ]);
  const length = `Content-Length: ${10_000 + whole(attacker, 10_000)}`;
  return drip(attacker, `${headOf(method, path, person.jwt, [length])}\r\n{"description":"`, () => 'x');
}

/** Says nothing at all. */
const silent = (attacker: Attacker) => drip(attacker, '', () => '');

/** Goes away in the middle of what it sends. */
async function breakOff(attacker: Attacker): Promise<string> {
  const { person } = attacker;
  const body = JSON.stringify({ description: word(attacker, 3_000) });
  const head = headOf('PUT', `/group/${person.group}`, person.jwt, [`Content-Length: ${body.length}`]);
  const text = `${head}\r\n${body}`;
  const socket = open(attacker);
  socket.write(text.slice(0, whole(attacker, text.length + 1)));
  await rest(whole(attacker, 50), attacker.signal);
  if (attacker.random() < 0.5) socket.resetAndDestroy();
  else socket.destroy();
  return 'hung up';
}

export const senderAttacks: readonly Attack[] = [
  { name: 'heads sent at a crawl', callers: 20, pause: 500, run: slowHead, must: ['408'] },
  { name: 'bodies sent at a crawl', callers: 20, pause: 500, run: slowBody, must: ['408'] },
  { name: 'connections that say nothing', callers: 20, pause: 500, run: silent, must: ['408'] },
  { name: 'requests broken off', callers: 1, pause: 150, run: breakOff, must: ['hung up'] },
];
