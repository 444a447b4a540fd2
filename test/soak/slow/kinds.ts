import type { Socket } from 'node:net';
import { headOf } from '../hostile/ask.ts';
import type { Person } from '../hostile/people.ts';

/** One kind of slow connection. */
export interface SlowKind {
  readonly name: string;
  /** What is sent when it is open. */
  begin(person: Person): string;
  /** What is done every few seconds. */
  goOn?(socket: Socket): void;
  /** Whether its client takes no more of an answer than `goOn` does. */
  readonly reads?: true;
  /** How the service ends it, and after how many milliseconds at the latest; undefined: it has time. */
  readonly ended?: { readonly as: string; readonly within: number };
}

/** A request has 30 s to arrive; while thousands connect at once, it counts from some seconds after its client was. */
const ARRIVES_WITHIN = 45_000;
/** Nothing is asked on a connection for 65 s. */
const IDLE_WITHIN = 70_000;
/** Bytes that a slow reader takes at once: it needs minutes for the page. */
const BITE = 2_000;

const sendByte = (socket: Socket) => void (socket.writable && socket.write('x'));

export const kinds: readonly SlowKind[] = [
  {
    name: 'heads sent at a crawl',
    begin: ({ jwt }) => headOf('GET', '/token', jwt),
    goOn: sendByte,
    ended: { as: '408', within: ARRIVES_WITHIN },
  },
  {
    name: 'bodies sent at a crawl',
    begin: ({ jwt, group }) =>
      `${headOf('PUT', `/group/${group}`, jwt, ['Content-Length: 10000'])}\r\n{"description":"`,
    goOn: sendByte,
    ended: { as: '408', within: ARRIVES_WITHIN },
  },
  {
    name: 'connections that say nothing',
    begin: () => '',
    ended: { as: '408', within: ARRIVES_WITHIN },
  },
  {
    name: 'connections kept after an answer',
    begin: ({ jwt }) => `${headOf('GET', '/token', jwt)}\r\n`,
    ended: { as: '200', within: IDLE_WITHIN },
  },
  {
    name: 'answers read at a crawl',
    begin: () => `${headOf('GET', '/docs', null)}\r\n`,
    goOn: (socket) => void socket.read(Math.min(BITE, socket.readableLength)),
    reads: true,
  },
];
