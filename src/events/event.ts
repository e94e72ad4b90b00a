/**
 * An event: that something happened, for other systems. It exists exactly when its change or its decision was committed,
 * because it is a row of the same transaction; what it says is read from there and never changes.
 */
import type { EventKind } from '../changes/kinds.ts';
import { toIso } from '../lib/clock.ts';
import { parseOrdered, stringifyOrdered } from '../lib/json.ts';

/** Its place in the log of events. */
export interface EventPlace {
  seq: number;
  /** 26 characters. */
  body: string;
  at: number;
  kind: EventKind | 'webhook.test';
  /** Id of the record, or of the decision. */
  objectId: string;
}

/** On the wire, in every delivery, list and stream alike. */
export interface Event {
  id: string;
  object: 'event';
  type: EventKind | 'webhook.test';
  created: string;
  data: { object: unknown; previous?: unknown };
}

export const EVENT_PREFIX = 'evt_';

/** Byte for byte the same, whoever asks and however often. */
export const eventText = (event: Event): string => stringifyOrdered(event);

/** `object` and `previous` as the JSON they were stored as. */
export function toEvent(place: EventPlace, object: string, previous: string | null): Event {
  return {
    id: EVENT_PREFIX + place.body,
    object: 'event',
    type: place.kind,
    created: toIso(place.at),
    data: {
      object: parseOrdered(object),
      ...(previous === null ? {} : { previous: parseOrdered(previous) }),
    },
  };
}
