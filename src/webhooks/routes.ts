/** Create, list, read, edit and delete webhooks, rotate their secrets, send a test. */
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { type Failure, fail } from '../errors.ts';
import type { Events } from '../events/store.ts';
import { PageQuerySchema } from '../http/list.ts';
import { sendCommitted } from '../http/reply.ts';
import type { App } from '../http/server.ts';
import type { Clock } from '../lib/clock.ts';
import { newBody } from '../lib/id.ts';
import { newDelivery } from './delivery.ts';
import { edited, newWebhook, planCreate, planDelete, planRotate, planUpdate } from './edits.ts';
import {
  CreateWebhook,
  DeliveryAnswer,
  deliveryAnswer,
  UpdateWebhook,
  WebhookAnswer,
  WebhookDeleted,
  WebhookPage,
  webhookAnswer,
} from './schema.ts';
import { countWebhooks, findSecrets, findWebhook, insertDelivery, listWebhooks } from './store.ts';
import type { Secrets, Webhook } from './webhook.ts';

const WEBHOOKS_MAX = 100;

export interface WebhookDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  events: Events;
  /** POSTERN_WEBHOOK_ALLOW_PRIVATE */
  allowPrivate: boolean;
}

interface OfWebhook {
  Params: { id: string };
}

const config = { permission: 'webhooks:manage' } as const;
const tags = ['Webhooks'];

export function webhookRoutes(app: App, { db, changes, clock, allowPrivate }: WebhookDeps): void {
  const get = (id: string): Promise<Webhook> => getWebhook(db, id);

  app.post(
    '/v1/webhooks',
    {
      config,
      schema: {
        tags,
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        body: CreateWebhook,
        response: { 201: WebhookAnswer },
      },
    },
    async (request, reply) => {
      const webhook = newWebhook(request.body, clock.now(), allowPrivate);
      const committed = await changes.commit(request, 'webhooks', async () => {
        if ((await countWebhooks(db)) >= WEBHOOKS_MAX) {
          throw fail('invalid_request', `There are ${WEBHOOKS_MAX} webhooks, which is the most; delete one first.`);
        }
        return planCreate(webhook);
      });
      return sendCommitted(reply, committed);
    },
  );

  app.get(
    '/v1/webhooks',
    {
      config,
      schema: {
        tags,
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        querystring: PageQuerySchema,
        response: { 200: WebhookPage },
      },
    },
    async (request) => {
      const page = await listWebhooks(db, request.query);
      return { ...page, data: page.data.map((webhook) => webhookAnswer(webhook)) };
    },
  );

  app.get<OfWebhook>(
    '/v1/webhooks/:id',
    {
      config,
      schema: { tags, operationId: 'getWebhook', summary: 'Read a webhook', response: { 200: WebhookAnswer } },
    },
    async (request) => webhookAnswer(await get(request.params.id)),
  );

  app.patch<OfWebhook & { Body: UpdateWebhook }>(
    '/v1/webhooks/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'updateWebhook',
        summary: 'Edit a webhook',
        body: UpdateWebhook,
        response: { 200: WebhookAnswer },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const committed = await changes.commit(request, id, async () => {
        const before = await get(id);
        return planUpdate(before, edited(before, request.body, clock.now(), allowPrivate));
      });
      return sendCommitted(reply, committed);
    },
  );

  app.delete<OfWebhook>(
    '/v1/webhooks/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook and its deliveries',
        response: { 200: WebhookDeleted },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      return sendCommitted(reply, await changes.commit(request, id, async () => planDelete(await get(id))));
    },
  );

  app.post<OfWebhook>(
    '/v1/webhooks/:id/rotate-secret',
    {
      config,
      schema: {
        tags,
        operationId: 'rotateWebhookSecret',
        summary: 'Replace the secret',
        response: { 200: WebhookAnswer },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const plan = async () => planRotate(await get(id), await getSecrets(db, id), clock.now());
      return sendCommitted(reply, await changes.commit(request, id, plan));
    },
  );

  app.post<OfWebhook>(
    '/v1/webhooks/:id/test',
    {
      config,
      schema: { tags, operationId: 'testWebhook', summary: 'Send a test event', response: { 200: DeliveryAnswer } },
    },
    async (request, reply) => {
      const { id } = request.params;
      const committed = await changes.commit(request, id, async () => {
        const webhook = await get(id);
        requireActive(webhook);
        const now = clock.now();
        const body = newBody(now);
        const delivery = newDelivery(id, { body, kind: 'webhook.test' }, now);
        return {
          steps: [insertDelivery(delivery)],
          changes: [{ kind: 'webhook.test', id, body, object: webhookAnswer(webhook) }],
          status: 200,
          body: deliveryAnswer(delivery),
        };
      });
      return sendCommitted(reply, committed);
    },
  );
}

/** Throws webhook_not_found. */
export async function getWebhook(db: Db, id: string): Promise<Webhook> {
  const webhook = await findWebhook(db, id);
  if (webhook === undefined) throw notFound(id);
  return webhook;
}

async function getSecrets(db: Db, id: string): Promise<Secrets> {
  const secrets = await findSecrets(db, id);
  if (secrets === undefined) throw notFound(id);
  return secrets;
}

const notFound = (id: string): Failure => fail('webhook_not_found', `There is no webhook ${id.slice(0, 100)}.`);

/** Throws invalid_request. */
export function requireActive(webhook: Webhook): void {
  if (webhook.status === 'active') return;
  throw fail(
    'invalid_request',
    `This webhook is disabled (${webhook.disabledReason}). Enable it with PATCH {"status": "active"} first.`,
  );
}
