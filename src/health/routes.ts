/** For machines that watch: alive, ready, metrics. No key needed, no secret shown. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Type } from 'typebox';
import { unavailable } from '../errors.ts';
import { hooksOf } from '../http/hooks.ts';
import type { App } from '../http/server.ts';
import type { Metric } from './metrics.ts';

export interface HealthDeps {
  /** Why the service is not ready; undefined when it is. */
  notReady(): string | undefined;
  metrics: readonly Metric[];
}

const config = { permission: null } as const;
const tags = ['Operations'];
const Fine = Type.Object({ status: Type.Literal('ok') });
const FINE = { status: 'ok' } as const;

export function healthRoutes(app: App, { notReady, metrics }: HealthDeps): void {
  app.get(
    '/livez',
    { config, schema: { tags, operationId: 'getLiveness', summary: 'The process is alive', response: { 200: Fine } } },
    async () => FINE,
  );
  app.get(
    '/readyz',
    {
      config,
      schema: { tags, operationId: 'getReadiness', summary: 'The service takes requests', response: { 200: Fine } },
    },
    async () => {
      const why = notReady();
      if (why !== undefined) throw unavailable(why);
      return FINE;
    },
  );

  const registry = new Registry();
  const requests = new Histogram({
    name: 'postern_http_request_duration_seconds',
    help: 'Time from request to answer, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  app.addHook('onRoute', (route) => {
    // Observing with labels costs about a microsecond; the observer of a route and status is found once.
    const observers = new Map<string, { observe(seconds: number): void }>();
    route.onResponse = hooksOf(route.onResponse, (request, reply, done) => {
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
  const byName = Map.groupBy(metrics, (metric) => metric.name);
  for (const [name, rows] of byName) {
    const labelNames = [...new Set(rows.flatMap((row) => Object.keys(row.labels ?? {})))];
    new Gauge({
      name,
      help: rows[0]?.help ?? name,
      labelNames,
      registers: [registry],
      collect() {
        for (const row of rows) this.set(row.labels ?? {}, row.read());
      },
    });
  }
  const loop = monitorEventLoopDelay();
  collectDefaultMetrics({ register: registry, prefix: 'postern_' });
  loop.enable();
  app.addHook('onClose', async () => void loop.disable());

  app.get(
    '/metrics',
    { config, schema: { tags, operationId: 'getMetrics', summary: 'Metrics for Prometheus' } },
    async (_request, reply) => {
      reply.type(registry.contentType);
      return reply.serializer((text) => text as string).send(await registry.metrics());
    },
  );
}
