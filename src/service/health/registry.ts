/** Everything that `/metrics` shows: request times, the figures of each part, and the process itself. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { onSendHookHandler, RouteOptions } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type App, appendHook } from '../../api/http/app.ts';
import { monotonicMs } from '../../lib/clock.ts';

/**
 * A number that is read at each scrape, so counting costs the hot path one increment. Names that end in `_total` are
 * counters, the others gauges. Label values come from closed lists.
 */
export interface Metric {
  name: string;
  help: string;
  labels?: Record<string, string>;
  read(): number;
}

export interface Scraped {
  contentType: string;
  /** Everything, in Prometheus' text format. */
  text(): Promise<string>;
}

/** Observes every route that is added to `app` afterwards. */
export function openRegistry(app: App, metrics: readonly Metric[]): Scraped {
  const registry = new Registry();
  const durations = observeRequests(app);
  countAuthorizeErrors(app, registry);
  for (const [name, rows] of Map.groupBy(metrics, (metric) => metric.name)) register(registry, name, rows);
  const loop = monitorEventLoopDelay();
  collectDefaultMetrics({ register: registry, prefix: 'postern_' });
  loop.enable();
  app.addHook('onClose', async () => void loop.disable());
  return {
    contentType: registry.contentType,
    // The registry writes Nan, which strict readers refuse.
    text: async () => (await registry.metrics()).replaceAll(/ Nan$/gm, ' NaN') + durations.text(),
  };
}

function observeRequests(app: App): Durations {
  const durations = new Durations(
    'postern_http_request_duration_seconds',
    'Time from a request to the beginning of its answer, by route',
  );
  app.addHook('onRoute', (route) => {
    const { url } = route;
    const method = [route.method].flat().join(' ');
    const rows = new Map<number, DurationsRow>();
    addOnSend(route, (request, reply, payload, done) => {
      const { statusCode } = reply;
      let row = rows.get(statusCode);
      if (row === undefined) {
        row = durations.add({ method, route: url, status: String(statusCode) });
        rows.set(statusCode, row);
      }
      row.observe((monotonicMs() - request.arrivedAt) / 1000);
      done(null, payload);
    });
  });
  return durations;
}

function countAuthorizeErrors(app: App, registry: Registry): void {
  const errors = new Counter({
    name: 'postern_authorize_errors_total',
    help: 'Answers of /v1/authorize without a decision, by X-Postern-Error or else by status',
    labelNames: ['error'],
    registers: [registry],
  });
  // Starts at 0, so that a rate sees the first error.
  errors.inc({ error: 'content_not_found' }, 0);
  app.addHook('onRoute', (route) => {
    if (!/^\/v1\/authorize(\/|$)/.test(route.url)) return;
    addOnSend(route, (_request, reply, payload, done) => {
      const error =
        reply.getHeader('x-postern-error') ?? (reply.hasHeader('x-postern-allowed') ? undefined : reply.statusCode);
      if (error !== undefined) errors.inc({ error: String(error) });
      done(null, payload);
    });
  });
}

/** Not `onResponse`: a listener for the end of each answer costs every check more than a microsecond. */
function addOnSend(route: RouteOptions, hook: onSendHookHandler): void {
  route.onSend = appendHook(route.onSend, hook) as never;
}

/** Registers the rows of one metric, which differ in their labels. */
function register(registry: Registry, name: string, rows: readonly Metric[]): void {
  const labelNames = [...new Set(rows.flatMap((row) => Object.keys(row.labels ?? {})))];
  const options = { name, help: rows[0]?.help ?? name, labelNames, registers: [registry] };
  if (name.endsWith('_total')) {
    new Counter({
      ...options,
      collect() {
        this.reset();
        for (const row of rows) this.inc(row.labels ?? {}, row.read());
      },
    });
    return;
  }
  new Gauge({
    ...options,
    collect() {
      for (const row of rows) this.set(row.labels ?? {}, row.read());
    },
  });
}

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/**
 * Durations of answers, as a histogram in Prometheus' text format. Counting is three additions, because every check
 * pays for it; labels are resolved once and the rest is worked out when it is read.
 * Source: prometheus.io/docs/instrumenting/exposition_formats.
 */
class Durations {
  readonly #name: string;
  readonly #help: string;
  readonly #rows: { labels: string; row: DurationsRow }[] = [];

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  /** Adds a row. Label values contain no quotation marks, backslashes or line breaks. */
  add(labels: Record<string, string>): DurationsRow {
    const row = new DurationsRow();
    const text = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    this.#rows.push({ labels: text.join(','), row });
    return row;
  }

  text(): string {
    const name = this.#name;
    const lines = [`# HELP ${name} ${this.#help}`, `# TYPE ${name} histogram`];
    for (const { labels, row } of this.#rows) {
      let count = 0;
      for (const [i, bound] of [...BOUNDS, '+Inf'].entries()) {
        count += row.counts[i] as number;
        lines.push(`${name}_bucket{le="${bound}",${labels}} ${count}`);
      }
      lines.push(`${name}_sum{${labels}} ${row.seconds}`, `${name}_count{${labels}} ${count}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

class DurationsRow {
  /** By bucket; the last one has no upper bound. */
  readonly counts: number[] = Array.from({ length: BOUNDS.length + 1 }, () => 0);
  seconds = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket++;
    (this.counts[bucket] as number)++;
    this.seconds += seconds;
  }
}
