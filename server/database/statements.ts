import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { RoutedClient, type RoutedClientConfig } from './client.ts';
import { codeOf, isUnanswered, isUndone } from './errors.ts';
import { requireAnswers, type Watch } from './watch.ts';

export interface NamingClientConfig extends RoutedClientConfig {
  /** Maximum number of prepared statements per connection; 0 for none. */
  readonly namedStatements?: number;
  /** Called with the text of every statement before it is sent. */
  readonly onStatement?: (sql: string) => void;
  /** Wraps every statement. */
  readonly around?: <T>(sql: string, send: () => Promise<T>) => Promise<T>;
  /** Detects an unresponsive server. */
  readonly watch?: Watch;
}

const DEFAULT_NAMED_STATEMENTS = 256;

/** Characters; a longer text has a list in it and hardly comes twice. */
const MOST_CHARACTERS = 32_768;

/**
 * One copy of the texts that connections remember. Kysely makes a new string for every call, and each connection would
 * keep another of some kilobytes, all of them together tens of megabytes after an hour.
 */
const texts = new LRUCache<string, string>({ max: 4 * DEFAULT_NAMED_STATEMENTS });

function sharedCopy(sql: string): string {
  const known = texts.get(sql);
  if (known !== undefined) return known;
  texts.set(sql, sql);
  return sql;
}

/**
 * Marks a statement that must not be named: its tables grow from nothing to thousands of rows within seconds, and the plan
 * of a named one would stay that for a small table until they are analyzed.
 */
export const PLANNED_EACH_TIME = '/* planned each time */';

/** Maximum attempts for a statement that PostgreSQL rolled back because of a deadlock or the like. */
const TRIES = 4;

type Send = (statement: unknown, values?: unknown, callback?: unknown) => unknown;

/**
 * A connection that uses named (prepared) statements, so that PostgreSQL parses and plans each once per connection
 * instead of once per call. A statement is named at its second use, up to a maximum number: one-off texts (such as
 * lists of varying length) stay unnamed and do not use up the server's memory. Outside a transaction it retries
 * statements after a deadlock or serialization failure. It closes itself when PostgreSQL does not answer.
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

  /** Rejects at once while the server is known to be unresponsive, and as soon as that is detected. */
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
    // Only statements with parameters use the extended protocol; others may contain several statements, which cannot be
    // prepared.
    const nameless = values.length === 0 || sql.includes(PLANNED_EACH_TIME);
    if (nameless || sql.length > MOST_CHARACTERS) return sql;
    const name = this.#names.get(sql);
    if (name !== undefined) return { name, text: sql };
    return this.#issued >= this.#limit ? sql : this.#namedFromNowOn(sharedCopy(sql));
  }

  #namedFromNowOn(sql: string): string | { name: string; text: string } {
    if (this.#seenOnce.delete(sql)) {
      const name = `s${this.#issued++}`;
      this.#names.set(sql, name);
      return { name, text: sql };
    }
    if (this.#seenOnce.size >= this.#limit) this.#seenOnce.clear();
    this.#seenOnce.add(sql);
    return sql;
  }

  async #insist(sql: string, send: () => Promise<unknown>): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await send();
      } catch (error) {
        // A late answer would be taken for that of the next statement, so the pool must not use this connection again.
        if (isUnanswered(error)) void this.end();
        const stale = isStalePlan(error);
        // A migration by another process changed the result columns of a prepared `select *`: PostgreSQL then rejects
        // that name for ever.
        if (stale) this.#names.delete(sql);
        const undone = stale || isUndone(error);
        // Within a transaction everything was rolled back, so the whole transaction has to be retried by its owner. So
        // has one that failed at its end: a second `commit` would succeed, with nothing to commit.
        const whole = sql === 'commit' || this.getTransactionStatus() !== 'I';
        if (!undone || tries === TRIES || whole) throw error;
      }
    }
  }
}

/** Told by PostgreSQL's function that raises it: 0A000 has many causes, and the message is in the server's language. */
function isStalePlan(error: unknown): boolean {
  return codeOf(error) === '0A000' && (error as pg.DatabaseError).routine === 'RevalidateCachedQuery';
}

function textOf(statement: unknown): string | undefined {
  if (typeof statement === 'string') return statement;
  const text = (statement as { text?: unknown } | null | undefined)?.text;
  return typeof text === 'string' ? text : undefined;
}
