import type { Kysely } from 'kysely';
import type { Database } from '../../server/database/tables.ts';

/** Says in a request which scenario it belongs to: the bare handler has no routes. */
export const SCENARIO_HEADER = 'x-scenario';

/** A statement of the service, as its own query functions compile it. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** The values that it was recorded with. */
  readonly values: readonly unknown[];
}

/** Runs one query function and returns the one statement that it sent. */
export type Record = (work: (db: Kysely<Database>) => Promise<unknown>) => Promise<Statement>;

/** Runs a statement, prepared under its name, with other values where they are given. */
export type Run = <Row>(statement: Statement, values?: readonly unknown[]) => Promise<Row[]>;

/** Asks the provider's API for a path and parses its answer. */
export type AskProvider = (path: string) => Promise<{ readonly pages: number; readonly data: unknown }>;

/** What the bare handler does with a request: run the statements, give back the object to answer with. */
export type Answer = (run: Run, path: string, ask: AskProvider) => Promise<unknown>;

export interface Scenario {
  /** Method and path, as in the interface: the heading in the report and the word for `--only`. */
  readonly name: string;
  /** The path of the n-th request. */
  path(n: number): string;
  /** Users in one answer, where its size is worth a figure. */
  readonly users?: number;
  /** Takes so long that few are enough. */
  readonly slow?: true;
  /** Who else does the same, for comparison. */
  readonly other: BareHandler | BareForwarder | ProviderItself | WithoutLimit;
}

/** The bare handler runs the same statements and gives the same answer. */
interface BareHandler {
  readonly is: 'bare';
  /** The statements are recorded, so that they cannot drift apart. */
  answer(record: Record): Promise<Answer>;
}

/** The bare handler asks the provider, and no database. */
interface BareForwarder {
  readonly is: 'bare forwarder';
  /** Answers with what the service's answer has as `data`. */
  readonly answer: Answer;
}

/** The service against itself: with a rate limit that is never reached, and with none. */
interface WithoutLimit {
  readonly is: 'without limit';
}

/** The provider answers by itself what the service's answer has as `data`. */
interface ProviderItself {
  readonly is: 'provider';
  /** The path of the n-th request. */
  path(n: number): string;
}
