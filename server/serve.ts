import { setTimeout as sleep } from 'node:timers/promises';
import { API_VERSION } from '../contract/version.ts';
import type { App } from './app.ts';
import { readArguments } from './cli/command-line.ts';
import { loadSettings, type Settings } from './config/settings.ts';
import { createGate, type Gate } from './http/gate.ts';
import { type Listening, listen } from './http/listen.ts';
import { openLog } from './observability/log.ts';
import { print } from './observability/output.ts';
import { serveMetrics } from './observability/serve-metrics.ts';
import { untilStopped } from './process/lifecycle.ts';
import { announce } from './process/running-service.ts';
import { noStandIns, type StandIns, type StartStandIns } from './process/stand-ins.ts';
import { isSupervised, isSupervisor, supervise, tellReady } from './process/supervise.ts';
import { CannotStart } from './shared/cannot-start.ts';
import { startTracing } from './tracing/tracing.ts';

const USAGE = `npm start        runs the service until Ctrl-C or SIGTERM

Settings come from the environment and from the file .env; .env.example names all of them.
`;

/** The API's process: settings → port → app → graceful stop. */
export async function serve(startStandIns: StartStandIns = noStandIns): Promise<void> {
  if (readArguments(USAGE, {}) === undefined) return;
  const configured = loadSettings();
  const log = await openLog(configured);
  if (isSupervisor(configured)) {
    // Its processes ask for the port when they can answer; that it is free is known before they touch anything.
    await (await openPort(createGate(), configured)).stop();
    return supervise(configured, log);
  }
  const stopped = untilStopped(log, configured.drainSeconds);
  const gate = createGate();
  // First of all: a start that finds its port taken has touched nothing and run no job. One of several behind one port
  // would be given its share of requests, and refuse them until it is ready.
  let http = isSupervised() ? undefined : await openPort(gate, configured);
  const closers: (() => Promise<unknown>)[] = [await startTracing(configured.tracing, API_VERSION)];
  let app: App | undefined;
  try {
    const standIns = await startStandIns(configured, log, 'service');
    closers.push(standIns.stop);
    const { settings } = standIns;
    // Loading it takes four fifths of a start: settings are refused, and usage is told, before.
    const { createApp } = await import('./app.ts');
    app = await createApp(settings, { log, worker: settings.workers === 'embedded' });
    closers.push(app.close);
    closers.push(await announce(app.services));
    gate.open(app.createHttp(gate.messages));
    http ??= await openPort(gate, configured);
    log.info({ host: settings.host, port: http.port, base_url: settings.baseUrl }, 'listening');
    tellReady();
    const metrics = await serveMetrics(app.services.metrics, settings, log);
    closers.push(metrics.stop);
    closers.push(await welcome(app, standIns));
    const signal = await stopped;
    gate.drain();
    if (signal === 'SIGTERM') await sleep(settings.drainSeconds * 1000);
    log.info('stopping');
  } finally {
    await Promise.all([http?.stop(), app?.endJobs()]);
    for (const close of closers.reverse()) await close();
  }
  log.info('stopped');
}

/** Why a port cannot be listened on, for those who chose it. */
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

/** What to do next: with the simulated provider, there is something to sign in to. */
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
