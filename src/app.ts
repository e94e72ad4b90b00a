/**
 * The composition root: opens the stores, wires the rooms, and closes them in the opposite order. Nothing here decides
 * anything.
 */
import { stat, statfs } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { impactRoutes } from './access/impact-routes.ts';
import { openImpacts } from './access/impacts.ts';
import { accessRoutes } from './access/routes.ts';
import { DecisionAnswer } from './access/schema.ts';
import { simulateRoutes } from './access/simulate-routes.ts';
import { openSnapshot } from './access/snapshot.ts';
import { authorizeRoutes } from './authorize/routes.ts';
import { sweepAudit } from './changes/audit.ts';
import { auditRoutes } from './changes/audit-routes.ts';
import { type Changes, openChanges } from './changes/changes.ts';
import { aloneFollower, CHANNEL, type Follower, openFollower } from './changes/follow.ts';
import type { Config } from './config.ts';
import { consoleFiles } from './console/files.ts';
import { sessionRoutes } from './console/routes.ts';
import { openSessions } from './console/sessions.ts';
import { sweepSessions } from './console/store.ts';
import { contentRoutes } from './content/routes.ts';
import type { Db } from './db/db.ts';
import { alwaysHeld, type Lease, openLease } from './db/lease.ts';
import { migrate } from './db/migrate.ts';
import { openPostgres, type PostgresDb } from './db/postgres.ts';
import { openPostgresLine } from './db/postgres-line.ts';
import { holdFile, openSqlite } from './db/sqlite.ts';
import { StartRefused } from './errors.ts';
import { eventRoutes } from './events/routes.ts';
import { openEvents, sweepEvents } from './events/store.ts';
import { openStreams, type Streams } from './events/stream.ts';
import { type Authenticate, requireKeys } from './http/auth.ts';
import { healthRoutes, type Metric } from './http/health.ts';
import { supportIdempotency } from './http/idempotency.ts';
import { describeApi } from './http/openapi.ts';
import { type App, createServer } from './http/server.ts';
import { type Status, statusRoutes } from './http/status.ts';
import { openKeys } from './keys/authenticate.ts';
import { ensureFirstKey, firstKeyShown } from './keys/bootstrap.ts';
import { keyRoutes } from './keys/routes.ts';
import type { Ledger } from './ledger/ledger.ts';
import { archivedTo, type DecisionFinder, findDecisions } from './ledger/log.ts';
import { openPostgresLedger } from './ledger/postgres.ts';
import { decisionRoutes } from './ledger/routes.ts';
import { ledgerProcedure, openSqliteLedger } from './ledger/sqlite.ts';
import { sweep } from './ledger/sweep.ts';
import { type Clock, steadyClock, toIso } from './lib/clock.ts';
import { makeFolder } from './lib/folder.ts';
import { policyRoutes } from './policies/routes.ts';
import { ensureDefaultPolicy } from './policies/store.ts';
import { announceExpired } from './requesters/expiry.ts';
import { licenseRoutes } from './requesters/license-routes.ts';
import { requesterRoutes } from './requesters/routes.ts';
import { findNames } from './requesters/store.ts';
import { type Columns, openColumns } from './usage/columns.ts';
import { clusterSecret, columnsRoutes, openRemoteColumns } from './usage/remote.ts';
import { usageRoutes } from './usage/routes.ts';
import { VERSION } from './version.ts';
import { type Deliverer, openDeliverer } from './webhooks/deliver.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { openSender } from './webhooks/send.ts';
import { sweepDeliveries } from './webhooks/store.ts';
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

const SWEEP_EVERY_MS = 10_000;
const EXPIRY_EVERY_MS = 500;
const DAY_MS = 86_400_000;
const IDLE_CHECK_MS = 50;

/** Throws StartRefused, or what kept a part from opening; what was open by then is closed again. */
export async function startService(options: Options): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const started = await open(options, opened);
  // From here on they live as long as the service.
  const parts = opened.move();
  return { ...started, close: () => parts.disposeAsync() };
}

/** Opens part by part; each says how it is closed, and they are closed in the opposite order. */
async function open(options: Options, opened: AsyncDisposableStack): Promise<Omit<Service, 'close'>> {
  const { config, logger, onFatal = () => {} } = options;
  let notReady: string | undefined = 'The service is starting.';

  makeFolder(config.dataDir);
  const hold = holdFile(join(config.dataDir, 'postern.lock'));
  if (hold === undefined) {
    throw new StartRefused(
      `Another process works with the data in ${config.dataDir}. Stop it, or name another folder.`,
    );
  }
  opened.defer(() => hold.release());

  const { db, records, clock, openLedger } = await openRecords(config, options.clock, (cause) => {
    notReady = 'The storage has failed.';
    onFatal(cause);
  });
  opened.defer(() => db.close());
  const started = clock.now();
  await migrate(db, clock.now());
  await ensureDefaultPolicy(db, clock.now());

  const changes = openChanges(db, clock);
  const { follower, lease } = await joinCluster(db, changes, opened, onFatal);
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
  const impacts = openImpacts(records);
  opened.defer(() => impacts.close());
  const keys = openKeys(db, changes, clock, config);
  opened.defer(() => keys.close());
  const sweeps = [
    () => sweepSessions(db, clock.now()),
    () => sweep(db, clock.now()),
    () => sweepEvents(db, clock.now()),
    () => sweepDeliveries(db, clock.now()),
    () => sweepAudit(db, clock.now() - config.auditDays * DAY_MS),
  ];
  const housekeeping = lease('housekeeping');
  const ours = (work: () => Promise<void>) => async (): Promise<void> => {
    if (housekeeping.held()) await work();
  };
  for (const work of sweeps) opened.defer(every(SWEEP_EVERY_MS, ours(work), logger));
  opened.defer(
    every(
      EXPIRY_EVERY_MS,
      ours(() => announceExpired(db, changes, clock)),
      logger,
    ),
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

  const app: App = createServer(logger);
  await describeApi(app, VERSION);
  healthRoutes(app, {
    notReady: () => notReady ?? follower.notReady(),
    metrics: metricsOf({ ledger, columns, deliverer, streams, follower, housekeeping, dispatch }),
  });
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
  impactRoutes(app, { db, ledger, impacts });
  policyRoutes(app, { db, changes, clock });
  keyRoutes(app, { db, changes, clock, keys });
  auditRoutes(app, db);
  const webhookDeps = { db, changes, clock, events, allowPrivate: config.webhookAllowPrivate };
  webhookRoutes(app, webhookDeps);
  deliveryRoutes(app, webhookDeps);
  eventRoutes(app, { events, streams });
  if (secret !== null && config.columnsUrl === null) columnsRoutes(app, columns, secret);
  usageRoutes(app, { db, columns, now: () => ledger.now(), requesterNames: (ids) => findNames(db, ids) });
  statusRoutes(app, () => statusOf(config.dataDir, started, { db, ledger, columns, deliverer }));
  sessionRoutes(app, { db, sessions });
  await consoleFiles(app);

  opened.defer(async () => {
    notReady = 'The service is stopping.';
    await letGo(app, config.stopDelaySeconds * 1000);
    // Beside the requests under way, not after them: all of it has to end in the same ten seconds.
    const drained = deliverer.close();
    await streams.close();
    // A connection that a client keeps open is idle only once its last answer is out: those are let go as they come.
    const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
    await app.close();
    clearInterval(idle);
    await drained;
  });
  const address = await app.listen({ host: config.host, port: config.port });
  // Only now: a start that fails, such as on a port that is taken, makes no key.
  const firstKey = await ensureFirstKey(db, config.bootstrapKey, clock.now());
  notReady = undefined;
  return { address, firstKey, firstKeyShown: () => firstKeyShown(db) };
}

/** Answers what still comes, and asks clients to make a new connection, which leads elsewhere. */
async function letGo(app: App, forMs: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const onRequest = (_request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('connection', 'close');
  };
  app.server.prependListener('request', onRequest);
  setTimeout(resolve, forMs);
  await over;
}

type Subscribed = Awaited<ReturnType<typeof openSubscriptions>>;

interface Records {
  db: Db;
  /** For threads with a connection of their own: a file of SQLite or the URL of a PostgreSQL. */
  records: string;
  /** What edits and decisions go by: on a cluster the database's, unless another was given. */
  clock: Clock;
  /** Once the tables are there. */
  openLedger(subscribed: Subscribed): Promise<Ledger>;
}

async function openRecords(
  config: Config,
  given: Clock | undefined,
  onDeath: (cause: Error) => void,
): Promise<Records> {
  if (config.databaseUrl !== null) {
    const db = await openPostgres(config.databaseUrl).catch((error: Error) => {
      throw new StartRefused(`The database of POSTERN_DATABASE_URL cannot be used: ${reasonOf(error)}.`, {
        cause: error,
      });
    });
    const openLedger = (subscribed: Subscribed) => openPostgresLedger(db, given, subscribed);
    return { db, records: config.databaseUrl, clock: given ?? db.clock, openLedger };
  }
  const clock = given ?? steadyClock();
  const records = join(config.dataDir, 'postern.db');
  const db = await openSqlite(records, ledgerProcedure, onDeath);
  return { db, records, clock, openLedger: (subscribed) => openSqliteLedger(db, clock, subscribed) };
}

/** What the server, the network or TLS said first; it never has the password. */
function reasonOf(error: Error & { code?: string }): string {
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || (error.code ?? error.name);
}

interface Cluster {
  follower: Follower;
  /** For work that one node at a time does. */
  lease(name: string): Lease;
}

async function joinCluster(
  db: Db | PostgresDb,
  changes: Changes,
  opened: AsyncDisposableStack,
  onFatal: (cause: Error) => void,
): Promise<Cluster> {
  if (!('abandon' in db)) return { follower: aloneFollower, lease: () => alwaysHeld };
  let follower: Follower | undefined;
  const line = openPostgresLine({
    url: db.url,
    channel: CHANNEL,
    onNotice: () => follower?.wake(),
    onSilence: db.abandon,
  });
  opened.defer(() => line.close());
  const following = await openFollower({ db, line, apply: changes.tell, onRewritten: onFatal });
  follower = following;
  changes.tellThrough(following.catchUp);
  opened.defer(() => following.close());
  const lease = (name: string): Lease => {
    const taken = openLease(line, name);
    opened.defer(() => taken.close());
    return taken;
  };
  return { follower, lease };
}

/** Work that is done now and then, one at a time. Returns what ends it. */
function every(ms: number, work: () => Promise<void>, logger: FastifyBaseLogger): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch((error) => logger.warn({ err: error }, 'housekeeping failed; it is tried again'))
      .finally(() => {
        running = undefined;
      });
  }, ms);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

async function recordsBytes(db: Db, dataDir: string): Promise<number> {
  if (db.engine === 'postgres') {
    const [row] = await db.read<{ bytes: number }>('select pg_database_size(current_database()) as bytes');
    return Number(row?.bytes ?? 0);
  }
  const files = ['postern.db', 'postern.db-wal'].map((file) => stat(join(dataDir, file)).catch(() => undefined));
  return (await Promise.all(files)).reduce((sum, one) => sum + (one?.size ?? 0), 0);
}

interface Working {
  db: Db;
  ledger: Ledger;
  columns: Columns;
  deliverer: Deliverer;
}

async function statusOf(
  dataDir: string,
  startedAt: number,
  { db, ledger, columns, deliverer }: Working,
): Promise<Status> {
  const disk = await statfs(dataDir);
  const recorded = ledger.figures();
  const copied = columns.figures();
  const sent = deliverer.figures();
  return {
    object: 'status',
    version: VERSION,
    started: toIso(startedAt),
    storage: {
      recordsBytes: await recordsBytes(db, dataDir),
      columnsBytes: copied.sizeBytes,
      diskBytes: disk.blocks * disk.bsize,
      diskFreeBytes: disk.bavail * disk.bsize,
    },
    ledger: { decisions: recorded.entries, waiting: recorded.waiting, commits: recorded.flushes },
    columns: { behind: copied.behind, rebuilds: copied.rebuilds, restarts: copied.restarts },
    webhooks: { succeeded: sent.succeeded, failed: sent.failed, inFlight: sent.inFlight },
    memoryBytes: process.memoryUsage.rss(),
  };
}

interface Measured {
  ledger: Ledger;
  columns: Columns;
  deliverer: Deliverer;
  streams: Streams;
  follower: Follower;
  housekeeping: Lease;
  dispatch: Lease;
}

function metricsOf({ ledger, columns, deliverer, streams, follower, housekeeping, dispatch }: Measured): Metric[] {
  const lease = (name: string, { held }: Lease): Metric => ({
    name: 'postern_lease_held',
    help: '1 on the node that does this work, of all nodes of the cluster',
    labels: { work: name },
    read: () => Number(held()),
  });
  return [
    {
      name: 'postern_changes_unconfirmed_ms',
      help: 'Since when this node has not confirmed that it knows all changes; above 900 requests wait',
      read: () => follower.figures().unconfirmedMs,
    },
    {
      name: 'postern_changes_applied',
      help: 'Changes heard of through the log, of all nodes',
      read: () => follower.figures().applied,
    },
    lease('housekeeping', housekeeping),
    lease('deliveries', dispatch),
    { name: 'postern_ledger_head', help: 'Newest place in the ledger', read: () => ledger.head() },
    { name: 'postern_ledger_waiting', help: 'Checks waiting to be recorded', read: () => ledger.figures().waiting },
    { name: 'postern_ledger_flushes', help: 'Group commits', read: () => ledger.figures().flushes },
    { name: 'postern_ledger_entries', help: 'Decisions recorded', read: () => ledger.figures().entries },
    {
      name: 'postern_columns_behind',
      help: 'Places of the ledger not yet in the columns',
      read: () => columns.figures().behind,
    },
    { name: 'postern_columns_bytes', help: 'Size of the columns', read: () => columns.figures().sizeBytes },
    {
      name: 'postern_webhook_attempts',
      help: 'Attempts of webhook deliveries, by outcome',
      labels: { outcome: 'succeeded' },
      read: () => deliverer.figures().succeeded,
    },
    {
      name: 'postern_webhook_attempts',
      help: 'Attempts of webhook deliveries, by outcome',
      labels: { outcome: 'failed' },
      read: () => deliverer.figures().failed,
    },
    {
      name: 'postern_webhook_in_flight',
      help: 'Webhook requests under way',
      read: () => deliverer.figures().inFlight,
    },
    { name: 'postern_event_streams', help: 'Event streams that are open', read: () => streams.figures().open },
    {
      name: 'postern_event_streams_held_bytes',
      help: 'Held in memory for clients of event streams that read too slowly',
      read: () => streams.figures().heldBytes,
    },
    { name: 'postern_columns_restarts', help: 'Restarts of the columns', read: () => columns.figures().restarts },
  ];
}
