import type { Kysely } from 'kysely';
import type { Database } from '../../server/database/tables.ts';

/** Says in a request which scenario it belongs to: the bare handler has no routes. */
export const SCENARIO_HEADER = 'x-scenario';

/** A statement of the service, as its own query functions compile it. */
export interface Statement {
  readonly text: string;
  /** The values that it was recorded with. */
  readonly values: readonly unknown[];
}

/** Does something of the service's and returns the statements that it sent. */
export type Record = (work: (db: Kysely<Database>) => Promise<unknown>) => Promise<Statement[]>;

/** Runs a statement, unnamed, with other values where they are given. */
export type Run = <Row>(statement: Statement, values?: readonly unknown[]) => Promise<Row[]>;

/** Does some of the work in one transaction. */
export type Within = <T>(work: (run: Run) => Promise<T>) => Promise<T>;

/** Asks the provider's API for a path and parses its answer. */
export type AskProvider = (path: string) => Promise<{ readonly pages: number; readonly data: unknown }>;

/** What the bare handler has to work with. */
export interface Tools {
  readonly run: Run;
  readonly within: Within;
  readonly ask: AskProvider;
}

/** What the bare handler does with a request: run the statements, give back the object to answer with, or its JSON. */
export type Answer = (tools: Tools, path: string, body: string) => Promise<unknown>;

export interface Scenario {
  /** Method and path, as in the interface: the heading in the report and the word for `--only`. */
  readonly name: string;
  /** The path of the n-th request. */
  path(n: number): string;
  readonly method?: 'PUT';
  /** Who asks, the user when absent. */
  readonly by?: 'application' | 'relying party';
  /** JSON of the n-th request. */
  body?(n: number): string;
  /** What differs in two answers to the same request. */
  readonly changes?: readonly string[];
  /** Users in one answer, where its size is worth a figure. */
  readonly users?: number;
  /** Takes so long that few are enough. */
  readonly slow?: true;
  /** Who else does the same, for comparison. */
  readonly other: BareHandler | BareForwarder | ProviderItself | WithoutLimit;
}

/** The bare handler gives the same answer by one statement, where it writes by the service's own in one transaction. */
interface BareHandler {
  readonly is: 'bare';
  /** The statements are the service's own, recorded, so that they cannot drift apart. */
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

/** The one statement that was recorded. */
export function only(recorded: readonly Statement[]): Statement {
  const [statement] = recorded;
  if (statement === undefined || recorded.length > 1)
    throw new Error(`${recorded.length} statements, not one`);
  return statement;
}
