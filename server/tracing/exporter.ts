import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/** Milliseconds that the end of a process waits for a collector. */
const SENT_WITHIN = 1_000;

/** Sends spans by OTLP over HTTP; where to, how many, and under which name, the SDK reads from OTEL_… itself. */
export function openExporter(version: string): () => Promise<void> {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'castellan', 'service.version': version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return () =>
    Promise.race([provider.shutdown().catch(() => undefined), sleep(SENT_WITHIN, undefined, { ref: false })]);
}
