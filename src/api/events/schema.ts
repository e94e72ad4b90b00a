/** Events on the wire. */
import { type Static, Type } from 'typebox';
import type { Problem } from '../../lib/refined.ts';
import { nearest } from '../../lib/text.ts';
import { EVENT_KINDS, type EventKind, expandKinds, KIND_PATTERNS } from '../changes/kinds.ts';
import { invalid } from '../errors.ts';
import { listSchema, pageProperties, spanProperties } from '../http/list.ts';

const type = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1000,
    description: 'Kinds of event, separated by commas; `content.*` for all of a group',
  }),
);

export const ListEventsQuery = Type.Object(
  {
    ...pageProperties,
    type,
    objectId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Id of the record or decision that the event is about',
      }),
    ),
    ...spanProperties,
  },
  { additionalProperties: false },
);
export type ListEventsQuery = Static<typeof ListEventsQuery>;

export const StreamQuery = Type.Object(
  {
    type,
    lastEventId: Type.Optional(
      Type.String({ maxLength: 64, description: 'Replaces the header Last-Event-ID in clients that cannot set it' }),
    ),
  },
  { additionalProperties: false },
);

export const EventType = Type.Enum([...EVENT_KINDS, 'webhook.test'], { title: 'EventType' });

export const EventAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('event'),
    type: EventType,
    created: Type.String(),
    data: Type.Object({
      object: Type.Unknown({ description: 'The record after the change; for a deleted record, its last state' }),
      previous: Type.Optional(Type.Unknown({ description: 'The previous values of the fields that changed' })),
    }),
  },
  { title: 'Event', description: 'A change of a record, or a decision' },
);
export const EventPage = listSchema(EventAnswer);

/** Parses the comma-separated list of the query parameter `type`. Throws invalid_request. */
export function kindsIn(text: string): EventKind[] {
  const patterns = text.split(',').map((part) => part.trim());
  const problems = patterns.flatMap((pattern) => kindProblems(pattern, 'type'));
  if (problems.length > 0) throw invalid(problems);
  return expandKinds(patterns);
}

/** Returns a problem unless it is a kind, `content.*` or `*`. */
export function kindProblems(pattern: string, param: string): Problem[] {
  if (KIND_PATTERNS.includes(pattern)) return [];
  const near = nearest(pattern, KIND_PATTERNS);
  const hint = near === undefined ? `Kinds are ${EVENT_KINDS.join(', ')}.` : `Did you mean ${near}?`;
  return [{ param, message: `There is no kind of event ${JSON.stringify(pattern.slice(0, 100))}. ${hint}` }];
}
