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

/** What continues a trace elsewhere: the header `traceparent` of the W3C. */
export interface TraceContext {
  readonly traceparent?: string;
}

/** Makes spans of OpenTelemetry while somebody collects them; else nothing of it costs more than a call. */
let tracer: Tracer | undefined;

/**
 * Sends spans to the collector that the environment names (OTEL_…), from now on.
 *
 * @returns what sends the rest and ends it, within a second
 */
export async function startTracing(enabled: boolean, version: string): Promise<() => Promise<void>> {
  if (!enabled) return async () => undefined;
  // Loaded only where it is wanted: it is larger than all the rest.
  const { openExporter } = await import('./exporter.ts');
  const exporter = openExporter(version);
  tracer = exporter.tracer;
  return () => {
    tracer = undefined;
    return exporter.close();
  };
}

/** Does the work in a span of its own, below the present one; an error that it throws is the span's. */
export async function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (tracer === undefined) return work();
  return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, (span) => settled(span, work));
}

/** The same for something that was asked for elsewhere, whose trace it continues. */
export async function continuing<T>(from: TraceContext, name: string, work: () => Promise<T>): Promise<T> {
  if (tracer === undefined) return work();
  const parent = propagation.extract(context.active(), from);
  return tracer.startActiveSpan(name, { kind: SpanKind.CONSUMER }, parent, (span) => settled(span, work));
}

async function settled<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Its words may hold what a trace must not.
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
    throw error;
  } finally {
    span.end();
  }
}

/** The span of a request: `next` runs in it, and whoever ends the request ends it with what is known then. */
export interface RequestSpan {
  readonly traceId: string;
  readonly traceparent: string;
  end(name: string, attributes: Attributes, failed: boolean): void;
}

/** Undefined where nobody collects traces. */
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

/** What takes the present trace along, as into a job; nothing where there is none. */
export function traceContext(): TraceContext {
  const carried: TraceContext = {};
  if (tracer !== undefined) propagation.inject(context.active(), carried);
  return carried;
}

/** For the log. */
export function traceFields(): { readonly trace_id?: string } {
  const id = tracer && trace.getActiveSpan()?.spanContext().traceId;
  return id === undefined ? {} : { trace_id: id };
}
