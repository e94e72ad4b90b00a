/** The kinds of decision that some webhook subscribes to: only these become events. */
import type { Db } from '../../db/db.ts';
import { View } from '../../lib/cache/view.ts';
import type { Changes } from '../changes/changes.ts';
import { ACCESS_KINDS, type AccessKind } from '../changes/kinds.ts';
import { findActiveWebhooks } from './store.ts';
import { getWantedKinds, type Webhook } from './webhook.ts';

type Subscriber = Pick<Webhook, 'events' | 'status'>;

/** Returns a getter of the current kinds, up to date before the response to a webhook's edit goes out. */
export async function openSubscriptions(db: Db, changes: Changes): Promise<() => readonly AccessKind[]> {
  const subscribers = new Map<string, Subscriber>();
  let kinds: readonly AccessKind[] = [];
  const update = (): void => {
    const wanted = new Set([...subscribers.values()].flatMap(getWantedKinds));
    kinds = ACCESS_KINDS.filter((kind) => wanted.has(kind));
  };
  const put = (id: string, subscriber: Subscriber | undefined): void => {
    if (subscriber === undefined) subscribers.delete(id);
    else subscribers.set(id, subscriber);
    update();
  };
  await changes.known('subscriptions', new View(put)).load(() => findActiveWebhooks(db));
  return () => kinds;
}
