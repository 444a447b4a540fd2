import type { Metrics } from './metrics.ts';

/** Does what sends a statement and waits for its answer. */
export type AroundStatement = <T>(sql: string, send: () => Promise<T>) => Promise<T>;

/** Measures each statement. */
export function measureStatements({ statementDuration }: Metrics): AroundStatement {
  return async (sql, send) => {
    const began = performance.now();
    try {
      return await send();
    } finally {
      statementDuration.observe({ verb: verbOf(sql) }, (performance.now() - began) / 1000);
    }
  };
}

const VERB = /^\s*(select|insert|update|delete|with|begin|commit|rollback|savepoint)\b/i;

function verbOf(sql: string): string {
  return VERB.exec(sql)?.[1]?.toLowerCase() ?? 'other';
}
