import { inSpan } from '../tracing/tracing.ts';
import type { Metrics } from './metrics.ts';

/** A wrapper around sending a statement and awaiting its answer. */
export type AroundStatement = <T>(sql: string, send: () => Promise<T>) => Promise<T>;

/** Measures each statement and adds it to the trace by its text, which contains no values. */
export function measureStatements({ statementDuration }: Metrics): AroundStatement {
  return async (sql, send) => {
    const began = performance.now();
    const verb = verbOf(sql);
    try {
      return await inSpan(verb, { 'db.system.name': 'postgresql', 'db.query.text': sql }, send);
    } finally {
      statementDuration.observe({ verb }, (performance.now() - began) / 1000);
    }
  };
}

const VERB = /^\s*(select|insert|update|delete|with|begin|commit|rollback|savepoint)\b/i;

function verbOf(sql: string): string {
  return VERB.exec(sql)?.[1]?.toLowerCase() ?? 'other';
}
