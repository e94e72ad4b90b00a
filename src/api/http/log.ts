/**
 * Joins the entries of the log with their request: its id and, from `traceparent`, its trace. The names of these fields
 * are those of OpenTelemetry for logs that are JSON.
 */
import type { FastifyRequest } from 'fastify';
import { parseTraceparent } from '../../lib/traceparent.ts';
import type { App } from './app.ts';

/** Read only when something is logged: most requests are not. */
export function logFields(request: FastifyRequest): Record<string, string> {
  const trace = request.span?.context ?? parseTraceparent(request.headers.traceparent);
  return {
    requestId: request.id,
    ...(trace === undefined ? {} : { trace_id: trace.traceId, span_id: trace.spanId }),
  };
}

/** At the level `debug`, one entry for each request: its route, so nothing of its target or its visitor. */
export function logRequests(app: App): void {
  if (!['debug', 'trace'].includes(app.logger.level)) return;
  app.addHook('onResponse', (request, reply, done) => {
    app.logger.debug(
      {
        ...logFields(request),
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
}
