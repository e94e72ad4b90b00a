/** Clients that check, register, edit and delete until the service is gone. Each edits content of its own. */

import type { Running } from '../../kit/launch.ts';
import type { Random } from '../../kit/random.ts';
import { type Ask, type QuotaHolder, quotaItems, setQuotaHolders, setQuotaItems } from '../quotas.ts';
import { Book, Broken, type CheckItem, type Item, newItem, type Sent } from './book.ts';
import { newHolder } from './holder.ts';

/** Policies of the run: what a rule's limit counts, and whose use is counted together. */
export const LIMITS = {
  exact: { requests: 20, period: 'hour', scope: 'requester' },
  ring: { requests: 150, period: 'hour', scope: 'requester' },
  item: { requests: 60, period: 'day', scope: 'content' },
  all: { requests: 5_000, period: 'month', scope: 'global' },
} as const;
export type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

export interface Stage {
  /** Id of the policy that everybody edits. */
  editedPolicyId: string;
  openPolicyId: string;
  limitPolicyIds: Record<LimitName, string>;
}

const article = (externalId: string, title: string, policyId: string) => ({
  externalId,
  title,
  type: 'article',
  source: 'https://example.com/a',
  policyId,
});

const OPEN_ITEMS = Array.from({ length: 8 }, (_, i) => `open-${i}`);

/** Policies and content that last for the whole run. */
export async function setStage(service: Running): Promise<Stage> {
  const policy = async (name: string, rules: unknown[]): Promise<string> => {
    const reply = await service.ask('POST', '/v1/policies', { body: { name, rules, defaultAction: 'allow' } });
    if (reply.status !== 201) throw new Error(reply.text);
    return reply.body.id as string;
  };
  const put = async (externalId: string, policyId: string): Promise<void> => {
    const reply = await service.ask('POST', '/v1/content', { body: article(externalId, externalId, policyId) });
    if (reply.status !== 201) throw new Error(reply.text);
  };
  const openPolicyId = await policy('open', []);
  const editedPolicyId = await policy('edited', []);
  const limitPolicyIds = {} as Record<LimitName, string>;
  for (const name of LIMIT_NAMES) {
    limitPolicyIds[name] = await policy(name, [{ action: 'allow', rateLimit: LIMITS[name] }]);
    if (name !== 'item') await put(`limit-${name}`, limitPolicyIds[name]);
  }
  await put('edited', editedPolicyId);
  for (const externalId of OPEN_ITEMS) await put(externalId, openPolicyId);
  await setQuotaItems(askOf(service));
  return { openPolicyId, editedPolicyId, limitPolicyIds };
}

export interface Round {
  number: number;
  stage: Stage;
  /** Requesters of this round's limited checks. */
  requesters: string[];
  /** Content of this round with a limit per item. */
  limitedItem: string;
  quotaHolders: readonly QuotaHolder[];
}

/** About how many units a quota includes. */
const UNITS = 40;

export const askOf =
  (service: Running): Ask =>
  (method, path, body) =>
    service.ask(method, path, body === undefined ? {} : { body });

/** Prepares a round of load. */
export async function setRound(service: Running, stage: Stage, number: number): Promise<Round> {
  const limitedItem = `limit-item-${number}`;
  const body = article(limitedItem, limitedItem, stage.limitPolicyIds.item);
  const reply = await service.ask('POST', '/v1/content', { body });
  if (reply.status !== 201) throw new Error(reply.text);
  const quotas = { name: `quotas:${number}`, units: UNITS, changing: false };
  const quotaHolders = await setQuotaHolders(askOf(service), quotas);
  return { number, stage, limitedItem, quotaHolders, requesters: [0, 1, 2].map((i) => `limited:${number}:${i}`) };
}

/** Runs until the connection breaks or `wanted` says no. Throws for an answer that should not be. */
export async function runClient(
  service: Running,
  book: Book,
  random: Random,
  round: Round,
  name: string,
  wanted: () => boolean,
): Promise<void> {
  const client = new Client(book, random, round, name);
  try {
    while (wanted()) await book.send(service, client.next());
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
  }
}

class Client {
  readonly #book: Book;
  readonly #random: Random;
  readonly #round: Round;
  readonly #name: string;
  readonly #items: Item[] = [];
  #made = 0;

  constructor(book: Book, random: Random, round: Round, name: string) {
    this.#book = book;
    this.#random = random;
    this.#round = round;
    this.#name = name;
  }

  next(): Sent {
    const random = this.#random;
    const kind = random.next();
    const own = this.#items.filter((item) => item.exists);
    if (kind < 0.45) return this.#check();
    if (kind < 0.57) return this.#batch();
    if (kind < 0.64) return this.#holder();
    if (kind < 0.73 || own.length === 0) return this.#create();
    if (kind < 0.84) return this.#update(random.pick(own));
    if (kind < 0.89) return this.#delete(random.pick(own));
    if (kind < 0.92) return this.#bulkCreate();
    if (kind < 0.94) return this.#bulkDelete(own.filter(() => random.chance(0.4)).slice(0, 20), random.pick(own));
    return this.#policy();
  }

  #token = (): string => `${this.#name}.${this.#made++}`;
  #key = (): string | undefined => (this.#random.chance(0.5) ? `key ${this.#token()}` : undefined);

  #newItem(): Item {
    const item = newItem(`own ${this.#token()}`);
    this.#items.push(item);
    this.#book.items.set(item.externalId, item);
    return item;
  }

  /** Returns a check's request, and whether it leaves a row. */
  #question(): { item: CheckItem; body: Record<string, unknown> } {
    const random = this.#random;
    const own = this.#items.filter((item) => item.exists);
    const kind = random.next();
    const token = this.#token();
    let content = random.pick(OPEN_ITEMS);
    let requesterId: string | null = random.chance(0.1) ? null : `anyone:${random.int(0, 300)}`;
    if (kind < 0.15) [content, requesterId] = ['limit-exact', random.pick(this.#round.requesters)];
    else if (kind < 0.45) [content, requesterId] = ['limit-ring', random.pick(this.#round.requesters)];
    else if (kind < 0.55) content = this.#round.limitedItem;
    else if (kind < 0.65) content = 'limit-all';
    else if (kind < 0.7) content = 'edited';
    else if (kind < 0.75 && own.length > 0) content = random.pick(own).externalId;
    else if (kind < 0.9) {
      [content, requesterId] = [random.pick(quotaItems), random.pick(this.#round.quotaHolders).requesterId];
    }
    const dryRun = random.chance(0.05);
    const body = {
      contentId: content,
      ...(requesterId === null ? {} : { requesterId }),
      purpose: token,
      ...(dryRun ? { dryRun } : {}),
    };
    return { item: { token, content, requesterId, recorded: !dryRun }, body };
  }

  #check(): Sent {
    const { item, body } = this.#question();
    return {
      client: this.#name,
      kind: 'check',
      method: 'POST',
      path: '/v1/access/check',
      body,
      idempotencyKey: this.#key(),
      checks: [item],
    };
  }

  #batch(): Sent {
    const questions = Array.from({ length: this.#random.int(1, 25) }, () => this.#question());
    if (this.#random.chance(0.3)) {
      const item = { token: this.#token(), content: 'nowhere', requesterId: null, recorded: false };
      questions.splice(this.#random.int(0, questions.length), 0, { item, body: { contentId: 'nowhere' } });
    }
    return {
      client: this.#name,
      kind: 'batch',
      method: 'POST',
      path: '/v1/access/check/batch',
      body: { checks: questions.map(({ body }) => body) },
      idempotencyKey: this.#key(),
      checks: questions.map(({ item }) => item),
    };
  }

  #create(): Sent {
    const item = this.#newItem();
    const title = this.#token();
    const body = article(item.externalId, title, this.#round.stage.openPolicyId);
    return {
      client: this.#name,
      kind: 'create',
      method: 'POST',
      path: '/v1/content',
      body,
      idempotencyKey: this.#key(),
      item,
      title,
    };
  }

  #update(item: Item): Sent {
    const title = this.#token();
    const path = `/v1/content/${encodeURIComponent(item.externalId)}`;
    return {
      client: this.#name,
      kind: 'update',
      method: 'PATCH',
      path,
      body: { title },
      idempotencyKey: this.#key(),
      item,
      title,
    };
  }

  #delete(item: Item): Sent {
    const path = `/v1/content/${encodeURIComponent(item.externalId)}`;
    return {
      client: this.#name,
      kind: 'delete',
      method: 'DELETE',
      path,
      idempotencyKey: undefined,
      item,
      title: item.title,
    };
  }

  #bulkCreate(): Sent {
    const items = Array.from({ length: this.#random.int(1, 30) }, () => this.#newItem());
    const bodies = items.map((item) => article(item.externalId, item.externalId, this.#round.stage.openPolicyId));
    return {
      client: this.#name,
      kind: 'bulk-create',
      method: 'POST',
      path: '/v1/content/bulk-upsert',
      body: { items: bodies },
      idempotencyKey: this.#key(),
      items,
    };
  }

  #bulkDelete(some: Item[], one: Item): Sent {
    const items = some.length === 0 ? [one] : some;
    return {
      client: this.#name,
      kind: 'bulk-delete',
      method: 'POST',
      path: '/v1/content/bulk-delete',
      body: { ids: items.map((item) => item.externalId) },
      idempotencyKey: this.#key(),
      items,
    };
  }

  /** A requester is created, licensed, edited and deleted; each edit changes a field. */
  #holder(): Sent {
    const random = this.#random;
    const token = this.#token();
    const base = { client: this.#name, kind: 'holder', idempotencyKey: this.#key() } as const;
    const client = this.#name.split('.').at(-1) ?? '';
    const own = this.#book.holders.filter((one) => one.client === client && one.state !== null);
    const holder = own.length === 0 || random.chance(0.1) ? undefined : random.pick(own.slice(-3));
    if (holder?.state == null) {
      const made = newHolder(`holder/${token}`, client);
      this.#book.holders.push(made);
      const body = { id: made.id, name: token };
      const after = { name: token, licenses: [] };
      return { ...base, method: 'POST', path: '/v1/requesters', body, holder: made, after, made: true };
    }
    const { state } = holder;
    const path = `/v1/requesters/${encodeURIComponent(holder.id)}`;
    const kind = random.next();
    if (kind < 0.1) {
      const after = { ...state, name: token };
      return { ...base, method: 'PATCH', path, body: { name: token }, holder, after, made: false };
    }
    if (kind < 0.15)
      return { ...base, idempotencyKey: undefined, method: 'DELETE', path, holder, after: null, made: false };
    const license = random.pick([undefined, ...state.licenses.filter(({ status }) => status !== 'revoked')]);
    if (license === undefined) {
      const given = { type: token, features: [token], status: 'active' };
      const body = { requesterId: holder.id, type: token, features: [token] };
      const after = { ...state, licenses: [...state.licenses, given] };
      return { ...base, method: 'POST', path: '/v1/licenses', body, holder, after, made: true };
    }
    const others = state.licenses.filter((one) => one !== license);
    const licensePath = `/v1/licenses/${holder.licenseIds.get(license.type)}`;
    const next = (edit: object) => ({ ...state, licenses: [...others, { ...license, ...edit }] });
    if (kind < 0.35) {
      const after = next({ status: 'revoked' });
      return { ...base, method: 'POST', path: `${licensePath}/revoke`, holder, after, made: false };
    }
    if (kind < 0.5) {
      const after = { ...state, licenses: others };
      return { ...base, idempotencyKey: undefined, method: 'DELETE', path: licensePath, holder, after, made: false };
    }
    const body = { features: [token], status: license.status === 'active' ? 'suspended' : 'active' };
    return { ...base, method: 'PATCH', path: licensePath, body, holder, after: next(body), made: false };
  }

  #policy(): Sent {
    const token = this.#token();
    return {
      client: this.#name,
      kind: 'policy',
      method: 'PATCH',
      path: `/v1/policies/${this.#round.stage.editedPolicyId}`,
      body: { description: token },
      idempotencyKey: this.#key(),
      token,
    };
  }
}
