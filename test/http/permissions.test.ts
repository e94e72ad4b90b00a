/**
 * The permission matrix: for every route the service has, and each single permission, allowed if and only if it is the
 * one in the table below. A route that the table does not know fails the test.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { words } from '../../kit/words.ts';
import { openLink, withSession } from '../users/trip.ts';
import { assertError, item, made, makeKey, wire } from './given.ts';

/** The contract's table, as patterns of `METHOD path`. The first that fits counts. */
const TABLE: readonly [RegExp, string][] = [
  [/^GET \/v1\/content(\/\{id\})?$/, 'content:read'],
  [/^(POST|PATCH|DELETE) \/v1\/content(\/\{id\}|\/upsert|\/bulk-upsert|\/bulk-delete)?$/, 'content:write'],
  [/^GET \/v1\/collections(\/\{id\}(\/versions)?|\/match)?$/, 'content:read'],
  [/^POST \/v1\/collections\/match$/, 'content:read'],
  [/^(POST|PATCH|DELETE) \/v1\/collections(\/\{id\})?$/, 'content:write'],
  [/^GET \/v1\/sites(\/.*)?$/, 'policies:read'],
  [/^(PUT|DELETE) \/v1\/sites\/\{host\}$/, 'policies:write'],
  [/^POST \/v1\/sites\/\{host\}\/signals\/drift$/, 'policies:write'],
  [/^POST \/v1\/policies\/lint$/, 'policies:read'],
  [/^GET \/v1\/(policies|crawlers|offers)(\/.*)?$/, 'policies:read'],
  [/^(POST|PUT|PATCH|DELETE) \/v1\/policies(\/.*)?$/, 'policies:write'],
  [/^(PUT|DELETE) \/v1\/offers\/.*$/, 'requesters:write'],
  [/^GET \/v1\/(requesters|licenses|license-requests|statements)(\/(?!.*\/proof).*)?$/, 'requesters:read'],
  [/^POST \/v1\/statements\/(preview|\{id\}\/reconcile)$/, 'requesters:read'],
  [/^(POST|PATCH|DELETE) \/v1\/(requesters|licenses|license-requests|statements)(\/.*)?$/, 'requesters:write'],
  [/^(POST \/v1\/crawlers|DELETE \/v1\/crawlers\/\{token\})$/, 'policies:write'],
  [/^POST \/v1\/(crawlers\/register|identity-lists\/accept)$/, 'requesters:write'],
  [/^GET \/v1\/identity-lists$/, 'requesters:read'],
  [/^POST \/v1\/access\/check(\/batch)?$/, 'access:check'],
  [/^POST \/access\/v1\/evaluations?$/, 'access:check'],
  [/^GET \/v1\/authorize$/, 'access:check'],
  [/^(POST|GET) \/v1\/proxy-probes(\/\{id\})?$/, 'access:check'],
  [
    /^GET \/v1\/(attention|analytics\/(usage|visitors|requesters|programs|demand|unregistered)|access\/decisions(\/\{id\}(\/proof)?)?)$/,
    'analytics:read',
  ],
  [/^[A-Z]+ \/v1\/(webhooks|events)(\/.*)?$/, 'webhooks:manage'],
  [/^[A-Z]+ \/v1\/(api-keys|api_keys)(\/.*)?$/, 'api_keys:manage'],
  [/^[A-Z]+ \/v1\/users(\/.*)?$/, 'api_keys:manage'],
  [/^POST \/v1\/(signing|log)-keys\/rotate$/, 'api_keys:manage'],
  [/^GET \/v1\/log-keys$/, 'analytics:read'],
  [/^GET \/v1\/(audit-log|status)$/, 'api_keys:manage'],
];
/** Routes that need two permissions, and refuse public keys. */
const IN_SECRET: ReadonlyMap<string, readonly string[]> = new Map([
  ['POST /v1/policies/simulate', ['policies:read', 'content:read']],
  ['POST /v1/policies/{id}/impact', ['policies:read', 'analytics:read']],
  ['GET /v1/requesters/{id}/reach', ['policies:read', 'content:read']],
  ['GET /v1/content/{id}/readers', ['policies:read', 'content:read']],
  ['GET /v1/collections/{id}/readers', ['policies:read', 'content:read']],
  ['POST /access/v1/search/subject', ['policies:read', 'content:read']],
  ['POST /access/v1/search/resource', ['policies:read', 'content:read']],
  ['POST /access/v1/search/action', ['policies:read', 'content:read']],
  ['GET /v1/policies/{id}/candidate', ['policies:read', 'analytics:read']],
  ['GET /v1/statements/{id}/proof', ['requesters:read', 'analytics:read']],
]);
/** Routes that refuse public keys: what they answer has prices, credentials, or names of partners. */
const SECRET_ALONE =
  /^(GET|POST) \/v1\/(access\/decisions\/\{id\}\/proof|analytics\/(requesters|programs|visitors)|statements(\/preview|\/\{id\}(\/reconcile)?)?|licenses\/\{id\}\/usage|proxy-probes(\/\{id\})?)$/;
const PERMISSIONS = words(`
  content:read content:write policies:read policies:write requesters:read requesters:write access:check analytics:read
  webhooks:manage api_keys:manage
`);
/** Keys of policies keep what they could do before requesters had permissions of their own. */
const IMPLIED: ReadonlyMap<string, string> = new Map([
  ['requesters:read', 'policies:read'],
  ['requesters:write', 'policies:write'],
]);
/** The promised routes: the API document must not be the one to forget a route. */
const PROMISED = [
  'POST /v1/content',
  'GET /v1/content',
  'GET /v1/content/{id}',
  'PATCH /v1/content/{id}',
  'DELETE /v1/content/{id}',
  'POST /v1/content/upsert',
  'POST /v1/content/bulk-upsert',
  'POST /v1/content/bulk-delete',
  'POST /v1/collections',
  'GET /v1/collections',
  'GET /v1/collections/match',
  'POST /v1/collections/match',
  'GET /v1/collections/{id}',
  'PATCH /v1/collections/{id}',
  'DELETE /v1/collections/{id}',
  'GET /v1/sites',
  'GET /v1/sites/{host}',
  'PUT /v1/sites/{host}',
  'DELETE /v1/sites/{host}',
  'GET /v1/sites/{host}/signals/robots.txt',
  'GET /v1/sites/{host}/signals/license.xml',
  'GET /v1/sites/{host}/signals/tdmrep.json',
  'GET /v1/sites/{host}/signals/tdm-policy',
  'GET /v1/sites/{host}/signals/headers',
  'GET /v1/sites/{host}/signals/report',
  'GET /v1/sites/{host}/signals/drift',
  'POST /v1/sites/{host}/signals/drift',
  'GET /v1/collections/{id}/versions',
  'GET /v1/offers',
  'GET /v1/offers/{licenseType}',
  'PUT /v1/offers/{licenseType}',
  'DELETE /v1/offers/{licenseType}',
  'POST /v1/policies',
  'GET /v1/policies',
  'GET /v1/policies/{id}',
  'PATCH /v1/policies/{id}',
  'DELETE /v1/policies/{id}',
  'PUT /v1/policies/{id}/candidate',
  'GET /v1/policies/{id}/candidate',
  'DELETE /v1/policies/{id}/candidate',
  'POST /v1/policies/{id}/candidate/publish',
  'POST /v1/api-keys',
  'GET /v1/api-keys',
  'GET /v1/api-keys/{id}',
  'DELETE /v1/api-keys/{id}',
  'POST /v1/api-keys/{id}/rotate',
  'POST /v1/access/check',
  'POST /v1/access/check/batch',
  'POST /access/v1/evaluation',
  'POST /access/v1/evaluations',
  'GET /v1/authorize',
  'GET /v1/access/decisions',
  'GET /v1/access/decisions/{id}',
  'GET /v1/access/decisions/{id}/proof',
  'GET /v1/attention',
  'GET /v1/analytics/usage',
  'GET /v1/analytics/visitors',
  'GET /v1/analytics/requesters',
  'GET /v1/analytics/programs',
  'GET /v1/analytics/demand',
  'GET /v1/analytics/unregistered',
  'POST /v1/webhooks',
  'GET /v1/webhooks',
  'GET /v1/webhooks/{id}',
  'PATCH /v1/webhooks/{id}',
  'DELETE /v1/webhooks/{id}',
  'POST /v1/webhooks/{id}/rotate-secret',
  'POST /v1/webhooks/{id}/test',
  'GET /v1/webhooks/{id}/deliveries',
  'GET /v1/webhooks/{id}/deliveries/{deliveryId}',
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/retry',
  'GET /v1/events',
  'GET /v1/events/stream',
  'GET /v1/events/{id}',
  'GET /v1/users',
  'GET /v1/users/roles',
  'GET /v1/users/{id}',
  'DELETE /v1/users/{id}',
  'POST /v1/users/links',
  'POST /v1/users/{id}/suspend',
  'POST /v1/users/{id}/reinstate',
  'POST /v1/signing-keys/rotate',
  'GET /v1/log-keys',
  'POST /v1/log-keys/rotate',
  'GET /v1/audit-log',
  'GET /v1/statements',
  'GET /v1/statements/{id}',
  'GET /v1/statements/{id}/proof',
  'POST /v1/statements/preview',
  'POST /v1/statements/{id}/reconcile',
  'POST /v1/statements/{id}/finalize',
  'GET /v1/licenses/{id}/usage',
  'POST /v1/requesters/import',
  'POST /v1/requesters/{id}/erase',
  'POST /v1/requesters/{id}/tokens',
  'GET /v1/requesters/{id}/tokens',
  'GET /v1/requesters/{id}/tokens/{tokenId}',
  'DELETE /v1/requesters/{id}/tokens/{tokenId}',
  'POST /v1/requesters/{id}/tokens/{tokenId}/rotate',
  'GET /v1/crawlers',
  'POST /v1/crawlers',
  'DELETE /v1/crawlers/{token}',
  'POST /v1/crawlers/register',
  'POST /v1/proxy-probes',
  'GET /v1/proxy-probes/{id}',
  'GET /v1/identity-lists',
  'POST /v1/identity-lists/accept',
  'GET /v1/status',
  'GET /v1/me',
  'GET /v1/me/licenses',
  'GET /v1/me/licenses/{id}/usage',
  'GET /v1/me/statements',
  'GET /v1/me/statements/{id}',
  'GET /v1/me/statements/{id}/proof',
  'GET /v1/me/decisions',
  'GET /v1/me/decisions/{id}',
  'GET /v1/me/decisions/{id}/proof',
  'GET /v1/me/usage',
  'POST /v1/me/access',
  'GET /v1/me/content',
  'POST /v1/me/requests',
  'GET /v1/me/requests',
  'GET /v1/license-requests',
  'GET /v1/license-requests/{id}',
  'POST /v1/license-requests/{id}/grant',
  'POST /v1/license-requests/{id}/decline',
];

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const { body: openapi } = await postern.call('GET', '/openapi.json', { key: null });
const described = Object.entries(openapi.paths as Record<string, object>)
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
  .filter((route) => / \/(access\/)?v1\//.test(route));
/** Their caller is a requester, by its token: no key has a permission for them. */
const PARTNERS = /^[A-Z]+ \/v1\/me(\/|$)/;
/** Served, and not described. */
const aliases = described
  .filter((route) => route.includes(' /v1/api-keys'))
  .map((route) => route.replace('/v1/api-keys', '/v1/api_keys'));
const routes = [...described.filter((route) => !PARTNERS.test(route)), ...aliases];
const keys = new Map<string, string>();
for (const one of PERMISSIONS) keys.set(one, await makeKey(postern, { permissions: [one] }));
const publicKeys = new Map<string, string>();
for (const one of ['content:read', 'policies:read', 'analytics:read', 'access:check']) {
  publicKeys.set(one, await makeKey(postern, { type: 'public', permissions: [one] }));
}

/** Sends a request that has no effect with any key: the ids are unknown, the bodies empty. */
const ask = (route: string, key: string | null, session?: string) => {
  const [method, path] = route.split(' ') as [string, string];
  const target = path.replace(/\{[^}]+\}/g, 'unknown');
  const body = method === 'POST' || method === 'PUT' || method === 'PATCH' ? '{}' : undefined;
  const credentials: Record<string, string> =
    session === undefined ? {} : { 'x-postern-console': '1', cookie: session };
  const headers = { authorization: key === null ? '' : `Bearer ${key}`, ...credentials };
  if (path === '/v1/authorize') {
    // There `Authorization` is the visitor's, and 403 a decision, too.
    const proxy = { 'x-postern-key': key ?? '', 'x-original-uri': '/unknown' };
    return wire(postern, method, '/v1/authorize?unknown=allow', { headers: proxy });
  }
  return wire(postern, method, target, body === undefined ? { headers } : { headers, body });
};

test('every promised route is documented', () => {
  for (const route of PROMISED) assert.ok(described.includes(route), route);
});

test('the alias of keys is not', () => {
  assert.equal(aliases.length, 5);
  for (const route of aliases) assert.ok(!described.includes(route), route);
});

describe('the matrix', () => {
  for (const [route, needed] of IN_SECRET) {
    test(route, async () => {
      assertError(await ask(route, null), 'missing_api_key');
      for (const set of [keys, publicKeys]) {
        for (const [permission, key] of set) {
          const answer = await ask(route, key);
          assertError(answer, 'insufficient_permissions', undefined, permission);
          for (const one of needed) assert.ok(answer.body.error.message.includes(one), answer.body.error.message);
        }
      }
      for (const missing of needed) {
        const others = PERMISSIONS.filter((one) => one !== missing && one !== IMPLIED.get(missing));
        const answer = await ask(route, await makeKey(postern, { permissions: others }));
        assertError(answer, 'insufficient_permissions');
        assert.ok(answer.body.error.message.includes(`does not hold the permission ${missing}.`), answer.text);
      }
      const refused = await ask(route, await makeKey(postern, { type: 'public', permissions: [...publicKeys.keys()] }));
      assertError(refused, 'insufficient_permissions');
      assert.match(refused.body.error.message, /public keys/);
      for (const permissions of [needed, ['*']]) {
        const answer = await ask(route, await makeKey(postern, { permissions }));
        // An id that is not registered has a reach, too.
        const isDone = answer.status === 200 && route.endsWith('/reach');
        assert.ok(isDone || answer.status === 400 || answer.status === 404, answer.text);
      }
    });
  }
  for (const route of routes.filter((one) => !IN_SECRET.has(one))) {
    test(route, async () => {
      const needed = TABLE.find(([pattern]) => pattern.test(route))?.[1];
      assert.ok(needed !== undefined, `the table has no permission for ${route}`);
      assertError(await ask(route, null), 'missing_api_key');
      for (const set of [keys, publicKeys]) {
        for (const [permission, key] of set) {
          const answer = await ask(route, key);
          if (set === publicKeys && SECRET_ALONE.test(route)) {
            assertError(answer, 'insufficient_permissions', undefined, permission);
            continue;
          }
          assert.notEqual(answer.status, 401, `${permission} ${answer.text}`);
          if (permission === needed || permission === IMPLIED.get(needed))
            assert.notEqual(answer.status, 403, `${permission} ${answer.text}`);
          else {
            assertError(answer, 'insufficient_permissions', undefined, permission);
            assert.ok(answer.body.error.message.includes(needed), answer.body.error.message);
          }
        }
      }
      const all = await ask(route, postern.key);
      assert.ok(all.status !== 401 && all.status !== 403, all.text);
    });
  }
  for (const route of described.filter((one) => PARTNERS.test(one))) {
    test(`${route}: for the tokens of requesters, whatever a key holds`, async () => {
      assertError(await ask(route, null), 'missing_requester_token');
      for (const key of [postern.key, ...keys.values(), ...publicKeys.values()]) {
        assertError(await ask(route, key), 'invalid_requester_token');
      }
      const { path } = await made(postern, '/v1/users/links', { name: 'partner', role: 'admin' });
      const { session } = await openLink(postern, path);
      assertError(await ask(route, null, session), 'missing_requester_token');
    });
  }
  test('HEAD asks for what GET asks for', async () => {
    for (const route of routes.filter((one) => one.startsWith('GET '))) {
      const needed = TABLE.find(([pattern]) => pattern.test(route))?.[1];
      for (const [permission, key] of keys) {
        if (needed === undefined || [needed, IMPLIED.get(needed)].includes(permission)) continue;
        const { status } = await ask(route.replace('GET', 'HEAD'), key);
        assert.ok(status === 403 || status === 405 || status === 404, `${permission} HEAD ${route} ${status}`);
      }
      const { status } = await ask(route.replace('GET', 'HEAD'), null);
      assert.ok(status === 401 || status === 405 || status === 404, `HEAD ${route} ${status}`);
    }
  });
  test('a path in other clothes asks for the same', async () => {
    const key = keys.get('webhooks:manage') as string;
    await made(postern, '/v1/content', { externalId: 'x', title: 'x', type: 'article', source: 'https://a.b' });
    for (const path of words(`
      /v1/content/ //v1/content /v1//content /V1/content /v1/CONTENT /v1/%63ontent /v1/content/%78 /v1/x/../content
      /v1/content;a=b /v1/content/x/ http://other.example/v1/content
    `)) {
      const { status, text } = await wire(postern, 'GET', path, { headers: { authorization: `Bearer ${key}` } });
      assert.ok(status === 403 || status === 404 || status === 400, `${path} ${status} ${text}`);
    }
  });
  test('expand=policy asks for policies:read, too, of one item and in lists', async () => {
    const { id } = await made(postern, '/v1/content', {
      externalId: 'y',
      title: 'x',
      type: 'article',
      source: 'https://a.b',
    });
    const both = await makeKey(postern, { permissions: ['content:read', 'policies:read'] });
    for (const path of [`/v1/content/${id}`, '/v1/content', '/v1/content/unknown']) {
      for (const set of [keys, publicKeys]) {
        const answer = await postern.call('GET', `${path}?expand=policy`, { key: set.get('content:read') as string });
        assertError(answer, 'insufficient_permissions');
        assert.match(answer.body.error.message, /policies:read/);
      }
    }
    const one = await postern.call('GET', `/v1/content/${id}?expand=policy`, { key: both });
    assert.equal(one.body.policy.id, 'pol_default');
    const list = await postern.call('GET', '/v1/content?expand=policy', { key: both });
    assert.equal(list.body.data[0].policy.id, 'pol_default');
  });
  test('what needs no key: health, metrics, the document and its pages', async () => {
    for (const path of ['/livez', '/readyz', '/metrics', '/openapi.json', '/docs']) {
      for (const key of [null, 'nonsense']) {
        const answer = await postern.call('GET', path, { key });
        assert.equal(answer.status, 200, `${path} ${key}`);
      }
    }
  });
});

/** The contract's roles. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ['viewer', 'content:read policies:read requesters:read access:check analytics:read'],
  ['licensing', 'content:read policies:read requesters:read requesters:write access:check analytics:read'],
  ['editor', 'content:read content:write policies:read policies:write requesters:read access:check analytics:read'],
  ['admin', PERMISSIONS.join(' ')],
]);

describe('roles', () => {
  for (const [role, listed] of ROLES) {
    const held = words(listed);
    test(`${role}: every operation that its permissions include, and no other`, async () => {
      const { path } = await made(postern, '/v1/users/links', { name: role, role });
      const { session } = await openLink(postern, path);
      for (const route of routes) {
        const needed = IN_SECRET.get(route) ?? [TABLE.find(([pattern]) => pattern.test(route))?.[1] ?? ''];
        const answer = await ask(route, null, session);
        // Proxies have a key of their own: no cookie of a visitor counts there.
        if (route === 'GET /v1/authorize') assert.equal(answer.status, 401);
        else if (
          needed.every((one) => held.includes(one)) &&
          !(role === 'viewer' && (IN_SECRET.has(route) || SECRET_ALONE.test(route)))
        ) {
          assert.ok(answer.status !== 401 && answer.status !== 403, `${route} ${answer.text}`);
        } else {
          assertError(answer, 'insufficient_permissions', undefined, route);
          assert.ok(answer.body.error.message.includes(`the role ${role}`.slice(4)), answer.text);
        }
      }
    });
  }

  test('the API shows this table', async () => {
    const { body } = await postern.call('GET', '/v1/users/roles');
    const shown = body.roles.map(({ name, permissions }: { name: string; permissions: string[] }) => [
      name,
      new Set(permissions[0] === '*' ? PERMISSIONS : permissions),
    ]);
    assert.deepEqual(
      shown,
      [...ROLES].map(([name, listed]) => [name, new Set(words(listed))]),
    );
  });

  test('the checks of a viewer are not recorded, those of others are', async () => {
    const { id } = await made(postern, '/v1/content', item());
    for (const [role, recorded] of [
      ['viewer', false],
      ['editor', true],
    ] as const) {
      const { path } = await made(postern, '/v1/users/links', { name: role, role });
      const { session = '' } = await openLink(postern, path);
      const answer = await withSession(postern, session, 'POST /v1/access/check', { contentId: id });
      assert.equal(answer.body.recorded, recorded, answer.text);
    }
  });
});
