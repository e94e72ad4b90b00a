/**
 * Spans of traces, for code that is not to know of OpenTelemetry. Without tracing, `traced` only calls its work: the
 * packages of OpenTelemetry are not even loaded.
 */
import type { TraceContext } from './traceparent.ts';

export type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanOptions<T> {
  /** A request of ours to another server; inner work without it. */
  client?: boolean;
  attributes?: SpanAttributes;
  /** Returns attributes of the result. */
  after?: (result: Awaited<T>) => SpanAttributes;
}

/** A span that is begun and ended in different places. */
export interface OpenSpan {
  readonly context: TraceContext;
  /** Runs the function below this span. */
  within(run: () => void): void;
  /** `failed`: marks it as an error of ours. */
  end(name: string, attributes: SpanAttributes, failed: boolean): void;
}

export interface Spans {
  run<T>(name: string, work: () => T, options?: SpanOptions<T>): T;
  /** Begins the span of a request to this server. */
  open(name: string, parent: TraceContext | undefined): OpenSpan;
}

let spans: Spans | undefined;

/** Traces the process from now on, or no longer. */
export const setSpans = (given: Spans | undefined): void => {
  spans = given;
};

/** Returns undefined without tracing. */
export const currentSpans = (): Spans | undefined => spans;

/** Runs the work as a span below the current one, until its promise settles. */
export const traced = <T>(name: string, work: () => T, options?: SpanOptions<T>): T =>
  spans === undefined ? work() : spans.run(name, work, options);
