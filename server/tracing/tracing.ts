import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Outcome } from './exporter.ts';

/** The W3C header `traceparent`, by which another process continues a trace. */
export interface TraceContext {
  readonly traceparent?: string;
}

/** Set while traces are exported; otherwise tracing costs no more than a function call. */
let tracer: Tracer | undefined;

/**
 * Starts exporting spans to the collector that the environment names (OTEL_…).
 *
 * @returns a function that sends the remaining spans and stops, within a second
 */
export async function startTracing(
  enabled: boolean,
  version: string,
  outcome: Outcome,
): Promise<() => Promise<void>> {
  if (!enabled) return async () => undefined;
  // Loaded on demand, because it is larger than the rest of the program.
  const { openExporter } = await import('./exporter.ts');
  const exporter = openExporter(version, outcome);
  tracer = exporter.tracer;
  return () => {
    tracer = undefined;
    return exporter.close();
  };
}

/** Runs `work` in a child span of the present one; an error that it throws is recorded in the span. */
export async function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (tracer === undefined) return work();
  return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, (span) => settled(span, work));
}

/** Like {@link inSpan}, as part of a trace that began in another process or request. */
export async function continuing<T>(from: TraceContext, name: string, work: () => Promise<T>): Promise<T> {
  if (tracer === undefined) return work();
  const parent = propagation.extract(context.active(), from);
  return tracer.startActiveSpan(name, { kind: SpanKind.CONSUMER }, parent, (span) => settled(span, work));
}

async function settled<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Only the error's name, because its message may contain data that must not be in traces.
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
    throw error;
  } finally {
    span.end();
  }
}

/** The span of a request: `next` runs in it, and the end of the request ends it with its final attributes. */
export interface RequestSpan {
  readonly traceId: string;
  readonly traceparent: string;
  end(name: string, attributes: Attributes, failed: boolean): void;
}

/** Starts the span of a request; undefined without tracing. */
export function startRequest(from: TraceContext, next: (span: RequestSpan | undefined) => void): void {
  if (tracer === undefined) {
    next(undefined);
    return;
  }
  const parent = propagation.extract(context.active(), from);
  const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
  const within = trace.setSpan(parent, span);
  const carried: { traceparent?: string } = {};
  propagation.inject(within, carried);
  const request: RequestSpan = {
    traceId: span.spanContext().traceId,
    traceparent: carried.traceparent ?? '',
    end(name, attributes, failed) {
      span.updateName(name).setAttributes(attributes);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
  context.with(within, () => next(request));
}

/** The context of the present trace, to be stored in a job; empty without one. */
export function traceContext(): TraceContext {
  const carried: TraceContext = {};
  if (tracer !== undefined) propagation.inject(context.active(), carried);
  return carried;
}

/** The trace's id for log lines. */
export function traceFields(): { readonly trace_id?: string } {
  const id = tracer && trace.getActiveSpan()?.spanContext().traceId;
  return id === undefined ? {} : { trace_id: id };
}
