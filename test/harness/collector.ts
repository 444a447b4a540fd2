import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { readSettings } from '../../server/config/settings.ts';
import { createLog } from '../../server/observability/log.ts';
import { startTraces } from '../../server/observability/traces.ts';

/** Receives the traces of this process, as OpenTelemetry's collector would. */
export interface Collector {
  /** The bodies of the requests received. */
  readonly bodies: readonly string[];
  /** The status of its answers. */
  status: number;
  stop(): Promise<void>;
}

/** Call it before the service starts: modules that are loaded earlier are not traced. */
export async function startCollector(service: string, log = createLog('silent')): Promise<Collector> {
  const bodies: string[] = [];
  const server = createServer(async (req, res) => {
    bodies.push(await text(req));
    res.writeHead(collector.status, { 'Content-Type': 'application/json' }).end('{}');
  });
  const collector: Collector = {
    bodies,
    status: 200,
    async stop() {
      await stopTracing();
      server.close();
      vi.unstubAllEnvs();
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20');
  vi.stubEnv('OTEL_SERVICE_NAME', service);
  const { tracing } = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const stopTracing = await startTraces(tracing, '0.0.0-test', log);
  return collector;
}
