/** The composition root: opens the parts of the service in order. The stack closes them in the opposite order. */
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { openChanges } from '../api/changes/changes.ts';
import { joinCluster, neverHeld } from '../api/changes/cluster.ts';
import { openEvents } from '../api/events/store.ts';
import { openStreams } from '../api/events/stream.ts';
import { openKeys } from '../api/keys/authenticate.ts';
import { openProvider } from '../api/users/provider.ts';
import { openSessions } from '../api/users/sessions.ts';
import { openDeliverer } from '../api/webhooks/deliverer.ts';
import { openSender } from '../api/webhooks/send.ts';
import { openSubscriptions } from '../api/webhooks/subscriptions.ts';
import { openCollections } from '../content/collections/known.ts';
import { openUnregistered } from '../content/unregistered/unregistered.ts';
import { Parquet } from '../decisions/history/archive/parquet.ts';
import { type Columns, openColumns } from '../decisions/history/columns/columns.ts';
import { findDecisions } from '../decisions/history/find.ts';
import { readInOrder } from '../decisions/history/read.ts';
import { TEST_DAYS } from '../decisions/history/retention/test-sweep.ts';
import { openPublicIds } from '../decisions/ledger/public-ids.ts';
import { Snapshot } from '../decisions/snapshot/snapshot.ts';
import { openVisiting } from '../decisions/visitors/open.ts';
import type { Clock } from '../lib/clock.ts';
import { type Budget, planBudget } from '../lib/memory.ts';
import { openGetter } from '../lib/outgoing/get.ts';
import { VERSION } from '../lib/version.ts';
import { ensureDefaultPolicy } from '../policies/store.ts';
import { openPartnerDoor } from '../reports/partner/door.ts';
import { openImpacts } from '../reports/whatif/impact-thread.ts';
import { openRenewal } from '../requesters/crawlers/renewal.ts';
import { openIdentities } from '../requesters/identities/identities.ts';
import { openOffers } from '../requesters/offers/known.ts';
import { openDriftChecks } from '../signals/drift/checks.ts';
import { openSignals } from '../signals/signals.ts';
import type { Config } from './config.ts';
import { watchClock } from './health/clock-watch.ts';
import { listMetrics } from './health/metrics.ts';
import { startHousekeeping } from './housekeeping.ts';
import { openMoved, startMovingOf } from './moved.ts';
import { startPrivacy } from './privacy/start.ts';
import { type HeldRecords, holdRecords } from './records.ts';
import { keepLog } from './sealing.ts';

/** Memory to count archived decisions for statements; the engine is opened by the first of them. */
const ARCHIVE_MIB = 64;

export interface Options {
  config: Config;
  logger: FastifyBaseLogger;
  clock?: Clock;
  /** The records, where they are being opened already. */
  held?: HeldRecords;
  /** Called when the service cannot continue; it then answers 503 only. */
  onFatal?: (cause: Error) => void;
}

/** `notReady`: the service's own reason not to be ready; undefined when it is. */
interface Own {
  notReady: string | undefined;
  /** Settles when the server listens. */
  listening: PromiseWithResolvers<void>;
}

export type Parts = Awaited<ReturnType<typeof openParts>>;

export async function openParts(options: Options, opened: AsyncDisposableStack) {
  const own: Own = { notReady: 'The service is starting.', listening: Promise.withResolvers() };
  const memory = planBudget(options.config.memoryMiB);
  const store = { ...(await openStore(options, opened, own)), memory, listening: own.listening.promise };
  const engine = { ...store, ...(await openEngine(options, opened, store)) };
  const base = { ...engine, ...(await openKnown(options, opened, engine)) };
  const identification = await openIdentification(options, opened, base);
  const background = { ...startBackground(options, opened, base), ...(await keepLog(options, opened, base)) };
  const doors = openDoors(options.config, { ...base, ...background });
  const parts = { config: options.config, own, ...base, ...identification, ...background, ...doors };
  return { ...parts, metrics: listMetrics(parts) };
}

type Store = Awaited<ReturnType<typeof openStore>> & { memory: Budget; listening: Promise<void> };
type Engine = Store & Awaited<ReturnType<typeof openEngine>>;
type Base = Engine & Awaited<ReturnType<typeof openKnown>>;
type Background = ReturnType<typeof startBackground>;

/** The data folder, the records and their clock. */
async function openStore(
  {
    config,
    logger,
    clock: given,
    held = holdRecords(config, given, planBudget(config.memoryMiB).storage),
    onFatal,
  }: Options,
  opened: AsyncDisposableStack,
  own: Own,
) {
  opened.defer(() => held.hold.release());
  void held.died.then((cause) => {
    own.notReady = 'The storage has failed.';
    onFatal?.(cause);
  });
  const { own: ownClock, ...store } = await held.records;
  const { db, clock } = store;
  opened.defer(() => db.close());
  const moved = await openMoved(db, config.clickHouse, opened);
  const clockWatch = watchClock(ownClock, db.engine, logger);
  opened.defer(() => clockWatch.stop());
  const startedAt = clock.now();
  await ensureDefaultPolicy(db, clock.now());
  return { ...store, moved, ids: await openPublicIds(db), clockWatch, startedAt };
}

/** Changes, ledger, columns, previews. */
async function openEngine(
  { config, logger, onFatal = () => {} }: Options,
  opened: AsyncDisposableStack,
  { db, records, clock, openLedgers, memory, listening }: Store,
) {
  const changes = openChanges(db, clock, config.privacy.ip);
  const readers: { abandon(): void }[] = [];
  const onSilence = (): void => {
    for (const reader of readers) reader.abandon();
  };
  const { follower, lease } = await joinCluster(db, changes, opened, { onFatal, onSilence });
  const archive = new Parquet(config.archiveDir, ARCHIVE_MIB);
  opened.defer(() => archive.close());
  const ledgers = await openLedgers(await openSubscriptions(db, changes), (query, takers) =>
    readInOrder({ db, parquet: archive }, query, takers),
  );
  // Other nodes decide too.
  const hasDecisions = () => db.engine === 'postgres' || ledgers.ledger.head() > 0;
  // The thread would take the core from the start, which needs nothing of it. Without decisions it would hold 50 MiB
  // for nothing: once there is one, the look for jumps starts it.
  const startAfter = hasDecisions() ? listening : null;
  const columns = openReports({ config, logger }, { records, memory, startAfter });
  opened.defer(() => columns.close());
  for (const ledger of Object.values(ledgers)) opened.defer(() => ledger.close());
  const place = { records, clickHouse: config.clickHouse };
  const impacts = openImpacts(place, memory.impact, () => ledgers.ledger.figures().entries);
  readers.push(columns, impacts);
  opened.defer(() => impacts.close());
  return { changes, follower, lease, ...ledgers, columns, hasDecisions, archive, impacts };
}

/** The records in memory that requests read. */
async function openKnown(
  { config, logger }: Options,
  opened: AsyncDisposableStack,
  { db, clock, changes, follower, memory, listening }: Engine,
) {
  const collections = openCollections(db, changes);
  const snapshot = new Snapshot(db, changes, collections, memory.snapshot);
  const keys = openKeys(db, changes, clock, {
    ...config,
    confirm: follower.confirm,
    onUnreadable: (report) =>
      logger.warn(report, 'a trusted proxy sends addresses that cannot be read; let it send the address alone'),
  });
  opened.defer(() => keys.close());
  const onProblem = (error: unknown): void =>
    logger.warn({ err: error }, 'keys of agents could not be kept; the next start fetches them');
  const visited = { db, changes, clock, snapshot, listening, allowPrivate: config.webhookAllowPrivate };
  const visiting = await openVisiting({ ...visited, publicUrl: config.publicUrl, onProblem }, opened);
  const unregistered = openUnregistered(db, (error) =>
    logger.warn({ err: error }, 'requests that are not registered could not be counted and will be retried'),
  );
  opened.defer(() => unregistered.close());
  return {
    collections,
    offers: openOffers(db, changes),
    snapshot,
    keys,
    ...visiting,
    unregistered,
    published: openSignals({ ...visited, names: visiting.names, server: visiting.licenseTokens.server }),
  };
}

function openReports({ config, logger }: Options, { records, memory, startAfter }: ReportsDeps): Columns {
  return openColumns({
    records,
    columnsFile: join(config.dataDir, 'columns.duckdb'),
    clickHouse: config.clickHouse,
    archiveDir: config.archiveDir,
    memory: memory.columns,
    startAfter,
    onProblem: (problem, isLoss) => logger[isLoss ? 'error' : 'warn']({ problem }, 'columns'),
  });
}

interface ReportsDeps extends Pick<Store, 'records' | 'memory'> {
  startAfter: Promise<void> | null;
}

/** Opens the crawler directory, and the verification of visitors by their addresses. */
async function openIdentification(
  { config, logger }: Options,
  opened: AsyncDisposableStack,
  { db, changes, clock, lease }: Base,
) {
  const fetching = lease('identities');
  const outgoing = { userAgent: `Postern/${VERSION}`, allowPrivate: config.webhookAllowPrivate };
  const common = { db, changes, clock, isOurs: fetching.held };
  const directory = await openRenewal({
    ...common,
    getter: openGetter(outgoing),
    source: config.crawlerDirectory,
    onReplaced: ({ date }) => logger.info({ date }, 'the crawler directory was replaced'),
    onProblem: (problem) =>
      logger.warn({ err: problem }, 'the crawler directory could not be renewed; the last one stays in force'),
  });
  opened.defer(() => directory.close());
  const identities = await openIdentities({
    ...common,
    getter: openGetter(outgoing),
    directoryLists: config.crawlerLists,
    onProblem: (error) =>
      logger.warn({ err: error }, 'published lists could not be kept up to date and will be retried'),
  });
  opened.defer(() => identities.close());
  return { fetching, directory, identities };
}

/** Work that one node of a cluster does at a time: housekeeping and deliveries. */
function startBackground({ config, logger }: Options, opened: AsyncDisposableStack, parts: Base) {
  const { db, changes, clock, clockWatch, ledger, lease } = parts;
  const housekeeping = lease('housekeeping');
  opened.defer(
    startHousekeeping({
      ...parts,
      ledgerNo: ledger.ledgerNo,
      takeNames: db.engine === 'sqlite' ? () => ledger.takeNames() : undefined,
      auditDays: config.auditDays,
      testDays: Math.min(TEST_DAYS, config.privacy.inputDays ?? TEST_DAYS),
      isOurs: housekeeping.held,
      isTimeSure: clockWatch.isSure,
      onProblem: (error) => logger.warn({ err: error }, 'housekeeping failed and will be retried'),
    }),
  );
  startPrivacy({ config, logger }, opened, { ...parts, isOurs: housekeeping.held });
  startMovingOf({ config, logger }, opened, { ...parts, isOurs: housekeeping.held });
  const driftChecks = openDriftChecks({
    ...parts,
    signals: parts.published,
    allowPrivate: config.webhookAllowPrivate,
    isOurs: housekeeping.held,
    onProblem: (error) => logger.warn({ err: error }, 'a site could not be compared and will be retried'),
  });
  opened.defer(() => driftChecks.close());
  const events = openEvents({ db, clock, decisionsOf: (ids) => findDecisions(db, ledger.ledgerNo, ids) });
  // A node without webhooks leaves the lease to others.
  const dispatch = config.webhooks ? lease('deliveries') : neverHeld;
  if (!config.webhooks) logger.warn('no webhook is delivered, because POSTERN_WEBHOOKS is false');
  const deliverer = openDeliverer({
    db,
    changes,
    clock,
    events,
    sender: openSender({ allowPrivate: config.webhookAllowPrivate }),
    isOurs: dispatch.held,
    userAgent: `Postern/${VERSION}`,
    checksWaiting: () => ledger.figures().waiting,
    onProblem: (error) => logger.warn({ err: error }, 'webhook deliveries failed and will be retried'),
  });
  opened.defer(() => deliverer.close());
  return { housekeeping, dispatch, events, deliverer, driftChecks };
}

/** The ways in: keys, sessions of the console, event streams. */
function openDoors({ oidc }: Config, parts: Base & Background) {
  const { db, clock, follower, keys, events } = parts;
  const sessions = openSessions({ db, clock, keys });
  const streams = openStreams(events);
  const authenticatePartner = openPartnerDoor({ ...parts, confirm: () => follower.confirm() });
  return { sessions, streams, authenticatePartner, provider: oidc === null ? null : openProvider(oidc, clock) };
}
