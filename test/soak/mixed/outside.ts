import { join } from 'node:path';
import { authorize, type SimulatedProvider } from '../../../dev/provider/provider.ts';
import { reply, startProcess } from '../child.ts';
import type { Trouble } from './troubles.ts';

export type OutsideOrder =
  | { readonly kind: 'start'; readonly clientId: string; readonly clientSecret: string }
  | { readonly kind: 'live'; readonly movers: readonly number[] }
  | { readonly kind: 'trouble'; readonly trouble: Trouble; readonly on: boolean };

/** A character of the game. */
export interface Member {
  readonly id: number;
  readonly name: string;
  readonly corporationId: number;
}

export interface OutsideReady {
  readonly kind: 'ready';
  readonly ssoUrl: string;
  readonly apiUrl: string;
  readonly specUrl: string;
  readonly voiceUrl: string;
  /** Where the application is called back. */
  readonly receiver: string;
  /** Clients on the voice server. */
  readonly clids: readonly number[];
  readonly alliances: readonly number[];
  /** Members of the alliances. */
  readonly members: readonly Member[];
  /** Members of corporations that are in none. */
  readonly strangers: readonly Member[];
}

/** The world outside of the service, in a process of its own. */
export interface OutsideWorld extends OutsideReady {
  readonly pid: number;
  /** The provider as a browser reaches it. */
  readonly provider: Pick<SimulatedProvider, 'ssoUrl' | 'authorize'>;
  trouble(trouble: Trouble, on: boolean): Promise<void>;
  /** Time passes there, and some of these characters move. */
  live(movers: readonly number[]): void;
  /** Renames a client on the voice server, as its user does. */
  rename(clid: number, nickname: string): Promise<void>;
  stop(): void;
}

export async function startOutside(client: {
  readonly clientId: string;
  readonly clientSecret: string;
}): Promise<OutsideWorld> {
  const child = startProcess(join(import.meta.dirname, 'outside-process.ts'));
  const order = (given: OutsideOrder) => void child.send(given);
  order({ kind: 'start', ...client });
  const ready = await reply<OutsideReady>(child);
  const { ssoUrl } = ready;
  return {
    ...ready,
    pid: child.pid as number,
    provider: { ssoUrl, authorize: (url, choice) => authorize(ssoUrl, url, choice) },
    async trouble(trouble, on) {
      const done = reply(child);
      order({ kind: 'trouble', trouble, on });
      await done;
    },
    live: (movers) => order({ kind: 'live', movers }),
    async rename(clid, nickname) {
      const body = new URLSearchParams({ clid: String(clid), nickname });
      await (await fetch(`${ssoUrl}/voice`, { method: 'POST', body, redirect: 'manual' })).arrayBuffer();
    },
    stop: () => child.disconnect(),
  };
}
