/**
 * The bodies of deliveries. Promise: ids that are requested in one turn are read with one query, and webhooks that are
 * sent the same event share one read. Bounded memory.
 */

import { Cache } from '../../lib/cache/cache.ts';
import type { Changes } from '../changes/changes.ts';
import { eventText } from '../events/event.ts';
import type { Events } from '../events/store.ts';

const KEPT_MAX = 2_000;
/** Longer bodies are read again. */
const KEPT_CHARS_MAX = 8 * 1024;
const IDS_PER_READ = 100;

export interface Bodies {
  /** Returns undefined when the event is gone. */
  find(eventId: string): Promise<string | undefined>;
}

interface Request {
  id: string;
  resolve(text: string | undefined): void;
  reject(error: unknown): void;
}

export function openBodies(events: Pick<Events, 'findMany'>, changes: Changes): Bodies {
  const kept = new Cache<string, string>(KEPT_MAX);
  const inFlight = new Map<string, Promise<string | undefined>>();
  let requests: Request[] = [];
  changes.known('bodies', {
    clear() {
      kept.clear();
      inFlight.clear();
    },
  });

  async function read(some: readonly Request[]): Promise<void> {
    try {
      await kept.read(async (keep) => {
        const found = await events.findMany(some.map(({ id }) => id));
        const texts = new Map(found.map((event) => [event.id, eventText(event)]));
        for (const { id, resolve } of some) {
          const text = texts.get(id);
          if (text !== undefined && text.length <= KEPT_CHARS_MAX) keep(id, text);
          resolve(text);
        }
      });
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }

  function readAll(): void {
    const all = requests;
    requests = [];
    for (let i = 0; i < all.length; i += IDS_PER_READ) void read(all.slice(i, i + IDS_PER_READ));
  }

  function request(id: string): Promise<string | undefined> {
    const requested = new Promise<string | undefined>((resolve, reject) => {
      if (requests.length === 0) setImmediate(readAll);
      requests.push({ id, resolve, reject });
    }).finally(() => {
      if (inFlight.get(id) === requested) inFlight.delete(id);
    });
    inFlight.set(id, requested);
    return requested;
  }

  return {
    find(id) {
      const text = kept.get(id);
      return text === undefined ? (inFlight.get(id) ?? request(id)) : Promise.resolve(text);
    },
  };
}
