import pg from 'pg';
import { codeOf } from './errors.ts';

export interface NamingClientConfig extends pg.ClientConfig {
  /** How many statements one connection may hold prepared; 0 names none. */
  readonly namedStatements?: number;
  /** Called with the text of every statement before it is sent. */
  readonly onStatement?: (sql: string) => void;
}

const DEFAULT_NAMED_STATEMENTS = 256;

type Send = (statement: unknown, values?: unknown, callback?: unknown) => unknown;

/**
 * A connection that names its statements, so that PostgreSQL parses and plans each of them once per connection
 * instead of once per call. A text is named at its second use and only while the bound lasts: one-off texts
 * (lists of changing length) stay unnamed and cannot fill the server's memory.
 */
export class NamingClient extends pg.Client {
  readonly #names = new Map<string, string>();
  readonly #seenOnce = new Set<string>();
  readonly #limit: number;
  #issued = 0;

  constructor(config: NamingClientConfig = {}) {
    super(config);
    this.#limit = config.namedStatements ?? DEFAULT_NAMED_STATEMENTS;
    // The pool listens while a connection is idle; one lost within a transaction would end the process.
    this.on('error', () => undefined);
    const send: Send = super.query.bind(this) as Send;
    const query: Send = (statement, values, callback) => {
      const text = textOf(statement);
      if (text !== undefined) config.onStatement?.(text);
      // Only what carries parameters goes through the extended protocol anyway; the rest may be several statements.
      if (typeof statement !== 'string' || !Array.isArray(values) || values.length === 0) {
        return send(statement, values, callback);
      }
      const name = this.#nameOf(statement);
      if (name === undefined) return send(statement, values, callback);
      const result = send({ name, text: statement }, values, callback);
      return result instanceof Promise ? this.#mendStalePlan(result, statement, values, query) : result;
    };
    this.query = query as pg.Client['query'];
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

  /**
   * A migration on another replica may change what a prepared `select *` returns; PostgreSQL then refuses that
   * name for good. Forget it, and outside a transaction run the text again.
   */
  async #mendStalePlan(
    result: Promise<unknown>,
    sql: string,
    values: unknown[],
    again: Send,
  ): Promise<unknown> {
    try {
      return await result;
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      this.#names.delete(sql);
      if (this.getTransactionStatus() !== 'I') throw error;
      return again(sql, values);
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
