/** The promises that every answer keeps. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pluck } from '../../kit/pluck.ts';
import { startTestService } from '../../kit/service.ts';
import { words } from '../../kit/words.ts';
import {
  assertError,
  assertErrorShape,
  assertStatus,
  bytes,
  ID,
  item,
  MOMENT,
  made,
  makeItem,
  makeKey,
  makePolicy,
  next,
  wire,
} from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const NUL = '\u0000';

describe('Request-Id', () => {
  test('is on every kind of answer, and in the error', async () => {
    const asked: [string, string, object?][] = [
      ['GET', '/v1/content'],
      ['POST', '/v1/content', { body: item() }],
      ['POST', '/v1/content', { body: {} }],
      ['POST', '/v1/content', { raw: '{' }],
      ['POST', '/v1/content', { raw: 'x', headers: { 'content-type': 'text/plain' } }],
      ['GET', '/v1/content', { key: null }],
      ['GET', '/v1/content/none'],
      ['GET', '/nowhere'],
      ['PUT', '/v1/content', { body: {} }],
      ['GET', '/livez'],
      ['GET', '/readyz'],
      ['GET', '/metrics'],
      ['GET', '/openapi.json'],
      ['GET', '/docs'],
      ['OPTIONS', '/v1/content'],
      ['HEAD', '/v1/content'],
    ];
    for (const [method, path, options] of asked) {
      const answer = await postern.call(method, path, options);
      assert.match(answer.headers.get('request-id') ?? '', /^[A-Za-z0-9._-]{1,128}$/, `${method} ${path}`);
      if (answer.status >= 400) assertErrorShape(answer, `${method} ${path}`);
    }
  });

  test('the page of the API allows no other host', async () => {
    for (const path of ['/docs', '/docs/static/index.html']) {
      const { headers, status } = await postern.call('GET', path, { key: null });
      assert.ok(status < 400, path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'self'/, path);
      assert.doesNotMatch(policy, /https?:|\*|\w\.\w/, path);
    }
    const { text } = await postern.call('GET', '/docs/static/swagger-initializer.js', { key: null });
    assert.match(text, /"validatorUrl":\s*null/);
  });

  test('two requests have two ids', async () => {
    const [a, b] = [await postern.call('GET', '/v1/content'), await postern.call('GET', '/v1/content')];
    assert.notEqual(a.headers.get('request-id'), b.headers.get('request-id'));
  });

  for (const id of ['a', 'A-z_0.9', 'x'.repeat(128)]) {
    test(`X-Request-Id of ${id.length} allowed characters is taken over`, async () => {
      const headers = { 'x-request-id': id };
      assert.equal((await postern.call('GET', '/v1/content', { headers })).headers.get('request-id'), id);
      const refused = await postern.call('GET', '/nowhere', { headers });
      assert.equal(refused.headers.get('request-id'), id);
      assert.equal(refused.body.error.requestId, id);
      const noKey = await postern.call('GET', '/v1/content', { headers, key: null });
      assert.equal(noKey.body.error.requestId, id);
    });
  }

  for (const id of ['x'.repeat(129), 'a b', 'a/b', 'a"b', 'a,b', 'ä', '<x>', 'a:b']) {
    test(`X-Request-Id ${JSON.stringify(id.slice(0, 10))} (${id.length}) is not`, async () => {
      const answer = await postern.call('GET', '/v1/content', { headers: { 'x-request-id': id } });
      assertStatus(answer, 200);
      assert.match(answer.headers.get('request-id') ?? '', /^[A-Za-z0-9._-]{1,128}$/);
      assert.notEqual(answer.headers.get('request-id'), id);
    });
  }

  const auth = () => `Authorization: Bearer ${postern.key}\r\n`;
  const malformed: [string, () => string][] = [
    ['no HTTP at all', () => 'GARBAGE\r\n\r\n'],
    ['an unknown method', () => `FOO /v1/content HTTP/1.1\r\nHost: x\r\n${auth()}\r\n`],
    ['no Host', () => `GET /v1/content HTTP/1.1\r\n${auth()}Connection: close\r\n\r\n`],
    ['an HTTP version of its own', () => 'GET /v1/content HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a header without a colon', () => 'GET /v1/content HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n'],
    ['a header name with a space', () => 'GET /v1/content HTTP/1.1\r\nHost: x\r\na b: c\r\n\r\n'],
    ['a NUL in a header', () => `GET /v1/content HTTP/1.1\r\nHost: x\r\na: b${NUL}c\r\n\r\n`],
    ['headers too large', () => `GET /v1/content HTTP/1.1\r\nHost: x\r\na: ${'b'.repeat(100_000)}\r\n\r\n`],
    ['a path of 60 kB', () => `GET /v1/content/${'b'.repeat(60_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a space in the path', () => 'GET /v1/con tent HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a length that is no number', () => 'POST /v1/content HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n'],
    ['a negative length', () => 'POST /v1/content HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    [
      'both a length and chunks',
      () => 'POST /v1/content HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a chunk that is none',
      () =>
        `POST /v1/content HTTP/1.1\r\nHost: x\r\n${auth()}Content-Type: application/json\r\n` +
        'Transfer-Encoding: chunked\r\n\r\nZZZ\r\n\r\n',
    ],
    ['an expectation nobody meets', () => `GET /v1/content HTTP/1.1\r\nHost: x\r\n${auth()}Expect: tea\r\n\r\n`],
    ['CONNECT, as if this were a proxy', () => 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'],
    ['a TLS hello', () => '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n'],
  ];
  for (const [what, text] of malformed) {
    test(`a malformed request (${what}) gets the documented error with a Request-Id`, async () => {
      const answer = await bytes(postern, text());
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
      assert.ok(status >= 400 && status < 500, `status: ${answer.slice(0, 400)}`);
      const id = /^request-id: ([A-Za-z0-9._-]{1,128})\r$/im.exec(answer)?.[1];
      assert.ok(id !== undefined, `Request-Id: ${answer.slice(0, 400)}`);
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
      assert.equal(body.error.requestId, id);
      assert.equal(typeof body.error.code, 'string');
      assert.equal(typeof body.error.type, 'string');
    });
  }

  test('the absolute form of a target reaches its path if it names the host of the request', async () => {
    const statusOf = async (target: string, host = 'api.example:80'): Promise<number> => {
      const head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${auth()}\r\n`;
      return Number(/^HTTP\/1\.1 (\d{3})/.exec(await bytes(postern, head))?.[1]);
    };
    for (const origin of ['http://api.example:80', 'HTTPS://API.example:80']) {
      assert.equal(await statusOf(`${origin}/v1/content?limit=1`), 200, origin);
      assert.equal(await statusOf(`${origin}/v1/content?limit=x`), 400, origin);
      assert.equal(await statusOf(`${origin}/v1/none`), 404, origin);
      assert.notEqual(await statusOf(origin), 400, origin);
    }
    for (const [target, host] of [
      ['http://other.example/v1/content', 'api.example'],
      ['http://api.example:81/v1/content', 'api.example:80'],
      ['http://user@api.example/v1/content', 'api.example'],
      ['ftp://api.example/v1/content', 'api.example'],
      ['http:/v1/content', 'api.example'],
      ['http:///v1/content', ''],
      ['api.example/v1/content', 'api.example'],
      ['v1/../v1/content', 'api.example'],
    ] as const) {
      const status = await statusOf(target, host);
      assert.ok(status === 404 || status === 400, `${target}: ${status}`);
    }
  });

  for (const path of [
    '/%',
    '/v1/content/%',
    '/v1/content/%zz',
    '/v1/content/%ff',
    '/v1/content/%c3%28',
    '//',
    '/v1//content',
  ]) {
    test(`a malformed path ${path} gets the documented error`, async () => {
      const answer = await wire(postern, 'GET', path);
      assert.ok(answer.status === 400 || answer.status === 404, `${answer.status} ${answer.text}`);
      assertErrorShape(answer, path);
    });
  }

  test('the service still answers after all that', async () => {
    assertStatus(await postern.call('GET', '/v1/content'), 200);
  });
});

describe('records', () => {
  test('carry id, object, created and updated in the documented forms', async () => {
    const content = await made(postern, '/v1/content', item());
    const policy = await makePolicy(postern, []);
    assert.match(content.id, ID('cnt'));
    assert.match(policy.id, ID('pol'));
    assert.equal(content.object, 'content');
    assert.equal(policy.object, 'policy');
    for (const record of [content, policy]) {
      assert.match(record.created, MOMENT);
      assert.equal(record.updated, record.created);
    }
    const key = await made(postern, '/v1/api-keys', { name: 'k', type: 'secret' });
    assert.match(key.id, ID('key'));
    assert.equal(key.object, 'api_key');
    assert.match(key.createdAt, MOMENT);
  });

  test('a moment whose year in UTC has not four digits is none', async () => {
    for (const moment of ['9999-12-31T23:59:59-00:01', '0000-01-01T00:00:00+00:01']) {
      const key = { name: 'k', type: 'secret', expiresAt: moment };
      assertError(await postern.call('POST', '/v1/api-keys', { body: key }), 'invalid_request', 'expiresAt');
      const query = `?createdAfter=${encodeURIComponent(moment)}`;
      assertError(await postern.call('GET', `/v1/content${query}`), 'invalid_request', 'createdAfter');
    }
    const last = { name: 'k', type: 'secret', expiresAt: '9999-12-31T23:59:59.999Z' };
    assert.equal((await made(postern, '/v1/api-keys', last)).expiresAt, last.expiresAt);
  });
  test('have ids in the order of their making', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push((await made(postern, '/v1/content', item())).id);
    assert.deepEqual(ids, ids.toSorted());
  });
});

describe('an unknown name is refused, and the nearest known one is told', () => {
  const rule = (more: object) => ({ name: 'x', rules: [{ action: 'allow', conditions: {}, ...more }] });
  const bodies: [string, string, unknown, string, string][] = [
    ['POST', '/v1/content', { ...item(), titel: 'x' }, 'titel', 'title'],
    ['POST', '/v1/content', { ...item(), externalid: 'x' }, 'externalid', 'externalId'],
    ['POST', '/v1/content/upsert', { ...item(), tag: [] }, 'tag', 'tags'],
    ['POST', '/v1/content/bulk-upsert', { items: [item()], item: 1 }, 'item', 'items'],
    ['POST', '/v1/content/bulk-delete', { ids: ['x'], id: 1 }, 'id', 'ids'],
    ['POST', '/v1/policies', { name: 'x', rules: [], defaultaction: 'deny' }, 'defaultaction', 'defaultAction'],
    [
      'POST',
      '/v1/policies',
      rule({ conditions: { licenceType: 'a' } }),
      'rules[0].conditions.licenceType',
      'licenseType',
    ],
    ['POST', '/v1/policies', rule({ conditions: { Purpose: 'a' } }), 'rules[0].conditions.Purpose', 'purpose'],
    ['POST', '/v1/policies', rule({ conditions: { coutryNot: 'DE' } }), 'rules[0].conditions.coutryNot', 'countryNot'],
    ['POST', '/v1/policies', rule({ permission: ['a'] }), 'rules[0].permission', 'permissions'],
    [
      'POST',
      '/v1/policies',
      rule({ rateLimit: { requests: 1, period: 'hour', scop: 'global' } }),
      'rules[0].rateLimit.scop',
      'scope',
    ],
    ['POST', '/v1/api-keys', { name: 'x', type: 'secret', allowedIPs: [] }, 'allowedIPs', 'allowedIps'],
    ['POST', '/v1/access/check', { contentId: 'x', dryrun: true }, 'dryrun', 'dryRun'],
    ['POST', '/v1/access/check', { contentId: 'x', context: { contry: 'DE' } }, 'context.contry', 'country'],
    [
      'POST',
      '/v1/access/check',
      { contentId: 'x', license: { type: 'a', expiresat: null } },
      'license.expiresat',
      'expiresAt',
    ],
    ['POST', '/v1/access/check/batch', { checks: [{ contentId: 'x' }], check: 1 }, 'check', 'checks'],
  ];
  for (const [method, path, body, param, nearest] of bodies) {
    test(`${path}: ${param}`, async () => {
      const answer = await postern.call(method, path, { body });
      assertError(answer, 'invalid_request', param);
      assert.ok(answer.body.error.message.includes(nearest), answer.body.error.message);
    });
  }
  for (const [path, body, param, nearest] of [
    ['/v1/content', { ...item(), title: undefined, titel: 'x' }, 'titel', 'title'],
    ['/v1/access/check', { contentid: 'x' }, 'contentid', 'contentId'],
    ['/v1/access/check', { contentId: 'x', license: { typ: 'a' } }, 'license.typ', 'type'],
    ['/v1/policies', rule({ rateLimit: { request: 1, period: 'hour' } }), 'rules[0].rateLimit.request', 'requests'],
  ] as const) {
    test(`${path}: ${param}, which is told before the ${nearest} that is missing for it`, async () => {
      const answer = await postern.call('POST', path, { body });
      assertError(answer, 'invalid_request', param);
      assert.ok(answer.body.error.message.includes(`\`${nearest}\``), answer.body.error.message);
      assert.equal(answer.body.error.details.length, 2, answer.text);
    });
  }
  test('one that is near to nothing is told after what is missing', async () => {
    const answer = await postern.call('POST', '/v1/access/check', { body: { qqqq: 1 } });
    assertError(answer, 'invalid_request', 'contentId');
    assert.deepEqual(pluck(answer.body.error.details, 'param'), ['contentId', 'qqqq']);
  });
  test('in the second of several rules the index is told', async () => {
    const rules = [
      { action: 'allow', conditions: {} },
      { action: 'deny', conditions: { contentTag: 'x' } },
    ];
    const answer = await postern.call('POST', '/v1/policies', { body: { name: 'x', rules } });
    assertError(answer, 'invalid_request', 'rules[1].conditions.contentTag');
    assert.match(answer.body.error.message, /contentTags/);
  });
  test('PATCH refuses them too, and changes nothing', async () => {
    const content = await made(postern, '/v1/content', item());
    const answer = await postern.call('PATCH', `/v1/content/${content.id}`, { body: { title: 'new', metdata: {} } });
    assertError(answer, 'invalid_request', 'metdata');
    assert.equal((await postern.call('GET', `/v1/content/${content.id}`)).body.title, 'A title');
  });

  const queries: [string, string, string][] = [
    ['/v1/content?lmit=5', 'lmit', 'limit'],
    ['/v1/content?Tag=5', 'Tag', 'tag'],
    ['/v1/content/x?expnd=policy', 'expnd', 'expand'],
    ['/v1/policies?limits=5', 'limits', 'limit'],
    ['/v1/api-keys?curser=5', 'curser', 'cursor'],
    ['/v1/access/decisions?contentid=5', 'contentid', 'contentId'],
    ['/v1/analytics/usage?groupby=day', 'groupby', 'groupBy'],
    ['/v1/analytics/usage?startdate=2026-01-01', 'startdate', 'startDate'],
  ];
  for (const [path, param, nearest] of queries) {
    test(path, async () => {
      const answer = await postern.call('GET', path);
      assertError(answer, 'invalid_request', param);
      assert.ok(answer.body.error.message.includes(nearest), answer.body.error.message);
    });
  }
  const strangers: [string, string, (() => object)?][] = [
    ['POST', '/v1/content?dryRun=true', () => item()],
    ['POST', '/v1/content/upsert?dryRun=true', () => item()],
    ['POST', '/v1/content/bulk-delete?force=true', () => ({ ids: ['none'] })],
    ['PATCH', '/v1/policies/pol_default?dry=1', () => ({ description: 'x' })],
    ['POST', '/v1/api-keys?admin=1', () => ({ name: 'k', type: 'secret' })],
    ['POST', '/v1/access/check?dryRun=true', () => ({ contentId: 'x' })],
    ['POST', '/v1/access/check/batch?dryRun=true', () => ({ checks: [{ contentId: 'x' }] })],
    ['DELETE', '/v1/content/none?force=1'],
    ['DELETE', '/v1/policies/none?force=1'],
    ['GET', '/v1/policies/pol_default?expand=1'],
    ['GET', '/v1/access/decisions/none?expand=1'],
    ['GET', '/v1/api-keys/none?show=1'],
    ['GET', '/v1/content?__proto__=1'],
    ['GET', '/v1/analytics/usage?__proto__=1'],
    ['GET', '/v1/content?constructor=1'],
  ];
  for (const [method, path, body] of strangers) {
    test(`${method} ${path}: a parameter nobody knows`, async () => {
      const answer = await postern.call(method, path, body === undefined ? {} : { body: body() });
      assertError(answer, 'invalid_request', path.split('?')[1]?.split('=')[0]);
    });
  }
});

test('details lists every problem of a body; param and message tell the first', async () => {
  const answer = await postern.call('POST', '/v1/content', { body: { ...item(), title: 5, type: 'book', nope: 1 } });
  assertErrorShape(answer);
  const { details, param } = answer.body.error;
  const params = details.map((one: { param: string }) => one.param);
  assert.deepEqual([...params].toSorted(), ['nope', 'title', 'type']);
  assert.equal(param, params[0]);
});

test('details lists what the schema cannot express, and what JSON cannot carry, with the rest', async () => {
  const deep = { a: { b: { c: { d: { e: {} } } } } };
  const externalId = `cnt_${'0'.repeat(26)}`;
  for (const [path, body, params] of [
    ['/v1/content', { ...item({ metadata: deep }), externalId, title: 5 }, ['externalId', 'metadata', 'title']],
    [
      '/v1/content',
      { ...item({ metadata: { a: 'x\0', b: 2 ** 60 } }), title: 5 },
      ['metadata.a', 'metadata.b', 'title'],
    ],
    ['/v1/webhooks', { url: 'x', events: ['content.made', '*', 'license.made'] }, ['events[0]', 'events[2]', 'url']],
  ] as const) {
    const answer = await postern.call('POST', path, { body });
    assertErrorShape(answer);
    const found = answer.body.error.details.map((one: { param: string }) => one.param);
    assert.deepEqual(found.toSorted(), params, answer.text);
  }
});

test('a number that is too large is told what its field takes', async () => {
  const allow = { action: 'allow', conditions: { default: true } };
  const said = async (method: string, path: string, body?: object): Promise<string[]> => {
    const { error } = (await postern.call(method, path, body === undefined ? {} : { body })).body;
    return (error.details ?? [error]).map(({ message }: { message: string }) => message);
  };
  const priority = { name: 'p', rules: [{ ...allow, priority: 1e20 }] };
  assert.deepEqual(await said('POST', '/v1/policies', priority), ['`rules[0].priority` must be at most 1000000000.']);
  const rateLimit = { requests: 1e300, period: 'day' };
  assert.deepEqual(await said('POST', '/v1/policies', { name: 'p', rules: [{ ...allow, rateLimit }] }), [
    '`rules[0].rateLimit.requests` must be at most 1000000000.',
  ]);
  assert.match((await said('POST', '/v1/content', item({ metadata: { a: 1e20 } })))[0] ?? '', /send it as a string/);
  for (const limit of ['99999999999999999999', '1000'])
    assert.deepEqual(await said('GET', `/v1/content?limit=${limit}`), ['`limit` must be at most 100.']);
});

describe('a body is refused before its record is looked for, or its version', () => {
  const deep = { metadata: { a: { b: { c: { d: { e: {} } } } } } };
  const backwards = { startsAt: '2030-01-01T00:00:00Z', expiresAt: '2029-01-01T00:00:00Z' };
  const tiers = [{ upTo: 1, unitPriceMicros: 1 }];
  const terms = { currency: 'EUR', timezone: 'UTC', period: 'month', unit: 'decision', tiers };
  for (const [path, body, param] of [
    ['/v1/content/none', deep, 'metadata'],
    ['/v1/requesters/none', deep, 'metadata'],
    ['/v1/licenses/none', deep, 'metadata'],
    ['/v1/licenses/none', backwards, 'expiresAt'],
    ['/v1/licenses/none', { terms }, 'terms.tiers[0].upTo'],
    ['/v1/licenses/none', { effective: 'now' }, 'effective'],
    ['/v1/collections/none', deep, 'metadata'],
    ['/v1/webhooks/none', deep, 'metadata'],
    ['/v1/webhooks/none', { events: ['content.made'] }, 'events[0]'],
    ['/v1/webhooks/none', { url: 'http://127.0.0.1/' }, 'url'],
  ] as const) {
    test(`PATCH ${path} ${JSON.stringify(body)}`, async () => {
      assertError(await postern.call('PATCH', path, { body }), 'invalid_request', param);
    });
  }
  test('with a stale If-Match', async () => {
    const { id } = await made(postern, '/v1/content', item());
    const headers = { 'if-match': '"stale"' };
    const path = `/v1/content/${id}`;
    assertError(await postern.call('PATCH', path, { body: deep, headers }), 'invalid_request', 'metadata');
    assertError(await postern.call('PATCH', path, { body: { title: 'x' }, headers }), 'precondition_failed');
  });
});

for (const [method, path, body, param] of [
  ['POST', '/v1/content', () => item({ policyId: 'pol_none' }), 'policyId'],
  ['POST', '/v1/content', () => item({ metadata: { a: 'x'.repeat(20_000) } }), 'metadata'],
  ['POST', '/v1/content', () => item({ metadata: { a: { b: { c: { d: { e: {} } } } } } }), 'metadata'],
  ['GET', '/v1/analytics/usage?startDate=x', undefined, 'startDate'],
  ['GET', '/v1/content?cursor=x', undefined, 'cursor'],
] as const) {
  test(`details tells of ${param}, which only the operation itself looks at: ${path}`, async () => {
    const answer = await postern.call(method, path, body === undefined ? {} : { body: body() });
    assertStatus(answer, 400);
    const { error } = answer.body;
    assert.deepEqual([error.param, error.details], [param, [{ param, message: error.message }]]);
  });
}

describe('strings', () => {
  const hostile: [string, string][] = [
    ['NUL', '\\u0000'],
    ['a lone high surrogate', '\\ud800'],
    ['a lone low surrogate', '\\udc00'],
    ['surrogates the wrong way round', '\\udc00\\ud800'],
  ];
  const places: [string, (text: string) => [string, string]][] = [
    ['title', (s) => ['/v1/content', JSON.stringify({ ...item(), title: '@' }).replace('@', `a${s}b`)]],
    ['externalId', (s) => ['/v1/content', JSON.stringify({ ...item(), externalId: '@' }).replace('@', `a${s}b`)]],
    ['a tag', (s) => ['/v1/content', JSON.stringify({ ...item(), tags: ['@'] }).replace('@', `a${s}b`)]],
    ['a metadata value', (s) => ['/v1/content', JSON.stringify({ ...item(), metadata: { a: ['@'] } }).replace('@', s)]],
    ['a metadata key', (s) => ['/v1/content', JSON.stringify({ ...item(), metadata: { '@': 1 } }).replace('@', s)]],
    ['a policy name', (s) => ['/v1/policies', JSON.stringify({ name: '@', rules: [] }).replace('@', s)]],
    [
      'a description',
      (s) => ['/v1/policies', JSON.stringify({ name: 'x', description: '@', rules: [] }).replace('@', s)],
    ],
    [
      'a rule message',
      (s) => ['/v1/policies', `{"name":"x","rules":[{"action":"deny","conditions":{},"message":"${s}"}]}`],
    ],
    [
      'a condition',
      (s) => ['/v1/policies', `{"name":"x","rules":[{"action":"deny","conditions":{"purpose":"${s}"}}]}`],
    ],
    ['a key name', (s) => ['/v1/api-keys', `{"name":"a${s}","type":"secret"}`]],
    ['a user agent', (s) => ['/v1/access/check', `{"contentId":"x","context":{"userAgent":"${s}"}}`]],
    ['a purpose', (s) => ['/v1/access/check', `{"contentId":"x","purpose":"a${s}"}`]],
    ['an id to delete', (s) => ['/v1/content/bulk-delete', `{"ids":["a${s}"]}`]],
  ];
  for (const [name, text] of hostile) {
    for (const [place, build] of places) {
      test(`${name} in ${place} is refused`, async () => {
        const [path, raw] = build(text);
        const answer = await postern.call('POST', path, { raw });
        if (place === 'an id to delete' && answer.status === 200) return assert.equal(answer.body.deleted, 0);
        assertErrorShape(answer);
        assertStatus(answer, 400);
      });
    }
  }
  for (const path of [
    '/v1/content?q=%00',
    '/v1/content?tag=a%00',
    '/v1/access/decisions?requesterId=%00',
    '/v1/analytics/usage?contentId=%00',
  ]) {
    test(`NUL in ${path} is refused`, async () => assertStatus(await postern.call('GET', path), 400));
  }
  test('paired surrogates are characters', async () => {
    const raw = JSON.stringify({ ...item(), title: '@' }).replace('@', '\\ud83d\\ude00');
    const answer = await postern.call('POST', '/v1/content', { raw });
    assertStatus(answer, 201);
    assert.equal(answer.body.title, '😀');
  });
});

describe('numbers in metadata', () => {
  const withNumber = (text: string) =>
    JSON.stringify({ ...item(), metadata: { a: { b: ['@'] } } }).replace('"@"', text);
  for (const number of ['9007199254740993', '-9007199254740993', '12345678901234567890', '1e400', '-1e400']) {
    test(`${number} is refused, on create and on PATCH`, async () => {
      const answer = await postern.call('POST', '/v1/content', { raw: withNumber(number) });
      assertErrorShape(answer);
      assertStatus(answer, 400);
      const { id } = await made(postern, '/v1/content', item());
      const patch = await postern.call('PATCH', `/v1/content/${id}`, { raw: `{"metadata":{"n":${number}}}` });
      assertStatus(patch, 400);
      assert.deepEqual((await postern.call('GET', `/v1/content/${id}`)).body.metadata, {});
    });
  }
  for (const number of ['9007199254740991', '-9007199254740991', '0', '0.1', '1e-7', '123456.789']) {
    test(`${number} is kept`, async () => {
      const answer = await postern.call('POST', '/v1/content', { raw: withNumber(number) });
      assertStatus(answer, 201);
      assert.equal(answer.body.metadata.a.b[0], Number(number));
    });
  }
  test('a big number within a string is text', async () => {
    const answer = await postern.call('POST', '/v1/content', { raw: withNumber('"a \\" 9007199254740993"') });
    assertStatus(answer, 201);
    assert.equal(answer.body.metadata.a.b[0], 'a " 9007199254740993');
  });
});

describe('metadata keys', () => {
  for (const key of ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'toJSON', '']) {
    test(`${JSON.stringify(key)} is an ordinary key: stored, returned, merged, removed`, async () => {
      const metadata = `{"a":1,${JSON.stringify(key)}:{"polluted":true}}`;
      const raw = JSON.stringify({ ...item(), metadata: '@' }).replace('"@"', metadata);
      const answer = await postern.call('POST', '/v1/content', { raw });
      assertStatus(answer, 201);
      assert.ok(answer.text.includes(`"metadata":${metadata}`), answer.text);
      const path = `/v1/content/${answer.body.id}`;
      assert.ok((await postern.call('GET', path)).text.includes(`"metadata":${metadata}`));
      const merged = await postern.call('PATCH', path, { raw: `{"metadata":{${JSON.stringify(key)}:{"x":2}}}` });
      assertStatus(merged, 200);
      assert.ok(merged.text.includes(`${JSON.stringify(key)}:{"x":2}`), merged.text);
      const removed = await postern.call('PATCH', path, { raw: `{"metadata":{${JSON.stringify(key)}:null}}` });
      assertStatus(removed, 200);
      assert.ok(removed.text.includes('"metadata":{"a":1}'), removed.text);
      assert.equal(({} as Record<string, unknown>).polluted, undefined);
    });
  }
  for (const key of ['__proto__', 'constructor', 'prototype', 'toString']) {
    test(`${key} as a field of a body is an unknown field`, async () => {
      const raw = `{${JSON.stringify(item()).slice(1, -1)},"${key}":{"policyId":"x"}}`;
      assertError(await postern.call('POST', '/v1/content', { raw }), 'invalid_request', key);
      const policy = `{"name":"x","rules":[{"action":"allow","conditions":{"${key}":true}}]}`;
      assertError(
        await postern.call('POST', '/v1/policies', { raw: policy }),
        'invalid_request',
        `rules[0].conditions.${key}`,
      );
    });
  }
});

describe('echo', () => {
  test('metadata comes back exactly: no key added, dropped or reordered', async () => {
    const metadata = '{"z":1,"a":{"y":null,"b":[]},"é":"\\"","m":[{"k":2,"c":3}],"t":true}';
    const raw = JSON.stringify({ ...item(), metadata: '@' }).replace('"@"', metadata);
    const answer = await postern.call('POST', '/v1/content', { raw });
    assert.ok(answer.text.includes(`"metadata":${metadata}`), answer.text);
    assert.ok((await postern.call('GET', `/v1/content/${answer.body.id}`)).text.includes(`"metadata":${metadata}`));
    const list = await postern.call('GET', `/v1/content?externalId=${answer.body.externalId}`);
    assert.ok(list.text.includes(`"metadata":${metadata}`));
  });
  test('keys that look like numbers are kept, in the order of JavaScript', async () => {
    const raw = JSON.stringify({ ...item(), metadata: '@' }).replace('"@"', '{"b":1,"2":{"10":0,"9":0},"a":1,"1":1}');
    const answer = await postern.call('POST', '/v1/content', { raw });
    assertStatus(answer, 201);
    assert.ok(answer.text.includes('"metadata":{"1":1,"2":{"9":0,"10":0},"b":1,"a":1}'), answer.text);
    assert.deepEqual((await postern.call('GET', `/v1/content/${answer.body.id}`)).body.metadata, answer.body.metadata);
  });
  test('rules and conditions come back exactly', async () => {
    const rules =
      '[{"message":"no","conditions":{"purpose":["b","a","a"],"hasValidLicense":false,"default":false},"action":"deny"},' +
      '{"permissions":[],"action":"allow","conditions":{}},' +
      '{"action":"allow","rateLimit":{"period":"hour","requests":5},"priority":7,"conditions":{"country":"DE"},"permissions":["training","training"]}]';
    const answer = await postern.call('POST', '/v1/policies', { raw: `{"rules":${rules},"name":"echo"}` });
    assertStatus(answer, 201);
    assert.ok(answer.text.includes(`"rules":${rules}`), answer.text);
    assert.ok((await postern.call('GET', `/v1/policies/${answer.body.id}`)).text.includes(`"rules":${rules}`));
    assert.ok((await postern.call('GET', '/v1/policies?limit=1')).text.includes(`"rules":${rules}`));
    const { id } = await made(postern, '/v1/content', item({ policyId: answer.body.id }));
    assert.ok((await postern.call('GET', `/v1/content/${id}?expand=policy`)).text.includes(`"rules":${rules}`));
  });
});

describe('the order of refusal', async () => {
  const reader = await makeKey(postern, { permissions: ['webhooks:manage'] });
  const elsewhere = await makeKey(postern, { permissions: ['webhooks:manage'], allowedIps: ['10.9.8.7'] });
  const gone = await made(postern, '/v1/api-keys', { name: 'k', type: 'secret', allowedIps: ['10.9.8.7'] });
  await postern.call('DELETE', `/v1/api-keys/${gone.id}`);
  const bad = { body: { nonsense: 1 } };
  const huge = ' '.repeat(1_048_577);

  test('missing key before everything', async () => {
    assertError(await postern.call('PATCH', '/v1/content/none', { ...bad, key: null }), 'missing_api_key');
    assertError(await postern.call('POST', '/v1/content', { raw: '{', key: null }), 'missing_api_key');
    assertError(await postern.call('GET', '/v1/content?nope=1', { key: null }), 'missing_api_key');
    const headers = { 'content-type': 'text/plain' };
    assertError(await postern.call('POST', '/v1/content', { raw: 'x', key: null, headers }), 'missing_api_key');
    assertError(
      await wire(postern, 'POST', '/v1/content', { body: huge, headers: { authorization: '' } }),
      'missing_api_key',
    );
  });
  test('invalid key before address, permission and body', async () => {
    assertError(await postern.call('POST', '/v1/content', { ...bad, key: gone.key }), 'invalid_api_key');
    assertError(await postern.call('POST', '/v1/content', { raw: '{', key: 'nonsense' }), 'invalid_api_key');
  });
  test('source address before permission and body', async () => {
    assertError(await postern.call('POST', '/v1/content', { ...bad, key: elsewhere }), 'ip_not_allowed');
  });
  test('permission before body, media type, query and unknown id', async () => {
    assertError(await postern.call('POST', '/v1/content', { ...bad, key: reader }), 'insufficient_permissions');
    assertError(await postern.call('POST', '/v1/content', { raw: '{', key: reader }), 'insufficient_permissions');
    assertError(await postern.call('GET', '/v1/content?nope=1', { key: reader }), 'insufficient_permissions');
    assertError(await postern.call('GET', '/v1/content/none', { key: reader }), 'insufficient_permissions');
    const headers = { 'content-type': 'text/plain' };
    assertError(
      await postern.call('POST', '/v1/content', { raw: 'x', key: reader, headers }),
      'insufficient_permissions',
    );
    const wired = { body: huge, headers: { authorization: `Bearer ${reader}` } };
    assertError(await wire(postern, 'POST', '/v1/content', wired), 'insufficient_permissions');
  });
  test('body and query before unknown id', async () => {
    assertError(await postern.call('PATCH', '/v1/content/none', bad), 'invalid_request');
    assertError(await postern.call('PATCH', '/v1/content/none', { body: {} }), 'invalid_request');
    assertError(await postern.call('PATCH', '/v1/policies/none', { body: {} }), 'invalid_request');
    assertError(await postern.call('GET', '/v1/content/none?nope=1'), 'invalid_request');
    assertError(await postern.call('POST', '/v1/api-keys/none/rotate', bad), 'invalid_request');
  });
  test('unknown policyId in a body is a fault of the body: before the conflict and the unknown id', async () => {
    const { externalId } = await made(postern, '/v1/content', item());
    const answer = await postern.call('POST', '/v1/content', { body: item({ externalId, policyId: 'pol_none' }) });
    assertError(answer, 'invalid_request', 'policyId');
  });
  test('unknown id before conflict', async () => {
    const headers = { 'if-match': '"77"' };
    assertError(
      await postern.call('PATCH', '/v1/content/none', { body: { title: 'x' }, headers }),
      'content_not_found',
    );
    assertError(await postern.call('DELETE', '/v1/policies/none', { headers }), 'policy_not_found');
  });
});

describe('keys in the header', () => {
  for (const authorization of ['', 'Basic abc', 'Digest x', 'svc_sk_x', 'Token svc_sk_x']) {
    test(`${JSON.stringify(authorization)} is no key`, async () => {
      assertError(await wire(postern, 'GET', '/v1/content', { headers: { authorization } }), 'missing_api_key');
    });
  }
  const wrong = (key: string) => key.slice(0, -1) + (key.at(-1) === 'a' ? 'b' : 'a');
  for (const [what, key] of [
    ['nonsense', 'nonsense'],
    ['a wrong checksum', wrong(postern.key)],
    ['a wrong character', postern.key.slice(0, 20) + (postern.key[20] === 'x' ? 'y' : 'x') + postern.key.slice(21)],
    ['the wrong kind', postern.key.replace('svc_sk_', 'svc_pk_')],
    ['one character less', postern.key.slice(0, -1)],
    ['one character more', `${postern.key}a`],
    ['another case', postern.key.toUpperCase()],
    ['an SQL joke', "'OR(1=1)--"],
    ['two words', `${postern.key} x`],
    ['8 kB', `svc_sk_${'a'.repeat(8000)}`],
  ] as const) {
    test(`${what} is an invalid key`, async () => {
      assertError(await postern.call('GET', '/v1/content', { key }), 'invalid_api_key');
    });
  }
});

describe('routes and methods', () => {
  for (const path of words(`
    / /v1 /v2/content /v1/contents /v1/content/ /v1/content/?limit=1 /v1/content// /v1/content/a/ /v1/content/a/b
    /v1/policies/ /v1/policies//versions /v1/policies/pol_default/versions/ /v1/policies/pol_default/versions//diff/1
    /v1/access/decisions/ /v1/requesters/ /v1/api-keys/ /v1/policies/pol_default/nope /index.html /docs/nothing
    /docs/static/nothing /docs/static/../../package.json
  `)) {
    test(`${path} is no route`, async () => assertError(await postern.call('GET', path), 'route_not_found'));
  }
  for (const method of ['PATCH', 'DELETE', 'POST', 'PUT', 'HEAD']) {
    test(`${method} of an item without a name is no route either, whatever is sent`, async () => {
      const answer = await wire(postern, method, '/v1/content/', { body: method === 'HEAD' ? '' : '{' });
      if (method === 'HEAD') assertStatus(answer, 404);
      else assertError(answer, 'route_not_found');
    });
  }
  const known: [string, string, string[]][] = [
    ['/v1/content', 'PUT', ['GET', 'POST']],
    ['/v1/content', 'DELETE', ['GET', 'POST']],
    ['/v1/content', 'PATCH', ['GET', 'POST']],
    ['/v1/content/x', 'POST', ['GET', 'PATCH', 'DELETE']],
    ['/v1/content/x', 'PUT', ['GET', 'PATCH', 'DELETE']],
    ['/v1/content/upsert', 'PUT', ['POST']],
    ['/v1/policies', 'DELETE', ['GET', 'POST']],
    ['/v1/policies/pol_default', 'PUT', ['GET', 'PATCH', 'DELETE']],
    ['/v1/api-keys', 'DELETE', ['GET', 'POST']],
    ['/v1/api-keys/x', 'PATCH', ['GET', 'DELETE']],
    ['/v1/api-keys/x/rotate', 'GET', ['POST']],
    ['/v1/access/check', 'GET', ['POST']],
    ['/v1/access/check/batch', 'GET', ['POST']],
    ['/v1/access/decisions', 'DELETE', ['GET']],
    ['/v1/access/decisions/x', 'DELETE', ['GET']],
    ['/v1/analytics/usage', 'POST', ['GET']],
    ['/livez', 'POST', ['GET']],
    ['/v1/content', 'PROPFIND', ['GET', 'POST']],
    ['/v1/content', 'TRACE', ['GET', 'POST']],
  ];
  for (const [path, method, methods] of known) {
    test(`${method} ${path} is 405 and says what is allowed`, async () => {
      const answer = await wire(postern, method, path, method === 'TRACE' ? {} : { body: '{}' });
      assertError(answer, 'method_not_allowed');
      const allow = (answer.headers.get('allow') ?? '').split(/\s*,\s*/);
      for (const one of methods) assert.ok(allow.includes(one), `${one} in ${allow}`);
      assert.ok(!allow.includes(method));
    });
  }
  for (const [what, method, sent] of [
    ['a body that is not JSON', 'PUT', { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ['broken JSON', 'PUT', { body: '{' }],
    ['a method that must have a body and has none', 'QUERY', {}],
  ] as const) {
    test(`with ${what} it is still 405, and 404 where there is no path`, async () => {
      assertError(await wire(postern, method, '/v1/content', sent), 'method_not_allowed');
      assertError(await wire(postern, method, '/v1/nowhere', sent), 'route_not_found');
    });
  }
});

describe('bodies', () => {
  const padded = (body: unknown, size: number) => {
    const text = JSON.stringify(body);
    return text + ' '.repeat(size - Buffer.byteLength(text));
  };
  const MIB = 1_048_576;
  test('1 MiB is taken, one byte more is not', async () => {
    for (const size of [MIB - 1, MIB]) {
      assertStatus(await wire(postern, 'POST', '/v1/content', { body: padded(item(), size) }), 201);
    }
    const one = item();
    assertError(await wire(postern, 'POST', '/v1/content', { body: padded(one, MIB + 1) }), 'payload_too_large');
    const list = await postern.call('GET', `/v1/content?externalId=${one.externalId}`);
    assert.equal(list.body.totalCount, 0);
  });
  test('without a Content-Length it counts the same', async () => {
    const stream = new Response(padded(item(), MIB + 1)).body as ReadableStream;
    const answer = await fetch(`${postern.url}/v1/content`, {
      method: 'POST',
      headers: { authorization: `Bearer ${postern.key}`, 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    });
    assert.equal(answer.status, 413);
    assert.ok(answer.headers.get('request-id'));
  });
  test('bulk takes 16 MiB, one byte more is not', async () => {
    for (const [path, body] of [
      ['/v1/content/bulk-upsert', { items: [item()] }],
      ['/v1/content/bulk-delete', { ids: ['none'] }],
    ] as const) {
      assertStatus(await wire(postern, 'POST', path, { body: padded(body, 16 * MIB) }), 200, path);
      assertError(await wire(postern, 'POST', path, { body: padded(body, 16 * MIB + 1) }), 'payload_too_large');
    }
  });

  for (const type of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'nonsense',
    'application/jsonx',
  ]) {
    test(`${type} is no media type here`, async () => {
      const answer = await postern.call('POST', '/v1/content', { body: item(), headers: { 'content-type': type } });
      assertError(answer, 'unsupported_media_type');
    });
  }
  for (const coding of ['gzip', 'br', 'deflate', 'zstd', 'nonsense', 'gzip, identity']) {
    test(`a body in Content-Encoding ${coding} is not read as if it had none`, async () => {
      const one = item();
      const body = Buffer.from(JSON.stringify(one));
      for (const sent of [body, gzipSync(body)]) {
        const headers = { 'content-type': 'application/json', 'content-encoding': coding };
        const answer = await wire(postern, 'POST', '/v1/content', { body: sent, headers });
        assertError(answer, 'unsupported_media_type');
        assert.match(answer.body.error.message, /Content-Encoding/);
      }
      assertError(await postern.call('GET', `/v1/content/${one.externalId}`), 'content_not_found');
    });
  }
  test('Content-Encoding identity is none', async () => {
    const headers = { 'content-encoding': 'Identity' };
    assertStatus(await postern.call('POST', '/v1/content', { body: item(), headers }), 201);
  });
  test('JSON with a charset is JSON', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    assertStatus(await postern.call('POST', '/v1/content', { body: item(), headers }), 201);
  });

  for (const raw of [
    '{',
    '',
    'nope',
    '{"a":1,}',
    "{'a':1}",
    '{"a":NaN}',
    '{"a":01}',
    '\u00a0{}',
    '{}{}',
    '"\u0001"',
    '{"title":"a\nb"}',
  ]) {
    test(`${JSON.stringify(raw)} is no JSON`, async () => {
      const answer = await postern.call('POST', '/v1/content', { raw });
      assertErrorShape(answer);
      if (raw === '') assertStatus(answer, 400);
      else assertError(answer, 'invalid_json');
    });
  }
  test('a list that may not be empty is said to be', async () => {
    const answer = await postern.call('POST', '/v1/access/check/batch', { body: { checks: [] } });
    assertError(answer, 'invalid_request', 'checks');
    assert.match(answer.body.error.message, /^`checks` must not be empty\.$/);
  });
  for (const [what, path, raw, place] of [
    ['a field', '/v1/policies', '{"name":"a","rules":[],"name":"b"}', 'name'],
    [
      'a condition',
      '/v1/policies',
      '{"name":"x","rules":[{"action":"deny","conditions":{"country":"DE", "purpose":"a","country" : "FR"}}]}',
      'rules[0].conditions.country',
    ],
    ['a field of a check', '/v1/access/check', '{"contentId":"a","dryRun":true,"dryRun":false}', 'dryRun'],
    [
      'a key written with an escape',
      '/v1/access/check',
      String.raw`{"contentId":"a","\u0063ontentId":"b"}`,
      'contentId',
    ],
    ['beside a list', '/v1/content/bulk-upsert', '{"items":[{"title":"a"}],"a":{"b":1,"b":2}}', 'a.b'],
    ['a key like a number', '/v1/content', '{"metadata":{"b":{"2":1,"1":2,"2":1}}}', 'metadata.b.2'],
    ['__proto__', '/v1/content', '{"metadata":{"__proto__":1,"__proto__":{}}}', 'metadata.__proto__'],
    ['behind quotes and braces', '/v1/content', String.raw`{"a":"{\"b\":1,\"b\":2,\\","c":[[{}],":"],"c":1}`, 'c'],
  ] as const) {
    test(`${what} given twice in one object is refused: one of the two would be dropped unseen`, async () => {
      const answer = await postern.call('POST', path, { raw });
      assertError(answer, 'invalid_request', place);
      assert.match(answer.body.error.message, /given more than once/);
    });
  }
  test('the same key in different objects, and text that looks like keys, are nothing of the kind', async () => {
    const metadata = { a: { a: { a: '"a":1,"a":2' } }, b: [{ a: 1 }, { a: 1 }], '"a"': ':', ':': '\\"', '\\': '\\' };
    const answer = await postern.call('POST', '/v1/content', { body: item({ metadata }) });
    assertStatus(answer, 201);
    assert.deepEqual(answer.body.metadata, metadata);
  });

  for (const raw of ['null', '[]', '5', '"x"', 'true', '[{}]']) {
    test(`${raw} is no body`, async () =>
      assertError(await postern.call('POST', '/v1/content', { raw }), 'invalid_request'));
  }

  for (const path of [
    'requesters/x/erase',
    'api-keys/x/rotate',
    'requesters/x/tokens/y/rotate',
    'license-requests/x/grant',
    'license-requests/x/decline',
  ]) {
    test(`null is no body of ${path}, which may have none`, async () => {
      for (const raw of ['null', '[]']) {
        const answer = await postern.call('POST', `/v1/${path}`, { raw });
        assertError(answer, 'invalid_request');
      }
      assertStatus(await postern.call('POST', `/v1/${path}`), 404);
    });
  }

  const around = (bad: number[]) => {
    const [head, tail] = JSON.stringify({ ...item(), title: '@' }).split('@') as [string, string];
    return Buffer.concat([Buffer.from(head), Buffer.from(bad), Buffer.from(tail)]);
  };
  for (const [what, bad] of [
    ['a stray byte', [0xff]],
    ['a stray continuation', [0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ] as const) {
    test(`invalid UTF-8 (${what}) is refused, never replaced`, async () => {
      const answer = await wire(postern, 'POST', '/v1/content', { body: around([...bad]) });
      assertErrorShape(answer);
      assertStatus(answer, 400);
    });
  }
  test('U+FFFD itself is a character', async () => {
    assertStatus(await postern.call('POST', '/v1/content', { body: item({ title: '\ufffd' }) }), 201);
  });

  for (const [what, raw] of [
    ['200 kB of [', '['.repeat(200_000)],
    ['200 kB of [ and ]', '['.repeat(100_000) + ']'.repeat(100_000)],
    [
      'deep metadata',
      `${JSON.stringify(item()).slice(0, -1)},"metadata":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    ],
    [
      'deep metadata arrays',
      `${JSON.stringify(item()).slice(0, -1)},"metadata":{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}}`,
    ],
    [
      'a deep unknown field',
      `${JSON.stringify(item()).slice(0, -1)},"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    ],
    ['a deep title', `{"title":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['100,000 fields', `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join()}}`],
  ] as const) {
    for (const path of [
      '/v1/content',
      '/v1/content/bulk-upsert',
      '/v1/policies',
      '/v1/access/check',
      '/v1/access/check/batch',
    ]) {
      test(`${what} to ${path} is refused`, async () => {
        const answer = await postern.call('POST', path, { raw });
        assertErrorShape(answer);
        assertStatus(answer, 400);
        assert.ok(answer.text.length < 200_000, `an answer of ${answer.text.length} characters`);
      });
    }
  }
  test('deep items of bulk bodies are refused, and the service lives', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const [path, raw] of [
      ['/v1/content/bulk-upsert', `{"items":[${deep}]}`],
      ['/v1/access/check/batch', `{"checks":[${deep}]}`],
      ['/v1/policies', `{"name":"x","rules":[{"action":"allow","conditions":{"purpose":${deep}}}]}`],
      ['/v1/content/bulk-delete', `{"ids":${deep}}`],
    ] as const) {
      const answer = await postern.call('POST', path, { raw });
      assert.ok(answer.status < 500, `${path} ${answer.status}`);
      if (answer.status !== 200) assertErrorShape(answer, path);
    }
    assertStatus(await postern.call('GET', '/livez'), 200);
  });
});

describe('queries', () => {
  for (const [query, param] of [
    ['externalId=%ff', 'externalId'],
    ['limit=1&q=%e2%82', 'q'],
    ['q=%ed%a0%80', 'q'],
    ['externalId=100%', 'externalId'],
    ['tag=%zz&limit=1', 'tag'],
    ['q=a%2', 'q'],
    ['%ff=1', '%ff'],
  ] as const) {
    test(`${query} is not percent-encoded UTF-8 and is not taken for other text`, async () => {
      assertError(await wire(postern, 'GET', `/v1/content?${query}`), 'invalid_request', param);
    });
  }
  test('what is percent-encoded rightly is taken, + as a space', async () => {
    const { externalId } = await made(postern, '/v1/content', item({ externalId: 'a 100% é+%ff 🎈' }));
    for (const text of [encodeURIComponent(externalId), encodeURIComponent(externalId).replaceAll('%20', '+')]) {
      const answer = await wire(postern, 'GET', `/v1/content?externalId=${text}`);
      assert.equal(answer.body.totalCount, 1, answer.text);
    }
  });
  const lists = ['/v1/content', '/v1/policies', '/v1/api-keys', '/v1/api_keys', '/v1/access/decisions'];
  for (const path of lists) {
    test(`${path}: a limit of 1 to 100`, async () => {
      for (const limit of ['1', '2', '99', '100'])
        assertStatus(await postern.call('GET', `${path}?limit=${limit}`), 200, limit);
      for (const limit of ['0', '101', '-1', '1.5', 'ten', '', '99999999999999999999', 'NaN', '1e1000', 'null', '[]']) {
        assertError(await postern.call('GET', `${path}?limit=${limit}`), 'invalid_request', 'limit', `limit=${limit}`);
      }
    });
    test(`${path}: cursors that are none`, async () => {
      for (const cursor of [
        ...words('x 0 -1 bnVsbA bnVsbA== e30 W10 %00 😀 MTIz eyJpZCI6MX0'),
        '',
        'a'.repeat(2000),
        "'",
      ]) {
        const answer = await postern.call('GET', `${path}?cursor=${encodeURIComponent(decodeURIComponent(cursor))}`);
        if (cursor === 'MTIz') assert.ok(answer.status < 500);
        else assertStatus(answer, 400, `cursor=${cursor.slice(0, 20)}`);
        if (answer.status >= 400) assertErrorShape(answer);
        if (/^(x|bnVsbA|e30|W10)$/.test(cursor)) assert.equal(answer.body.error.code, 'invalid_cursor', cursor);
      }
    });
    test(`${path}: the envelope`, async () => {
      const { body } = await postern.call('GET', `${path}?limit=1`);
      assert.deepEqual(Object.keys(body).toSorted(), ['data', 'hasMore', 'nextCursor', 'object', 'totalCount']);
      assert.equal(body.object, 'list');
      assert.equal(body.hasMore, body.totalCount > 1);
      assert.equal(body.nextCursor === null, !body.hasMore);
    });
    test(`${path}: names given twice do no harm`, async () => {
      for (const query of ['limit=1&limit=2', 'cursor=a&cursor=b', 'limit[]=1', 'limit[a]=1']) {
        const answer = await postern.call('GET', `${path}?${query}`);
        if (answer.status !== 200) assertErrorShape(answer, query);
        assert.ok(answer.status < 500);
      }
    });
  }
  test('20 a page unless told', async () => {
    for (let i = 0; i < 21; i++) await made(postern, '/v1/content', item());
    const { body } = await postern.call('GET', '/v1/content');
    assert.equal(body.data.length, 20);
    assert.equal(body.hasMore, true);
  });
  test('the last page of just the right length has no more', async () => {
    const tag = `t${next()}`;
    for (let i = 0; i < 6; i++) await made(postern, '/v1/content', item({ tags: [tag] }));
    const first = (await postern.call('GET', `/v1/content?limit=3&tag=${tag}`)).body;
    const second = (await postern.call('GET', `/v1/content?limit=3&tag=${tag}&cursor=${first.nextCursor}`)).body;
    assert.equal(first.totalCount, 6);
    assert.equal(second.totalCount, 6);
    assert.equal(second.data.length, 3);
    assert.equal(second.hasMore, false);
    assert.equal(second.nextCursor, null);
  });
});

const IDENTITIES = [{ kind: 'ip', ranges: ['203.0.113.0/24'] }];
const TERMS = {
  currency: 'EUR',
  timezone: 'UTC',
  period: 'month',
  unit: 'decision',
  quota: { onExceed: 'deny', units: 5 },
  tiers: [{ upTo: null, unitPriceMicros: 1 }],
};
const makeRequester = async (): Promise<string> =>
  (await made(postern, '/v1/requesters', { identities: IDENTITIES })).id as string;
const makeLicense = async (fields: object = {}): Promise<string> =>
  (await made(postern, '/v1/licenses', { requesterId: await makeRequester(), type: 'x', terms: TERMS, ...fields }))
    .id as string;

describe('ETag', () => {
  const kinds: [string, () => Promise<string>, object, object][] = [
    [
      'content',
      async () => `/v1/content/${(await made(postern, '/v1/content', item())).id}`,
      { title: 'B' },
      { title: 'C' },
    ],
    ['policies', async () => `/v1/policies/${(await makePolicy(postern, [])).id}`, { name: 'B' }, { name: 'C' }],
    [
      'requesters',
      async () => `/v1/requesters/${await makeRequester()}`,
      { tags: ['b'] },
      { metadata: { c: [1, {}] } },
    ],
    [
      'licenses',
      async () => `/v1/licenses/${await makeLicense()}`,
      { features: ['b'] },
      { metadata: { c: 1 }, scope: { tags: ['c'] }, effective: 'now', terms: { ...TERMS, reference: 'C' } },
    ],
  ];
  for (const [kind, make, change, other] of kinds) {
    test(`${kind}: If-None-Match answers 304 until a change`, async () => {
      const path = await make();
      const first = await postern.call('GET', path);
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^(W\/)?"[^"]*"$/);
      for (const value of [etag, `"other", ${etag}`, '*', `W/${etag}`.replace('W/W/', 'W/')]) {
        const same = await wire(postern, 'GET', path, { headers: { 'if-none-match': value } });
        assertStatus(same, 304, value);
        assert.equal(same.text, '');
        assert.ok(same.headers.get('request-id'));
      }
      assertStatus(await postern.call('GET', path, { headers: { 'if-none-match': '"other"' } }), 200);
      assertStatus(await postern.call('PATCH', path, { body: change }), 200);
      const changed = await postern.call('GET', path, { headers: { 'if-none-match': etag } });
      assertStatus(changed, 200);
      assert.notEqual(changed.headers.get('etag'), etag);
    });
    test(`${kind}: the answer to an edit has the ETag of what is read then`, async () => {
      const path = await make();
      for (const body of [change, other, other]) {
        const edited = await postern.call('PATCH', path, { body });
        assertStatus(edited, 200);
        assert.equal((await postern.call('GET', path)).headers.get('etag'), edited.headers.get('etag'));
      }
    });
    test(`${kind}: If-Match refuses a stale PATCH and DELETE and nothing changes`, async () => {
      const path = await make();
      const stale = (await postern.call('GET', path)).headers.get('etag') ?? '';
      assertStatus(await postern.call('PATCH', path, { body: change, headers: { 'if-match': stale } }), 200);
      const before = (await postern.call('GET', path)).text;
      const headers = { 'if-match': stale };
      assertError(await postern.call('PATCH', path, { body: other, headers }), 'precondition_failed');
      assertError(await postern.call('DELETE', path, { headers }), 'precondition_failed');
      assert.equal((await postern.call('GET', path)).text, before);
      const fresh = (await postern.call('GET', path)).headers.get('etag') ?? '';
      assertStatus(await postern.call('PATCH', path, { body: other, headers: { 'if-match': `"x", ${fresh}` } }), 200);
      assertStatus(await postern.call('PATCH', path, { body: change, headers: { 'if-match': '*' } }), 200);
      const last = (await postern.call('GET', path)).headers.get('etag') ?? '';
      assertStatus(await postern.call('DELETE', path, { headers: { 'if-match': last } }), 200);
    });
  }
  test('of a policy is its version', async () => {
    const { id } = await makePolicy(postern, []);
    assert.match((await postern.call('GET', `/v1/policies/${id}`)).headers.get('etag') ?? '', /^(W\/)?"1"$/);
    const patched = await postern.call('PATCH', `/v1/policies/${id}`, { body: { name: 'B' } });
    assert.match(patched.headers.get('etag') ?? '', /^(W\/)?"2"$/);
  });
  test('nonsense in If-Match and If-None-Match costs no 5xx', async () => {
    const { id } = await made(postern, '/v1/content', item());
    for (const value of ['x', '"', '""', 'W/', ',', '"a', 'é', '1'.repeat(5000)]) {
      const got = await postern.call('GET', `/v1/content/${id}`, { headers: { 'if-none-match': value } });
      assertStatus(got, 200, value.slice(0, 10));
      const put = await postern.call('PATCH', `/v1/content/${id}`, {
        body: { title: 'no' },
        headers: { 'if-match': value },
      });
      assert.ok(put.status === 412 || put.status === 400, `${value.slice(0, 10)} ${put.status}`);
    }
    assert.equal((await postern.call('GET', `/v1/content/${id}`)).body.title, 'A title');
  });
  test('archiving and bulk upserts change it', async () => {
    const content = await makeItem(postern, []);
    const path = `/v1/content/${content.id}`;
    const first = (await postern.call('GET', path)).headers.get('etag');
    await postern.call('PATCH', path, { body: { status: 'archived' } });
    const second = (await postern.call('GET', path)).headers.get('etag');
    const { externalId } = content;
    await made(postern, '/v1/content/bulk-upsert', { items: [item({ externalId, title: 'new' })] }, 200);
    const third = (await postern.call('GET', path)).headers.get('etag');
    assert.equal(new Set([first, second, third]).size, 3);
  });
});
