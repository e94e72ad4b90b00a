/**
 * No answer shows data of another permission. The store is full of marked texts. Each single permission asks every
 * route of the API document, by secret and by public keys, with every expansion, grouping, filter and format. No
 * answer, header, cursor or error may hold a text of another permission, except where the table of exceptions says.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../kit/answer.ts';
import { startTestService } from '../../kit/service.ts';
import { words } from '../../kit/words.ts';
import { openLink } from '../users/trip.ts';
import { assertStatus, made, makeKey, PRICED } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

/** Marked texts, by the permission that reads them. They stand in no name of a field and in no other text. */
const CANARIES: Readonly<Record<string, readonly string[]>> = {
  'content:read': words('qtitle qmetadata qtag qsource qexternal qcollection qabout qcollmeta qpath'),
  'policies:read': words('qpolicy qdescription qcondition qagentrule 203.0.113.77 qcandidate qbase qcontact qoffer'),
  'requesters:read': words(`
    qname qbadge qreqmeta qreqwriter qreqmail qreqstreet qreqagent 198.51.100.77 qlictype qlicmeta qreference
    qtokenname qnote
  `),
  'analytics:read': words('qbrowser 192.0.2.77 qpurpose qsegment qvouched'),
  'webhooks:manage': words('qhook qhookabout'),
  'api_keys:manage': words('qkeyname 192.0.2.201 qperson'),
};
/** The requester's own id: checks name it, so who reads decisions reads it too. */
const PARTNER = 'acme.qpartner';

// ---------------------------------------------------------------------------------------------------------------------
// The store

const { id: policyId } = await made(postern, '/v1/policies', {
  name: 'Policy qpolicy',
  description: 'qdescription',
  rules: [
    { action: 'deny', conditions: { contentMetadata: { desk: 'qcondition' } } },
    { action: 'deny', conditions: { userAgent: 'qagentrule', ip: '203.0.113.77' } },
    { action: 'deny', conditions: { requesterMetadata: { tier: 'qcondition' } } },
    { action: 'allow', conditions: { licenseType: 'research' } },
  ],
});
const candidate = { rules: [{ action: 'allow', conditions: { contentTags: 'qcandidate' } }], defaultAction: 'allow' };
assertStatus(await postern.call('PUT', `/v1/policies/${policyId}/candidate`, { body: candidate }), 201);
const collection = await made(postern, '/v1/collections', {
  name: 'Collection qcollection',
  description: 'qabout',
  hosts: ['site.example'],
  paths: ['/qpath/'],
  metadata: { note: 'qcollmeta' },
  policyId,
});
const item = await made(postern, '/v1/content', {
  externalId: 'qexternal',
  title: 'Title qtitle',
  type: 'article',
  source: 'https://site.example/qsource/1',
  tags: ['qtag'],
  metadata: { desk: 'qmetadata' },
  policyId,
});
const site = {
  contact: 'https://site.example/qcontact',
  licensingUrl: 'https://site.example/qcontact',
  signals: { robotsBase: 'User-agent: qbase\nDisallow: /\n' },
};
assertStatus(await postern.call('PUT', '/v1/sites/site.example', { body: site }), 201);
const offer = { unitPriceMicros: 20_000, currency: 'EUR', url: 'https://site.example/qoffer' };
assertStatus(await postern.call('PUT', '/v1/offers/research', { body: offer }), 201);
await made(postern, '/v1/requesters', {
  id: PARTNER,
  name: 'Partner qname',
  type: 'bot',
  tags: ['qbadge'],
  metadata: { tier: 'qreqmeta' },
  contactName: 'qreqwriter',
  email: 'qreqmail@partner.example',
  billingAddress: 'qreqstreet',
  userAgents: ['qreqagent'],
  identities: [{ kind: 'ip', ranges: ['198.51.100.77'] }],
});
const license = await made(postern, '/v1/licenses', {
  requesterId: PARTNER,
  type: 'qlictype',
  metadata: { note: 'qlicmeta' },
  expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  terms: { ...PRICED, reference: 'qreference', quota: { units: 1, onExceed: 'allow' } },
});
const token = await made(postern, `/v1/requesters/${encodeURIComponent(PARTNER)}/tokens`, { name: 'qtokenname' });
const wish = { licenseType: 'qlictype', note: 'qnote' };
const wished = await postern.call('POST', '/v1/me/requests', { key: token.token, body: wish });
assertStatus(wished, 201);
const context = { ip: '192.0.2.77', userAgent: 'qbrowser GPTBot/1.0', country: 'DE' };
const asked = { requesterId: PARTNER, purpose: 'qpurpose', context };
const vouched = { type: 'qvouched', features: ['api'] };
const decision = await made(postern, '/v1/access/check', { contentId: item.id, ...asked, license: vouched }, 200);
await made(postern, '/v1/access/check', { url: 'https://site.example/qpath/2', ...asked }, 200);
await postern.call('POST', '/v1/access/check', { body: { url: 'https://else.example/qsegment', ...asked } });
const visitor = { ip: '192.0.2.77', userAgent: 'qreqagent' };
const spoofing = { url: 'https://site.example/qpath/3', context: visitor, visitor: {} };
await made(postern, '/v1/access/check', spoofing, 200);
const hook = { url: 'https://hooks.example/qhook', description: 'qhookabout', events: ['*'] };
const webhook = await made(postern, '/v1/webhooks', hook);
const hidden = { name: 'Key qkeyname', type: 'secret', allowedIps: ['192.0.2.201'] };
const { id: keyId } = await made(postern, '/v1/api-keys', hidden);
const { path: link } = await made(postern, '/v1/users/links', { name: 'Person qperson', role: 'viewer' });
await openLink(postern, link);
await made(postern, `/v1/webhooks/${webhook.id}/test`, {}, 200).catch(() => {});
const first = async (path: string) => (await postern.call('GET', path)).body.data[0];
const event = await first('/v1/events');
const user = await first('/v1/users');
const statement = await first(`/v1/statements?licenseId=${license.id}`);

// ---------------------------------------------------------------------------------------------------------------------
// The exceptions

interface Exception {
  routes: RegExp;
  holds: string;
  /** Public keys, too. */
  open?: true;
  sees: readonly string[];
  why: string;
}

/** Keys of policies keep what they could do before requesters had permissions of their own. */
const IMPLIED_BY: Readonly<Record<string, string>> = { policies: 'requesters' };
const ALL = Object.values(CANARIES).flat();
const EXCEPTIONS: readonly Exception[] = [
  {
    routes: /^GET \/v1\/(events|webhooks)/,
    holds: 'webhooks:manage',
    sees: ALL,
    why: 'an event is the record that changed, before and after',
  },
  {
    routes: /^GET \/v1\/audit-log/,
    holds: 'api_keys:manage',
    sees: ALL,
    why: 'the audit log says what changed, before and after',
  },
  {
    routes: /^GET \/v1\/(analytics\/(usage|requesters|demand|visitors)|access\/decisions|attention)/,
    holds: 'analytics:read',
    sees: words('qtitle qexternal qcollection qname'),
    why: 'reports name what they count: items, collections and requesters',
  },
  {
    routes: /^GET \/v1\/(analytics\/usage|analytics\/demand|access\/decisions)/,
    holds: 'analytics:read',
    open: true,
    sees: words('qtitle qexternal qcollection'),
    why: 'reports name what they count; partners are not named to public keys',
  },
  {
    routes: /^GET \/v1\/(access\/decisions|analytics\/(usage|visitors|demand))/,
    holds: 'analytics:read',
    open: true,
    sees: words('qpath qsource qpurpose'),
    why: 'the URL and the purpose that a check asked for are of the decision',
  },
  {
    routes: /^GET \/v1\/sites\/\{host\}\/signals/,
    holds: 'policies:read',
    open: true,
    sees: words('qpath qsource'),
    why: 'signals publish the addresses that policies close',
  },
  {
    routes: /^(POST \/v1\/access\/check(\/batch)?)$/,
    holds: 'access:check',
    open: true,
    sees: words('qexternal'),
    why: 'a decision names the item by both of its ids',
  },
  {
    routes: /^(POST \/v1\/access\/check(\/batch)?|GET \/v1\/authorize)$/,
    holds: 'access:check',
    open: true,
    sees: words('qoffer'),
    why: 'an offer is for those who are denied',
  },
  {
    routes: /^(PUT|DELETE) \/v1\/offers/,
    holds: 'requesters:write',
    sees: words('qoffer'),
    why: 'a write answers with the record that it wrote',
  },
  {
    routes: /^GET \/v1\/(access\/decisions|analytics\/(usage|visitors|demand|programs))/,
    holds: 'analytics:read',
    sees: words('qreqagent'),
    why: 'a visitor sent it as its user agent',
  },
  ...['content', 'policies', 'requesters'].map((realm) => ({
    routes: /^(POST|PUT|PATCH) /,
    holds: `${realm}:write`,
    sees: [realm, IMPLIED_BY[realm]].flatMap((one) => CANARIES[`${one}:read`] ?? []),
    why: 'a write answers with the record that it wrote',
  })),
];

// ---------------------------------------------------------------------------------------------------------------------
// The questions

const openapi = (await postern.call('GET', '/openapi.json')).body;
interface Parameter {
  name: string;
  in: string;
  schema: { enum?: string[]; type?: string; $ref?: string };
}
interface Operation {
  parameters?: Parameter[];
  responses: Readonly<Record<string, { content?: object }>>;
}

/** Values of path parameters, by the resource before them. */
const IDS: Readonly<Record<string, string>> = {
  content: item.id,
  collections: collection.id,
  sites: 'site.example',
  policies: policyId,
  versions: '1',
  diff: '1',
  requesters: PARTNER,
  tokens: token.id,
  licenses: license.id,
  'license-requests': wished.body.id,
  statements: statement?.id ?? 'none',
  webhooks: webhook.id,
  deliveries: 'none',
  events: event.id,
  'api-keys': keyId,
  api_keys: keyId,
  users: user.id,
  offers: 'research',
  decisions: decision.id,
};
/** Values of filters that are no closed lists. */
const FILTERS: Readonly<Record<string, string>> = {
  contentId: item.id,
  externalId: 'qexternal',
  requesterId: PARTNER,
  policyId,
  collectionId: collection.id,
  licenseId: license.id,
  licenseType: 'research',
  url: 'https://site.example/qpath/2',
  rule: `${policyId}/1/default`,
  crawler: 'GPTBot',
  purpose: 'qpurpose',
  host: 'else.example',
  tag: 'qtag',
  q: 'q',
  type: 'article',
  period: '2026-11',
  groupBy: 'requester,collection,purpose,licenseType',
  asOf: new Date().toISOString(),
};
/** Texts that the questions themselves contain: an echo is no disclosure. */
const SENT: readonly string[] = words('qexternal qpurpose qtag qpath qreqagent');

const filled = (path: string): string =>
  path.replaceAll(/([\w-]+)\/\{(\w+)\}/g, (_, resource: string) => {
    return `${resource}/${encodeURIComponent(IDS[resource] ?? 'none')}`;
  });

/** Each query parameter alone, with each of its values. */
function queriesOf(parameters: readonly Parameter[]): string[] {
  const own = parameters.filter((one) => one.in === 'query' && one.name !== 'cursor');
  const single = own.flatMap(({ name, schema }) => {
    const known = schema.type === 'boolean' ? ['true', 'false'] : (schema.enum ?? [FILTERS[name]]);
    const values = name === 'limit' ? ['1'] : known;
    return values.flatMap((value) => (value === undefined ? [] : [`?${new URLSearchParams({ [name]: value })}`]));
  });
  return ['', ...single];
}

const FORMATS = ['application/json', 'text/csv', 'application/x-ndjson', 'text/html'];

/** Bodies that change nothing which is asked for later; other routes get an empty one. */
const BODIES: Readonly<Record<string, readonly object[]>> = {
  'POST /v1/access/check': [
    { contentId: item.id, requesterId: PARTNER, explain: true, dryRun: true },
    { url: 'https://site.example/qpath/2', requesterId: PARTNER, explain: true, dryRun: true },
    {
      contentId: item.id,
      explain: true,
      dryRun: true,
      context: { ip: '192.0.2.99', userAgent: 'qreqagent' },
      visitor: {},
    },
  ],
  'POST /v1/access/check/batch': [
    { checks: [{ contentId: item.id, requesterId: PARTNER, explain: true, dryRun: true }, { contentId: 'none' }] },
  ],
  'POST /v1/policies/simulate': [{ policy: candidate, checks: [{ contentId: item.id, explain: true }] }],
  'POST /v1/policies/{id}/impact': [{ policy: candidate }],
  'POST /v1/policies/lint': [{ rules: [{ action: 'allow', conditions: { requesterId: PARTNER } }] }],
  'POST /v1/collections/match': [{ urls: ['https://site.example/qpath/2', 'https://site.example/qsource/1'] }],
  'POST /v1/content': [
    { externalId: 'qexternal', title: 'x', type: 'article', source: 'https://site.example/x' },
    { externalId: 'new', title: 'x', type: 'article', source: 'https://site.example/qsource/1', policyId: 'pol_x' },
  ],
  'POST /v1/content/bulk-upsert': [
    { items: [{ externalId: 'new', title: 'x', type: 'article', source: 'https://site.example/qpath/9' }] },
  ],
  'POST /v1/policies': [{ name: 'New', rules: [{ action: 'allow', conditions: { requesterId: PARTNER } }] }],
  'POST /v1/requesters': [{ id: PARTNER }, { id: 'rival', userAgents: ['qreqagent'] }],
  'POST /v1/licenses': [{ requesterId: 'nobody', type: 'x' }],
  'POST /v1/collections': [{ name: 'Tie', hosts: ['site.example'], paths: ['/tied/'] }],
  'POST /v1/api-keys': [{ name: 'k', type: 'secret', permissions: ['*'] }],
  'PATCH /v1/content/{id}': [{ policyId: 'pol_none' }, { tags: ['qtag'] }],
  'PATCH /v1/collections/{id}': [{ name: 'Collection qcollection' }],
  'PATCH /v1/policies/{id}': [{ name: 'Policy qpolicy' }],
  'PUT /v1/policies/{id}/candidate': [candidate],
  'PUT /v1/sites/{host}': [site],
  'PUT /v1/offers/{licenseType}': [offer],
  'PATCH /v1/requesters/{id}': [{ name: 'Partner qname' }],
  'PATCH /v1/licenses/{id}': [{ type: 'qlictype' }],
  'PATCH /v1/webhooks/{id}': [{ description: 'qhookabout' }],
};

type Send = (key: string) => Promise<Answer>;

function questionsOf(method: string, path: string, { parameters = [], responses }: Operation): [string, Send][] {
  const target = filled(path);
  const send = (what: string, options: object, query = ''): [string, Send] => [
    `${method} ${target}${query} ${what}`,
    (key) => postern.call(method, `${target}${query}`, { key, ...options }),
  ];
  if (path === '/v1/authorize') {
    const url = 'https://site.example/qpath/2';
    const proxy = { 'x-original-url': url, 'x-forwarded-for': '192.0.2.99', 'user-agent': 'qreqagent' };
    const ask = (key: string) =>
      postern.call('GET', '/v1/authorize?body=html', { key: null, headers: { ...proxy, 'x-postern-key': key } });
    return [[`${method} ${path}`, ask]];
  }
  if (method === 'GET') {
    // Every format of the table without a query; with one, those that the document says there are.
    const own = FORMATS.filter((one) => Object.hasOwn(responses['200']?.content ?? {}, one));
    const formats = (query: string) =>
      query === '' ? FORMATS : /expand|groupBy/.test(query) ? own : FORMATS.slice(0, 1);
    return queriesOf(parameters).flatMap((query) =>
      formats(query).map((accept) => send(accept, { headers: { accept } }, query)),
    );
  }
  // These would empty the store: the refusals for what does not exist are asked for.
  if (method === 'DELETE' || FINAL.test(path))
    return [
      [
        `${method} ${path}`,
        (key) => postern.call(method, gone(path), { key, ...(method === 'DELETE' ? {} : { body: {} }) }),
      ],
    ];
  return (BODIES[`${method} ${path}`] ?? [{}]).map((body) => send(JSON.stringify(body).slice(0, 40), { body }));
}

const FINAL =
  /\/(erase|publish|make-default|revoke|grant|decline|rotate|rotate-secret|suspend|reinstate|finalize|accept)$/;

const gone = (path: string): string => path.replaceAll(/\{\w+\}/g, 'none');

/** Its body never ends, and its events are those of the list. */
const ENDLESS = 'GET /v1/events/stream';

const questions = Object.entries(openapi.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const route = `${method.toUpperCase()} ${path}`;
      if (route === ENDLESS || path.startsWith('/v1/me')) return [];
      return [{ route, asks: questionsOf(method.toUpperCase(), path, operation) }];
    }),
);

// ---------------------------------------------------------------------------------------------------------------------
// The answers

/** Returns all texts of an answer; cursors are opaque, not secret. */
function textOf({ headers, text, body }: Answer): string {
  const cursor = typeof body?.nextCursor === 'string' ? Buffer.from(body.nextCursor, 'base64url').toString() : '';
  return [...headers].map(([name, value]) => `${name}: ${value}`).join('\n') + text + cursor + decoded(cursor);
}

const decoded = (text: string): string =>
  text
    .split(' ')
    .map((part) => Buffer.from(part, 'base64url').toString())
    .join(' ');

/** The exceptions that were met. */
const needed = new Set<string>();
/** The texts that were read with their permission, by lists and records, not by the log of edits. */
const read = new Set<string>();
const EDITS = /audit-log|\/events/;

function toldBy(holds: string, isPublic: boolean, route: string, text: string): string[] {
  const implied = holds === 'policies:read' ? 'requesters:read' : '';
  const mayRead = new Set([holds, implied].flatMap((one) => CANARIES[one] ?? []));
  const exceptions = EXCEPTIONS.filter(
    (one) => one.routes.test(route) && one.holds === holds && (one.open === true || !isPublic),
  );
  for (const one of exceptions) if (one.sees.some((word) => text.includes(word))) needed.add(one.why);
  const excepted = exceptions.flatMap(({ sees }) => sees);
  // Anybody may have a public key, also with the permission that reads these.
  const kept = isPublic && holds === 'analytics:read' ? [...words('qbrowser 192.0.2.77 qvouched'), PARTNER] : [];
  const secrets = ALL.filter((one) => !mayRead.has(one) && !excepted.includes(one));
  return [...secrets, ...kept].filter((one) => text.includes(one));
}

const HOLDERS = words(`
  content:read content:write policies:read policies:write requesters:read requesters:write access:check analytics:read
  webhooks:manage api_keys:manage
`);
const OPEN = words('content:read policies:read access:check analytics:read');

for (const [type, permissions] of [
  ['secret', HOLDERS],
  ['public', OPEN],
] as const) {
  describe(`a ${type} key`, () => {
    for (const holds of permissions) {
      test(`with ${holds} alone reads nothing of other permissions`, async () => {
        const key = await makeKey(postern, { type, permissions: [holds] });
        const leaks: string[] = [];
        for (const { route, asks } of questions) {
          for (const [what, ask] of asks) {
            const answer = await ask(key);
            assert.ok(answer.status < 500, `${what}: ${answer.text.slice(0, 200)}`);
            const text = textOf(answer);
            if (type === 'secret' && route.startsWith('GET ') && !EDITS.test(route))
              for (const one of CANARIES[holds] ?? []) if (text.includes(one)) read.add(one);
            const told = toldBy(holds, type === 'public', route, text).filter(
              (one) => !what.includes(one) || !SENT.includes(one),
            );
            if (told.length > 0) leaks.push(`${what}: ${told.join(' ')}`);
          }
        }
        assert.deepEqual(leaks, []);
      });
    }
  });
}

test('each text is read with its permission, so that none is looked for in vain', async () => {
  // It compares decisions, too, so that no single permission reads it.
  const key = await makeKey(postern, { permissions: words('policies:read analytics:read') });
  const compared = textOf(await postern.call('GET', `/v1/policies/${policyId}/candidate`, { key }));
  assert.deepEqual(
    ALL.filter((one) => !read.has(one) && !compared.includes(one)),
    [],
  );
});

test('each exception is met, so that the table grows no longer than it must', () => {
  assert.deepEqual(
    EXCEPTIONS.map(({ why }) => why).filter((why) => !needed.has(why)),
    [],
  );
});

test('what ends something shows nothing of other permissions either', async () => {
  const ends: [string, string][] = [
    ['policies:write', 'POST /v1/policies/{id}/make-default'],
    ['policies:write', 'POST /v1/policies/{id}/candidate/publish'],
    ['content:write', 'DELETE /v1/collections/{id}'],
    ['content:write', 'DELETE /v1/content/{id}'],
    ['policies:write', 'DELETE /v1/policies/{id}'],
    ['policies:write', 'DELETE /v1/sites/{host}'],
    ['requesters:write', 'POST /v1/license-requests/{id}/decline'],
    ['requesters:write', 'POST /v1/requesters/{id}/tokens/{tokenId}/rotate'],
    ['requesters:write', 'POST /v1/licenses/{id}/revoke'],
    ['requesters:write', 'DELETE /v1/licenses/{id}'],
    ['requesters:write', 'POST /v1/requesters/{id}/erase'],
    ['webhooks:manage', 'POST /v1/webhooks/{id}/rotate-secret'],
    ['webhooks:manage', 'DELETE /v1/webhooks/{id}'],
    ['api_keys:manage', 'DELETE /v1/api-keys/{id}'],
  ];
  for (const [holds, route] of ends) {
    const [method = '', path = ''] = route.split(' ');
    const key = await makeKey(postern, { permissions: [holds] });
    const body = method === 'POST' ? { body: {} } : {};
    const answer = await postern.call(method, filled(path), { key, ...body });
    assert.ok(answer.status < 500, answer.text);
    const [realm] = holds.split(':');
    const own = CANARIES[holds] ?? [...(CANARIES[`${realm}:read`] ?? []), ...(CANARIES['requesters:read'] ?? [])];
    const text = textOf(answer);
    assert.deepEqual(
      ALL.filter((one) => text.includes(one) && !own.includes(one)),
      [],
      `${route} ${answer.text.slice(0, 300)}`,
    );
  }
});
