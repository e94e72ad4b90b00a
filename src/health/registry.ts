/** Everything that `/metrics` shows: request times, the figures of each part, and the process itself. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { RouteOptions } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { App } from '../http/app.ts';
import { hooksOf } from '../http/hooks.ts';
import type { Metric } from './metrics.ts';

/** Observes every route that is added to `app` afterwards. */
export function openRegistry(app: App, metrics: readonly Metric[]): Registry {
  const registry = new Registry();
  observeRequests(app, registry);
  countAuthorizeErrors(app, registry);
  for (const [name, rows] of Map.groupBy(metrics, (metric) => metric.name)) register(registry, name, rows);
  const loop = monitorEventLoopDelay();
  collectDefaultMetrics({ register: registry, prefix: 'postern_' });
  loop.enable();
  app.addHook('onClose', async () => void loop.disable());
  return registry;
}

function observeRequests(app: App, registry: Registry): void {
  const requests = new Histogram({
    name: 'postern_http_request_duration_seconds',
    help: 'Time from request to answer, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  app.addHook('onRoute', (route) => {
    // Resolving labels takes about a microsecond, so each route keeps its observers.
    const observers = new Map<string, { observe(seconds: number): void }>();
    addOnResponse(route, (request, reply, done) => {
      const name = `${request.method} ${reply.statusCode}`;
      let observer = observers.get(name);
      if (observer === undefined) {
        observer = requests.labels(request.method, route.url, String(reply.statusCode));
        observers.set(name, observer);
      }
      observer.observe(reply.elapsedTime / 1000);
      done();
    });
  });
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
    addOnResponse(route, (_request, reply, done) => {
      const error =
        reply.getHeader('x-postern-error') ?? (reply.hasHeader('x-postern-allowed') ? undefined : reply.statusCode);
      if (error !== undefined) errors.inc({ error: String(error) });
      done();
    });
  });
}

function addOnResponse(route: RouteOptions, hook: Extract<RouteOptions['onResponse'], (...args: never) => void>): void {
  route.onResponse = hooksOf(route.onResponse, hook) as never;
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
