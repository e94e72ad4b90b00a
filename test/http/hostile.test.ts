/** Hostile requests of every kind: never a 5xx, never a crash, always the documented error with a Request-Id. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { startTestService } from '../../kit/service.ts';
import { words } from '../../kit/words.ts';
import { assertErrorShape, item, made, makeItem, wire } from './given.ts';

const RUNS = Number(process.env.HOSTILE_RUNS ?? 1200);
const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const { id: contentId, policyId } = await makeItem(postern, [{ action: 'allow', conditions: {} }], {
  externalId: 'known',
});
const { id: keyId } = await made(postern, '/v1/api-keys', { name: 'k', type: 'secret', permissions: ['content:read'] });

await made(postern, '/v1/requesters', { id: 'known' });
const { id: licenseId } = await made(postern, '/v1/licenses', { requesterId: 'known', type: 'a' });

const methods = fc.constantFrom(
  'GET',
  'POST',
  'PATCH',
  'DELETE',
  'PUT',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
  'TRACE',
  'LOCK',
  'M-SEARCH',
  'QUERY',
);
const known = [
  ...words(`
  /v1/content /v1/content/known /v1/content/upsert /v1/content/bulk-upsert /v1/content/bulk-delete /v1/policies
  /v1/policies/pol_default /v1/policies/lint /v1/policies/simulate /v1/policies/templates /v1/crawlers /v1/requesters
  /v1/requesters/known /v1/licenses /v1/api-keys /v1/api-keys/x/rotate /v1/access/check /v1/access/check/batch
  /v1/access/decisions /v1/access/decisions/x /v1/analytics/usage /livez /readyz /metrics /openapi.json /docs
  /docs/json /docs/static/x / /v1 *
`),
  `/v1/content/${contentId}`,
  `/v1/policies/${policyId}`,
  `/v1/policies/${policyId}/impact`,
  `/v1/policies/${policyId}/versions/1/diff/1`,
  `/v1/policies/${policyId}/rollback`,
  `/v1/licenses/${licenseId}`,
  `/v1/licenses/${licenseId}/revoke`,
  `/v1/api-keys/${keyId}`,
  `/v1/api_keys/${keyId}/rotate`,
];
const word = fc.oneof(
  fc.constantFrom(
    '',
    '.',
    '..',
    '%',
    '%00',
    '%ff',
    '%2e%2e%2f',
    '__proto__',
    'constructor',
    '%F0%9F%98%80',
    "'",
    '%22',
    '-1',
    '1e999',
    'null',
    'a'.repeat(3000),
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
);
const names = fc.constantFrom(
  'limit',
  'cursor',
  'type',
  'status',
  'tag',
  'q',
  'externalId',
  'createdAfter',
  'expand',
  'from',
  'to',
  'reason',
  'allowed',
  'contentId',
  'period',
  'startDate',
  'endDate',
  'groupBy',
  'timezone',
  'requesterId',
  '__proto__',
  'toString',
  'limit[]',
  'a.b',
  '',
);
const paths = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...known) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('/v1/content/', '/v1/policies/', '/v1/api-keys/', '/v1/access/decisions/', '/docs/', '/'),
        word,
      )
      .map((each) => each.join('')),
  },
);
const queries = fc
  .array(fc.tuple(names, word), { maxLength: 3 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map((one) => one.join('=')).join('&')}`));

/** A body that is right, with something in it replaced by something that is not. */
const RIGHT: unknown[] = [
  item({ tags: ['a'], metadata: { a: { b: [1] } }, policyId }),
  { items: [item(), item()] },
  { ids: ['none', 'none-2'] },
  {
    title: 'x',
    metadata: { a: null },
    metadataReplace: true,
    status: 'active',
    tags: [],
    source: 'https://a.b',
    policyId: null,
  },
  {
    name: 'x',
    description: 'd',
    defaultAction: 'deny',
    rules: [
      {
        action: 'allow',
        priority: 1,
        conditions: { purpose: ['a'], ip: '10.0.0.0/8', country: 'DE' },
        permissions: ['training'],
        rateLimit: { requests: 1, period: 'hour' },
      },
      { action: 'deny', conditions: { hasValidLicense: false, userAgentNot: ['x'] }, message: 'm' },
    ],
  },
  {
    name: 'k',
    type: 'secret',
    permissions: ['content:read'],
    allowedIps: ['10.0.0.0/8'],
    expiresAt: '2030-01-01T00:00:00Z',
  },
  { graceSeconds: 5 },
  {
    contentId: 'known',
    requesterId: 'r',
    permission: 'training',
    purpose: 'p',
    context: { ip: '1.2.3.4', country: 'DE', userAgent: 'x' },
    license: { type: 'a', features: ['f'], expiresAt: '2030-01-01T00:00:00Z' },
    explain: true,
    dryRun: false,
  },
  { checks: [{ contentId: 'known' }, { contentId: 'none' }] },
  { name: 'A name', type: 't', tags: ['a'], metadata: { a: [1] }, status: 'active' },
  {
    requesterId: 'known',
    type: 'a',
    features: ['x'],
    scope: { contentIds: ['known'], contentTypes: ['article'], tags: ['a'], policyIds: ['pol_default'] },
    startsAt: '2026-01-01T00:00:00Z',
    expiresAt: '2030-01-01T00:00:00Z',
    status: 'active',
    metadata: { a: 1 },
  },
  {
    policy: {
      rules: [{ action: 'allow', conditions: { licenseType: 'a', time: { days: ['mon'], timezone: 'UTC' } } }],
    },
    checks: [{ contentId: 'known', explain: true }],
  },
  { policy: { rules: [{ action: 'deny' }] }, from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z', examples: 1 },
];
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e21,
    2 ** 53,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    'x'.repeat(70_000),
    [],
    {},
    [[]],
    [null],
    { length: 5 },
    '2026-13-45',
    '9'.repeat(400),
    '🦊'.repeat(300),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);
/** A place in a body, however deep: the object or list, and the key in it. */
function placeIn(body: unknown, at: number): [Record<string, unknown>, string] {
  const places: [Record<string, unknown>, string][] = [];
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    for (const [key, inner] of Object.entries(node)) {
      places.push([node as Record<string, unknown>, key]);
      visit(inner);
    }
  };
  visit(body);
  return places[at % places.length] as [Record<string, unknown>, string];
}
const bent = fc.tuple(fc.constantFrom(...RIGHT), fc.nat(40), hostile, fc.boolean()).map(([right, at, value, add]) => {
  const copy = structuredClone(right);
  const [parent, key] = placeIn(copy, at);
  parent[add && !Array.isArray(parent) ? `${key}x` : key] = value;
  return JSON.stringify(copy);
});
const bodies: fc.Arbitrary<string | Uint8Array | undefined> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 6, arbitrary: bent },
  { weight: 2, arbitrary: fc.constantFrom(...RIGHT).map((one) => JSON.stringify(one)) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '{',
      '[',
      'null',
      '"',
      '{"a":1e999}',
      '\ufeff{}',
      '{"__proto__":{"a":1}}',
      '['.repeat(50_000),
    ),
  },
);
const headers = fc
  .array(
    fc.oneof(
      fc.tuple(
        fc.constant('content-type'),
        fc.constantFrom(
          'application/json',
          'text/plain',
          'application/json; charset=utf-16',
          ';',
          'application/x-www-form-urlencoded',
        ),
      ),
      fc.tuple(fc.constant('accept'), fc.constantFrom('application/x-ndjson', 'text/csv', 'nonsense', '*/*;q=x')),
      fc.tuple(fc.constantFrom('if-match', 'if-none-match'), fc.constantFrom('*', '"1"', 'W/"1"', '"', ',,', 'x')),
      fc.tuple(fc.constant('idempotency-key'), fc.oneof(fc.constantFrom('a', 'b', 'x'.repeat(256)), fc.uuid())),
      fc.tuple(fc.constant('x-request-id'), fc.constantFrom('mine', 'x'.repeat(200), '<>')),
      fc.tuple(
        fc.constant('authorization'),
        fc.constantFrom(
          '',
          'Bearer',
          'Bearer  ',
          'Basic x',
          'Bearer svc_sk_x',
          `bearer ${postern.key}`,
          `Bearer ${postern.key}, Bearer x`,
        ),
      ),
      fc.tuple(fc.constant('x-forwarded-for'), fc.constantFrom('1.2.3.4', 'x', ',')),
      fc.tuple(fc.constant('content-encoding'), fc.constantFrom('gzip', 'br', 'x')),
      fc.tuple(
        fc.constantFrom('range', 'expect', 'origin', 'cookie', 'accept-encoding', 'x-http-method-override'),
        fc.constantFrom('bytes=0-1', 'x', 'DELETE'),
      ),
    ),
    { maxLength: 3 },
  )
  .map((pairs) => Object.fromEntries(pairs.filter(([name]) => name !== 'expect')) as Record<string, string>);

const requests = fc.record({ method: methods, path: paths, query: queries, body: bodies, headers });

test('a fuzz over methods, paths, bodies and headers', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async ({ method, path, query, body, headers: more }) => {
      // TRACE takes no body, and a client of Node's refuses to send one.
      const withBody = body === undefined || method === 'TRACE' || method === 'HEAD' ? {} : { body };
      const answer = await wire(postern, method, `${path}${query}`, { ...withBody, headers: more });
      const what = `${method} ${path}${query}`;
      assert.ok(answer.status < 500, `${what} -> ${answer.status} ${answer.text}`);
      assert.match(answer.headers.get('request-id') ?? '', /^[A-Za-z0-9._-]{1,128}$/, what);
      if (more['x-request-id'] === 'mine') assert.equal(answer.headers.get('request-id'), 'mine');
      if (answer.status >= 400 && method !== 'HEAD') assertErrorShape(answer, what);
    }),
    { numRuns: RUNS },
  );
});

test('bodies of the right route with one thing wrong: refused and without effect, or right after all', async () => {
  const targets: [string, string, number][] = [
    ['POST', '/v1/content', 0],
    ['POST', '/v1/content/upsert', 0],
    ['POST', '/v1/content/bulk-upsert', 1],
    ['PATCH', '/v1/content/known', 3],
    ['POST', '/v1/policies', 4],
    ['PATCH', `/v1/policies/${policyId}`, 4],
    ['POST', '/v1/api-keys', 5],
    ['POST', '/v1/access/check', 7],
    ['POST', '/v1/access/check/batch', 8],
    ['POST', '/v1/requesters', 9],
    ['PATCH', '/v1/requesters/known', 9],
    ['POST', '/v1/licenses', 10],
    ['PATCH', `/v1/licenses/${licenseId}`, 10],
    ['POST', '/v1/policies/simulate', 11],
    ['POST', `/v1/policies/${policyId}/impact`, 12],
  ];
  await postern.call('POST', '/v1/content/upsert', { body: item({ externalId: 'known' }) });
  // What the fuzz may have revoked or deleted.
  await postern.call('POST', '/v1/requesters', { body: { id: 'known' } });
  const total = async () => {
    const counts = [];
    for (const path of [
      '/v1/content',
      '/v1/policies',
      '/v1/requesters',
      '/v1/licenses',
      '/v1/api-keys',
      '/v1/access/decisions',
    ]) {
      counts.push((await postern.call('GET', `${path}?limit=1`)).body.totalCount);
    }
    return counts.join();
  };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...targets), fc.nat(40), hostile, async ([method, path, which], at, value) => {
      const copy = structuredClone(RIGHT[which]);
      const [parent, key] = placeIn(copy, at);
      parent[key] = value;
      const before = await total();
      const answer = await postern.call(method, path, { body: copy });
      assert.ok(answer.status < 500, answer.text);
      if (answer.status < 400) return;
      assertErrorShape(answer, path);
      assert.equal(await total(), before);
    }),
    { numRuns: Math.ceil(RUNS / 8) },
  );
});

test('nothing was logged as an error, and the service still works', async () => {
  const errors = postern.logs.filter((line) => JSON.parse(line).level >= 50);
  assert.deepEqual(errors.slice(0, 3), []);
  assert.equal((await postern.call('GET', '/readyz')).status, 200);
  const { id } = await made(postern, '/v1/content', item());
  assert.equal((await postern.call('POST', '/v1/access/check', { body: { contentId: id } })).status, 200);
});
