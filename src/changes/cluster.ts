/**
 * A node among others: it hears of what they changed, and does the work that one node at a time does. Alone it is both the
 * only one and always right.
 */
import type { Db } from '../db/db.ts';
import { alwaysHeld, type Lease, openLease } from '../db/lease.ts';
import type { PostgresDb } from '../db/postgres.ts';
import { openPostgresLine } from '../db/postgres-line.ts';
import type { Changes } from './changes.ts';
import { aloneFollower, CHANNEL, type Follower, openFollower } from './follow.ts';

export interface Cluster {
  follower: Follower;
  /** For work that one node at a time does. */
  lease(name: string): Lease;
}

export interface ClusterEvents {
  /** The node knows too little of what happened to go on. */
  onFatal(cause: Error): void;
  /** The server is silent: no connection to it can be trusted. */
  onSilence(): void;
}

export async function joinCluster(
  db: Db | PostgresDb,
  changes: Changes,
  opened: AsyncDisposableStack,
  { onFatal, onSilence }: ClusterEvents,
): Promise<Cluster> {
  if (!('abandon' in db)) return { follower: aloneFollower, lease: () => alwaysHeld };
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
