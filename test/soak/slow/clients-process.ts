/**
 * Slow clients in a process of their own, so that what they cost is not felt by those whose time is measured. As many
 * as they are told to be, in equal parts of every kind; one that is ended connects again. Ends with the process that
 * started it.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { statusIn } from '../hostile/ask.ts';
import type { Person } from '../hostile/people.ts';
import { kinds, type SlowKind } from './kinds.ts';

export type SlowOrder =
  | {
      readonly kind: 'connect';
      readonly port: number;
      readonly people: readonly Person[];
      readonly count: number;
    }
  /** Nobody connects again. */
  | { readonly kind: 'stay away' }
  | { readonly kind: 'hang up' }
  | { readonly kind: 'report' };

/** What became of the connections of one kind. */
export interface SlowSeen {
  open: number;
  /** How often the service ended one how. */
  readonly endings: Record<string, number>;
  /** Milliseconds for which the longest of those lasted. */
  longest: number;
}
export type SlowReport = Record<string, SlowSeen>;

/** Connections that are opened in a second. */
const PACE = 1_000;
/** Milliseconds between two bytes, and until one that was ended connects again, at the most. */
const GO_ON_EVERY = 4_000;
const AGAIN_WITHIN = 2_000;
/** Characters of an answer that tell its status. */
const START = 100;

const seen: SlowReport = Object.fromEntries(
  kinds.map(({ name }): [string, SlowSeen] => [name, { open: 0, endings: {}, longest: 0 }]),
);
const sockets = new Set<Socket>();
let staying = true;

function open(kind: SlowKind, person: Person, port: number): void {
  if (!staying) return;
  const mine = seen[kind.name] as SlowSeen;
  const socket = connect({ host: '127.0.0.1', port });
  let start = '';
  let opened: number | undefined;
  const note = (bytes: Buffer | null) => {
    if (bytes !== null && start.length < START) start += bytes.toString('latin1', 0, START);
  };
  // A stream that does not flow takes as much as it holds, and no more.
  if (kind.reads) socket.on('readable', () => start === '' && note(socket.read(START)));
  else socket.on('data', note);
  let going: NodeJS.Timeout | undefined;
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.once('connect', () => {
    opened = performance.now();
    mine.open += 1;
    socket.write(kind.begin(person));
    going = setInterval(() => kind.goOn?.(socket), GO_ON_EVERY);
  });
  socket.once('close', () => {
    clearInterval(going);
    if (opened !== undefined) mine.open -= 1;
    // The others were hung up by this side.
    if (!sockets.delete(socket)) return;
    const ending = opened === undefined ? 'not connected' : (statusIn(start) ?? 'closed');
    mine.endings[ending] = (mine.endings[ending] ?? 0) + 1;
    mine.longest = Math.max(mine.longest, performance.now() - (opened ?? performance.now()));
    setTimeout(() => open(kind, person, port), Math.random() * AGAIN_WITHIN);
  });
}

async function connectAll({ port, people, count }: Extract<SlowOrder, { kind: 'connect' }>): Promise<void> {
  const began = performance.now();
  for (let n = 0; n < count; n += 1) {
    const early = began + (n * 1_000) / PACE - performance.now();
    if (early > 0) await sleep(early);
    open(kinds[n % kinds.length] as SlowKind, people[n % people.length] as Person, port);
  }
}

function hangUp(): void {
  staying = false;
  const all = [...sockets];
  sockets.clear();
  for (const socket of all) socket.destroy();
}

process.on('message', (order: SlowOrder) => {
  if (order.kind === 'connect') void connectAll(order);
  else if (order.kind === 'stay away') staying = false;
  else if (order.kind === 'hang up') hangUp();
  else process.send?.(seen);
});
process.on('disconnect', () => process.exit(0));
