import type { Logger } from 'pino';
import { systemClock } from '../shared/clock.ts';
import { startTracing } from '../tracing/tracing.ts';
import { createOutages } from './outages.ts';

/** The collector's name in the log. */
const SUBJECT = 'the collector of traces';

/** Starts tracing where it is enabled, and logs when the collector does not take the spans, and takes them again. */
export function startTraces(enabled: boolean, version: string, log: Logger): Promise<() => Promise<void>> {
  const outages = createOutages(log, systemClock);
  return startTracing(enabled, version, {
    lost: (err) => outages.failed(SUBJECT, { err }, 'traces could not be sent and are lost'),
    sent: () => outages.worked(SUBJECT),
  });
}
