/** What a node counts, for machines that watch: read from its parts when it is asked for. */
import type { Follower } from '../changes/follow.ts';
import type { Lease } from '../db/lease.ts';
import type { Streams } from '../events/stream.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Columns } from '../usage/columns.ts';
import type { Deliverer } from '../webhooks/deliver.ts';

/** A number read when it is asked for: counting costs the hot path an increment and nothing else. */
export interface Metric {
  name: string;
  help: string;
  labels?: Record<string, string>;
  read(): number;
}

export interface Measured {
  ledger: Ledger;
  columns: Columns;
  deliverer: Deliverer;
  streams: Streams;
  follower: Follower;
  housekeeping: Lease;
  dispatch: Lease;
}

export function metricsOf({
  ledger,
  columns,
  deliverer,
  streams,
  follower,
  housekeeping,
  dispatch,
}: Measured): Metric[] {
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
