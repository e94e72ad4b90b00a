/**
 * An edit for each kind of change that lets a cache forget something, with a reader for each of these caches: what it
 * is answered must change with the edit. The table of `src/api/changes/forgets` says which there must be.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crawlerRow, dayAfter, writeDirectory } from '../kit/crawler-directory.ts';
import { startReceiver } from '../kit/receiver.ts';
import type { TestService, testClock } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { FORGETS } from '../src/api/changes/forgets.ts';
import { PACKAGED } from '../src/rules/crawlers/directory.ts';
import { item, next } from './http/given.ts';
import { serveList } from './identities/opened.ts';
import { getToken } from './license-server/given.ts';

type Any = any;

/** The nodes of an installation; edits go to the first. */
export interface Installation {
  nodes: readonly TestService[];
  key: string;
  clock: ReturnType<typeof testClock>;
  /** The file of the crawler directory. */
  directory: string;
}

/** The other nodes read a change within a second, which a busy machine stretches. */
const ELSEWHERE_MS = 5_000;

/** Reads by way of a cache; a text says why its staleness would not be seen. */
type Reader = (() => Promise<unknown>) | `unseen: ${string}`;
type Table = typeof FORGETS;
type Kind = keyof Table;
interface Prepared<Name extends PropertyKey> {
  edit(): Promise<unknown>;
  readers: { readonly [N in Name]: Reader };
  clean?(): Promise<unknown>;
}
type Cases = {
  readonly [K in Kind as keyof Table[K] extends never ? never : K]: (given: Given) => Promise<Prepared<keyof Table[K]>>;
};

const DAY_MS = 24 * 3_600_000;
const allow = (conditions: object = {}) => ({ action: 'allow', conditions });
const deny = (conditions: object = {}) => ({ action: 'deny', conditions });

/** Records of one case, and questions. */
class Given {
  readonly installation: Installation;
  /** The node that is asked. */
  node: TestService;
  readonly n = next();
  readonly host = `h${this.n}.example`;
  readonly requesterId = `acme-${this.n}`;
  readonly bot = 'YouBot';

  constructor(installation: Installation) {
    this.installation = installation;
    this.node = installation.nodes[0] as TestService;
  }

  async write(method: string, path: string, body?: object): Promise<Any> {
    const { nodes, key } = this.installation;
    const answer = await (nodes[0] as TestService).call(method, `/v1/${path}`, { key, body });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer.body;
  }

  get(path: string, key: string | null = this.installation.key): Promise<Any> {
    return this.node.call('GET', `/v1/${path}`, { key });
  }

  async check(body: object): Promise<Any> {
    const { key } = this.installation;
    return (await this.node.call('POST', '/v1/access/check', { key, body })).body;
  }

  policy = async (...rules: object[]): Promise<string> =>
    (await this.write('POST', 'policies', { name: 'p', rules })).id;

  item = async (path: string, more: object): Promise<string> =>
    (await this.write('POST', 'content', item({ source: `https://${this.host}${path}`, tags: [this.host], ...more })))
      .id;

  collection = async (more: object): Promise<string> =>
    (await this.write('POST', 'collections', { name: 'c', hosts: [this.host], ...more })).id;

  site = (more: object = {}) => this.write('PUT', `sites/${this.host}`, more);

  requester = (more: object = {}) =>
    this.write('POST', 'requesters', { id: this.requesterId, name: 'Acme', userAgents: [this.bot], ...more });

  /** The next case has one with the same user agent, and signals name all. */
  async removeRequester(): Promise<void> {
    const { key } = this.installation;
    await this.node.call('DELETE', `/v1/requesters/${this.requesterId}`, { key });
  }

  removeCrawler = (name: string) => this.write('DELETE', `crawlers/${name}`);

  /** Returns a reader of the decision and its policy. */
  decision = (asked: object) => async () => {
    const { allowed, reason, policyId, error } = await this.check(asked);
    return [allowed, reason, policyId, error?.code];
  };

  at = (path: string) => ({ url: `https://${this.host}${path}` });

  contentAt = (path: string) => async () => {
    const { contentId, error } = await this.check(this.at(path));
    return [contentId, error?.code];
  };

  total = (query: string) => async () => (await this.get(`content?limit=1&${query}`)).body.totalCount;

  /** The count after an edit that moves items, which takes a while. */
  placedTotal = (query: string) => async () => {
    const node = this.installation.nodes[0] as TestService;
    await until('all is placed', async () =>
      ((await node.rowsOf('settings')) as Any[]).some(
        ({ name, value }) => name === 'items_placed_to' && value === 'all',
      ),
    );
    return this.total(query)();
  };

  signals = async () => {
    const texts = ['robots.txt', 'license.xml'].map((kind) => this.get(`sites/${this.host}/signals/${kind}`));
    return (await Promise.all(texts)).map(({ status, text }) => [status, status === 200 ? text : '']);
  };

  /** Checks, and reads the decision from the log. */
  logged = async (asked: object): Promise<Any> => {
    const { id } = await this.check(asked);
    return (await this.get(`access/decisions/${id}`)).body;
  };

  visit = (field: string) => async () => {
    const context = { userAgent: `Mozilla/5.0 (${this.bot}/1.0)`, ip: '203.0.113.7' };
    return (await this.logged({ ...this.at('/'), visitor: {}, context }))[field] ?? null;
  };

  /** A site that some licenses close: signals allow by a license only what is allowed without it, too. */
  async licensed(conditions: object) {
    await this.site({ signals: { license: true } });
    await this.collection({ policyId: await this.policy(deny(conditions), allow()) });
    await this.requester();
    return {
      requesters: this.decision({ ...this.at('/'), requesterId: this.requesterId }),
      signals: this.signals,
    };
  }

  license = async (more: object = {}): Promise<string> =>
    (await this.write('POST', 'licenses', { requesterId: this.requesterId, type: 'gold', ...more })).id;
}

/** An item on a site whose collection allows everything. */
async function publishedItem(given: Given) {
  const [open, closed] = [await given.policy(allow()), await given.policy(deny())];
  await given.site();
  await given.collection({ policyId: open });
  const id = await given.item('/a', { policyId: closed });
  return { open, closed, id, item: given.decision({ contentId: id }), tagged: given.total(`tag=${given.host}`) };
}

/** Two items at one address, of which archiving decides. */
async function twoItems(given: Given, status: 'active' | 'archived') {
  const { id, item: decision } = await publishedItem(given);
  await given.item('/a', { policyId: await given.policy(allow()) });
  const set = (to: string) => given.write('PATCH', `content/${id}`, { status: to });
  if (status === 'active') await set('archived');
  return {
    edit: () => set(status),
    readers: {
      items: decision,
      addresses: given.contentAt('/a'),
      totals: given.total(`tag=${given.host}&status=active`),
      signals: given.signals,
    },
  };
}

/** An item that a collection gives the policy whose items are counted. */
async function placed(given: Given) {
  const [open, closed] = [await given.policy(allow()), await given.policy(deny())];
  await given.item('/A', {});
  await given.site();
  const totals = given.placedTotal(`policyId=${open}`);
  return { open, closed, readers: { collections: given.decision(given.at('/b')), totals, signals: given.signals } };
}

/** A policy that decides about a site by its collection. */
async function published(given: Given, ...rules: object[]) {
  const id = await given.policy(...rules);
  await given.site();
  await given.collection({ policyId: id });
  return { id, readers: { policies: given.decision(given.at('/')), signals: given.signals } };
}

async function candidate(given: Given) {
  const { id } = await published(given, allow());
  const policies = async () => (await given.logged(given.at('/'))).candidate ?? null;
  const put = (...rules: object[]) => given.write('PUT', `policies/${id}/candidate`, { rules });
  return { path: `policies/${id}/candidate`, put, readers: { policies } };
}

/** A requester that its user agent and address name. */
async function named(given: Given) {
  await published(given, allow());
  const identities = [{ kind: 'ip', ranges: ['203.0.113.0/24'] }];
  return {
    full: { identities, userAgents: [given.bot], status: 'suspended' },
    readers: {
      requesters: given.decision({ ...given.at('/'), requesterId: given.requesterId }),
      names: given.visit('requesterId'),
      proofs: given.visit('verified'),
      signals: given.signals,
    },
  };
}

async function offered(given: Given) {
  const { signals } = await given.licensed({ licenseType: 'gold' });
  const id = await given.collection({ paths: ['/sold'], policyId: await given.policy(allow({ licenseType: 'gold' })) });
  const offers = async () => {
    const asked = { ...given.at('/sold'), requesterId: given.requesterId, explain: true };
    return JSON.stringify((await given.check(asked)).remedies);
  };
  const path = `offers/gold?collectionId=${id}`;
  const put = (unitPriceMicros: number) => given.write('PUT', path, { unitPriceMicros, currency: 'EUR' });
  return { path, put, readers: { offers, signals } };
}

/** A collection whose paths differ from what is asked for by the case of letters alone. */
async function spelled(given: Given) {
  const { open } = await placed(given);
  await given.write('DELETE', `sites/${given.host}`);
  await given.collection({ policyId: open, paths: ['/a'] });
  const totals = given.placedTotal(`policyId=${open}`);
  await totals();
  return {
    readers: {
      collections: given.decision(given.at('/A?x')),
      totals,
      sites: async () => (await given.get(`sites/${given.host}/signals/robots.txt`, null)).status,
      signals: given.signals,
    },
    ignored: { urls: { case: 'ignored' }, signals: { public: true } },
  };
}

async function apiKey(given: Given) {
  const { id, key: text } = await given.write('POST', 'api-keys', { name: 'k', type: 'secret' });
  return { id, readers: { keys: async () => (await given.get('content?limit=1', text)).status } };
}

async function token(given: Given) {
  await given.requester();
  const path = `requesters/${given.requesterId}/tokens`;
  const { id, token: text } = await given.write('POST', path, { name: 't' });
  const tokens = async () => (await given.get('me', text)).status;
  return { path: `${path}/${id}`, readers: { tokens, licenseTokens: await licenseToken(given, text) } };
}

/** Returns a reader of the requester that a License token proves. */
async function licenseToken(given: Given, secret: string) {
  await given.site({ signals: { license: true, licenseServer: true } });
  await given.collection({ policyId: await given.policy(allow()) });
  const granted = await getToken(given.node, given.requesterId, { secret, resource: `https://${given.host}/*` });
  const visitor = { authorization: `License ${granted.body.access_token}` };
  return async () => {
    const { verified, error } = await given.check({ ...given.at('/'), visitor });
    return [verified, error?.code];
  };
}

/** A webhook, which is deleted afterwards; the reader counts the events of a denial. */
async function subscribed(given: Given) {
  const receiver = await startReceiver();
  let id = '';
  const create = async (events: string[]) => {
    ({ id } = await given.write('POST', 'webhooks', { url: receiver.url, events }));
  };
  const contentId = await given.item('/a', { policyId: await given.policy(deny()) });
  const subscriptions = async () => {
    const { id: decisionId } = await given.check({ contentId });
    return (await given.get(`events?objectId=${decisionId}`)).body.data.length;
  };
  return {
    receiver,
    create,
    path: () => `webhooks/${id}`,
    readers: { subscriptions },
    async clean() {
      if ((await given.get(`webhooks/${id}`)).status === 200) await given.write('DELETE', `webhooks/${id}`);
      await receiver[Symbol.asyncDispose]();
    },
  };
}

const ranges = (...all: string[]): string => JSON.stringify({ prefixes: all.map((one) => ({ ipv4Prefix: one })) });

/** A requester whose published list is fetched. */
async function listed(given: Given, before: string) {
  await published(given, allow());
  const list = await serveList(before);
  await given.requester({ identities: [{ kind: 'ip', list: list.url }] });
  const known = async (): Promise<Any> =>
    (await given.get('identity-lists?limit=100')).body.data.find(({ url }: Any) => url === list.url);
  await until('the list is fetched', async () => (await known())?.fresh === true);
  /** Fetches another list. */
  const publish = async (text: string, isDone: (one: Any) => boolean) => {
    list.text = text;
    given.installation.clock.advance(DAY_MS);
    await until('the list is fetched again', async () => isDone(await known()));
  };
  const clean = () => list[Symbol.asyncDispose]();
  return { list, publish, clean, readers: { lists: given.visit('verified') } };
}

export const CASES: Cases = {
  async 'content.created'(given) {
    const { closed, tagged } = await publishedItem(given);
    return {
      edit: () => given.item('/new', { policyId: closed }),
      readers: { addresses: given.contentAt('/new'), totals: tagged, signals: given.signals },
    };
  },
  async 'content.updated'(given) {
    const { open, id, item: decision } = await publishedItem(given);
    const edited = { policyId: open, source: `https://${given.host}/moved`, tags: [] };
    return {
      edit: () => given.write('PATCH', `content/${id}`, edited),
      readers: {
        items: decision,
        addresses: given.contentAt('/moved'),
        totals: given.total(`tag=${given.host}`),
        signals: given.signals,
      },
    };
  },
  'content.archived': (given) => twoItems(given, 'archived'),
  'content.restored': (given) => twoItems(given, 'active'),
  async 'content.deleted'(given) {
    const { id, item: decision, tagged } = await publishedItem(given);
    return {
      edit: () => given.write('DELETE', `content/${id}`),
      readers: { items: decision, addresses: given.contentAt('/a'), totals: tagged, signals: given.signals },
    };
  },
  async 'collection.created'(given) {
    const { open, readers } = await placed(given);
    return { edit: () => given.collection({ policyId: open }), readers };
  },
  async 'collection.updated'(given) {
    const { open, closed, readers } = await placed(given);
    const id = await given.collection({ policyId: open });
    return { edit: () => given.write('PATCH', `collections/${id}`, { policyId: closed }), readers };
  },
  async 'collection.deleted'(given) {
    const { open, readers } = await placed(given);
    const id = await given.collection({ policyId: open });
    return { edit: () => given.write('DELETE', `collections/${id}`), readers };
  },
  async 'policy.updated'(given) {
    const { id, readers } = await published(given, allow());
    const fallback = await given.policy(deny());
    const other = `other.${given.host}`;
    await given.write('POST', 'collections', { name: 'c', hosts: [other] });
    await given.write('POST', 'content', item({ source: `https://${other}/a` }));
    return {
      async edit() {
        await given.write('PATCH', `policies/${id}`, { rules: [deny()] });
        await given.write('POST', `policies/${fallback}/make-default`, {});
      },
      readers: {
        ...readers,
        collections: given.decision({ url: `https://${other}/` }),
        totals: given.placedTotal(`policyId=${fallback}`),
      },
      clean: () => given.write('POST', 'policies/pol_default/make-default', {}),
    };
  },
  async 'policy.rolled_back'(given) {
    const { id, readers } = await published(given, allow());
    await given.write('PATCH', `policies/${id}`, { rules: [deny()] });
    return { edit: () => given.write('POST', `policies/${id}/rollback`, { version: 1 }), readers };
  },
  async 'policy.deleted'(given) {
    const id = await given.policy(deny());
    return {
      edit: () => given.write('DELETE', `policies/${id}`),
      readers: { policies: 'unseen: only a policy that nothing names can be deleted' },
    };
  },
  async 'policy_candidate.created'(given) {
    const { put, readers } = await candidate(given);
    return { edit: () => put(deny()), readers };
  },
  async 'policy_candidate.updated'(given) {
    const { put, readers } = await candidate(given);
    await put(deny());
    return { edit: () => put(allow()), readers };
  },
  async 'policy_candidate.deleted'(given) {
    const { put, path, readers } = await candidate(given);
    await put(deny());
    return { edit: () => given.write('DELETE', path), readers };
  },
  async 'requester.created'(given) {
    const { full, readers } = await named(given);
    return { edit: () => given.requester(full), readers };
  },
  async 'requester.updated'(given) {
    const { full, readers } = await named(given);
    await given.requester({ userAgents: [] });
    return { edit: () => given.write('PATCH', `requesters/${given.requesterId}`, full), readers };
  },
  async 'requester.deleted'(given) {
    const { full, readers } = await named(given);
    await given.requester(full);
    return { edit: () => given.write('DELETE', `requesters/${given.requesterId}`), readers };
  },
  async 'requester.erased'(given) {
    await published(given, allow({ requesterId: given.requesterId }));
    const receiver = await startReceiver();
    const { id } = await given.write('POST', 'webhooks', { url: receiver.url, events: ['requester.created'] });
    await given.requester();
    const deliveries = `webhooks/${id}/deliveries`;
    const delivery = await until('it is delivered', async () => {
      const { data } = (await given.get(deliveries)).body;
      return data[0]?.attemptCount > 0 ? data[0] : undefined;
    });
    const resent = async () => {
      const count = receiver.received.length;
      await given.write('POST', `${deliveries}/${delivery.id}/retry`);
      await until('it is sent again', () => receiver.received.length > count);
      return receiver.received.at(-1)?.event.data.object.id;
    };
    const isErased = async () => {
      const { nodes, key: text, clock } = given.installation;
      // On PostgreSQL an erasure waits for the columns of other nodes.
      clock.advance(1_000);
      const path = `/v1/requesters/${given.requesterId}/erase`;
      return (await (nodes[0] as TestService).call('POST', path, { key: text })).status === 404;
    };
    return {
      edit: async () => {
        await given.write('POST', `requesters/${given.requesterId}/erase`);
        await until('it is erased', isErased, 60_000);
      },
      readers: {
        policies: given.decision({ ...given.at('/'), requesterId: given.requesterId }),
        signals: 'unseen: a requester that is deleted has no name that signals could tell',
        bodies: resent,
      },
      clean: () => given.write('DELETE', `webhooks/${id}`).then(() => receiver[Symbol.asyncDispose]()),
    };
  },
  async 'requester_token.rotated'(given) {
    const { path, readers } = await token(given);
    return { edit: () => given.write('POST', `${path}/rotate`), readers };
  },
  async 'requester_token.revoked'(given) {
    const { path, readers } = await token(given);
    return { edit: () => given.write('DELETE', path), readers };
  },
  async 'signing_keys.rotated'(given) {
    const { readers } = await token(given);
    const edit = () => given.write('POST', 'signing-keys/rotate', { atOnce: true });
    const signingKeys = async () => (await given.node.call('GET', '/olp/key', { key: null })).text;
    return { edit, readers: { licenseTokens: readers.licenseTokens, signingKeys } };
  },
  async 'identity.list_changed'(given) {
    const { publish, clean, readers } = await listed(given, ranges('198.51.100.0/24'));
    const both = ranges('198.51.100.0/24', '203.0.113.0/24');
    return { edit: () => publish(both, (one) => one.ranges === 2), readers, clean };
  },
  async 'identity.list_suspicious'(given) {
    const { publish, clean } = await listed(given, ranges('203.0.113.0/24', '198.51.100.0/24', '192.0.2.0/24'));
    const metrics = async () => (await given.node.call('GET', '/metrics')).text.match(/^postern_identity.*held.*$/gm);
    return {
      edit: () => publish(ranges('192.0.2.0/24'), (one) => one.held !== null),
      readers: { lists: metrics },
      clean,
    };
  },
  async 'identity.list_accepted'(given) {
    const more = ranges('203.0.113.0/24', '198.51.100.0/24', '192.0.2.0/24');
    const { list, publish, clean, readers } = await listed(given, more);
    await publish(ranges('192.0.2.0/24'), (one) => one.held !== null);
    return { edit: () => given.write('POST', 'identity-lists/accept', { url: list.url }), readers, clean };
  },
  async 'crawler_directory.replaced'(given) {
    const { clock, directory: file } = given.installation;
    const date = dayAfter(PACKAGED.date, 1);
    clock.advance(Math.max(0, Date.parse(date) - clock.now()));
    const found = async (): Promise<number> => (await given.get('crawlers?q=Cachebot')).body.totalCount;
    return {
      async edit() {
        writeDirectory(file, date, [crawlerRow('Cachebot')]);
        await until('the directory is replaced', async () => (await found()) === 1);
      },
      readers: { directory: found },
    };
  },
  async 'crawler.created'(given) {
    const add = () => given.write('POST', 'crawlers', { token: 'Ownbot', purpose: 'other' });
    return {
      edit: add,
      readers: { directory: () => given.get('crawlers?own=true') },
      clean: () => given.removeCrawler('ownbot'),
    };
  },
  async 'crawler.deleted'(given) {
    await given.write('POST', 'crawlers', { token: 'Ownbot', purpose: 'other' });
    return { edit: () => given.removeCrawler('ownbot'), readers: { directory: () => given.get('crawlers?own=true') } };
  },
  async 'license.created'(given) {
    const readers = await given.licensed({ hasValidLicense: true });
    return { edit: () => given.license(), readers };
  },
  async 'license.updated'(given) {
    const readers = await given.licensed({ licenseType: 'gold' });
    const id = await given.license({ type: 'silver' });
    return { edit: () => given.write('PATCH', `licenses/${id}`, { type: 'gold' }), readers };
  },
  async 'license.revoked'(given) {
    const readers = await given.licensed({ hasValidLicense: true });
    const id = await given.license();
    return { edit: () => given.write('POST', `licenses/${id}/revoke`), readers };
  },
  async 'license.expired'() {
    return {
      edit: async () => {},
      readers: {
        requesters: 'unseen: a license that is kept is judged by the time of the check',
        signals: 'unseen: signals are rendered again when a license ends',
      },
    };
  },
  async 'site.created'(given) {
    const { ignored, readers } = await spelled(given);
    const { signals: _, ...rest } = readers;
    return { edit: () => given.site(ignored), readers: rest };
  },
  async 'site.updated'(given) {
    const { ignored, readers } = await spelled(given);
    await given.site();
    return { edit: () => given.site({ ...ignored, contact: 'rights@example.com' }), readers };
  },
  async 'site.deleted'(given) {
    const { ignored, readers } = await spelled(given);
    await given.site(ignored);
    return { edit: () => given.write('DELETE', `sites/${given.host}`), readers };
  },
  async 'offer.created'(given) {
    const { put, readers } = await offered(given);
    return { edit: () => put(10_000), readers };
  },
  async 'offer.updated'(given) {
    const { put, readers } = await offered(given);
    await put(10_000);
    return { edit: () => put(20_000), readers };
  },
  async 'offer.deleted'(given) {
    const { put, path, readers } = await offered(given);
    await put(10_000);
    return { edit: () => given.write('DELETE', path), readers };
  },
  async 'api_key.rotated'(given) {
    const { id, readers } = await apiKey(given);
    return { edit: () => given.write('POST', `api-keys/${id}/rotate`), readers };
  },
  async 'api_key.revoked'(given) {
    const { id, readers } = await apiKey(given);
    return { edit: () => given.write('DELETE', `api-keys/${id}`), readers };
  },
  async 'webhook.created'(given) {
    const { create, ...rest } = await subscribed(given);
    return { edit: () => create(['access.denied']), ...rest };
  },
  async 'webhook.updated'(given) {
    const { create, path, ...rest } = await subscribed(given);
    await create(['access.granted']);
    return { edit: () => given.write('PATCH', path(), { events: ['access.denied'] }), ...rest };
  },
  async 'webhook.disabled'(given) {
    const { create, path, receiver, ...rest } = await subscribed(given);
    receiver.status(500);
    await create(['access.denied']);
    await rest.readers.subscriptions();
    await until('it fails', () => receiver.received.length > 0);
    return {
      edit: async () => {
        given.installation.clock.advance(6 * DAY_MS);
        await until('it is disabled', async () => (await given.get(path())).body.status === 'disabled');
      },
      ...rest,
    };
  },
  async 'webhook.deleted'(given) {
    const { create, path, ...rest } = await subscribed(given);
    await create(['access.denied']);
    return { edit: () => given.write('DELETE', path()), ...rest };
  },
};

/** Changes that some node finds by itself: no request is answered with them. */
const FOUND: ReadonlySet<Kind> = new Set<Kind>([
  'identity.list_changed',
  'identity.list_suspicious',
  'crawler_directory.replaced',
]);

/** For each kind of the table: warms its caches, edits, and asks each reader of each node. */
export function walkTable(installation: Installation): void {
  for (const kind of Object.keys(FORGETS) as Kind[]) {
    const isEmpty = Object.keys(FORGETS[kind]).length === 0;
    if (!isEmpty || Object.hasOwn(CASES, kind)) test(kind, () => walkRow(kind, new Given(installation)));
  }
}

async function walkRow(kind: Kind, given: Given): Promise<void> {
  const prepare = (CASES as Partial<Record<Kind, (given: Given) => Promise<Prepared<string>>>>)[kind];
  assert.ok(prepare !== undefined, `${kind} has no case in test/caches.ts`);
  const { edit, readers, clean } = await prepare(given);
  const [own, ...others] = given.installation.nodes;
  for (const node of others) await catchUp(node, given);
  const asked = [];
  const lacking = Object.keys(FORGETS[kind]).filter((name) => !Object.hasOwn(readers, name));
  assert.deepEqual(lacking, [], `the case of ${kind} in test/caches.ts needs readers of these`);
  // Also those that the table has lost.
  for (const [name, reader] of Object.entries(readers)) {
    if (typeof reader === 'string') continue;
    for (const node of given.installation.nodes) {
      const read = async (): Promise<string> => {
        given.node = node;
        return JSON.stringify((await reader()) ?? null);
      };
      asked.push({ read, before: await warm(read), name, isOwn: node === own });
    }
  }
  try {
    given.node = own as TestService;
    await edit();
    for (const { read, before, name, isOwn } of asked) {
      const what = `${name} after ${kind}: ${before} is of before`;
      if (isOwn && !FOUND.has(kind)) assert.notEqual(await read(), before, what);
      else await until(what, async () => (await read()) !== before, ELSEWHERE_MS);
    }
  } finally {
    given.node = own as TestService;
    await clean?.();
    await given.removeRequester();
  }
}

/** An edit through a node is answered once the node has read all changes before. */
async function catchUp(node: TestService, { installation: { key } }: Given): Promise<void> {
  const { status } = await node.call('POST', '/v1/policies', { key, body: { name: 'p', rules: [deny()] } });
  assert.equal(status, 201);
}

/** Reads until two answers are equal: then it is cached. */
async function warm(read: () => Promise<string>): Promise<string> {
  let last = await read();
  await until('the answer is steady', async () => {
    const before = last;
    last = await read();
    return last === before;
  });
  return last;
}
