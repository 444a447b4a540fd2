import type { Logger } from 'pino';
import { type App, createApp } from './app.ts';
import { isInUse, type Listening, listen } from './http/listen.ts';
import { createLog } from './log.ts';
import { serveMetrics } from './metrics.ts';
import { CannotStart, explainStart, untilStopped } from './process.ts';
import { loadSettings, type Settings } from './settings.ts';

/** The process: settings → app → listen → graceful stop. */
async function main(): Promise<void> {
  const settings = loadSettings();
  const log = createLog(settings.logLevel);
  const stopped = untilStopped(log);
  const app = await createApp(settings, { log, worker: settings.workers === 'embedded' });
  let http: Listening | undefined;
  let metrics: { stop(): Promise<void> } | undefined;
  try {
    http = await openPort(app, settings);
    log.info({ host: settings.host, port: http.port, base_url: settings.baseUrl }, 'listening');
    metrics = await serveMetrics(app.parts.metrics, settings, log);
    const welcome = await welcomeNewcomers(app, log);
    await stopped;
    log.info('stopping');
    await welcome?.stop();
  } finally {
    await http?.stop();
    await metrics?.stop();
    await app.close();
  }
  log.info('stopped');
}

async function openPort(app: App, { host, port }: Settings): Promise<Listening> {
  try {
    return await listen(app.createHttp(), host, port);
  } catch (error) {
    if (!isInUse(error)) throw error;
    throw new CannotStart(
      `Port ${port} of ${host} is in use: is castellan running already? If not, set PORT.`,
    );
  }
}

/** With the simulated provider: something to sign in to, and how. */
async function welcomeNewcomers({ parts, simulated }: App, log: Logger) {
  if (simulated === undefined) return undefined;
  const { startWelcome } = await import('./simulated/welcome.ts');
  const welcome = await startWelcome(parts, simulated);
  log.debug('the development start is complete');
  process.stdout.write(welcome.message);
  return welcome;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(explainStart(error));
    process.exit(1);
  },
);
