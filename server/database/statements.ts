import type pg from 'pg';
import { RoutedClient, type RoutedClientConfig } from './client.ts';
import { codeOf, isUnanswered, isUndone } from './errors.ts';
import { requireAnswers, type Watch } from './watch.ts';

export interface NamingClientConfig extends RoutedClientConfig {
  /** How many statements one connection may hold prepared; 0 names none. */
  readonly namedStatements?: number;
  /** Called with the text of every statement before it is sent. */
  readonly onStatement?: (sql: string) => void;
  /** Told of every statement that is awaited, and sends it. */
  readonly around?: <T>(sql: string, send: () => Promise<T>) => Promise<T>;
  /** Notices when the server keeps silent. */
  readonly watch?: Watch;
}

const DEFAULT_NAMED_STATEMENTS = 256;

/** How often a statement is tried that was undone through no fault of its own. */
const TRIES = 4;

type Send = (statement: unknown, values?: unknown, callback?: unknown) => unknown;

/**
 * A connection that names its statements, so that PostgreSQL parses and plans each of them once per connection
 * instead of once per call. A text is named at its second use and only while the bound lasts: one-off texts
 * (lists of changing length) stay unnamed and cannot fill the server's memory. Outside a transaction it makes those
 * again that PostgreSQL undid by itself, and it gives itself up when PostgreSQL does not answer at all.
 */
export class NamingClient extends RoutedClient {
  readonly #names = new Map<string, string>();
  readonly #seenOnce = new Set<string>();
  readonly #limit: number;
  readonly #watch: Watch | undefined;
  #issued = 0;

  constructor(config: NamingClientConfig = {}) {
    super(config);
    this.#limit = config.namedStatements ?? DEFAULT_NAMED_STATEMENTS;
    this.#watch = config.watch;
    // The pool listens while a connection is idle; one lost within a transaction would end the process.
    this.on('error', () => undefined);
    const send: Send = super.query.bind(this) as Send;
    const query: Send = (statement, values, callback) => {
      const text = textOf(statement);
      if (text !== undefined) config.onStatement?.(text);
      if (callback !== undefined || typeof statement !== 'string') return send(statement, values, callback);
      const plain = () => send(statement, values) as Promise<unknown>;
      const work = Array.isArray(values)
        ? () =>
            this.#insist(statement, () => send(this.#named(statement, values), values) as Promise<unknown>)
        : plain;
      const watched = () => this.#watched(work);
      return config.around === undefined ? watched() : config.around(statement, watched);
    };
    this.query = query as pg.Client['query'];
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error?: Error) => void): void;
  override connect(callback?: (error?: Error) => void): Promise<pg.Client> | undefined {
    const connected = this.#watched(() => super.connect());
    if (callback === undefined) return connected;
    connected.then(() => callback(), callback);
    return undefined;
  }

  /** Not begun while the server is known to keep silent, and given up when it turns out to. */
  async #watched<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    requireAnswers(this.#watch);
    const end = this.#watch?.begin(() => this.destroy());
    try {
      return await work();
    } catch (error) {
      this.learnFrom(error);
      throw error;
    } finally {
      end?.();
    }
  }

  #named(sql: string, values: readonly unknown[]): string | { name: string; text: string } {
    // Only what carries parameters goes through the extended protocol anyway; the rest may be several statements.
    const name = values.length === 0 ? undefined : this.#nameOf(sql);
    return name === undefined ? sql : { name, text: sql };
  }

  #nameOf(sql: string): string | undefined {
    const name = this.#names.get(sql);
    if (name !== undefined || this.#issued >= this.#limit) return name;
    if (this.#seenOnce.delete(sql)) return this.#issue(sql);
    if (this.#seenOnce.size >= this.#limit) this.#seenOnce.clear();
    this.#seenOnce.add(sql);
    return undefined;
  }

  #issue(sql: string): string {
    const name = `s${this.#issued++}`;
    this.#names.set(sql, name);
    return name;
  }

  async #insist(sql: string, send: () => Promise<unknown>): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await send();
      } catch (error) {
        // What comes on this connection from now on answers who has gone: the pool shall not use it again.
        if (isUnanswered(error)) void this.end();
        const stale = isStalePlan(error);
        // A migration on another replica changed what a prepared `select *` returns: PostgreSQL refuses the name for good.
        if (stale) this.#names.delete(sql);
        const undone = stale || isUndone(error);
        // Within a transaction all of it was undone, and whoever began it has to begin anew.
        if (!undone || tries === TRIES || this.getTransactionStatus() !== 'I') throw error;
      }
    }
  }
}

function isStalePlan(error: unknown): boolean {
  return codeOf(error) === '0A000' && /cached plan/.test((error as Error).message);
}

function textOf(statement: unknown): string | undefined {
  if (typeof statement === 'string') return statement;
  const text = (statement as { text?: unknown } | null | undefined)?.text;
  return typeof text === 'string' ? text : undefined;
}
