/** The kinds of decision that some webhook subscribes to: only these become events. */

import type { Db } from '../../db/db.ts';
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
  changes.subscribe(({ kind, id, object }) => {
    if (!kind.startsWith('webhook.')) return;
    if (kind === 'webhook.deleted') subscribers.delete(id);
    else subscribers.set(id, object as Subscriber);
    update();
  });
  for (const webhook of await findActiveWebhooks(db)) subscribers.set(webhook.id, webhook);
  update();
  return () => kinds;
}
