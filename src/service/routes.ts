/** The routes of the service. */

import { auditRoutes } from '../api/changes/audit-routes.ts';
import { eventRoutes } from '../api/events/routes.ts';
import type { App } from '../api/http/app.ts';
import { requireKeys } from '../api/http/auth.ts';
import { consoleFiles } from '../api/http/console-files.ts';
import { allowOrigins } from '../api/http/cors.ts';
import { supportIdempotency } from '../api/http/idempotency.ts';
import { describeApi } from '../api/http/openapi.ts';
import { keyRoutes } from '../api/keys/routes.ts';
import { getHolder } from '../api/users/edits.ts';
import { userRoutes } from '../api/users/routes.ts';
import { sessionRoutes } from '../api/users/session-routes.ts';
import { deliveryRoutes } from '../api/webhooks/delivery-routes.ts';
import { webhookRoutes } from '../api/webhooks/routes.ts';
import { collectionRoutes } from '../content/collections/routes.ts';
import { matchRoutes } from '../content/match-routes.ts';
import { contentRoutes } from '../content/routes.ts';
import { findMerged } from '../content/same-file.ts';
import { siteRoutes } from '../content/sites/routes.ts';
import { unregisteredRoutes } from '../content/unregistered/routes.ts';
import { authzenRoutes } from '../decisions/authzen/routes.ts';
import { accessRoutes } from '../decisions/check/routes.ts';
import { openFinder } from '../decisions/history/find.ts';
import { logKeyRoutes } from '../decisions/history/sealed/key-routes.ts';
import { logRoutes, receiptRoutes } from '../decisions/history/sealed/routes.ts';
import { openTestLog } from '../decisions/history/test-log.ts';
import { witnessRoutes } from '../decisions/history/witness/routes.ts';
import { decisionRoutes } from '../decisions/log/routes.ts';
import { probeRoutes } from '../decisions/proxy/probe-routes.ts';
import { authorizeRoutes } from '../decisions/proxy/routes.ts';
import { reachRoutes } from '../decisions/reach/routes.ts';
import { openRobotsReads, type RobotsReads } from '../decisions/visitors/robots-reads.ts';
import { VERSION } from '../lib/version.ts';
import { candidateRoutes } from '../policies/candidate-routes.ts';
import { policyRoutes } from '../policies/routes.ts';
import { attentionRoutes } from '../reports/attention/routes.ts';
import { openCursors } from '../reports/partner/cursor.ts';
import { type PartnerDeps, partnerRoutes } from '../reports/partner/routes.ts';
import { statementRoutes } from '../reports/statements/routes.ts';
import { findUnbilled } from '../reports/statements/unbilled.ts';
import { usageRoutes } from '../reports/usage/routes.ts';
import { candidateFiguresRoute } from '../reports/whatif/candidate-routes.ts';
import { impactRoutes, simulateRoutes } from '../reports/whatif/routes.ts';
import { crawlerEditRoutes, crawlerRoutes } from '../requesters/crawlers/routes.ts';
import { identityRoutes } from '../requesters/identities/routes.ts';
import { verifiableIn } from '../requesters/identities/verifiable.ts';
import { signingKeyRoutes } from '../requesters/license-tokens/routes.ts';
import { licenseRoutes } from '../requesters/licenses/routes.ts';
import { offerRoutes } from '../requesters/offers/routes.ts';
import { requesterRoutes } from '../requesters/routes.ts';
import { findNames } from '../requesters/store.ts';
import { tokenRoutes } from '../requesters/tokens/routes.ts';
import { driftRoutes } from '../signals/drift/routes.ts';
import { licenseServerRoutes } from '../signals/license-server/routes.ts';
import { openRobotsJudge } from '../signals/robots/broken.ts';
import { signalRoutes } from '../signals/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { statusRoutes } from './health/status.ts';
import type { Parts } from './parts.ts';
import { privacyRoutes } from './privacy/routes.ts';
import { readProgress } from './privacy/store.ts';

/** Adds every route. Hooks come before the routes they apply to. */
export async function addRoutes(app: App, parts: Parts): Promise<void> {
  const { config, own, db, clock, changes, follower, ledger, ids, columns, snapshot, keys, sessions } = parts;
  const { testLedger, unregistered, identities, visitors, offers, published: signals } = parts;
  await allowOrigins(app, config.corsOrigins);
  describeApi(app, VERSION);
  healthRoutes(app, { notReady: () => own.notReady ?? follower.notReady(), db, metrics: parts.metrics });
  requireKeys(app, {
    authenticate: keys.authenticate,
    authenticateSession: sessions.authenticate,
    authenticatePartner: parts.authenticatePartner,
    authorize: keys.authorize,
    sourceOf: keys.source,
  });
  supportIdempotency(app, db, clock);
  const { decisionMaxAge: maxAge, privacy } = config;
  const checkDeps = {
    db,
    snapshot,
    ledger,
    testLedger,
    unregistered,
    offers,
    identities,
    visitors,
    clock,
    maxAge,
    precision: privacy,
    ids,
  };
  const robotsReads = openReads(app, parts);
  accessRoutes(app, { ...checkDeps, openSignalsOf: signals.ofPages });
  authorizeRoutes(app, { ...checkDeps, visitor: keys.visitor, signals, robotsReads });
  await authzenRoutes(app, { ...checkDeps, publicUrl: config.publicUrl });
  reachRoutes(app, { db, snapshot, now: ledger.now });
  probeRoutes(app, { db, changes, clock });
  const finder = openFinder(db, columns);
  const tests = openTestLog(db, testLedger.ledgerNo);
  decisionRoutes(app, { db, ledger, ids, finder, tests, robots: openRobotsJudge(db), parquet: parts.archive });
  receiptRoutes(app, { db, parquet: parts.archive, ids, signing: parts.signing });
  logKeyRoutes(app, { db, changes, clock, signing: parts.signing });
  logRoutes(app, { db, signing: config.receipts === 'public' ? parts.signing : null });
  await witnessRoutes(app, parts.witness);
  addContentRoutes(app, parts);
  publishingRoutes(app, parts, robotsReads);
  addRequesterRoutes(app, parts);
  statementRoutes(app, { ...pickCounting(parts), changes, signing: parts.signing, publisher: config.publisher });
  crawlerRoutes(app, parts.directory);
  addPolicyRoutes(app, parts);
  const managing = { db, changes, clock, holderOf: (id: string) => getHolder(db, id) };
  keyRoutes(app, { ...managing, keys });
  userRoutes(app, managing);
  auditRoutes(app, db);
  notifyingRoutes(app, parts);
  addReports(app, parts, { robotsReads, finder, tests, checks: checkDeps });
  unregisteredRoutes(app, parts);
  const { dataDir, clickHouse } = config;
  statusRoutes(app, { ...parts, dataDir, clickHouse, privacy, privacyProgress: () => readProgress(db) });
  sessionRoutes(app, { db, changes, clock, sessions, provider: parts.provider });
  consoleFiles(app);
}

function addPolicyRoutes(app: App, parts: Parts): void {
  const { db, changes, clock, columns, ledger, snapshot, offers, identities, impacts } = parts;
  simulateRoutes(app, { db, snapshot, offers, identities, now: ledger.now });
  impactRoutes(app, { db, ledger, impacts });
  candidateFiguresRoute(app, { db, columns });
  const policyDeps = { db, changes, clock, findVerifiable: verifiableIn({ db, clock, identities }) };
  candidateRoutes(app, policyDeps);
  policyRoutes(app, policyDeps);
}

/** Adds the routes that report usage, to publishers and to partners. */
function addReports(
  app: App,
  { config, db, changes, clock, columns, ledger, ids, archive, signatures, names, keys, directory, signing }: Parts,
  reading: Pick<PartnerDeps, 'finder' | 'tests' | 'checks'> & { robotsReads: RobotsReads },
): void {
  const { now } = ledger;
  attentionRoutes(app, { db, columns, signatures, names, keys, directory, now });
  const requesterNames = (requesterIds: readonly string[]) => findNames(db, requesterIds);
  usageRoutes(app, { db, columns, now, robotsReads: reading.robotsReads, requesterNames });
  partnerRoutes(app, {
    ...reading,
    db,
    changes,
    clock,
    columns,
    parquet: archive,
    ledgerNo: ledger.ledgerNo,
    ids,
    cursors: openCursors(db),
    signing,
    now,
    publisher: config.publisher,
    publisherShown: config.publisherShown,
  });
}

function notifyingRoutes(app: App, { config, db, changes, clock, events, streams }: Parts): void {
  const webhookDeps = { db, changes, clock, events, allowPrivate: config.webhookAllowPrivate };
  webhookRoutes(app, webhookDeps);
  deliveryRoutes(app, webhookDeps);
  eventRoutes(app, { events, streams });
}

/** Keeps who reads a robots.txt while the service answers. */
function openReads(app: App, { db, clock, config }: Parts): RobotsReads {
  const onProblem = (err: unknown) => app.log.warn({ err }, 'readers of robots.txt could not be kept');
  const reads = openRobotsReads({ db, clock, precision: config.privacy, onProblem });
  app.addHook('onClose', () => reads.close());
  return reads;
}

function publishingRoutes(
  app: App,
  { db, changes, clock, published, driftChecks, follower, tokens, snapshot, licenseTokens }: Parts,
  robotsReads: RobotsReads,
): void {
  const items = {
    merged: (host: string, rules: Parameters<typeof findMerged>[2]) => findMerged(db, host, rules),
  };
  siteRoutes(app, { db, changes, clock, items, server: licenseTokens.server });
  signingKeyRoutes(app, { db, changes, clock });
  const confirm = () => follower.confirm();
  licenseServerRoutes(app, { db, changes, clock, tokens, snapshot, confirm, signals: published, licenseTokens });
  signalRoutes(app, { db, clock, signals: published, robotsReads });
  driftRoutes(app, { db, driftChecks });
}

function addContentRoutes(app: App, { db, changes, clock, collections, columns }: Parts): void {
  contentRoutes(app, { db, changes, clock, collections, stats: columns.stats });
  collectionRoutes(app, { db, changes, clock, collections });
  matchRoutes(app, { db, clock, collections });
  offerRoutes(app, { db, changes, clock });
}

/** Returns the parts with which statements are counted. */
const pickCounting = ({ db, columns, archive, ledger, ids }: Parts) => ({
  db,
  columns,
  parquet: archive,
  ids,
  now: ledger.now,
});

function addRequesterRoutes(app: App, parts: Parts): void {
  const { config, db, changes, clock, ledger, columns, tokens, identities } = parts;
  requesterRoutes(app, { db, changes, clock, allowPrivate: config.webhookAllowPrivate });
  privacyRoutes(app, { db, changes, clock, ledger, columns });
  tokenRoutes(app, { db, changes, clock, tokens });
  crawlerEditRoutes(app, { db, changes, clock, allowPrivate: config.webhookAllowPrivate });
  identityRoutes(app, { db, changes, clock, identities });
  const counting = pickCounting(parts);
  licenseRoutes(app, { db, changes, clock, findUnbilled: (id, bounds) => findUnbilled(counting, id, bounds) });
}
