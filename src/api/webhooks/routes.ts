/** Create, list, read, edit and delete webhooks, rotate their secrets, send a test. */

import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { newBody } from '../../lib/id.ts';
import type { Edit } from '../changes/change.ts';
import type { Changes } from '../changes/changes.ts';
import { type Resource, resource } from '../changes/resource.ts';
import { type Failure, fail } from '../errors.ts';
import type { Events } from '../events/store.ts';
import type { App } from '../http/app.ts';
import { PageQuerySchema, toList } from '../http/list.ts';
import { edit, route } from '../http/route.ts';
import { newDelivery } from './delivery.ts';
import { edited, newWebhook, planCreate, planDelete, planRotate, planUpdate, requireUrl } from './edits.ts';
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

const operation = { tag: 'Webhooks', permission: 'webhooks:manage' } as const;

export function webhookRoutes(app: App, deps: WebhookDeps): void {
  const { db, changes, clock, allowPrivate } = deps;
  const webhooks = webhookResource(deps);

  const create = {
    ...operation,
    id: 'createWebhook',
    is: 'Create a webhook',
    body: CreateWebhook,
    answers: { 201: WebhookAnswer },
  };
  edit(app, 'POST /v1/webhooks', create, (request) => {
    requireUrl(request.body.url, allowPrivate);
    const webhook = newWebhook(request.body, clock.now());
    return changes.commit(request, 'webhooks', async () => {
      if ((await countWebhooks(db)) < WEBHOOKS_MAX) return planCreate(webhook);
      throw fail('invalid_request', `There are ${WEBHOOKS_MAX} webhooks, which is the most; delete one first.`);
    });
  });

  const list = { ...operation, id: 'listWebhooks', is: 'List webhooks', query: PageQuerySchema, answer: WebhookPage };
  route(app, 'GET /v1/webhooks', list, async ({ query }) => {
    const page = await listWebhooks(db, query);
    return toList(page, (webhook) => webhookAnswer(webhook));
  });

  const read = { ...operation, id: 'getWebhook', is: 'Read a webhook', answer: WebhookAnswer };
  route(app, 'GET /v1/webhooks/:id', read, async ({ params }) => webhookAnswer(await webhooks.get(params.id)));

  const update = {
    ...operation,
    id: 'updateWebhook',
    is: 'Edit a webhook',
    body: UpdateWebhook,
    answer: WebhookAnswer,
  };
  edit(app, 'PATCH /v1/webhooks/:id', update, (request) => {
    requireUrl(request.body.url, allowPrivate);
    return webhooks.edit(request, (before) => planUpdate(before, edited(before, request.body, clock.now())));
  });

  const remove = {
    ...operation,
    id: 'deleteWebhook',
    is: 'Delete a webhook and its deliveries',
    answer: WebhookDeleted,
  };
  edit(app, 'DELETE /v1/webhooks/:id', remove, (request) => webhooks.edit(request, planDelete));

  const rotate = { ...operation, id: 'rotateWebhookSecret', is: 'Replace the secret', answer: WebhookAnswer };
  edit(app, 'POST /v1/webhooks/:id/rotate-secret', rotate, (request) =>
    webhooks.edit(request, async (before) => planRotate(before, await getSecrets(db, before.id), clock.now())),
  );

  const test = { ...operation, id: 'testWebhook', is: 'Send a test event', answer: DeliveryAnswer };
  edit(app, 'POST /v1/webhooks/:id/test', test, (request) =>
    webhooks.edit(request, (webhook) => planTest(webhook, clock.now())),
  );
}

export const webhookResource = ({ db, changes }: Pick<WebhookDeps, 'db' | 'changes'>): Resource<Webhook> =>
  resource({ changes, find: (id) => findWebhook(db, id), notFound });

async function getSecrets(db: Db, id: string): Promise<Secrets> {
  const secrets = await findSecrets(db, id);
  if (secrets === undefined) throw notFound(id);
  return secrets;
}

/** Throws invalid_request. */
function planTest(webhook: Webhook, now: number): Edit {
  requireActive(webhook);
  const body = newBody(now);
  const delivery = newDelivery(webhook.id, { body, kind: 'webhook.test' }, now);
  return {
    steps: [insertDelivery(delivery)],
    changes: [{ kind: 'webhook.test', id: webhook.id, body, object: webhookAnswer(webhook) }],
    status: 200,
    body: deliveryAnswer(delivery),
  };
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
