/**
 * A node of a cluster: it reads the changes of the others, and does singleton work under a lease. A node without a
 * cluster holds every lease.
 */
import type { Db } from '../../db/db.ts';
import type { PostgresDb } from '../../db/postgres/db.ts';
import type { Lease } from '../../db/postgres/lease.ts';
import type { Changes } from './changes.ts';
import { aloneFollower, CHANNEL, type Follower, openFollower } from './follow.ts';

export interface Cluster {
  follower: Follower;
  /** A lease for singleton work. */
  lease(name: string): Lease;
}

export interface ClusterEvents {
  /** The node has lost too many changes to continue. */
  onFatal(cause: Error): void;
  /** The server is silent: no connection to it can be trusted. */
  onSilence(): void;
}

/** The lease of a single node. */
const alwaysHeld: Lease = { held: () => true, close: async () => {} };
/** In place of a lease on work that a node is not to do. */
export const neverHeld: Lease = { held: () => false, close: async () => {} };

export async function joinCluster(
  db: Db | PostgresDb,
  changes: Changes,
  opened: AsyncDisposableStack,
  { onFatal, onSilence }: ClusterEvents,
): Promise<Cluster> {
  if (!('abandon' in db)) return { follower: aloneFollower, lease: () => alwaysHeld };
  const { openLease } = await import('../../db/postgres/lease.ts');
  const { openPostgresLine } = await import('../../db/postgres/line.ts');
  let follower: Follower | undefined;
  const line = openPostgresLine({
    url: db.url,
    channel: CHANNEL,
    onNotice: () => follower?.wake(),
    onSilence() {
      db.abandon();
      onSilence();
    },
  });
  opened.defer(() => line.close());
  const following = await openFollower({ db, line, apply: changes.notify, onRewritten: onFatal });
  follower = following;
  changes.notifyThrough(following.catchUp);
  opened.defer(() => following.close());
  const lease = (name: string): Lease => {
    const taken = openLease(line, name);
    opened.defer(() => taken.close());
    return taken;
  };
  return { follower, lease };
}
