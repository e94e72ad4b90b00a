/** Plans edits of webhooks: the rows to write, the changes to announce, the answer. */
import { randomBytes } from 'node:crypto';
import { newId } from '../../lib/id.ts';
import { findUrlFault } from '../../lib/outgoing/address.ts';
import type { Edit } from '../changes/change.ts';
import { toEdit } from '../changes/edit.ts';
import type { ChangeKind } from '../changes/kinds.ts';
import { editedMetadata } from '../changes/metadata.ts';
import { fail } from '../errors.ts';
import { type CreateWebhook, type UpdateWebhook, webhookAnswer } from './schema.ts';
import { SECRET_BYTES, SECRET_PREFIX } from './sign.ts';
import { deleteWebhook, insertWebhook, replaceSecrets, updateWebhook } from './store.ts';
import { type Secrets, WEBHOOK_PREFIX, type Webhook } from './webhook.ts';

/** A replaced secret still signs for this long. */
const OLD_SECRET_MS = 24 * 3_600_000;
/** With more rotations in a day, the oldest secret stops signing. */
const OLD_SECRETS_MAX = 5;

const newSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

export function newWebhook(body: CreateWebhook, at: number): Webhook {
  return {
    id: newId(WEBHOOK_PREFIX, at),
    url: body.url,
    events: [...new Set(body.events)],
    description: body.description ?? null,
    metadata: body.metadata ?? {},
    status: 'active',
    disabledReason: null,
    failingSince: null,
    createdAt: at,
    updatedAt: at,
  };
}

/** Throws invalid_request. */
export function edited(before: Webhook, edit: UpdateWebhook, at: number): Webhook {
  const status = edit.status ?? before.status;
  const webhook: Webhook = {
    ...before,
    url: edit.url ?? before.url,
    events: edit.events === undefined ? before.events : [...new Set(edit.events)],
    description: edit.description === undefined ? before.description : edit.description,
    metadata: editedMetadata(before.metadata, edit),
    status,
    updatedAt: Math.max(at, before.updatedAt + 1),
  };
  if (status === before.status) return webhook;
  // A change of status resets the streak of failures.
  return { ...webhook, failingSince: null, disabledReason: status === 'active' ? null : 'Disabled by an API key.' };
}

export function planCreate(webhook: Webhook): Edit {
  const secret = newSecret();
  return {
    steps: [insertWebhook(webhook, secret)],
    changes: [{ kind: 'webhook.created', id: webhook.id, object: webhookAnswer(webhook) }],
    status: 201,
    secret: true,
    body: webhookAnswer(webhook, secret),
  };
}

export const planUpdate = (before: Webhook, webhook: Webhook, kind: ChangeKind = 'webhook.updated'): Edit =>
  toEdit(before, webhook, {
    steps: [updateWebhook(webhook, before)],
    changes: [{ kind, id: webhook.id, object: webhookAnswer(webhook), before: webhookAnswer(before) }],
    answer: (one) => ({ body: webhookAnswer(one) }),
  });

/** Disables a webhook whose deliveries fail. */
export const planDisable = (before: Webhook, reason: string, at: number): Edit =>
  planUpdate(
    before,
    { ...before, status: 'disabled', disabledReason: reason, updatedAt: Math.max(at, before.updatedAt + 1) },
    'webhook.disabled',
  );

export function planRotate(before: Webhook, { secret: present, old }: Secrets, at: number): Edit {
  const secret = newSecret();
  const signing = [{ secret: present, until: at + OLD_SECRET_MS }, ...old.filter(({ until }) => until > at)];
  const webhook = { ...before, updatedAt: Math.max(at, before.updatedAt + 1) };
  return {
    steps: [replaceSecrets(webhook, before, { secret, old: signing.slice(0, OLD_SECRETS_MAX) })],
    changes: [
      {
        kind: 'webhook.secret_rotated',
        id: webhook.id,
        object: webhookAnswer(webhook),
        before: webhookAnswer(before),
      },
    ],
    status: 200,
    secret: true,
    body: webhookAnswer(webhook, secret),
  };
}

export const planDelete = (webhook: Webhook): Edit => ({
  steps: deleteWebhook(webhook.id),
  changes: [{ kind: 'webhook.deleted', id: webhook.id, object: webhookAnswer(webhook) }],
  status: 200,
  body: { id: webhook.id, object: 'webhook', deleted: true },
});

/** Throws invalid_request. `allowPrivate` accepts http and private addresses. */
export function requireUrl(url: string | undefined, allowPrivate: boolean): void {
  if (url === undefined) return;
  const fault = findUrlFault(url, allowPrivate);
  if (fault === undefined) return;
  const hint = fault.includes('user name') ? '' : ' Set POSTERN_WEBHOOK_ALLOW_PRIVATE=true to allow it in development.';
  throw fail('invalid_request', `\`url\` ${fault}.${hint}`, { param: 'url' });
}
