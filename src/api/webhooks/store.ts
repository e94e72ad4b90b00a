/** The tables `webhooks` and `deliveries`; rows never leave this file. Secrets leave it only for signing. */
import type { Db, Row, Step, Value } from '../../db/db.ts';
import { idForm, type Page, type PageQuery, readPage } from '../../db/page.ts';
import { Where } from '../../db/query.ts';
import { columns } from '../../db/record.ts';
import { toBase32 } from '../../lib/id.ts';
import type { EventRecord } from '../events/event.ts';
import type { Attempt, Delivery, DeliveryStatus } from './delivery.ts';
import { LONGEST_WAIT_MS } from './schedule.ts';
import type { DeliveryTarget, Secrets, Webhook } from './webhook.ts';

const WEBHOOK = columns<Webhook>({
  id: 'fixed',
  url: 'plain',
  events: 'json',
  description: 'plain',
  metadata: 'json',
  status: 'plain',
  disabledReason: 'plain',
  // Deliveries write it.
  failingSince: 'generated',
  createdAt: 'fixed',
  updatedAt: 'plain',
});

export async function findWebhook(db: Db, id: string): Promise<Webhook | undefined> {
  const [row] = await db.read(`select ${WEBHOOK.list} from webhooks where id = $1`, [id]);
  return row && WEBHOOK.toRecord(row);
}

export async function findActiveWebhooks(db: Db): Promise<Webhook[]> {
  const rows = await db.read(`select ${WEBHOOK.list} from webhooks where status = 'active' order by id`);
  return rows.map(WEBHOOK.toRecord);
}

/** Finds the webhooks whose deliveries fail, or that were disabled because of it, the longest first. */
export async function findFailing(db: Db, limit: number): Promise<Webhook[]> {
  const rows = await db.read(
    `select ${WEBHOOK.list} from webhooks where failing_since is not null order by failing_since, id limit ${limit}`,
  );
  return rows.map(WEBHOOK.toRecord);
}

export async function countWebhooks(db: Db): Promise<number> {
  const [row] = await db.read<{ total: number }>('select count(*) as total from webhooks');
  return Number(row?.total ?? 0);
}

export const listWebhooks = (db: Db, query: PageQuery): Promise<Page<Webhook>> =>
  readPage(
    db,
    { select: WEBHOOK.list, from: 'webhooks', order: 'id', form: idForm('wh_'), toRecord: WEBHOOK.toRecord },
    query,
  );

const insertRow = WEBHOOK.step(
  `insert into webhooks ({columns}, secret, old_secrets, cursor)
   values ({values}, :secret, '[]', (select coalesce(max(seq), 0) from events))`,
);

/** The webhook receives events committed after this step. */
export const insertWebhook = (webhook: Webhook, secret: string): Step => insertRow(webhook, { secret });

const updateRow = WEBHOOK.step(
  `update webhooks set {changes}, failing_since = case when status = :status then failing_since else :failingSince end
   where id = :id and updated_at = :beforeAt and status = :beforeStatus`,
  1,
);

/**
 * Fails with Conflict if the webhook has changed since `before`. Deliveries alone set `failing_since`, except when the
 * status changes.
 */
export const updateWebhook = (webhook: Webhook, before: Webhook): Step =>
  updateRow(webhook, { beforeAt: before.updatedAt, beforeStatus: before.status });

/** Fails with Conflict if the webhook has changed since `before`. */
export const replaceSecrets = (webhook: Webhook, before: Webhook, { secret, old }: Secrets): Step => ({
  sql: 'update webhooks set secret = $2, old_secrets = $3, updated_at = $4 where id = $1 and updated_at = $5',
  params: [webhook.id, secret, JSON.stringify(old), webhook.updatedAt, before.updatedAt],
  expect: 1,
});

export const deleteWebhook = (id: string): Step[] => [
  { sql: 'delete from deliveries where webhook_id = $1', params: [id] },
  { sql: 'delete from webhooks where id = $1', params: [id], expect: 1 },
];

/** Returns the destination of an active webhook. */
export async function findTarget(db: Db, id: string): Promise<DeliveryTarget | undefined> {
  const [row] = await db.read<{ url: string } & SecretsRow>(
    "select url, secret, old_secrets from webhooks where id = $1 and status = 'active'",
    [id],
  );
  return row && { url: row.url, ...toSecrets(row) };
}

export async function findSecrets(db: Db, id: string): Promise<Secrets | undefined> {
  const [row] = await db.read<SecretsRow>('select secret, old_secrets from webhooks where id = $1', [id]);
  return row && toSecrets(row);
}

interface SecretsRow extends Row {
  secret: string;
  old_secrets: string;
}

const toSecrets = (row: SecretsRow): Secrets => ({
  secret: row.secret,
  old: JSON.parse(row.old_secrets) as Secrets['old'],
});

/** Returns the webhook's cursor: the `seq` of the last event that became a delivery or was skipped. */
export async function findCursor(db: Db, id: string): Promise<number | undefined> {
  const [row] = await db.read<{ cursor: number }>('select cursor from webhooks where id = $1', [id]);
  return row?.cursor;
}

/** Fails with Conflict unless the cursor is `from`, so that each event becomes one delivery on any number of nodes. */
export const moveCursor = (id: string, from: number, to: number): Step => ({
  sql: 'update webhooks set cursor = $3 where id = $1 and cursor = $2',
  params: [id, from, to],
  expect: 1,
});

export const startFailing = (id: string, at: number): Step => ({
  sql: 'update webhooks set failing_since = $2 where id = $1 and failing_since is null',
  params: [id, at],
});

export const stopFailing = (id: string): Step => ({
  sql: 'update webhooks set failing_since = null where id = $1 and failing_since is not null',
  params: [id],
});

interface DeliveryRow extends Row {
  id: string;
  webhook_id: string;
  event_id: string;
  kind: string;
  status: string;
  attempt_count: number;
  attempts: string;
  next_at: number | null;
  created_at: number;
  updated_at: number;
}

const DELIVERY = 'id, webhook_id, event_id, kind, status, attempt_count, attempts, next_at, created_at, updated_at';

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  kind: row.kind as EventRecord['kind'],
  status: row.status as DeliveryStatus,
  attemptCount: row.attempt_count,
  attempts: JSON.parse(row.attempts) as Attempt[],
  nextAttemptAt: row.next_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const deliveryParams = (delivery: Delivery): Value[] => [
  delivery.id,
  delivery.status,
  delivery.attemptCount,
  JSON.stringify(delivery.attempts),
  delivery.nextAttemptAt,
  delivery.updatedAt,
];

/** Inserts nothing when the webhook is gone. */
export const insertDelivery = (delivery: Delivery): Step => ({
  sql: `insert into deliveries
          (id, status, attempt_count, attempts, next_at, updated_at, webhook_id, event_id, kind, created_at)
        select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 where exists (select 1 from webhooks where id = $7)`,
  params: [...deliveryParams(delivery), delivery.webhookId, delivery.eventId, delivery.kind, delivery.createdAt],
});

/** Changes nothing when the delivery is gone or has had another attempt since `before`. */
export const updateDelivery = (delivery: Delivery, before: Delivery): Step => ({
  sql: `update deliveries set status = $2, attempt_count = $3, attempts = $4, next_at = $5, updated_at = $6
        where id = $1 and attempt_count = $7`,
  params: [...deliveryParams(delivery), before.attemptCount],
});

/** A delivery as it was before an attempt. */
export interface Before {
  delivery: Delivery;
  readAt: number;
}

/** For so long after an erasure, another node may send what it read before. */
const ERASURE_LAG_MS = 5_000;

/** Stores an attempt, as `updateDelivery`. Answers to what was read before an erasure may repeat names: bodies go. */
export const settleDelivery = (delivery: Delivery, { delivery: before, readAt }: Before): Step => ({
  sql: `update deliveries set status = $2, attempt_count = $3, next_at = $5, updated_at = $6,
          attempts = case when exists (select 1 from erasures where status in ('records', 'columns')
            or updated_at >= $8) then $9 else $4 end
        where id = $1 and attempt_count = $7`,
  params: [
    ...deliveryParams(delivery),
    before.attemptCount,
    readAt - ERASURE_LAG_MS,
    JSON.stringify(delivery.attempts.map((one): Attempt => ({ ...one, responseBody: null }))),
  ],
});

export const deleteDelivery = (id: string): Step => ({ sql: 'delete from deliveries where id = $1', params: [id] });

export async function findDelivery(db: Db, webhookId: string, id: string): Promise<Delivery | undefined> {
  const [row] = await db.read<DeliveryRow>(`select ${DELIVERY} from deliveries where id = $1 and webhook_id = $2`, [
    id,
    webhookId,
  ]);
  return row && toDelivery(row);
}

/**
 * Returns due deliveries, the oldest first. One planned beyond the longest wait was planned by a wrong clock: it is
 * due.
 */
export async function findDue(db: Db, webhookId: string, now: number, limit: number): Promise<Delivery[]> {
  const rows = await db.read<DeliveryRow>(
    `select ${DELIVERY} from deliveries where webhook_id = $1 and (next_at <= $2 or next_at > $3)
     order by next_at limit ${limit}`,
    [webhookId, now, now + LONGEST_WAIT_MS],
  );
  return rows.map(toDelivery);
}

export async function countPending(db: Db, webhookId: string): Promise<number> {
  const [row] = await db.read<{ total: number }>(
    'select count(*) as total from deliveries where webhook_id = $1 and next_at is not null',
    [webhookId],
  );
  return Number(row?.total ?? 0);
}

export const listDeliveries = (
  db: Db,
  webhookId: string,
  filter: { status?: DeliveryStatus; eventId?: string },
  query: PageQuery,
): Promise<Page<Delivery>> => {
  const where = new Where()
    .and('webhook_id = ?', webhookId)
    .and('status = ?', filter.status)
    .and('event_id = ?', filter.eventId);
  return readPage<DeliveryRow, Delivery>(
    db,
    { select: DELIVERY, from: 'deliveries', where, order: 'id', form: idForm('dlv_'), toRecord: toDelivery },
    query,
  );
};

const KEPT_MS = 30 * 86_400_000;

/** Deletes deliveries older than 30 days. */
export async function sweepDeliveries(db: Db, now: number): Promise<void> {
  await db.atomic([{ sql: 'delete from deliveries where id < $1', params: [`dlv_${toBase32(now - KEPT_MS, 10)}`] }]);
}
