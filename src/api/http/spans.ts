/**
 * A span for each request, below the one that its `traceparent` names. It has the route, the status and the request id:
 * nothing of the target, the headers or the visitor. Health checks have none.
 */
import { currentSpans, type OpenSpan } from '../../lib/spans.ts';
import { parseTraceparent } from '../../lib/traceparent.ts';
import type { App } from './app.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** null without tracing. */
    span: OpenSpan | null;
  }
}

const NOT_TRACED = new Set(['/livez', '/readyz', '/metrics']);

/** To be called before routes are added. Without tracing, requests run no hook. */
export function traceRequests(app: App): void {
  app.decorateRequest('span', null);
  const spans = currentSpans();
  if (spans === undefined) return;
  app.addHook('onRequest', (request, _reply, done) => {
    if (NOT_TRACED.has(request.routeOptions.url ?? '')) return done();
    request.span = spans.open(request.method, parseTraceparent(request.headers.traceparent));
    request.span.within(done);
  });
  // A body arrives outside of what the first hook began.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.span === null) done();
    else request.span.within(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, id, span } = request;
    const route = request.routeOptions.url;
    const attributes = {
      'http.request.method': method,
      'http.response.status_code': reply.statusCode,
      'url.scheme': 'http',
      'postern.request_id': id,
      ...(route === undefined ? {} : { 'http.route': route }),
    };
    span?.end(route === undefined ? method : `${method} ${route}`, attributes, reply.statusCode >= 500);
    done();
  });
}
