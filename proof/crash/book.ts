/**
 * The expectation of a fault test: the requests of its clients and their answers. A request is `answered`, or `unknown`
 * when the connection broke first; then it may have had its effect, but never half of it and never twice.
 */
import assert from 'node:assert/strict';
import type { Answer } from '../../kit/answer.ts';
import type { Running } from '../../kit/launch.ts';
import { becomes, type Holder, type HolderState } from './holder.ts';

export interface CheckItem {
  /** Unique; sent as `purpose`, so that the row of this very check is found again. */
  token: string;
  /** externalId. */
  content: string;
  requesterId: string | null;
  /** Leaves a row: not a dry run, and the content exists. */
  recorded: boolean;
}

interface Base {
  /** The client that sends it; a client waits for an answer before its next request. */
  client: string;
  method: string;
  path: string;
  body?: unknown;
  idempotencyKey: string | undefined;
  reply?: { status: number; text: string };
}

interface Checks {
  checks: CheckItem[];
}
export interface OneItem {
  item: Item;
  title: string;
}
interface Items {
  items: Item[];
}

export type Sent = Base &
  (
    | ({ kind: 'check' } & Checks)
    | ({ kind: 'batch' } & Checks)
    | ({ kind: 'create' } & OneItem)
    | ({ kind: 'update' } & OneItem)
    | ({ kind: 'delete' } & OneItem)
    | ({ kind: 'bulk-create' } & Items)
    | ({ kind: 'bulk-delete' } & Items)
    | { kind: 'policy'; token: string }
    | { kind: 'holder'; holder: Holder; after: HolderState | null; made: boolean }
  );

export type Refusal = 'storage_full' | 'service_unavailable';

/** Content of one client, which alone edits it. */
export interface Item {
  externalId: string;
  id: string | null;
  exists: boolean;
  /** Was there and was deleted: its decisions are gone. */
  deleted: boolean;
  title: string;
  revision: number;
}

export const newItem = (externalId: string): Item => ({
  externalId,
  id: null,
  exists: false,
  deleted: false,
  title: '',
  revision: 0,
});

export class Book {
  /** Recorded checks by token: what was answered, or null while that is unknown. */
  readonly checks = new Map<string, { item: CheckItem; decision: Decided | null }>();
  readonly items = new Map<string, Item>();
  readonly holders: Holder[] = [];
  /** Edits of the shared policy: token → version, null while unknown. */
  readonly policyEdits = new Map<string, number | null>();
  /** Answered requests with an Idempotency-Key. */
  readonly repeatable: Sent[] = [];
  /** Requests whose connection broke. */
  unknown: Sent[] = [];
  answered = 0;
  /**
   * The codes an edit may be refused with now, having changed nothing. A check that cannot be recorded is always a 503.
   */
  editsRefusedAs: Refusal | null = null;
  /** True: answers must say that an edit may be found after a crash; null: not checked. */
  editsInDoubt: boolean | null = null;
  readonly refused: Sent[] = [];
  readonly refusals = { storage_full: 0, service_unavailable: 0 };

  /** Sends a request and records its outcome. Throws for an unexpected answer. */
  async send(service: Running, sent: Sent): Promise<void> {
    this.expect(sent);
    let reply: Answer;
    try {
      reply = await service.ask(sent.method, sent.path, { body: sent.body, idempotencyKey: sent.idempotencyKey });
    } catch (error) {
      this.unknown.push(sent);
      throw new Broken(String(error));
    }
    this.settle(sent, reply);
  }

  private expect(sent: Sent): void {
    if (sent.kind === 'policy') this.policyEdits.set(sent.token, null);
    if (sent.kind === 'check' || sent.kind === 'batch') {
      for (const item of sent.checks) if (item.recorded) this.checks.set(item.token, { item, decision: null });
    }
  }

  /** Takes an answer in; every one must be the success that the request was made for. */
  settle(sent: Sent, reply: Answer): void {
    if (this.editsRefusedAs !== null && reply.status >= 500) {
      const records = 'checks' in sent && sent.checks.some(({ recorded }) => recorded);
      const code = records ? 'service_unavailable' : this.editsRefusedAs;
      const status = code === 'storage_full' ? 507 : 503;
      assert.deepEqual([reply.status, reply.body.error.code], [status, code], `${sent.kind}: ${reply.text}`);
      if (!records && this.editsInDoubt !== null) {
        const told = !/nothing was changed/i.test(reply.body.error.message as string);
        assert.equal(told, this.editsInDoubt, `${sent.kind}: ${reply.text}`);
      }
      this.refusals[code]++;
      this.refuse(sent);
      return;
    }
    const wanted = sent.kind === 'create' || (sent.kind === 'holder' && sent.made) ? 201 : 200;
    assert.equal(reply.status, wanted, `${sent.method} ${sent.path} ${JSON.stringify(sent.body)}: ${reply.text}`);
    this.answered++;
    sent.reply = { status: reply.status, text: reply.text };
    // Of what had no effect nothing is kept.
    const hadEffect = !('checks' in sent) || sent.checks.some(({ recorded }) => recorded);
    if (sent.idempotencyKey !== undefined && hadEffect) this.repeatable.push(sent);
    if (sent.kind === 'check' || sent.kind === 'batch') {
      const decisions: Decided[] = sent.kind === 'check' ? [reply.body] : reply.body.data;
      assert.equal(decisions.length, sent.checks.length);
      for (const [i, item] of sent.checks.entries()) this.decided(item, decisions[i] as Decided);
    } else if (sent.kind === 'holder') {
      becomes(sent.holder, sent.after);
      if (reply.body.object === 'license')
        sent.holder.licenseIds.set(reply.body.type as string, reply.body.id as string);
    } else if (sent.kind === 'policy') this.policyEdits.set(sent.token, reply.body.version as number);
    else if (sent.kind === 'delete') gone(sent.item);
    else if (sent.kind === 'bulk-delete') {
      assert.equal(reply.body.deleted, sent.items.length, reply.text);
      for (const item of sent.items) gone(item);
    } else if (sent.kind === 'bulk-create') {
      assert.equal(reply.body.created, sent.items.length, reply.text);
      for (const item of sent.items) there(item, item.externalId, 1);
    } else {
      sent.item.id = reply.body.id as string;
      there(sent.item, sent.title, sent.item.revision + 1);
      assert.equal(reply.body.title, sent.title);
    }
  }

  /** A refused check: no row of it may ever be found. */
  private refuse(sent: Sent): void {
    this.refused.push(sent);
    if (sent.kind === 'policy') this.policyEdits.delete(sent.token);
    if (sent.kind === 'check' || sent.kind === 'batch') for (const { token } of sent.checks) this.checks.delete(token);
  }

  /**
   * When the process ends while fsync fails, what was refused last may have reached the disk all the same: unknown,
   * like a broken connection. What a client was refused before that was overwritten and may not be found.
   */
  doubtRefused(): void {
    const last = new Map(this.refused.splice(0).map((sent) => [sent.client, sent]));
    for (const sent of last.values()) {
      this.expect(sent);
      this.unknown.push(sent);
    }
  }

  private decided(item: CheckItem, decision: Decided): void {
    if (item.recorded) {
      assert.equal(decision.recorded, true, JSON.stringify(decision));
      this.checks.set(item.token, { item, decision });
    } else assert.notEqual(decision.recorded, true);
  }
}

export interface Decided {
  id: string;
  recorded: boolean;
  allowed: boolean;
  reason: string | null;
  contentId: string;
  requesterId: string | null;
  policyVersion: number;
  matchedRule: { index: number } | null;
  rateLimit: { limit: number; remaining: number } | null;
  licenseId: string | null;
  quota: { units: number; used: number } | null;
  created: string;
}

export function there(item: Item, title: string, revision: number): void {
  item.exists = true;
  item.title = title;
  item.revision = revision;
}

export function gone(item: Item): void {
  item.exists = false;
  item.deleted = true;
}

/** The connection broke: expected when the service is killed. */
export class Broken extends Error {}
