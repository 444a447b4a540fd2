import type { Socket } from 'node:net';
import { headOf, open, rest, statusIn } from '../ask.ts';
import { type Attack, type Attacker, STOPPED, whole } from '../attack.ts';
import { listPath } from '../lists.ts';

/** Longer than a client may stand still: 30 s, and as much again where something was taken in the beginning. */
const STANDS_STILL = 65_000;
/** Bytes that a dawdler reads at once, and how often: far from an answer's end, never a standstill. */
const BITE = 2_000;
const BITE_EVERY = 500;

/** Of an answer that is taken no further: its status, and whether it was cut off. */
async function standStill(attacker: Attacker, socket: Socket, wholeBytes: number): Promise<string> {
  const { signal } = attacker;
  let start = '';
  await new Promise<void>((resolve) => {
    socket.once('close', resolve);
    socket.once('data', (chunk: Buffer) => {
      start = chunk.toString('latin1', 0, 100);
      socket.pause();
      resolve();
    });
  });
  const status = statusIn(start);
  if (status !== '200') {
    socket.destroy();
    return signal.aborted ? STOPPED : (status ?? 'closed');
  }
  await rest(STANDS_STILL, signal);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.resume();
  // A connection that was cut off long ago says so at once.
  await Promise.race([closed, rest(5_000, signal)]);
  const ending = socket.destroyed && socket.bytesRead < wholeBytes ? 'cut off' : 'not cut off';
  socket.destroy();
  return signal.aborted ? STOPPED : ending;
}

/** A joined answer of some 18 MB. */
function joinedUnread(attacker: Attacker): Promise<string> {
  const socket = open(attacker);
  const path = `/ext/${listPath(60, 300, whole(attacker, 1_000_000_000))}?all_pages=true`;
  socket.write(`${headOf('GET', path, attacker.person.jwt)}\r\n`);
  return standStill(attacker, socket, 18_000_000);
}

/** As many as may be in line on one connection, and more. */
const IN_LINE = 100;
const BEYOND = 270;

/** Many requests on one connection for the largest answer that needs no token: half a megabyte. */
function pipelinedUnread(attacker: Attacker): Promise<string> {
  const socket = open(attacker);
  socket.write(`${headOf('GET', '/docs', null)}\r\n`.repeat(IN_LINE));
  return standStill(attacker, socket, IN_LINE * 500_000);
}

function pipelinedBeyond(attacker: Attacker): Promise<string> {
  const socket = open(attacker);
  socket.write(`${headOf('GET', '/docs', null)}\r\n`.repeat(BEYOND));
  return standStill(attacker, socket, IN_LINE * 500_000);
}

/** As many joined answers as one has places for, asked for at once, and hung up on. */
async function pipelinedHungUp(attacker: Attacker): Promise<string> {
  const socket = open(attacker);
  for (let n = 0; n < 4; n += 1) {
    const path = `/ext/${listPath(20, 300, whole(attacker, 1_000_000_000))}?all_pages=true`;
    socket.write(`${headOf('GET', path, attacker.person.jwt)}\r\n`);
  }
  socket.pause();
  await rest(whole(attacker, 3_000), attacker.signal);
  socket.resetAndDestroy();
  return attacker.signal.aborted ? STOPPED : 'hung up';
}

async function dawdle(attacker: Attacker): Promise<string> {
  const socket = open(attacker);
  const path = `/ext/${listPath(40, 300, whole(attacker, 1_000_000_000))}?all_pages=true`;
  socket.write(`${headOf('GET', path, attacker.person.jwt)}\r\n`);
  let start = '';
  socket.on('readable', () => undefined);
  while (!socket.destroyed) {
    await rest(BITE_EVERY, attacker.signal);
    const bite = socket.read(Math.min(BITE, socket.readableLength)) as Buffer | null;
    if (start === '' && bite !== null) start = bite.toString('latin1', 0, 100);
    const status = statusIn(start);
    if (status !== undefined && status !== '200') socket.destroy();
  }
  const status = statusIn(start) ?? 'closed';
  return status === '200' ? 'cut off' : status;
}

export const readerAttacks: readonly Attack[] = [
  {
    name: 'joined answers that nobody reads',
    callers: 4,
    pause: 3_000,
    run: joinedUnread,
    must: ['cut off'],
    may: ['503', '429'],
  },
  {
    name: 'pipelined answers that nobody reads',
    callers: 3,
    pause: 3_000,
    run: pipelinedUnread,
    must: ['cut off'],
  },
  {
    name: 'more pipelined than may be in line',
    callers: 1,
    pause: 3_000,
    run: pipelinedBeyond,
    must: ['closed'],
  },
  {
    name: 'pipelined joined answers, hung up',
    callers: 1,
    pause: 4_000,
    run: pipelinedHungUp,
    must: ['hung up'],
  },
  {
    name: 'joined answers read at a crawl',
    callers: 2,
    pause: 3_000,
    run: dawdle,
    // Ten minutes are theirs, unless they take less than the system tells of in half a minute.
    must: [STOPPED],
    may: ['cut off', '503', '429'],
  },
];
