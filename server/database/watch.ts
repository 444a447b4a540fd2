import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RoutedClient } from './client.ts';
import { SilentDatabase } from './errors.ts';

/**
 * All in milliseconds. A statement may take long, but a server that does not answer `select 1` is considered
 * unresponsive.
 */
const TIMES = {
  /** Waiting time of a statement after which the server is probed. */
  patience: 400,
  /** Timeout of the probe. */
  silence: 1_200,
  /** The same at the most, once the server was silent: its timeout doubles, as opening a connection may take longer. */
  longest: 5_000,
  /** Interval between two checks of waiting statements, and between probes of an unresponsive server. */
  pause: 200,
};

interface Options {
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** What the log calls the server. */
  readonly server: 'database' | 'replica';
  /** Opens a connection for probes. */
  readonly open: () => RoutedClient;
  /** Whether to leave it unwatched, which may be found out later. */
  readonly spared?: () => boolean;
  readonly times?: typeof TIMES;
}

/** Detects that PostgreSQL does not answer, so that requests fail before their clients give up. */
export class Watch {
  /** Whether the server is unresponsive; statements are then rejected at once. */
  silent = false;
  readonly #options: Options;
  readonly #times: typeof TIMES;
  /** Waiting statements: how to abort each, and since when it waits. */
  readonly #waiting = new Map<() => void, number>();
  #looking = false;
  #closed = false;
  #client: RoutedClient | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#times = options.times ?? TIMES;
  }

  /** Registers a waiting statement; the returned function is called when its answer has arrived. */
  begin(giveUp: () => void): () => void {
    if (this.#options.spared?.()) return () => undefined;
    this.#waiting.set(giveUp, performance.now());
    void this.#look();
    return () => void this.#waiting.delete(giveUp);
  }

  close(): void {
    this.#closed = true;
    this.#hangUp();
  }

  /** While statements wait: probes the server when one waits for long. */
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

  /** Aborts all waiting statements and probes until the server answers again. */
  async #endure(): Promise<void> {
    this.silent = true;
    const { log, server } = this.#options;
    // The primary answers instead of the replica, so that is no outage.
    if (server === 'replica') log.warn('the replica does not answer; the primary is asked until it does');
    else log.error('the database does not answer; requests are refused until it does');
    const { silence, longest, pause } = this.#times;
    for (let within = silence; !this.#closed; within = Math.min(within * 2, longest)) {
      for (const giveUp of [...this.#waiting.keys()]) giveUp();
      this.#hangUp();
      if (await this.#answers(within)) break;
      await sleep(pause, undefined, { ref: false });
    }
    this.silent = false;
    if (!this.#closed) log.warn(`the ${server} answers again`);
  }

  /** Whether the server answers the probe in time; a refused connection is an answer, too. */
  async #answers(within = this.#times.silence): Promise<boolean> {
    const client = this.#client ?? this.#options.open();
    const asked = this.#ask(client);
    const silence = sleep(within, false, { ref: false });
    if (await Promise.race([asked, silence])) return true;
    // This process's event loop may have been blocked: answers that have arrived meanwhile are read first.
    await setImmediate();
    return Promise.race([asked, setImmediate(false)]);
  }

  async #ask(client: RoutedClient): Promise<true> {
    try {
      if (this.#client === undefined) {
        this.#client = client;
        client.on('error', () => this.#forget(client));
        await client.connect();
      }
      await client.query('select 1');
      if (client.misplaced) this.#hangUp();
    } catch {
      // A refusal counts as an answer. After {@link destroy} by ourselves nobody waits for this result any more.
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

/**
 * @throws SilentDatabase while the server is unresponsive
 */
export function requireAnswers(watch: Watch | undefined): void {
  if (watch?.silent === true) throw new SilentDatabase();
}
