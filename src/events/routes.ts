/** Events of the last 30 days: list, read one, follow live. */
import { fail } from '../errors.ts';
import { spanOf } from '../http/list.ts';
import type { App } from '../http/server.ts';
import { EventAnswer, EventPage, kindsIn, ListEventsQuery, StreamQuery } from './schema.ts';
import type { Events } from './store.ts';
import type { Streams } from './stream.ts';

const config = { permission: 'webhooks:manage' } as const;
const tags = ['Events'];

export function eventRoutes(app: App, { events, streams }: { events: Events; streams: Streams }): void {
  app.get(
    '/v1/events',
    {
      config,
      schema: {
        tags,
        operationId: 'listEvents',
        summary: 'List events',
        querystring: ListEventsQuery,
        response: { 200: EventPage },
      },
    },
    async ({ query }) => {
      const { type, objectId } = query;
      return events.list(
        {
          ...spanOf(query),
          ...(type === undefined ? {} : { kinds: kindsIn(type, 'type') }),
          ...(objectId === undefined ? {} : { objectId }),
        },
        query,
      );
    },
  );

  app.get(
    '/v1/events/stream',
    {
      config,
      // HEAD would be a stream without end in which nothing comes.
      exposeHeadRoute: false,
      schema: {
        tags,
        operationId: 'streamEvents',
        summary: 'Follow events live (server-sent events)',
        querystring: StreamQuery,
      },
    },
    async (request, reply) => {
      const { type = '*', lastEventId } = request.query;
      const header = request.headers['last-event-id'];
      await streams.open(request, reply, {
        kinds: kindsIn(type, 'type'),
        lastEventId: typeof header === 'string' && header !== '' ? header : lastEventId,
      });
      return reply;
    },
  );

  app.get<{ Params: { id: string } }>(
    '/v1/events/:id',
    { config, schema: { tags, operationId: 'getEvent', summary: 'Read an event', response: { 200: EventAnswer } } },
    async (request) => {
      const event = await events.find(request.params.id);
      if (event !== undefined) return event;
      throw fail(
        'event_not_found',
        `There is no event ${request.params.id.slice(0, 100)}; events are kept for 30 days.`,
      );
    },
  );
}
