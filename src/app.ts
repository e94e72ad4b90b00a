/**
 * The composition root: opens the stores, wires the rooms, and closes them in the opposite order. Nothing here decides
 * anything.
 */
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { impactRoutes } from './access/impact-routes.ts';
import { openImpacts } from './access/impacts.ts';
import { accessRoutes } from './access/routes.ts';
import { DecisionAnswer } from './access/schema.ts';
import { simulateRoutes } from './access/simulate-routes.ts';
import { openSnapshot } from './access/snapshot.ts';
import { authorizeRoutes } from './authorize/routes.ts';
import { auditRoutes } from './changes/audit-routes.ts';
import { openChanges } from './changes/changes.ts';
import { joinCluster } from './changes/cluster.ts';
import type { Config } from './config.ts';
import { consoleFiles } from './console/files.ts';
import { sessionRoutes } from './console/routes.ts';
import { openSessions } from './console/sessions.ts';
import { contentRoutes } from './content/routes.ts';
import { migrate } from './db/migrate.ts';
import { holdFile } from './db/sqlite.ts';
import { StartRefused } from './errors.ts';
import { eventRoutes } from './events/routes.ts';
import { openEvents } from './events/store.ts';
import { openStreams } from './events/stream.ts';
import { metricsOf } from './health/metrics.ts';
import { healthRoutes } from './health/routes.ts';
import { statusRoutes } from './health/status.ts';
import { startHousekeeping } from './housekeeping.ts';
import { type Authenticate, requireKeys } from './http/auth.ts';
import { allowOrigins } from './http/cors.ts';
import { supportIdempotency } from './http/idempotency.ts';
import { describeApi } from './http/openapi.ts';
import { type App, createServer } from './http/server.ts';
import { closeServer, letGo } from './http/stop.ts';
import { openKeys } from './keys/authenticate.ts';
import { ensureFirstKey, firstKeyShown } from './keys/bootstrap.ts';
import { keyRoutes } from './keys/routes.ts';
import { archivedTo, type DecisionFinder, findDecisions } from './ledger/log.ts';
import { decisionRoutes } from './ledger/routes.ts';
import type { Clock } from './lib/clock.ts';
import { makeFolder } from './lib/folder.ts';
import { policyRoutes } from './policies/routes.ts';
import { ensureDefaultPolicy } from './policies/store.ts';
import { openRecords } from './records.ts';
import { licenseRoutes } from './requesters/license-routes.ts';
import { requesterRoutes } from './requesters/routes.ts';
import { findNames } from './requesters/store.ts';
import { openColumns } from './usage/columns.ts';
import { clusterSecret, columnsRoutes, openRemoteColumns } from './usage/remote.ts';
import { usageRoutes } from './usage/routes.ts';
import { VERSION } from './version.ts';
import { openDeliverer } from './webhooks/deliver.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { openSender } from './webhooks/send.ts';
import { openSubscriptions } from './webhooks/subscriptions.ts';

export interface Service {
  /** Where it answers, such as http://127.0.0.1:8080. */
  address: string;
  /** The first key, on the first start only, and until it was shown. */
  firstKey: string | undefined;
  /** The first key has reached somebody. Until this is said and settled, the next start replaces it if it was never used. */
  firstKeyShown(): Promise<void>;
  /** Not ready, then whatever is under way is finished, then everything is closed. */
  close(): Promise<void>;
}

export interface Options {
  config: Config;
  logger: FastifyBaseLogger;
  clock?: Clock;
  /** The service cannot go on and will answer nothing but 503. */
  onFatal?: (cause: Error) => void;
}

/** Throws StartRefused, or what kept a part from opening; what was open by then is closed again. */
export async function startService(options: Options): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const started = await open(options, opened);
  // From here on they live as long as the service.
  const parts = opened.move();
  return { ...started, close: () => parts.disposeAsync() };
}

async function open(options: Options, opened: AsyncDisposableStack): Promise<Omit<Service, 'close'>> {
  const parts = await openParts(options, opened);
  const { config, own, db, clock, deliverer, streams } = parts;
  const app: App = createServer(options.logger);
  await addRoutes(app, parts);
  opened.defer(async () => {
    own.notReady = 'The service is stopping.';
    await letGo(app, config.stopDelaySeconds * 1000);
    // Beside the requests under way, not after them: all of it has to end in the same ten seconds.
    const drained = deliverer.close();
    await streams.close();
    await closeServer(app);
    await drained;
  });
  const address = await app.listen({ host: config.host, port: config.port });
  // Only now: a start that fails, such as on a port that is taken, makes no key.
  const firstKey = await ensureFirstKey(db, config.bootstrapKey, clock.now());
  own.notReady = undefined;
  return { address, firstKey, firstKeyShown: () => firstKeyShown(db) };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** Opens part by part; each says how it is closed, and they are closed in the opposite order. */
async function openParts(options: Options, opened: AsyncDisposableStack) {
  const { config, logger, onFatal = () => {} } = options;
  /** Why the service is not ready, of its own accord; undefined when it is. */
  const own: { notReady: string | undefined } = { notReady: 'The service is starting.' };

  makeFolder(config.dataDir);
  const hold = holdFile(join(config.dataDir, 'postern.lock'));
  if (hold === undefined) {
    throw new StartRefused(
      `Another process works with the data in ${config.dataDir}. Stop it, or name another folder.`,
    );
  }
  opened.defer(() => hold.release());

  const { db, records, clock, openLedger } = await openRecords(config, options.clock, (cause) => {
    own.notReady = 'The storage has failed.';
    onFatal(cause);
  });
  opened.defer(() => db.close());
  const startedAt = clock.now();
  await migrate(db, clock.now());
  await ensureDefaultPolicy(db, clock.now());

  const changes = openChanges(db, clock);
  const readers: { abandon(): void }[] = [];
  const onSilence = (): void => {
    for (const reader of readers) reader.abandon();
  };
  const { follower, lease } = await joinCluster(db, changes, opened, { onFatal, onSilence });
  const ledger = await openLedger(await openSubscriptions(db, changes));
  const secret = db.engine === 'postgres' ? await clusterSecret(db) : null;
  const columns =
    config.columnsUrl !== null && secret !== null
      ? openRemoteColumns(config.columnsUrl, secret)
      : openColumns({
          records,
          columnsFile: join(config.dataDir, 'columns.duckdb'),
          archiveDir: config.archiveDir,
          onProblem: (problem) => logger.warn({ problem }, 'columns'),
        });
  opened.defer(() => columns.close());
  opened.defer(() => ledger.close());
  const snapshot = openSnapshot(db, changes);
  const impacts = openImpacts(records, () => ledger.figures().entries);
  readers.push(columns, impacts);
  opened.defer(() => impacts.close());
  const keys = openKeys(db, changes, clock, config);
  opened.defer(() => keys.close());
  const housekeeping = lease('housekeeping');
  const onProblem = (error: unknown): void => logger.warn({ err: error }, 'housekeeping failed; it is tried again');
  opened.defer(
    startHousekeeping({ db, changes, clock, auditDays: config.auditDays, isOurs: housekeeping.held, onProblem }),
  );
  const decisionsOf = (ids: readonly string[]) => findDecisions(db, ledger.ledgerNo, ids);
  const events = openEvents({ db, clock, decisionsOf });
  const sender = openSender({ allowPrivate: config.webhookAllowPrivate });
  const dispatch = lease('deliveries');
  const deliverer = openDeliverer({
    db,
    changes,
    clock,
    events,
    sender,
    isOurs: dispatch.held,
    userAgent: `Postern/${VERSION}`,
    checksWaiting: () => ledger.figures().waiting,
    onProblem: (error) => logger.warn({ err: error }, 'webhook deliveries: will be tried again'),
  });
  opened.defer(() => deliverer.close());
  // What is remembered of keys and of all else is fresh, or the request waits.
  const authenticate: Authenticate = (...given) => {
    const freshness = follower.confirm();
    return freshness === undefined ? keys.authenticate(...given) : freshness.then(() => keys.authenticate(...given));
  };
  const sessions = openSessions({ db, clock, keys, authenticate });
  const streams = openStreams({
    events,
    reauthorize: async (request) =>
      keys.authorize(await sessions.authenticate(request, request.headers.authorization), 'webhooks:manage'),
  });
  const metrics = metricsOf({ ledger, columns, deliverer, streams, follower, housekeeping, dispatch });
  return {
    config,
    own,
    db,
    clock,
    startedAt,
    secret,
    changes,
    follower,
    ledger,
    columns,
    snapshot,
    impacts,
    keys,
    sessions,
    events,
    streams,
    deliverer,
    metrics,
  };
}

/** Every route of the service. Hooks come before the routes they are for. */
async function addRoutes(app: App, parts: Parts): Promise<void> {
  const { config, own, db, clock, changes, follower, ledger, columns, snapshot, keys, sessions, events, streams } =
    parts;
  await allowOrigins(app, config.corsOrigins);
  await describeApi(app, VERSION);
  healthRoutes(app, { notReady: () => own.notReady ?? follower.notReady(), metrics: parts.metrics });
  requireKeys(app, sessions.authenticate, keys.authorize, keys.source);
  supportIdempotency(app, db, clock);
  const checkDeps = { db, snapshot, ledger, maxAge: config.decisionMaxAge };
  accessRoutes(app, checkDeps);
  authorizeRoutes(app, { ...checkDeps, changes, visitor: keys.visitor });
  // What is archived is counted, and no longer in the log.
  const finder: DecisionFinder = {
    find: async (filter, page) => columns.find({ ...filter, after: await archivedTo(db) }, page),
  };
  decisionRoutes(app, { db, ledger, finder }, DecisionAnswer);
  contentRoutes(app, { db, changes, clock, stats: columns.stats });
  requesterRoutes(app, { db, changes, clock });
  licenseRoutes(app, { db, changes, clock });
  simulateRoutes(app, { db, snapshot, now: () => ledger.now() });
  impactRoutes(app, { db, ledger, impacts: parts.impacts });
  policyRoutes(app, { db, changes, clock });
  keyRoutes(app, { db, changes, clock, keys });
  auditRoutes(app, db);
  const webhookDeps = { db, changes, clock, events, allowPrivate: config.webhookAllowPrivate };
  webhookRoutes(app, webhookDeps);
  deliveryRoutes(app, webhookDeps);
  eventRoutes(app, { events, streams });
  if (parts.secret !== null && config.columnsUrl === null) columnsRoutes(app, columns, parts.secret);
  usageRoutes(app, { db, columns, now: () => ledger.now(), requesterNames: (ids) => findNames(db, ids) });
  statusRoutes(app, { ...parts, dataDir: config.dataDir });
  sessionRoutes(app, { db, sessions });
  await consoleFiles(app);
}
