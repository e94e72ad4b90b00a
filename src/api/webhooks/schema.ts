/** Webhooks and deliveries on the wire. */
import { type Static, Type } from 'typebox';
import { toIso } from '../../lib/clock.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { refined } from '../../lib/refined.ts';
import { EVENT_KINDS } from '../changes/kinds.ts';
import { metadata } from '../changes/metadata.ts';
import { EventType, kindProblems } from '../events/schema.ts';
import { deletedSchema, listSchema, pageProperties } from '../http/list.ts';
import { DELIVERY_STATUSES, type Delivery } from './delivery.ts';
import { WEBHOOK_STATUSES, type Webhook } from './webhook.ts';

const url = Type.String({ maxLength: 2048, format: 'http-url' });
const events = Type.Array(refined(Type.String({ minLength: 1, maxLength: 64 }), kindProblems), {
  minItems: 1,
  maxItems: 50,
  description: `Kinds of event, \`content.*\` for a group, \`*\` for all: ${EVENT_KINDS.join(', ')}`,
});
const description = orNull(Type.String({ maxLength: 2000 }));
const status = Type.Enum([...WEBHOOK_STATUSES]);

export const CreateWebhook = Type.Object(
  { url, events, description: Type.Optional(description), metadata: Type.Optional(metadata) },
  { additionalProperties: false, title: 'CreateWebhook' },
);
export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    description: Type.Optional(description),
    metadata: Type.Optional(metadata),
    metadataReplace: Type.Optional(Type.Boolean()),
    status: Type.Optional(status),
  },
  { additionalProperties: false, minProperties: 1, title: 'UpdateWebhook' },
);
export type UpdateWebhook = Static<typeof UpdateWebhook>;

export const WebhookAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('webhook'),
    url: Type.String(),
    events: Type.Array(Type.String()),
    description,
    metadata,
    status,
    disabledReason: textOrNull(),
    failingSince: textOrNull(),
    created: Type.String(),
    updated: Type.String(),
    secret: Type.Optional(Type.String({ description: 'Signs the deliveries; shown only on create and rotate' })),
  },
  { title: 'Webhook', description: 'A webhook' },
);
export const WebhookPage = listSchema(WebhookAnswer);
export const WebhookDeleted = deletedSchema('webhook');

export const webhookAnswer = (webhook: Webhook, secret?: string) => ({
  id: webhook.id,
  object: 'webhook' as const,
  url: webhook.url,
  events: webhook.events,
  description: webhook.description,
  metadata: webhook.metadata,
  status: webhook.status,
  disabledReason: webhook.disabledReason,
  failingSince: webhook.failingSince === null ? null : toIso(webhook.failingSince),
  created: toIso(webhook.createdAt),
  updated: toIso(webhook.updatedAt),
  ...(secret === undefined ? {} : { secret }),
});

export const ListDeliveriesQuery = Type.Object(
  {
    ...pageProperties,
    status: Type.Optional(Type.Enum([...DELIVERY_STATUSES])),
    eventId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  },
  { additionalProperties: false },
);

export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuery>;

const AttemptAnswer = Type.Object(
  {
    number: Type.Integer(),
    created: Type.String(),
    request: Type.Object({ url: Type.String(), headers: Type.Record(Type.String(), Type.String()) }),
    statusCode: orNull(Type.Integer()),
    durationMs: Type.Integer(),
    error: textOrNull(),
    responseBody: orNull(Type.String({ description: 'The first kilobyte' })),
  },
  { title: 'DeliveryAttempt' },
);

export const DeliveryAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('webhook_delivery'),
    webhookId: Type.String(),
    eventId: Type.String(),
    eventType: EventType,
    status: Type.Enum([...DELIVERY_STATUSES]),
    attemptCount: Type.Integer(),
    nextAttemptAt: textOrNull(),
    attempts: Type.Array(AttemptAnswer, { description: 'The newest 20, oldest first' }),
    created: Type.String(),
    updated: Type.String(),
    requestBody: Type.Optional(
      Type.String({ description: 'The body that is sent; only when a single delivery is read' }),
    ),
  },
  { title: 'Delivery', description: 'The delivery of one event to one webhook' },
);
export const DeliveryPage = listSchema(DeliveryAnswer);

export const deliveryAnswer = (delivery: Delivery, requestBody?: string) => ({
  id: delivery.id,
  object: 'webhook_delivery' as const,
  webhookId: delivery.webhookId,
  eventId: delivery.eventId,
  eventType: delivery.kind,
  status: delivery.status,
  attemptCount: delivery.attemptCount,
  nextAttemptAt: delivery.nextAttemptAt === null ? null : toIso(delivery.nextAttemptAt),
  attempts: delivery.attempts,
  created: toIso(delivery.createdAt),
  updated: toIso(delivery.updatedAt),
  ...(requestBody === undefined ? {} : { requestBody }),
});
