/** The metrics of a node, read from its parts at each scrape. */
import type { Follower } from '../../api/changes/follow.ts';
import type { Streams } from '../../api/events/stream.ts';
import type { Keys } from '../../api/keys/authenticate.ts';
import type { Deliverer } from '../../api/webhooks/deliverer.ts';
import type { Lease } from '../../db/postgres/lease.ts';
import type { Columns } from '../../decisions/history/columns/columns.ts';
import type { Submitting } from '../../decisions/history/sealed/submit.ts';
import type { Ledger } from '../../decisions/ledger/ledger.ts';
import type { RenewedDirectory } from '../../requesters/crawlers/renewal.ts';
import type { Identities } from '../../requesters/identities/identities.ts';
import type { Signatures } from '../../requesters/signatures/signatures.ts';
import { type LimitPeriod, PERIODS } from '../../rules/limit.ts';
import { REASONS } from '../../rules/reason.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { Metric } from './registry.ts';
import { listVisitorMetrics } from './visitor-metrics.ts';

export interface Measured {
  ledger: Ledger;
  columns: Columns;
  deliverer: Deliverer;
  streams: Streams;
  follower: Follower;
  housekeeping: Lease;
  dispatch: Lease;
  fetching: Lease;
  identities: Identities;
  directory: RenewedDirectory;
  signatures: Signatures;
  keys: Keys;
  clockWatch: ClockWatch;
  /** null: the log has no witnesses. */
  submitting: Submitting | null;
}

export const listMetrics = (parts: Measured): Metric[] => [
  ...listCluster(parts),
  ...listLedger(parts),
  ...listColumns(parts),
  ...listEvents(parts),
  ...listVisitorMetrics(parts),
  ...listDirectory(parts.directory),
  ...listWitnesses(parts.submitting),
  {
    name: 'postern_unreadable_addresses_total',
    help: 'Addresses that trusted proxies sent and that cannot be read',
    read: () => parts.keys.unreadable.figures().total,
  },
  ...listDecisions(parts.ledger),
  ...listLimits(parts.ledger),
];

const listDirectory = ({ state }: RenewedDirectory): Metric[] => [
  {
    name: 'postern_crawler_directory_date_seconds',
    help: 'The day of the crawler directory in force, as a Unix time',
    read: () => Date.parse(state().date) / 1000,
  },
  {
    name: 'postern_crawler_directory_failures',
    help: 'Failed attempts to renew the crawler directory since the last that succeeded',
    read: () => state().failures,
  },
];

/** Names of witnesses are no labels: `/metrics` needs no key. */
function listWitnesses(submitting: Submitting | null): Metric[] {
  const reports = () => submitting?.reports() ?? [];
  return [
    {
      name: 'postern_log_witnesses_failing',
      help: 'Witnesses of the log that did not cosign at the last attempt',
      read: () => reports().filter(({ problem }) => problem !== null).length,
    },
    {
      name: 'postern_log_witnesses_forked',
      help: 'Witnesses that cosigned entries that this log does not have',
      read: () => reports().filter(({ problem }) => problem?.isFork === true).length,
    },
    {
      name: 'postern_log_witnesses_behind',
      help: 'Entries of the newest checkpoint that the slowest witness did not cosign',
      read: () => Math.max(0, ...reports().map(({ behind }) => behind)),
    },
  ];
}

function listCluster({ follower, housekeeping, dispatch, fetching, clockWatch }: Measured): Metric[] {
  const lease = (name: string, { held }: Lease): Metric => ({
    name: 'postern_lease_held',
    help: '1 on the node of the cluster that does this work',
    labels: { work: name },
    read: () => Number(held()),
  });
  return [
    {
      name: 'postern_changes_unconfirmed_ms',
      help: 'Time since this node confirmed that it knows all changes; above 900, requests wait',
      read: () => follower.figures().unconfirmedMs,
    },
    {
      name: 'postern_changes_applied_total',
      help: 'Changes of all nodes, read from the log',
      read: () => follower.figures().applied,
    },
    lease('housekeeping', housekeeping),
    lease('deliveries', dispatch),
    lease('identities', fetching),
    {
      name: 'postern_clock_ahead_ms',
      help: 'Time that Postern is ahead of the clock of its machine or database, after that was set back',
      read: () => clockWatch.aheadMs(),
    },
  ];
}

const listLedger = ({ ledger }: Measured): Metric[] => [
  { name: 'postern_ledger_head', help: 'Newest decision number in the ledger', read: () => ledger.head() },
  { name: 'postern_ledger_waiting', help: 'Checks waiting to be recorded', read: () => ledger.figures().waiting },
  { name: 'postern_ledger_flushes_total', help: 'Group commits', read: () => ledger.figures().flushes },
  { name: 'postern_ledger_entries_total', help: 'Decisions recorded', read: () => ledger.figures().entries },
];

const listColumns = ({ columns }: Measured): Metric[] => [
  {
    name: 'postern_columns_behind',
    help: 'Decisions of the ledger not yet in the columns',
    read: () => columns.figures().behind,
  },
  { name: 'postern_columns_bytes', help: 'Size of the columns', read: () => columns.figures().sizeBytes },
  { name: 'postern_columns_restarts_total', help: 'Restarts of the columns', read: () => columns.figures().restarts },
  { name: 'postern_columns_rebuilds_total', help: 'Rebuilds of the columns', read: () => columns.figures().rebuilds },
];

const listEvents = ({ deliverer, streams }: Measured): Metric[] => [
  ...(['succeeded', 'failed'] as const).map((outcome) => ({
    name: 'postern_webhook_attempts_total',
    help: 'Attempts of webhook deliveries, by outcome',
    labels: { outcome },
    read: () => deliverer.figures()[outcome],
  })),
  { name: 'postern_webhook_in_flight', help: 'Webhook requests in flight', read: () => deliverer.figures().inFlight },
  { name: 'postern_event_streams', help: 'Open event streams', read: () => streams.figures().open },
  {
    name: 'postern_event_streams_held_bytes',
    help: 'Bytes buffered for slow clients of event streams',
    read: () => streams.figures().heldBytes,
  },
];

/** `reason` is empty for allowed decisions. */
function listDecisions(ledger: Ledger): Metric[] {
  const codes: [string, number][] = [
    ['', 0],
    ...Object.entries(REASONS).map(([reason, { code }]): [string, number] => [reason, code]),
  ];
  return codes.map(([reason, code]) => ({
    name: 'postern_decisions_total',
    help: 'Decisions recorded by this node, by outcome and reason of denial',
    labels: { allowed: String(code === 0), reason },
    read: () => ledger.figures().reasons[code] ?? 0,
  }));
}

function listLimits(ledger: Ledger): Metric[] {
  return (Object.keys(PERIODS) as LimitPeriod[]).flatMap((period) =>
    (['admitted', 'refused'] as const).map((outcome) => ({
      name: 'postern_limit_claims_total',
      help: 'Checks that a rule with a rate limit allowed, by the outcome of the limit',
      labels: { period, outcome },
      read: () => ledger.figures().limits[period][outcome],
    })),
  );
}
