/**
 * Counts requests that find neither an item nor a collection, by hour. Counting takes no I/O: counts gather in memory
 * and are added to the records every few seconds, before a report, and when the service stops. Promise: on any number
 * of nodes each request is counted once, under its own key as long as keys are few, else under a wider one. A crash
 * loses what gathered since the last time.
 */
import type { Db } from '../../db/db.ts';
import { every } from '../../lib/every.ts';
import { serial } from '../../lib/queue.ts';
import { isText } from '../../lib/text.ts';
import { addCounts, HOUR_MS, REST, type UnregisteredCount, type UnregisteredKey } from './store.ts';

export interface UnregisteredRequest {
  host: string;
  /** The first segment of the path; empty for `/`. */
  segment: string;
  /** The crawler that the user agent names. */
  crawler: string | null;
  requesterId: string | null;
  /** Epoch ms. */
  at: number;
}

export interface Unregistered {
  count(request: UnregisteredRequest): void;
  /** Adds all counts to the records. Throws Unavailable; the counts are kept. */
  flush(): Promise<void>;
  /** Adds all counts to the records, if they can be written, and ends. */
  close(): Promise<void>;
}

const FLUSH_EVERY_MS = 5_000;
/** In memory: more keys than the rows of an hour, so that the records decide what is counted apart. */
const NARROW_MAX = 2_000;
/** With one more for each host that may have rows of an hour. */
const KEYS_MAX = 3_200;
/** Keys in one transaction, which no check should have to wait for. */
const KEYS_AT_ONCE = 50;
/** Longer segments are cut: what follows says little, and a visitor chooses it. */
const SEGMENT_MAX = 100;

export function openUnregistered(db: Db, onProblem: (error: unknown) => void): Unregistered {
  let counts = new Map<string, UnregisteredCount>();
  /** The hosts of these, by hour. */
  let hosts = new Set<string>();
  const queue = serial();

  function add(key: UnregisteredKey, requests: number): void {
    const text = JSON.stringify(key);
    const known = counts.get(text);
    const host = `${key.hour} ${key.host}`;
    const isRestOfHost = key.path === '' && (hosts.has(host) || counts.size < KEYS_MAX);
    if (known !== undefined) known.requests += requests;
    else if (counts.size < NARROW_MAX || isRest(key) || isRestOfHost) {
      counts.set(text, { key, requests });
      hosts.add(host);
    } else if (key.path !== '') add({ ...REST, hour: key.hour, host: key.host }, requests);
    else add({ ...REST, hour: key.hour }, requests);
  }

  const flush = (): Promise<void> =>
    queue.run(async () => {
      const taken = [...counts.values()];
      counts = new Map();
      hosts = new Set();
      while (taken.length > 0) {
        try {
          await addCounts(db, taken.slice(0, KEYS_AT_ONCE));
        } catch (error) {
          for (const { key, requests } of taken) add(key, requests);
          throw error;
        }
        taken.splice(0, KEYS_AT_ONCE);
      }
    });
  const stop = every(FLUSH_EVERY_MS, flush, onProblem);

  return {
    count({ host, segment, crawler, requesterId, at }) {
      const hour = at - (at % HOUR_MS);
      const key = {
        host,
        path: `/${segment.slice(0, SEGMENT_MAX)}`,
        crawler: crawler ?? '',
        requesterId: requesterId ?? '',
      };
      // A text that the records refuse would hold up all others.
      add({ hour, ...(Object.values(key).every(isText) ? key : REST) }, 1);
    },
    flush,
    async close() {
      await stop();
      await flush().catch(onProblem);
    },
  };
}

const isRest = ({ host }: UnregisteredKey): boolean => host === '';
