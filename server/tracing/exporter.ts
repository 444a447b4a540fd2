import { setTimeout as sleep } from 'node:timers/promises';
import { context, propagation, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/** Milliseconds for sending the last spans when the process ends. */
const SENT_WITHIN = 1_000;

/** Exports spans by OTLP over HTTP; the SDK reads endpoint, sampling and service name from OTEL_… itself. */
export function openExporter(version: string): { readonly tracer: Tracer; close(): Promise<void> } {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'castellan', 'service.version': version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return {
    tracer: provider.getTracer('castellan'),
    async close() {
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, sleep(SENT_WITHIN, undefined, { ref: false })]);
      // Tracing may be started again in the same process.
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}
