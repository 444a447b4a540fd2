import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { readSettings } from '../../server/config/settings.ts';
import { startTracing } from '../../server/tracing/tracing.ts';

/** Receives the traces of this process, as OpenTelemetry's collector would. */
export interface Collector {
  /** The bodies of the requests received. */
  readonly bodies: readonly string[];
  stop(): Promise<void>;
}

/** Call it before the service starts: modules that are loaded earlier are not traced. */
export async function startCollector(service: string): Promise<Collector> {
  const bodies: string[] = [];
  const server = createServer(async (req, res) => {
    bodies.push(await text(req));
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint);
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20');
  vi.stubEnv('OTEL_SERVICE_NAME', service);
  const { tracing } = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const stopTracing = await startTracing(tracing, '0.0.0-test');
  return {
    bodies,
    async stop() {
      await stopTracing();
      server.close();
      vi.unstubAllEnvs();
    },
  };
}
