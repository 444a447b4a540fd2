/**
 * Hostile callers in a process of their own, so that what they cost is not felt by those whose time is measured. As
 * many as the attacks say, no more. Ends with the process that started it.
 */
import { setMaxListeners } from 'node:events';
import { Agent } from 'node:http';
import { sequence } from '../../../dev/world/random.ts';
import { rest } from './ask.ts';
import { type Attack, type Attacker, STOPPED } from './attack.ts';
import { attacks } from './attacks/index.ts';
import type { Person } from './people.ts';

export type AttackOrder =
  | {
      readonly kind: 'muster';
      readonly port: number;
      readonly people: readonly Person[];
      readonly seed: number;
    }
  | { readonly kind: 'begin' }
  | { readonly kind: 'end' };

/** How often each attack ended how, since the last report. */
export type Endings = Record<string, Record<string, number>>;

export interface AttackReport {
  readonly endings: Endings;
  /** Bytes of memory of this process. */
  readonly memory: number;
}

/** Milliseconds in which all of them have come: a whole crowd in one moment measures that moment alone. */
const COME_WITHIN = 10_000;

let muster: Extract<AttackOrder, { kind: 'muster' }> | undefined;
let over = new AbortController();
let loops: Promise<void>[] = [];
let endings: Endings = {};
/** Of each caller; they go on from window to window, so that nobody asks again for what is cached by then. */
const randoms: (() => number)[] = [];

/** Every caller is somebody else, and has an address of its own. */
function begin(): void {
  if (muster === undefined) throw new Error('nobody was mustered');
  over = new AbortController();
  setMaxListeners(0, over.signal);
  loops = [];
  for (const attack of attacks) {
    for (let n = 0; n < attack.callers; n += 1) loops.push(attackUntilOver(attack, attackerOf(loops.length)));
  }
}

function attackerOf(n: number): Omit<Attacker, 'signal'> {
  const { people = [], port = 0, seed = 0 } = muster ?? {};
  const person = people[n];
  if (person === undefined) throw new Error('there are not enough people');
  const random = randoms[n] ?? sequence(seed * 1_000 + n);
  randoms[n] = random;
  return {
    person,
    port,
    agent: new Agent({ keepAlive: true, maxSockets: 16 }),
    address: `127.0.${1 + Math.floor(n / 200)}.${1 + (n % 200)}`,
    random,
  };
}

async function attackUntilOver(attack: Attack, caller: Omit<Attacker, 'signal'>): Promise<void> {
  const { signal } = over;
  await rest(COME_WITHIN * caller.random(), signal);
  while (!signal.aborted) {
    const ended = await attack.run({ ...caller, signal });
    count(attack, signal.aborted ? [STOPPED] : [ended].flat());
    await rest(attack.pause * (0.5 + caller.random()), signal);
  }
  caller.agent.destroy();
}

function count({ name }: Attack, ended: readonly string[]): void {
  const counts = endings[name] ?? {};
  for (const ending of ended) counts[ending] = (counts[ending] ?? 0) + 1;
  endings[name] = counts;
}

async function end(): Promise<AttackReport> {
  over.abort();
  await Promise.all(loops);
  const report = { endings, memory: process.memoryUsage().rss };
  endings = {};
  return report;
}

process.on('message', async (order: AttackOrder) => {
  if (order.kind === 'muster') muster = order;
  else if (order.kind === 'begin') begin();
  else process.send?.(await end());
});
process.once('disconnect', () => process.exit());
