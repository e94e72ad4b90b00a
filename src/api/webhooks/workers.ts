/** The workers of this node: one for each active webhook, started and stopped as webhooks are edited. */

import type { Db } from '../../db/db.ts';
import type { Changes } from '../changes/changes.ts';
import { findActiveWebhooks, findCursor } from './store.ts';
import type { Webhook } from './webhook.ts';
import { Worker, type WorkerDeps } from './worker.ts';

export interface Workers {
  all(): readonly Worker[];
  /** Starts, updates and stops workers after an edit of webhooks. */
  refresh(): Promise<void>;
  /** Stops all; the next `refresh` starts them from what is stored. */
  stop(): void;
  /** Stops all for good. */
  close(): void;
}

export function openWorkers(db: Db, changes: Changes, deps: WorkerDeps): Workers {
  const workers = new Map<string, Worker>();
  let stale = true;
  let closed = false;

  changes.wakeOnChange(({ kind, id, object }) => {
    if (!kind.startsWith('webhook.')) return;
    stale = true;
    workers.get(id)?.forgetTarget();
    // No further request, also where the next one was about to start.
    if (kind === 'webhook.deleted' || (object as Webhook).status === 'disabled') remove(id);
  });

  function remove(id: string): void {
    workers.get(id)?.stop();
    workers.delete(id);
  }

  async function refresh(): Promise<void> {
    while (stale && !closed) {
      stale = false;
      const active = await findActiveWebhooks(db);
      // An edit during a read makes its rows stale: read again.
      if (!stale) await update(active);
    }
  }

  async function update(active: readonly Webhook[]): Promise<void> {
    const ids = new Set(active.map(({ id }) => id));
    for (const id of workers.keys()) if (!ids.has(id)) remove(id);
    for (const webhook of active) {
      const worker = workers.get(webhook.id);
      worker?.update(webhook);
      if (worker !== undefined) continue;
      const cursor = await findCursor(db, webhook.id);
      if (stale || closed) return;
      if (cursor !== undefined) workers.set(webhook.id, new Worker(deps, webhook, cursor));
    }
  }

  const stop = (): void => {
    for (const id of workers.keys()) remove(id);
    stale = true;
  };
  return {
    all: () => [...workers.values()],
    refresh,
    stop,
    close() {
      closed = true;
      stop();
    },
  };
}
