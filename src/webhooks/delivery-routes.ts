/** Deliveries of a webhook: list, read one, try again. */
import { fail } from '../errors.ts';
import { eventText } from '../events/event.ts';
import { sendCommitted } from '../http/reply.ts';
import type { App } from '../http/server.ts';
import type { Delivery } from './delivery.ts';
import { getWebhook, requireActive, type WebhookDeps } from './routes.ts';
import { DeliveryAnswer, DeliveryPage, deliveryAnswer, ListDeliveriesQuery } from './schema.ts';
import { findDelivery, listDeliveries, updateDelivery } from './store.ts';

interface OfDelivery {
  Params: { id: string; deliveryId: string };
}

const config = { permission: 'webhooks:manage' } as const;
const tags = ['Webhooks'];

/** What was sent and answered is in the delivery itself. */
function withoutAttempts(delivery: Delivery): object {
  const { attempts: _, ...rest } = deliveryAnswer(delivery);
  return rest;
}

export function deliveryRoutes(app: App, { db, changes, clock, events }: WebhookDeps): void {
  async function get({ id, deliveryId }: OfDelivery['Params']): Promise<Delivery> {
    const delivery = await findDelivery(db, id, deliveryId);
    if (delivery !== undefined) return delivery;
    throw fail(
      'delivery_not_found',
      `Webhook ${id.slice(0, 100)} has no delivery ${deliveryId.slice(0, 100)}; deliveries are kept for 30 days.`,
    );
  }

  app.get<{ Params: { id: string }; Querystring: ListDeliveriesQuery }>(
    '/v1/webhooks/:id/deliveries',
    {
      config,
      schema: {
        tags,
        operationId: 'listWebhookDeliveries',
        summary: 'List deliveries',
        querystring: ListDeliveriesQuery,
        response: { 200: DeliveryPage },
      },
    },
    async ({ params, query }) => {
      await getWebhook(db, params.id);
      const page = await listDeliveries(db, params.id, query, query);
      return { ...page, data: page.data.map((delivery) => deliveryAnswer(delivery)) };
    },
  );

  app.get<OfDelivery>(
    '/v1/webhooks/:id/deliveries/:deliveryId',
    {
      config,
      schema: {
        tags,
        operationId: 'getWebhookDelivery',
        summary: 'Read a delivery',
        response: { 200: DeliveryAnswer },
      },
    },
    async ({ params }) => {
      await getWebhook(db, params.id);
      const delivery = await get(params);
      const event = await events.find(delivery.eventId);
      return deliveryAnswer(delivery, event && eventText(event));
    },
  );

  app.post<OfDelivery>(
    '/v1/webhooks/:id/deliveries/:deliveryId/retry',
    {
      config,
      schema: {
        tags,
        operationId: 'retryWebhookDelivery',
        summary: 'Deliver again now',
        response: { 200: DeliveryAnswer },
      },
    },
    async (request, reply) => {
      const { params } = request;
      const committed = await changes.commit(request, params.deliveryId, async () => {
        requireActive(await getWebhook(db, params.id));
        const before = await get(params);
        if ((await events.findPlace(before.eventId)) === undefined) {
          throw fail('event_not_found', 'The event of this delivery is not kept any more; there is nothing to send.');
        }
        const now = clock.now();
        const delivery: Delivery = { ...before, status: 'pending', nextAttemptAt: now, updatedAt: now };
        return {
          steps: [{ ...updateDelivery(delivery, before), expect: 1 }],
          changes: [
            {
              kind: 'webhook_delivery.retried',
              id: delivery.id,
              object: withoutAttempts(delivery),
              before: withoutAttempts(before),
            },
          ],
          status: 200,
          body: deliveryAnswer(delivery),
        };
      });
      return sendCommitted(reply, committed);
    },
  );
}
