/** Deliveries of a webhook: list, read one, retry. */

import type { Db } from '../../db/db.ts';
import type { Edit } from '../changes/change.ts';
import { fail } from '../errors.ts';
import { eventText } from '../events/event.ts';
import type { App } from '../http/app.ts';
import { toList } from '../http/list.ts';
import { edit, route } from '../http/route.ts';
import type { Delivery } from './delivery.ts';
import { requireActive, type WebhookDeps, webhookResource } from './routes.ts';
import { DeliveryAnswer, DeliveryPage, deliveryAnswer, ListDeliveriesQuery } from './schema.ts';
import { findDelivery, listDeliveries, updateDelivery } from './store.ts';

const operation = { tag: 'Webhooks', permission: 'webhooks:manage' } as const;

export function deliveryRoutes(app: App, deps: WebhookDeps): void {
  const { db, changes, clock, events } = deps;
  const webhooks = webhookResource(deps);
  const list = {
    ...operation,
    id: 'listWebhookDeliveries',
    is: 'List deliveries',
    query: ListDeliveriesQuery,
    answer: DeliveryPage,
  };
  route(app, 'GET /v1/webhooks/:id/deliveries', list, async ({ params, query }) => {
    await webhooks.get(params.id);
    const page = await listDeliveries(db, params.id, query, query);
    return toList(page, (delivery) => deliveryAnswer(delivery));
  });

  const read = { ...operation, id: 'getWebhookDelivery', is: 'Read a delivery', answer: DeliveryAnswer };
  route(app, 'GET /v1/webhooks/:id/deliveries/:deliveryId', read, async ({ params }) => {
    await webhooks.get(params.id);
    const delivery = await getDelivery(db, params.id, params.deliveryId);
    const event = await events.find(delivery.eventId);
    return deliveryAnswer(delivery, event && eventText(event));
  });

  const retry = { ...operation, id: 'retryWebhookDelivery', is: 'Deliver again now', answer: DeliveryAnswer };
  edit(app, 'POST /v1/webhooks/:id/deliveries/:deliveryId/retry', retry, (request) => {
    const { id, deliveryId } = request.params;
    return changes.commit(request, deliveryId, async () => {
      requireActive(await webhooks.get(id));
      const before = await getDelivery(db, id, deliveryId);
      if ((await events.findRecord(before.eventId)) === undefined) {
        throw fail('event_not_found', 'The event of this delivery is no longer kept, so it cannot be sent.');
      }
      return planRetry(before, clock.now());
    });
  });
}

async function getDelivery(db: Db, id: string, deliveryId: string): Promise<Delivery> {
  const delivery = await findDelivery(db, id, deliveryId);
  if (delivery !== undefined) return delivery;
  throw fail(
    'delivery_not_found',
    `Webhook ${id.slice(0, 100)} has no delivery ${deliveryId.slice(0, 100)}; deliveries are kept for 30 days.`,
  );
}

function planRetry(before: Delivery, now: number): Edit {
  const delivery: Delivery = { ...before, status: 'pending', nextAttemptAt: now, updatedAt: now };
  const [object, previous] = [delivery, before].map((one) => {
    // The delivery holds its attempts: the audit log leaves them out.
    const { attempts: _, ...rest } = deliveryAnswer(one);
    return rest;
  }) as [object, object];
  return {
    steps: [{ ...updateDelivery(delivery, before), expect: 1 }],
    changes: [{ kind: 'webhook_delivery.retried', id: delivery.id, object, before: previous }],
    status: 200,
    body: deliveryAnswer(delivery),
  };
}
