import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RoutedClient } from './client.ts';
import { SilentDatabase } from './errors.ts';

/** In milliseconds: a statement may take its time, but a server that does not even answer `select 1` is frozen. */
const TIMES = {
  /** An answer that is out for so long makes us ask. */
  patience: 400,
  /** For so long the server may keep silent then. */
  silence: 1_200,
  /** Between two looks at who waits, and two questions to a server that keeps silent. */
  pause: 200,
};

interface Options {
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** A new connection to ask on. */
  readonly open: () => RoutedClient;
  readonly times?: typeof TIMES;
}

/** Notices that PostgreSQL keeps silent, so that nobody waits for it longer than a client would. */
export class Watch {
  /** Whether the server is known to keep silent: whatever would be asked is refused at once. */
  silent = false;
  readonly #options: Options;
  readonly #times: typeof TIMES;
  /** Who waits for an answer: since when, and how to end that. */
  readonly #waiting = new Map<() => void, number>();
  #looking = false;
  #closed = false;
  #client: RoutedClient | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#times = options.times ?? TIMES;
  }

  /** Somebody waits from now on; returns what to call when the answer is there. */
  begin(giveUp: () => void): () => void {
    this.#waiting.set(giveUp, performance.now());
    void this.#look();
    return () => void this.#waiting.delete(giveUp);
  }

  close(): void {
    this.#closed = true;
    this.#hangUp();
  }

  /** As long as somebody waits, one who waits for long makes it ask. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    while (this.#waiting.size > 0 && !this.#closed) {
      await sleep(this.#times.pause, undefined, { ref: false });
      const [since = performance.now()] = this.#waiting.values();
      if (performance.now() - since < this.#times.patience || (await this.#answers())) continue;
      await this.#endure();
    }
    this.#looking = false;
  }

  /** Ends everybody's waiting, and finds out when the server speaks again. */
  async #endure(): Promise<void> {
    this.silent = true;
    this.#options.log.error('the database does not answer; requests are refused until it does');
    while (!this.#closed) {
      for (const giveUp of [...this.#waiting.keys()]) giveUp();
      this.#hangUp();
      if (await this.#answers()) break;
      await sleep(this.#times.pause, undefined, { ref: false });
    }
    this.silent = false;
    if (!this.#closed) this.#options.log.warn('the database answers again');
  }

  /** Whether the server says anything in time; that it takes no more connections is an answer, too. */
  async #answers(): Promise<boolean> {
    const client = this.#client ?? this.#options.open();
    const asked = this.#ask(client);
    const silence = sleep(this.#times.silence, false, { ref: false });
    if (await Promise.race([asked, silence])) return true;
    // This process may have been the one that was busy: what has arrived meanwhile is read first.
    await turn();
    return Promise.race([asked, turn(false)]);
  }

  async #ask(client: RoutedClient): Promise<true> {
    try {
      if (this.#client === undefined) {
        this.#client = client;
        client.on('error', () => this.#forget(client));
        await client.connect();
      }
      await client.query('select 1');
    } catch {
      // A refusal is an answer, too; where it was us who hung up, nobody waits for this one any more.
      this.#forget(client);
    }
    return true;
  }

  #forget(client: RoutedClient): void {
    if (this.#client === client) this.#client = undefined;
  }

  #hangUp(): void {
    this.#client?.destroy();
    this.#client = undefined;
  }
}

/** @throws SilentDatabase while the server is known to keep silent */
export function requireAnswers(watch: Watch | undefined): void {
  if (watch?.silent === true) throw new SilentDatabase();
}
