import type { Agent } from 'undici';
import type { Castellan } from '../../../sdk/src/index.ts';
import type { RelyingParty } from '../../harness/relying-party.ts';
import type { Ledger } from './ledger.ts';
import type { Lender } from './lender.ts';
import type { Member, OutsideWorld } from './outside.ts';

/** A user who is signed in. */
export interface Person extends Member {
  readonly token: string;
  readonly castellan: Castellan;
}

/** Everything that acts need. */
export interface Scene {
  /** Of the service. */
  readonly url: string;
  readonly random: () => number;
  readonly fetch: typeof fetch;
  readonly outside: OutsideWorld;
  /** A permanent token of the built-in user. */
  readonly root: Castellan;
  /** The token that is used for everything that no user does. */
  readonly rootToken: string;
  /** A dynamic token. */
  readonly application: Castellan;
  /** Nobody in particular. */
  readonly stranger: Castellan;
  /** A user who has logged out. */
  readonly loggedOut: Castellan;
  /** At level 0. */
  readonly people: readonly Person[];
  /** At level 8. */
  readonly governors: readonly Person[];
  /** At level 10. */
  readonly administrators: readonly Person[];
  /** Asks more often than it may. */
  readonly greedy: Person;
  /** Characters who sign in and out. */
  readonly newcomers: Lender<Member>;
  /** Pairs of characters of one human each. */
  readonly pairs: Lender<readonly [Member, Member]>;
  /** Characters that no alliance lets in. */
  readonly guests: Lender<Member>;
  /** People with a client on the voice server. */
  readonly speakers: Lender<{ readonly person: Person; readonly clid: number }>;
  /** People whose level goes up and down. */
  readonly climbers: Lender<Person>;
  readonly alliances: readonly number[];
  readonly coalition: string;
  /** Groups that everybody may join, and groups that one has to apply to; they stay. */
  readonly openGroups: readonly string[];
  readonly closedGroups: Lender<string>;
  /** An autogroup. */
  readonly autogroup: string;
  readonly ledger: Ledger;
  readonly party: RelyingParty;
  /** A number that nobody got before. */
  next(): number;
  /**
   * Signs a character in as a browser does.
   * @returns the user token
   */
  signIn(who: Member, invitation?: string): Promise<string>;
  /** The service with a token. */
  as(token: string | undefined, by?: Agent): Castellan;
}

export function pick<T>({ random }: Pick<Scene, 'random'>, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

export function whole({ random }: Pick<Scene, 'random'>, below: number): number {
  return Math.floor(random() * below);
}
