/**
 * An event notifies other systems of a change or a decision. It exists exactly when that was committed, because its row
 * is part of the same transaction, and its body never changes.
 */

import { toIso } from '../../lib/clock.ts';
import type { EventKind } from '../changes/kinds.ts';

/** A row of the log of events. */
export interface EventRecord {
  seq: number;
  /** The id without its prefix: 26 characters. */
  body: string;
  at: number;
  kind: EventKind | 'webhook.test';
  /** Id of the record, or of the decision. */
  objectId: string;
}

/** An event as deliveries, lists and the stream show it. */
export interface Event {
  id: string;
  object: 'event';
  type: EventKind | 'webhook.test';
  created: string;
  data: { object: unknown; previous?: unknown };
}

export const EVENT_PREFIX = 'evt_';

/** Serializes an event, byte for byte the same every time. */
export const eventText = (event: Event): string => JSON.stringify(event);

/** Builds an event from its row and its stored JSON. */
export function toEvent(record: EventRecord, object: string, previous: string | null): Event {
  return {
    id: EVENT_PREFIX + record.body,
    object: 'event',
    type: record.kind,
    created: toIso(record.at),
    data: {
      object: JSON.parse(object),
      ...(previous === null ? {} : { previous: JSON.parse(previous) }),
    },
  };
}
