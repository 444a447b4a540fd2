import { API_VERSION } from '../contract/version.ts';
import type { App } from './app.ts';
import { readArguments } from './cli/command-line.ts';
import { loadSettings } from './config/settings.ts';
import { openLog } from './observability/log.ts';
import { serveMetrics } from './observability/serve-metrics.ts';
import { startTraces } from './observability/traces.ts';
import { outliveRejections, untilStopped } from './process/lifecycle.ts';
import { noStandIns, type StartStandIns } from './process/stand-ins.ts';

const USAGE = `npm run jobs     runs a worker beside the service until Ctrl-C or SIGTERM

Settings come from the environment and from the file .env, as for the service.
`;

/** A worker process; any number of them share the jobs through the queue. */
export async function work(startStandIns: StartStandIns = noStandIns): Promise<void> {
  if (readArguments(USAGE, {}) === undefined) return;
  const configured = loadSettings();
  const log = await openLog(configured);
  outliveRejections(log);
  let app: App | undefined;
  const stopped = untilStopped(log, 0, async () => app?.finishTokens());
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  const stopTracing = await startTraces(configured.tracing, API_VERSION, log);
  const { settings, stop } = await startStandIns(configured, log, 'worker');
  try {
    // Loading it takes most of the start's time; wrong settings are refused before.
    const { createApp } = await import('./app.ts');
    app = await createApp(settings, { log, worker: true, beside: true, stopping: stopping.signal });
    const metrics = await serveMetrics(app.services.metrics, settings, log);
    log.info('working');
    await stopped;
    await metrics.stop();
    await app.close();
  } catch (error) {
    if (error !== stopping.signal.reason) throw error;
  } finally {
    await stop();
    await stopTracing();
  }
  log.info('stopped');
}
