/** The log of events as the workers of one node read it: webhooks with equal cursors and equal events share a query. */
import type { EventRecord } from '../events/event.ts';
import type { Events } from '../events/store.ts';
import { getWantedKinds, type Webhook } from './webhook.ts';

export class LogReader {
  readonly #events: Pick<Events, 'head' | 'readAfter'>;
  readonly #reads = new Map<string, Promise<EventRecord[]>>();
  #head = 0;

  constructor(events: Pick<Events, 'head' | 'readAfter'>) {
    this.#events = events;
  }

  /** The newest event's `seq` at the last `refresh`. */
  get head(): number {
    return this.#head;
  }

  async refresh(): Promise<void> {
    this.#head = await this.#events.head();
    this.#reads.clear();
  }

  /** Returns at most `limit` events for the webhook after one `seq` and up to another, in commit order. */
  read(webhook: Webhook, after: number, upTo: number, limit: number): Promise<EventRecord[]> {
    const kinds = getWantedKinds(webhook);
    const key = `${after} ${upTo} ${limit} ${kinds.join()}`;
    const read = this.#reads.get(key) ?? this.#events.readAfter(after, upTo, kinds, limit);
    this.#reads.set(key, read);
    return read;
  }
}
