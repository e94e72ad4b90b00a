/**
 * Traces of OpenTelemetry, when the standard `OTEL_…` variables name an exporter. The SDK is loaded only then. Spans
 * are sent in batches beside the requests; what cannot be sent is dropped.
 */
import type { Context, Span, Tracer } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { type SpanOptions, type Spans, setSpans } from '../lib/spans.ts';
import type { TraceContext } from '../lib/traceparent.ts';
import { VERSION } from '../lib/version.ts';

type Env = Record<string, string | undefined>;
type Api = typeof import('@opentelemetry/api');
type Sdk = typeof import('@opentelemetry/sdk-trace');

export interface Tracing {
  /** Sends what is left, for a bounded time. */
  close(): Promise<void>;
}

const CLOSE_WITHIN_MS = 3_000;

/** Returns a sentence for each variable that asks for what Postern does not do. */
export function tracingFaults(env: Env): string[] {
  const faults: string[] = [];
  const { OTEL_TRACES_EXPORTER: exporter = 'otlp', OTEL_TRACES_SAMPLER: sampler = 'always_on' } = env;
  const protocol = readProtocol(env);
  if (!['otlp', 'console', 'none', ''].includes(exporter)) {
    faults.push(`OTEL_TRACES_EXPORTER: must be otlp, console or none, not "${exporter}"; nothing is traced`);
  }
  if (!['http/protobuf', 'http/json'].includes(protocol)) {
    faults.push(
      `OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json, not "${protocol}"; nothing is traced`,
    );
  }
  if (!/^(parentbased_)?(always_on|always_off|traceidratio)$/.test(sampler)) {
    faults.push(`OTEL_TRACES_SAMPLER: "${sampler}" is not known; every request is traced unless its caller says no`);
  }
  return faults;
}

const readProtocol = (env: Env): string =>
  env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';

/** Returns the exporter that the variables ask for; undefined for none. */
function readExporter(env: Env): 'console' | 'http/json' | 'http/protobuf' | undefined {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  const exporter = env.OTEL_TRACES_EXPORTER;
  if (exporter === 'console') return 'console';
  // Without any of these, traces are not wanted, although `otlp` is the standard's default.
  const asked = exporter || env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (!asked || (exporter && exporter !== 'otlp')) return undefined;
  const protocol = readProtocol(env);
  return protocol === 'http/json' || protocol === 'http/protobuf' ? protocol : undefined;
}

/** Begins to trace this process. Returns undefined, and loads nothing, where the variables ask for no traces. */
export async function openTracing(env: Env): Promise<Tracing | undefined> {
  const kind = readExporter(env);
  if (kind === undefined) return undefined;
  const [api, sdk, resources, { AsyncLocalStorageContextManager }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/context-async-hooks'),
  ]);
  const contexts = new AsyncLocalStorageContextManager().enable();
  api.context.setGlobalContextManager(contexts);
  const provider = new sdk.TracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'postern', 'service.version': VERSION }))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: createSampler(env, sdk),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: await openExporter(kind, sdk), ...readBatchOptions(env) })],
  });
  setSpans(toSpans(api, provider.getTracer('postern', VERSION)));
  return {
    async close() {
      setSpans(undefined);
      const late = new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS).unref());
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      contexts.disable();
    },
  };
}

async function openExporter(kind: NonNullable<ReturnType<typeof readExporter>>, sdk: Sdk): Promise<SpanExporter> {
  if (kind === 'console') return new sdk.ConsoleSpanExporter();
  const { OTLPTraceExporter } =
    kind === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

/** Bounds of the queue and its batches; the SDK's own without a number. */
function readBatchOptions(env: Env) {
  const options = {
    maxQueueSize: Number(env.OTEL_BSP_MAX_QUEUE_SIZE),
    maxExportBatchSize: Number(env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE),
    scheduledDelayMillis: Number(env.OTEL_BSP_SCHEDULE_DELAY),
    exportTimeoutMillis: Number(env.OTEL_BSP_EXPORT_TIMEOUT),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value > 0));
}

/** The standard's samplers; the default traces what the caller traces, and every request without a caller's trace. */
function createSampler(env: Env, sdk: Sdk) {
  const name = env.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on';
  const given = Number(env.OTEL_TRACES_SAMPLER_ARG || 1);
  const ratio = given >= 0 && given <= 1 ? given : 1;
  const base = name.replace('parentbased_', '');
  const root =
    base === 'always_off'
      ? new sdk.AlwaysOffSampler()
      : base === 'traceidratio'
        ? new sdk.TraceIdRatioBasedSampler(ratio)
        : new sdk.AlwaysOnSampler();
  const isRoot = ['always_on', 'always_off', 'traceidratio'].includes(name);
  return isRoot ? root : new sdk.ParentBasedSampler({ root });
}

function toSpans({ trace, context, ROOT_CONTEXT, SpanKind, SpanStatusCode }: Api, tracer: Tracer): Spans {
  const fail = (span: Span, error: unknown): void => {
    // Not its message, which may hold values.
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  };

  function run<T>(name: string, work: () => T, options: SpanOptions<T> = {}): T {
    const { client = false, attributes = {}, after } = options;
    const kind = client ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const span = tracer.startSpan(name, { kind, attributes }, context.active());
    const done = (result: Awaited<T>): void => {
      if (after !== undefined) span.setAttributes(after(result));
      span.end();
    };
    const failed = (error: unknown): never => {
      fail(span, error);
      span.end();
      throw error;
    };
    try {
      const result = context.with(trace.setSpan(context.active(), span), work);
      if (result instanceof Promise) {
        return result.then((value) => {
          done(value);
          return value;
        }, failed) as T;
      }
      done(result as Awaited<T>);
      return result;
    } catch (error) {
      return failed(error);
    }
  }

  return {
    run,
    open(name, parent) {
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER }, below(parent));
      const own = trace.setSpan(ROOT_CONTEXT, span);
      const { traceId, spanId, traceFlags: flags } = span.spanContext();
      return {
        context: { traceId, spanId, flags },
        within: (inner) => context.with(own, inner),
        end(ended, attributes, isFailed) {
          span.updateName(ended).setAttributes(attributes);
          if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };

  function below(parent: TraceContext | undefined): Context {
    if (parent === undefined) return ROOT_CONTEXT;
    const { traceId, spanId, flags: traceFlags } = parent;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  }
}
