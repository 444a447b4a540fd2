import { API_VERSION } from '../contract/version.ts';
import type { App } from './app.ts';
import { readArguments } from './cli/command-line.ts';
import { loadSettings, type Settings } from './config/settings.ts';
import { createGate, type Gate, longestDrain } from './http/gate.ts';
import { type Listening, listen } from './http/listen.ts';
import { refusalLog } from './http/refusal-log.ts';
import { openLog } from './observability/log.ts';
import { print } from './observability/output.ts';
import { serveMetrics } from './observability/serve-metrics.ts';
import { startTraces } from './observability/traces.ts';
import { outliveRejections, untilStopped } from './process/lifecycle.ts';
import { announce } from './process/running-service.ts';
import { noStandIns, type StandIns, type StartStandIns } from './process/stand-ins.ts';
import { isSupervised, isSupervisor, supervise, tellReady } from './process/supervise.ts';
import { CannotStart } from './shared/cannot-start.ts';

const USAGE = `npm start        runs the service until Ctrl-C or SIGTERM

Settings come from the environment and from the file .env; .env.example names all of them.
`;

/** The API process: settings → port → app → graceful stop. */
export async function serve(startStandIns: StartStandIns = noStandIns): Promise<void> {
  if (readArguments(USAGE, {}) === undefined) return;
  const configured = loadSettings();
  const log = await openLog(configured);
  outliveRejections(log);
  if (isSupervisor(configured)) {
    // The supervised processes bind the port only when they can answer; this checks first that it is free, before they
    // change anything.
    await (await openPort(createGate(), configured)).stop();
    return supervise(configured, log);
  }
  let app: App | undefined;
  const last = async () => app?.finishTokens();
  const stopped = untilStopped(log, longestDrain(configured.drainSeconds), last);
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  const gate = createGate(undefined, configured.corsOrigins, refusalLog(log));
  // Bound first, so that a start whose port is taken has changed nothing and run no job. A supervised process binds
  // later, because it would get its share of requests before it can answer them.
  let http = isSupervised() ? undefined : await openPort(gate, configured);
  const closers: (() => Promise<unknown>)[] = [await startTraces(configured.tracing, API_VERSION, log)];
  try {
    const standIns = await startStandIns(configured, log, 'service');
    closers.push(standIns.stop);
    const { settings } = standIns;
    // Loading it takes most of the start's time; wrong settings and `--help` are handled before.
    const [{ createApp }, { createApi }] = await Promise.all([import('./app.ts'), import('./api.ts')]);
    app = await createApp(settings, {
      log,
      worker: settings.workers === 'embedded',
      stopping: stopping.signal,
    });
    closers.push(app.close);
    closers.push(await announce(app.services));
    stopping.signal.throwIfAborted();
    gate.open(createApi(app.services, gate.messages));
    http ??= await openPort(gate, configured);
    log.info({ host: settings.host, port: http.port, base_url: settings.baseUrl }, 'listening');
    const metrics = await serveMetrics(app.services.metrics, settings, log);
    closers.push(metrics.stop);
    tellReady();
    closers.push(await welcome(app, standIns));
    const signal = await stopped;
    await gate.drain(signal === 'SIGTERM' ? settings.drainSeconds : 0);
    log.info('stopping');
  } catch (error) {
    if (error !== stopping.signal.reason) throw error;
  } finally {
    await Promise.all([http?.stop(), app?.endJobs()]);
    for (const close of closers.reverse()) await close();
  }
  log.info('stopped');
}

/** Messages for errors of `listen`. */
const UNUSABLE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: is castellan running already? If not, set PORT.',
  EACCES: 'may not be used by this account: set PORT to one above 1023.',
  EADDRNOTAVAIL: 'cannot be used, as this machine does not have that address: set HOST.',
  ENOTFOUND: 'cannot be used, as nothing is known by that name: set HOST.',
};

async function openPort(gate: Gate, { host, port }: Settings): Promise<Listening> {
  try {
    return await listen(gate, host, port);
  } catch (error) {
    const reason = UNUSABLE[(error as NodeJS.ErrnoException).code ?? ''];
    throw reason === undefined ? error : new CannotStart(`Port ${port} of ${host} ${reason}`);
  }
}

/** Prints what to do next; with the simulated provider, whom to sign in as. */
async function welcome({ services }: App, standIns: StandIns): Promise<() => Promise<void>> {
  const { log, settings } = services;
  if (standIns.welcome === undefined) {
    log.info(`ready: ${settings.baseUrl}/docs is the reference, npm run token prints a permanent token`);
    return async () => undefined;
  }
  const { message, stop } = await standIns.welcome(services);
  log.debug('the development start is complete');
  print(message);
  return stop;
}
