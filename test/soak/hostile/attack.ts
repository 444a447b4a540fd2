import type { Agent } from 'node:http';
import type { Person } from './people.ts';

/** One hostile caller: a user at level 0 with an address of its own. */
export interface Attacker {
  readonly person: Person;
  /** Of the service. */
  readonly port: number;
  readonly agent: Agent;
  readonly address: string;
  readonly random: () => number;
  /** Aborted when the window is over. */
  readonly signal: AbortSignal;
}

/** One kind of hostility. */
export interface Attack {
  readonly name: string;
  /** Callers of this kind at the same time. */
  readonly callers: number;
  /** Milliseconds between two tries of one caller. */
  readonly pause: number;
  /** One try, of one request or of many at once; tells how each ended: by a status, or in words. */
  readonly run: (attacker: Attacker) => Promise<string | readonly string[]>;
  /** Endings that every run has to show. */
  readonly must: readonly string[];
  /** Endings that may come besides; any other one is a defect of the service. */
  readonly may?: readonly string[];
}

/** The window ended before the try did. */
export const STOPPED = 'stopped';

export function pick<T>({ random }: Pick<Attacker, 'random'>, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

export function whole({ random }: Pick<Attacker, 'random'>, below: number): number {
  return Math.floor(random() * below);
}

/** Letters and digits. */
export function word(attacker: Pick<Attacker, 'random'>, length: number): string {
  return Array.from({ length }, () => whole(attacker, 36).toString(36)).join('');
}
