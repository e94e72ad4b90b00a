/** Liveness, readiness and metrics, for monitoring. They need no key and show no secret. */
import { Type } from 'typebox';
import { unavailable } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { sendText } from '../../api/http/reply.ts';
import { route } from '../../api/http/route.ts';
import type { Db } from '../../db/db.ts';
import { faultOfTables } from '../../db/migrate.ts';
import { type Metric, openRegistry } from './registry.ts';

export interface HealthDeps {
  /** Why the service is not ready; undefined when it is. */
  notReady(): string | undefined;
  db: Db;
  metrics: readonly Metric[];
}

const open = { permission: null, tag: 'Operations' } as const;
const Ok = Type.Object({ status: Type.Literal('ok') });
const OK = { status: 'ok' } as const;
const FAULT_WITHIN_MS = 1_000;

export function healthRoutes(app: App, { notReady, db, metrics }: HealthDeps): void {
  // Concurrent requests share one look at the tables.
  let looking: Promise<string | undefined> | undefined;
  const findFault = (): Promise<string | undefined> => {
    looking ??= faultWithin(db, FAULT_WITHIN_MS).finally(() => {
      looking = undefined;
    });
    return looking;
  };

  route(
    app,
    'GET /livez',
    { ...open, id: 'getLiveness', is: 'Check that the process is alive', answer: Ok },
    async () => OK,
  );
  route(
    app,
    'GET /readyz',
    { ...open, id: 'getReadiness', is: 'Check that the service takes requests', answer: Ok },
    async () => {
      const reason = notReady() ?? (await findFault());
      if (reason !== undefined) throw unavailable(reason);
      return OK;
    },
  );

  const registry = openRegistry(app, metrics);
  route(
    app,
    'GET /metrics',
    { ...open, id: 'getMetrics', is: 'Metrics for Prometheus', media: 'text/plain' },
    async (_request, reply) => sendText(reply, registry.contentType, await registry.text()),
  );
}

/** A slow or unreachable store is no fault of its tables; `notReady` reports that. */
async function faultWithin(db: Db, ms: number): Promise<string | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([faultOfTables(db).catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
