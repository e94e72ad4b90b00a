/**
 * The bodies of deliveries. Promise: what is asked for in one turn is read at once, whoever asks; what many webhooks are
 * sent is read for all of them together. Bounded memory; what belonged to deleted content is not remembered.
 */
import { eventText } from '../events/event.ts';
import type { Events } from '../events/store.ts';
import { Lru } from '../lib/lru.ts';

const KEPT_MAX = 2_000;
/** Longer ones are read again. */
const KEPT_CHARS_MAX = 8 * 1024;
const READ_AT_ONCE = 100;

export interface EventTexts {
  /** Undefined when the event is gone. */
  find(id: string): Promise<string | undefined>;
  /** Nothing read before now is answered from memory. */
  forget(): void;
}

export function openEventTexts(events: Pick<Events, 'findMany'>): EventTexts {
  let kept = new Lru<string, string>(KEPT_MAX);
  let underWay = new Map<string, Promise<string | undefined>>();
  let wanted: { id: string; resolve: (text: string | undefined) => void; reject: (error: unknown) => void }[] = [];

  async function readSome(some: typeof wanted, into: Lru<string, string>): Promise<void> {
    try {
      const found = await events.findMany(some.map(({ id }) => id));
      const texts = new Map(found.map((event) => [event.id, eventText(event)]));
      for (const { id, resolve } of some) {
        const text = texts.get(id);
        if (text !== undefined && text.length <= KEPT_CHARS_MAX) into.set(id, text);
        resolve(text);
      }
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }

  function readWanted(): void {
    const all = wanted;
    wanted = [];
    for (let i = 0; i < all.length; i += READ_AT_ONCE) void readSome(all.slice(i, i + READ_AT_ONCE), kept);
  }

  return {
    find(id) {
      const text = kept.get(id);
      if (text !== undefined) return Promise.resolve(text);
      const present = underWay.get(id);
      if (present !== undefined) return present;
      const sharedBy = underWay;
      const asked = new Promise<string | undefined>((resolve, reject) => {
        if (wanted.length === 0) setImmediate(readWanted);
        wanted.push({ id, resolve, reject });
      }).finally(() => sharedBy.delete(id));
      underWay.set(id, asked);
      return asked;
    },
    forget() {
      // A read that is under way may be of yesterday: what it brings goes where nobody looks any more.
      kept = new Lru(KEPT_MAX);
      underWay = new Map();
    },
  };
}
