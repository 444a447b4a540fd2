import { createApp } from '../server/app.ts';
import { createLog } from '../server/log.ts';
import { serveMetrics } from '../server/metrics.ts';
import { explainStart, untilStopped } from '../server/process.ts';
import { loadSettings } from '../server/settings.ts';

/** A worker on its own: any number of them share the work through the queue. */
async function main(): Promise<void> {
  const settings = loadSettings();
  const log = createLog(settings.logLevel);
  const stopped = untilStopped(log);
  const app = await createApp(settings, { log, worker: true, beside: true });
  const metrics = await serveMetrics(app.parts.metrics, settings, log);
  log.info('working');
  await stopped;
  await metrics.stop();
  await app.close();
  log.info('stopped');
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(explainStart(error));
    process.exit(1);
  },
);
