import { context, propagation, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import { waitAtMost } from '../shared/wait-at-most.ts';

/** Milliseconds for sending the last spans when the process ends. */
const SENT_WITHIN = 1_000;

/** What became of the spans that were to be sent together; the SDK itself keeps silent about it. */
export interface Outcome {
  sent(): void;
  lost(error: unknown): void;
}

/** Exports spans by OTLP over HTTP; the SDK reads endpoint, sampling and service name from OTEL_… itself. */
export function openExporter(
  version: string,
  outcome: Outcome,
): { readonly tracer: Tracer; close(): Promise<void> } {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'castellan', 'service.version': version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(telling(new OTLPTraceExporter(), outcome))],
  });
  provider.register();
  return {
    tracer: provider.getTracer('castellan'),
    async close() {
      const sent = provider.shutdown().catch(() => undefined);
      await waitAtMost(SENT_WITHIN, sent);
      // Tracing may be started again in the same process.
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}

function telling(exporter: SpanExporter, { sent, lost }: Outcome): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code === 0) sent();
        else lost(result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
