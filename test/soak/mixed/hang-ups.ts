import { setTimeout as sleep } from 'node:timers/promises';
import { headOf, open } from '../hostile/ask.ts';
import { pick, type Scene } from './scene.ts';

/** Milliseconds between two clients that hang up, and until the impatient ones do. */
const EVERY = 100;
const PATIENCE = [0, 5, 50, 500];

type Socket = ReturnType<typeof open>;

/** What a client sends before it hangs up. */
const BEGINNINGS: readonly ((scene: Scene, socket: Socket) => void)[] = [
  // In the middle of the head, and in that of the body.
  ({ rootToken }, socket) => socket.write(headOf('GET', '/token', rootToken).slice(0, -20)),
  ({ rootToken }, socket) => {
    const more = ['Content-Type: application/json', 'Content-Length: 200'];
    socket.write(`${headOf('PUT', `/group/${'f0'.repeat(12)}`, rootToken, more)}\r\n{"description":"`);
  },
  // Before the answer, or in the middle of it.
  ({ rootToken }, socket) => socket.write(`${headOf('GET', '/user', rootToken)}\r\n`),
  (_, socket) => socket.write(`${headOf('GET', '/openapi.json', null)}\r\n`.repeat(3)),
  ({ rootToken, outside }, socket) => {
    const path = `/ext/characters/${outside.members[0]?.id}?id_annotations=true`;
    socket.write(`${headOf('GET', path, rootToken)}\r\n`);
  },
  ({ rootToken }, socket) => socket.write(`${headOf('GET', '/event?wait=20&types=crash.*', rootToken)}\r\n`),
];

/** Clients that hang up, until the returned function is called. */
export function startHangingUp(scene: Scene): () => Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const port = Number(new URL(scene.url).port);
  const hangUp = async () => {
    const socket = open({ address: '127.0.0.1', port, signal });
    socket.resume();
    pick(scene, BEGINNINGS)(scene, socket);
    await sleep(pick(scene, PATIENCE));
    if (scene.random() < 0.5) socket.resetAndDestroy();
    else socket.destroy();
  };
  const hangingUp = (async () => {
    const all: Promise<void>[] = [];
    for (; !signal.aborted; await sleep(EVERY)) all.push(hangUp());
    await Promise.all(all);
  })();
  return async () => {
    over.abort();
    await hangingUp;
  };
}
