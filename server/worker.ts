import { createApp } from './app.ts';
import { readArguments } from './cli/command-line.ts';
import { loadSettings } from './config/settings.ts';
import { openLog } from './observability/log.ts';
import { serveMetrics } from './observability/metrics.ts';
import { runProgram, untilStopped } from './process.ts';

const USAGE = `npm run jobs     runs a worker beside the service until Ctrl-C or SIGTERM

Settings come from the environment and from the file .env, as for the service.
`;

/** A worker on its own: any number of them share the work through the queue. */
async function main(): Promise<void> {
  if (readArguments(USAGE, {}) === undefined) return;
  const settings = loadSettings();
  const log = await openLog(settings);
  const stopped = untilStopped(log);
  const app = await createApp(settings, { log, worker: true, beside: true });
  const metrics = await serveMetrics(app.services.metrics, settings, log);
  log.info('working');
  await stopped;
  await metrics.stop();
  await app.close();
  log.info('stopped');
}

void runProgram(main);
