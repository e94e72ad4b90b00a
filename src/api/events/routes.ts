/** Events of the last 30 days: list, read one, follow live. */
import { fail } from '../errors.ts';
import type { App } from '../http/app.ts';
import { readSpan, toList } from '../http/list.ts';
import { route } from '../http/route.ts';
import { EventAnswer, EventPage, kindsIn, ListEventsQuery, StreamQuery } from './schema.ts';
import type { Events } from './store.ts';
import type { Streams } from './stream.ts';

const operation = { tag: 'Events', permission: 'webhooks:manage' } as const;

export function eventRoutes(app: App, { events, streams }: { events: Events; streams: Streams }): void {
  const list = { ...operation, id: 'listEvents', is: 'List events', query: ListEventsQuery, answer: EventPage };
  route(app, 'GET /v1/events', list, async ({ query }) => {
    const { type, objectId } = query;
    const filter = {
      ...readSpan(query),
      ...(type === undefined ? {} : { kinds: kindsIn(type) }),
      ...(objectId === undefined ? {} : { objectId }),
    };
    return toList(await events.list(filter, query));
  });

  const follow = {
    ...operation,
    id: 'streamEvents',
    is: 'Follow events live (server-sent events)',
    query: StreamQuery,
    endless: true,
    media: 'text/event-stream',
  } as const;
  route(app, 'GET /v1/events/stream', follow, async (request, reply) => {
    const { type = '*', lastEventId } = request.query;
    const header = request.headers['last-event-id'];
    const inQuery = lastEventId === undefined ? undefined : { param: 'lastEventId', id: lastEventId };
    const resume = typeof header === 'string' && header !== '' ? { param: 'Last-Event-ID', id: header } : inQuery;
    await streams.open(request, reply, { kinds: kindsIn(type), resume });
    return reply;
  });

  const read = { ...operation, id: 'getEvent', is: 'Read an event', answer: EventAnswer };
  route(app, 'GET /v1/events/:id', read, async ({ params: { id } }) => {
    const event = await events.find(id);
    if (event !== undefined) return event;
    throw fail('event_not_found', `There is no event ${id.slice(0, 100)}; events are kept for 30 days.`);
  });
}
