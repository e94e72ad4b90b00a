/**
 * No request holds the event loop: the work between two turns of the loop is bounded for every request. The tests count
 * steps, not times, so a busy machine changes nothing. Every route has a row with the largest requests that it takes.
 * All routes get what no route takes: unknown fields, wrong lists, endless queries.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
// First: what is imported before it is counted by function only.
import { mostStepsOf } from '../../../kit/steps.ts';

const { startTestService } = await import('../../../kit/service.ts');
const { made } = await import('../../http/given.ts');

/**
 * Less than a tenth of a second of a slow processor. A list of half a million numbers, the worst there is, takes 8
 * million.
 */
const STEPS_MAX = 12_000_000;

const MIB = 1024 * 1024;
const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

// ---------------------------------------------------------------------------------------------------------------------
// What is there: the largest of everything

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
/** Metadata at its largest; numeric keys are the slowest. */
const metadata = Object.fromEntries(many(1500, (i) => [String(i), 1]));
const item = (i: number) => ({
  externalId: `item-${i}`,
  title: 'word '.repeat(99),
  type: 'article',
  source: `https://example.com/${i}`,
  tags: many(50, (j) => `tag-${i}-${j}`),
  metadata,
});
const identities = [
  { kind: 'ip', ranges: many(1000, (i) => `2001:db8:${i.toString(16)}::/48`) },
  { kind: 'dns', suffixes: many(50, (i) => `${i}.${'a'.repeat(60)}.example`) },
];
const agents = (rule: number) => many(19, (i) => `${'a'.repeat(500)}${rule}.${i}`);
const names = (rule: number) => many(1000, (i) => `${rule}x${i}`);
const rulesOf = (key: string, values: (rule: number) => string[]) =>
  many(100, (rule) => ({ action: 'deny', conditions: { [key]: values(rule) } }));
const longAgents = { name: 'long', rules: rulesOf('userAgent', agents) };
const manyAgents = { name: 'many', rules: rulesOf('userAgent', names) };
const manyNames = { name: 'names', rules: rulesOf('requesterId', names) };
const manyPermissions = {
  name: 'permissions',
  rules: rulesOf('permission', (rule) => many(900, (i) => `a${rule}x${i}`)),
};
const policies = [longAgents, manyAgents, manyNames, manyPermissions];

const long = await made(postern, '/v1/policies', longAgents);
const policy = await made(postern, '/v1/policies', manyAgents);
await postern.call('PATCH', `/v1/policies/${policy.id}`, { body: { rules: manyAgents.rules.toReversed() } });
const content = await made(postern, '/v1/content', { ...item(0), externalId: 'first', policyId: long.id });
await made(postern, '/v1/requesters', { id: 'first', userAgents: many(50, (i) => `${'a'.repeat(250)}${i}`) });
for (let i = 0; i < 40; i++) {
  await made(postern, '/v1/requesters', { id: `r${i}`, userAgents: many(50, (j) => `${'a'.repeat(200)}${i}.${j}`) });
}
/** Every path of it belongs to every host. */
const wide = (i: number) => ({
  name: `Wide ${i}`,
  hosts: many(100, (j) => `h${i}x${j}.example.com`),
  paths: many(1000, (j) => `/${i}/${'a/'.repeat(100)}${j}*b$`),
  contentTags: names(i),
  metadata,
});
const collection = await made(postern, '/v1/collections', wide(0));
await postern.call('PUT', '/v1/sites/h0x0.example.com', { body: {} });
const terms = (i: number) => ({
  reference: 'x'.repeat(200),
  currency: 'EUR',
  timezone: 'America/Argentina/ComodRivadavia',
  period: 'year',
  unit: 'decision',
  purposes: many(50, (j) => `${'p'.repeat(60)}${j}`),
  tiers: [...many(19, (j) => ({ upTo: j + 1, unitPriceMicros: i })), { upTo: null, unitPriceMicros: i }],
});
const license = await made(postern, '/v1/licenses', { requesterId: 'first', type: 'x', terms: terms(0) });
const {
  data: [statement],
} = (await postern.call('GET', `/v1/statements?period=${new Date().getUTCFullYear()}`)).body;
const token = await made(postern, '/v1/requesters/first/tokens', { name: 't' });
const own = await made(postern, '/v1/requesters/first/tokens', { name: 'own' });
const key = await made(postern, '/v1/api-keys', { name: 'k', type: 'secret' });
const { user } = await made(postern, '/v1/users/links', { name: 'x', role: 'viewer' });
const webhook = await made(postern, '/v1/webhooks', { url: 'https://example.com/', events: ['api_key.created'] });
await made(postern, '/v1/content/bulk-upsert', { items: many(50, item) }, 200);

// ---------------------------------------------------------------------------------------------------------------------
// What is asked

interface Ask {
  raw?: string;
  path?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const context = { userAgent: 'a'.repeat(1024), ip: '2001:db8::1' };
const checkOf = (more: object = {}) => ({ contentId: 'first', requesterId: 'first', context, dryRun: true, ...more });
const evaluationOf = () => ({
  subject: { type: 'user', id: 'first', properties: Object.fromEntries(many(32, (i) => [`${i}`, 'a'.repeat(256)])) },
  action: { name: 'read' },
  resource: { type: 'article', id: 'first' },
  context: { userAgent: context.userAgent },
});
const scope = { contentIds: names(1), tags: names(2), policyIds: names(3) };
const plain: Ask[] = [{}];
const page: Ask[] = [{ path: '?limit=100' }];
const at = (path: string): Ask[] => [{ path: `/${path}` }];
/** With the token of a requester. */
const mine = (path = '', body?: unknown): Ask[] => [
  { path, headers: { authorization: `Bearer ${own.token}` }, ...(body === undefined ? {} : { body }) },
];

/** By method and path of the API's description; `{…}` is replaced by the first path of the row. */
const ROWS: Record<string, Ask[]> = {
  'GET /livez': plain,
  'GET /readyz': plain,
  'GET /metrics': plain,
  'POST /v1/access/check': [{ body: checkOf() }, { body: checkOf({ explain: true }) }],
  'POST /v1/access/check/batch': [{ body: { checks: many(100, () => checkOf()) } }],
  'GET /v1/authorize': [
    { headers: { 'x-postern-key': postern.key, 'x-original-uri': '/0', 'user-agent': context.userAgent } },
    { headers: { 'x-postern-key': postern.key, 'x-original-uri': `/${'%41'.repeat(4000)}` } },
  ],
  'GET /.well-known/authzen-configuration': plain,
  'POST /access/v1/search/subject': [{ body: evaluationOf() }],
  'POST /access/v1/search/resource': [{ body: { ...evaluationOf(), subject: { type: 'requester', id: 'first' } } }],
  'POST /access/v1/search/action': [{ body: { ...evaluationOf(), subject: { type: 'requester', id: 'first' } } }],
  'POST /access/v1/evaluation': [{ body: evaluationOf() }],
  'POST /access/v1/evaluations': [{ body: { evaluations: many(100, evaluationOf) } }],
  'GET /v1/requesters/{id}/reach': at('first/reach?limit=100'),
  'GET /v1/content/{id}/readers': at(`${content.id}/readers?limit=100`),
  'GET /v1/collections/{id}/readers': at(`${collection.id}/readers?limit=100`),
  'POST /v1/proxy-probes': plain,
  'GET /v1/proxy-probes/{id}': at('prb_0'),
  'GET /v1/access/decisions': page,
  'GET /v1/access/decisions/{id}': at('dec_0'),
  'GET /v1/access/decisions/{id}/proof': at('dec_0/proof'),
  'GET /v1/log-keys': [{}],
  'POST /v1/log-keys/rotate': [{}],
  'GET /v1/content': [{ path: '?limit=100&expand=policy' }, { path: `?q=${'w%20'.repeat(100)}` }],
  'POST /v1/content': [{ body: { ...item(1), externalId: 'created' } }],
  'GET /v1/content/{id}': [{ path: `/${content.id}?expand=policy` }],
  'PATCH /v1/content/{id}': [{ path: `/${content.id}`, body: { metadata, title: 'x' } }],
  'DELETE /v1/content/{id}': at('item-49'),
  'POST /v1/content/upsert': [{ body: { ...item(2), title: 'other' } }],
  'POST /v1/content/bulk-upsert': [{ body: { items: many(100, (i) => ({ ...item(i), title: 'edited' })) } }],
  'POST /v1/content/bulk-delete': [{ body: { ids: many(1000, (i) => `item-${40 + i}`) } }],
  'GET /v1/collections': page,
  'POST /v1/collections': [{ body: wide(1) }],
  'GET /v1/collections/{id}': at(`${collection.id}?expand=warnings`),
  'PATCH /v1/collections/{id}': [{ path: `/${collection.id}`, body: { paths: wide(2).paths } }],
  'DELETE /v1/collections/{id}': at('col_0'),
  'GET /v1/collections/{id}/versions': at(`${collection.id}/versions?limit=100`),
  'GET /v1/collections/match': [{ path: `?url=https://h0x0.example.com/0/${'a/'.repeat(100)}${'999b'.repeat(450)}` }],
  'POST /v1/collections/match': [
    {
      body: {
        url: `https://h0x0.example.com/0/${'a/'.repeat(100)}${'999b'.repeat(450)}`,
        collection: { id: collection.id, paths: wide(3).paths },
      },
    },
  ],
  'GET /v1/offers': page,
  'GET /v1/offers/{licenseType}': at('x?collectionId=col_0'),
  'PUT /v1/offers/{licenseType}': [
    { path: '/x', body: { features: names(0).slice(0, 50), unitPriceMicros: 1, currency: 'USD' } },
  ],
  'DELETE /v1/offers/{licenseType}': at('x'),
  'GET /v1/sites': page,
  'GET /v1/sites/{host}': at('h0x0.example.com'),
  'PUT /v1/sites/{host}': [
    { path: '/h0x1.example.com', body: { signals: { robotsBase: 'Allow: /x\n'.repeat(50_000) } } },
  ],
  'DELETE /v1/sites/{host}': at('none.example.com'),
  'POST /v1/signing-keys/rotate': [{ body: { atOnce: true } }],
  'POST /olp/token': plain,
  'GET /olp/key': plain,
  'POST /olp/introspect': plain,
  'GET /v1/sites/{host}/signals/robots.txt': at('h0x0.example.com/signals/robots.txt'),
  'GET /v1/sites/{host}/signals/license.xml': at('h0x0.example.com/signals/license.xml'),
  'GET /v1/sites/{host}/signals/tdmrep.json': at('h0x0.example.com/signals/tdmrep.json'),
  'GET /v1/sites/{host}/signals/tdm-policy': at('h0x0.example.com/signals/tdm-policy'),
  'GET /v1/sites/{host}/signals/headers': at('h0x0.example.com/signals/headers'),
  'GET /v1/sites/{host}/signals/report': at('h0x0.example.com/signals/report?limit=100'),
  'GET /v1/sites/{host}/signals/drift': at('h0x0.example.com/signals/drift'),
  'POST /v1/sites/{host}/signals/drift': at('h0x0.example.com/signals/drift'),
  'POST /v1/requesters': [{ body: { id: 'made', tags: names(0).slice(0, 50), metadata } }],
  'GET /v1/requesters': page,
  'POST /v1/requesters/import': [
    {
      path: '/import',
      raw: `id,name,tags\n${many(1000, (i) => `row-${i},Row ${i},a|b|c`).join('\n')}`,
      headers: { 'content-type': 'text/csv' },
    },
  ],
  'GET /v1/requesters/{id}': at('first'),
  'PATCH /v1/requesters/{id}': [{ path: '/first', body: { metadata } }],
  'DELETE /v1/requesters/{id}': at('made'),
  'POST /v1/requesters/{id}/erase': at('unknown/erase'),
  'POST /v1/requesters/{id}/tokens': [{ path: '/first/tokens', body: { name: 'x' } }],
  'GET /v1/requesters/{id}/tokens': at('first/tokens?limit=100'),
  'GET /v1/requesters/{id}/tokens/{tokenId}': at(`first/tokens/${token.id}`),
  'DELETE /v1/requesters/{id}/tokens/{tokenId}': at('first/tokens/tok_0'),
  'POST /v1/requesters/{id}/tokens/{tokenId}/rotate': [
    { path: `/first/tokens/${token.id}/rotate`, body: { graceSeconds: 0 } },
  ],
  'POST /v1/crawlers/register': [{ body: { purposes: ['index', 'other', 'monitoring'] } }],
  'POST /v1/crawlers': [{ body: { token: 't'.repeat(64), name: 'n'.repeat(64), purpose: 'other', identities } }],
  'GET /v1/crawlers': [{ path: `?limit=100&q=${'w'.repeat(200)}` }],
  'DELETE /v1/crawlers/{token}': at('t'.repeat(64)),
  'GET /v1/identity-lists': page,
  'POST /v1/identity-lists/accept': [{ body: { url: 'https://example.com/' } }],
  'POST /v1/licenses': [{ body: { requesterId: 'first', type: 'x', scope, metadata, terms: terms(1) } }],
  'GET /v1/licenses': page,
  'GET /v1/licenses/{id}': at(license.id),
  'PATCH /v1/licenses/{id}': [{ path: `/${license.id}`, body: { scope, metadata, terms: terms(2) } }],
  'DELETE /v1/licenses/{id}': at('lic_0'),
  'POST /v1/licenses/{id}/revoke': at(`${license.id}/revoke`),
  'GET /v1/licenses/{id}/terms': at(`${license.id}/terms?limit=100`),
  'GET /v1/statements': [{ path: '?period=2026&limit=100' }],
  'GET /v1/statements/{id}': at('stm_0'),
  'GET /v1/statements/{id}/proof': at('stm_0/proof'),
  'POST /v1/statements/{id}/reconcile': [
    {
      path: `/${statement.id}/reconcile`,
      raw: `contentId,count\n${many(200_000, (i) => `item-${i},1`).join('\n')}`,
      headers: { 'content-type': 'text/csv' },
    },
  ],
  'POST /v1/statements/preview': [{ body: { terms: terms(1), units: 1e12 } }],
  'POST /v1/statements/{id}/finalize': at('stm_0/finalize'),
  'GET /v1/licenses/{id}/usage': at(`${license.id}/usage`),
  'POST /v1/policies/simulate': policies.map((one) => ({ body: { policy: one, checks: many(50, () => checkOf()) } })),
  'POST /v1/policies/{id}/impact': [{ path: `/${policy.id}/impact`, body: { policy: manyNames } }],
  'GET /v1/policies/{id}/candidate': at(`${policy.id}/candidate?limit=100`),
  'PUT /v1/policies/{id}/candidate': policies.map(({ rules }) => ({
    path: `/${policy.id}/candidate`,
    body: { rules },
  })),
  'DELETE /v1/policies/{id}/candidate': at('pol_0/candidate'),
  'POST /v1/policies/{id}/candidate/publish': at('pol_0/candidate/publish'),
  'GET /v1/policies': page,
  'POST /v1/policies': policies.map((body) => ({ body })),
  'GET /v1/policies/templates': page,
  'GET /v1/policies/{id}': at(policy.id),
  'PATCH /v1/policies/{id}': [{ path: `/${policy.id}`, body: { rules: manyNames.rules } }],
  'DELETE /v1/policies/{id}': at('pol_0'),
  'POST /v1/policies/lint': policies.map(({ rules }) => ({ body: { rules } })),
  'POST /v1/policies/{id}/make-default': at('pol_default/make-default'),
  'POST /v1/policies/{id}/rollback': [{ path: `/${policy.id}/rollback`, body: { version: 1 } }],
  'GET /v1/policies/{id}/versions': at(`${policy.id}/versions?limit=100`),
  'GET /v1/policies/{id}/versions/{version}': at(`${policy.id}/versions/1`),
  'GET /v1/policies/{id}/versions/{version}/diff/{other}': at(`${policy.id}/versions/1/diff/2`),
  'POST /v1/api-keys': [{ body: { name: 'x', type: 'secret', allowedIps: many(100, (i) => `10.0.${i}.0/24`) } }],
  'GET /v1/api-keys': page,
  'GET /v1/api-keys/{id}': at(key.id),
  'DELETE /v1/api-keys/{id}': at('key_0'),
  'POST /v1/api-keys/{id}/rotate': [{ path: `/${key.id}/rotate`, body: { graceSeconds: 0 } }],
  'POST /v1/api_keys': plain,
  'GET /v1/api_keys': page,
  'GET /v1/api_keys/{id}': at(key.id),
  'DELETE /v1/api_keys/{id}': at('key_0'),
  'POST /v1/api_keys/{id}/rotate': at(`${key.id}/rotate`),
  'GET /v1/users': page,
  'GET /v1/users/roles': plain,
  'GET /v1/users/{id}': at(user.id),
  'DELETE /v1/users/{id}': at('usr_0'),
  'POST /v1/users/links': [{ body: { name: 'x'.repeat(200), role: 'admin' } }],
  'POST /v1/users/{id}/suspend': at(`${user.id}/suspend`),
  'POST /v1/users/{id}/reinstate': at(`${user.id}/reinstate`),
  'GET /v1/audit-log': [...page, { path: '?limit=100', headers: { accept: 'application/x-ndjson' } }],
  'POST /v1/webhooks': [{ body: { url: `https://example.com/${'%41'.repeat(600)}`, events: ['*'], metadata } }],
  'GET /v1/webhooks': page,
  'GET /v1/webhooks/{id}': at(webhook.id),
  'PATCH /v1/webhooks/{id}': [{ path: `/${webhook.id}`, body: { metadata } }],
  'DELETE /v1/webhooks/{id}': at('wh_0'),
  'POST /v1/webhooks/{id}/rotate-secret': at(`${webhook.id}/rotate-secret`),
  'POST /v1/webhooks/{id}/test': at(`${webhook.id}/test`),
  'GET /v1/webhooks/{id}/deliveries': at(`${webhook.id}/deliveries?limit=100`),
  'GET /v1/webhooks/{id}/deliveries/{deliveryId}': at(`${webhook.id}/deliveries/dlv_0`),
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/retry': at(`${webhook.id}/deliveries/dlv_0/retry`),
  'GET /v1/events': page,
  'GET /v1/events/stream': [{ path: `?type=${'content.*,'.repeat(90)}*` }],
  'GET /v1/events/{id}': at('evt_0'),
  'GET /v1/attention': plain,
  'GET /v1/analytics/usage': [
    { path: '?startDate=2026-01-01&endDate=2026-12-31&groupBy=hour&limit=100&expand=trends&compare=previous' },
  ],
  'GET /v1/analytics/visitors': [{ path: '?limit=50&pages=100' }],
  'GET /v1/analytics/requesters': [{ path: `?q=${'word+'.repeat(30)}&sort=denied&limit=100` }],
  'GET /v1/analytics/programs': [{ path: `?q=${'word+'.repeat(30)}&sort=pages&limit=100` }],
  'GET /v1/analytics/demand': [{ path: `?q=${'word+'.repeat(30)}&limit=100` }],
  'GET /v1/me': mine(),
  'GET /v1/me/licenses': mine('?limit=100'),
  'GET /v1/me/licenses/{id}/usage': mine(`/${license.id}/usage`),
  'GET /v1/me/statements': mine('?period=2026&limit=100'),
  'GET /v1/me/statements/{id}': mine('/stm_0'),
  'GET /v1/me/statements/{id}/proof': mine('/stm_0/proof'),
  'GET /v1/me/decisions': mine('?limit=100'),
  'GET /v1/me/decisions/{id}': mine('/dec_0'),
  'GET /v1/me/decisions/{id}/proof': mine('/dec_0/proof'),
  'GET /v1/me/usage': mine('?startDate=2026-01-01&endDate=2026-12-31&groupBy=hour&limit=100&expand=trends'),
  'POST /v1/me/access': mine('', { checks: many(1000, (i) => ({ url: `https://example.com/${i}`, purpose: 'x' })) }),
  'GET /v1/me/content': mine('?limit=100'),
  'POST /v1/me/requests': mine('', { licenseType: 'x', note: 'x'.repeat(2000) }),
  'GET /v1/me/requests': mine('?limit=100'),
  'GET /v1/license-requests': page,
  'GET /v1/license-requests/{id}': at('lrq_0'),
  'POST /v1/license-requests/{id}/grant': at('lrq_0/grant'),
  'POST /v1/license-requests/{id}/decline': at('lrq_0/decline'),
  'GET /v1/analytics/unregistered': [{ path: '?host=www.example.com&sort=lastSeen&limit=100' }],
  'GET /v1/status': plain,
  // Not described.
  'POST /console/session': plain,
  'GET /console/session': plain,
  'DELETE /console/session': plain,
  'GET /console/sign-in': plain,
};
const HIDDEN = /^\S+ \/(console|v1\/api_keys)(\/|$)/;

const described = (await postern.call('GET', '/openapi.json')).body.paths as Record<string, Record<string, unknown>>;
const routes = Object.entries(described).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

test('every route has a row', () => {
  assert.deepEqual(
    Object.keys(ROWS).filter((route) => !HIDDEN.test(route)),
    routes,
  );
});

// ---------------------------------------------------------------------------------------------------------------------
// What no route takes

const filled = (bytes: number, piece: (i: number) => string): string => {
  const pieces: string[] = [];
  for (let i = 0, size = 0; size < bytes; i++) size += (pieces[pieces.push(piece(i)) - 1] as string).length + 1;
  return pieces.slice(0, -1).join();
};
const unknownFields = (bytes: number): string => `{${filled(bytes - 20, (i) => `"contentIdd${i}":1`)}}`;
const WRONG: Record<string, string> = {
  'unknown fields, as many as there may be keys': `{${filled(MIB - 20, (i) => `"contentId${i}":"${'x'.repeat(20)}"`)}}`,
  'more fields than any body has': unknownFields(MIB),
  'more lists than any body has': `[${filled(MIB - 20, () => '[]')}]`,
  'half a million numbers': `[${filled(MIB - 20, () => '1')}]`,
  'one text': `"${'\\\\'.repeat(MIB / 2 - 20)}"`,
};
const entriesOf = (count: number, bytes: number): string => Array(count).fill(unknownFields(bytes)).join();
const listOf = (path: string): string | undefined =>
  ({ batch: 'checks', 'bulk-upsert': 'items', 'bulk-delete': 'ids', simulate: 'checks', access: 'checks' })[
    path.split('/').at(-1) ?? ''
  ];

/** Bodies that no route takes; for a route with a list also wrong entries and too many of them. */
function wrongBodies(list: string | undefined): Record<string, string> {
  if (list === undefined) return WRONG;
  return {
    ...WRONG,
    '100 wrong entries': `{"${list}":[${entriesOf(100, 16_000)}]}`,
    'too many entries': `{"${list}":[${filled(2 * MIB, () => '1')}]}`,
  };
}

describe('steps between two turns', () => {
  for (const [route, asks] of Object.entries(ROWS)) {
    test(route, async (t) => {
      const [method = '', path = ''] = route.split(' ');
      const base = path.split('/{')[0] as string;
      let worst = 0;
      const measure = async (what: string, to: string, given: object): Promise<void> => {
        const most = await mostStepsOf(() => postern.call(method, to, given));
        worst = Math.max(worst, most);
        assert.ok(most <= STEPS_MAX, `${what}: ${most} steps`);
      };
      for (const { path: more = '', ...given } of asks) {
        await measure(`${base}${more.slice(0, 60)}`, base + more, given);
      }
      const first = base + (asks[0]?.path ?? '').replace(/\?.*$/, '');
      await measure('a query', `${first}?${filled(14_000, (i) => `contentId${i}=x`).replaceAll(',', '&')}`, {});
      if (method === 'GET' || method === 'DELETE') return t.diagnostic(`${worst} steps`);
      const wrong = wrongBodies(listOf(first));
      for (const [what, raw] of Object.entries(wrong)) await measure(what, first, { raw });
      t.diagnostic(`${worst} steps`);
    });
  }
});
