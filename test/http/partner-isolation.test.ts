/**
 * The token of a requester against every operation of the API document: nothing of anybody else, by any id, filter,
 * cursor or error. Two requesters use the same items, policies, collections and limits. Ids of the other one get the
 * same bytes as ids that never existed.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Answer } from '../../kit/answer.ts';
import { startTestService } from '../../kit/service.ts';
import { bindCursor } from '../../src/api/http/cursor.ts';
import { toCursor } from '../../src/db/page.ts';
import { assertError, assertStatus, check, item, made, makePolicy, PRICED } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const shared = await makePolicy(postern, [
  {
    action: 'allow',
    conditions: { hasValidLicense: true },
    rateLimit: { requests: 1000, period: 'day', scope: 'global' },
  },
  { action: 'deny', conditions: { default: true } },
]);
const { id: collectionId } = await made(postern, '/v1/collections', {
  name: 'News',
  hosts: ['news.example'],
  policyId: shared.id,
});
const items: { id: string; externalId: string }[] = [];
for (let i = 0; i < 4; i++) items.push(await made(postern, '/v1/content', item({ policyId: shared.id })));

/** A requester with something of everything, under a name that occurs nowhere else. */
async function newParty(name: string) {
  const id = `${name}-id`;
  await made(postern, '/v1/requesters', {
    id,
    name,
    userAgents: [`${name}-bot`],
    contactName: `${name}-person`,
    email: `${name}-mail@example.com`,
    billingAddress: `${name}-street`,
    metadata: { m: `${name}-meta` },
  });
  const license = await made(postern, '/v1/licenses', {
    requesterId: id,
    type: `${name}-kind`,
    terms: { ...PRICED, reference: `${name}-contract` },
  });
  const { token, id: tokenId } = await made(postern, `/v1/requesters/${id}/tokens`, { name: `${name}-token` });
  const asked = await postern.call('POST', '/v1/me/requests', {
    key: token,
    body: { licenseType: `${name}-wish`, note: `${name}-note` },
  });
  const decisions: string[] = [];
  for (const { id: contentId } of items.slice(name === 'acme' ? 0 : 1, name === 'acme' ? 3 : 4)) {
    decisions.push((await check(postern, { contentId, requesterId: id, purpose: `${name}-purpose` })).id);
  }
  decisions.push((await check(postern, { url: `https://news.example/${name}-page`, requesterId: id })).id);
  const { data: statements } = (await postern.call('GET', `/v1/statements?requesterId=${id}`)).body;
  return {
    name,
    id,
    license: license.id,
    token,
    tokenId,
    request: asked.body.id,
    decisions,
    statement: statements[0].id,
  };
}
const acme = await newParty('acme');
const zenith = await newParty('zenith');

/** Texts that only another's data has. */
const TRACES = ['zenith', zenith.license, zenith.tokenId, zenith.request, zenith.statement, ...zenith.decisions];
const FAKE = {
  id: 'nadir-id',
  license: `lic_${'0'.repeat(26)}`,
  tokenId: `tok_${'0'.repeat(26)}`,
  request: `lrq_${'0'.repeat(26)}`,
  statement: `stm_${'0'.repeat(26)}`,
  decision: `dec_${'0'.repeat(26)}`,
  name: 'nadir',
};
/** Each text of the other requester, beside one that never existed. */
const PAIRS: readonly [string, string][] = [
  [zenith.id, FAKE.id],
  [zenith.license, FAKE.license],
  [zenith.tokenId, FAKE.tokenId],
  [zenith.request, FAKE.request],
  [zenith.statement, FAKE.statement],
  [zenith.decisions[0] as string, FAKE.decision],
  [zenith.decisions[3] as string, FAKE.decision],
  ['zenith-kind', 'nadir-kind'],
  ['zenith-purpose', 'nadir-purpose'],
  ['news.example/zenith-page', 'news.example/nadir-page'],
];

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  postern.call(method, path, { key: acme.token, ...(body === undefined ? {} : { body }) });

/** The answer without what differs by nature: its request, the time, and the text that was sent. */
function plain({ status, text }: Answer, sent: string): string {
  const bare = text
    .replace(/"requestId":"[^"]*"/g, '')
    .replace(/"(created|startDate|endDate)":"[^"]*"/g, '')
    .replaceAll(sent, '…')
    .replaceAll(encodeURIComponent(sent), '…');
  return `${status} ${bare}`;
}

function assertNothing(answer: Answer, sent: string, what: string): void {
  const text = answer.text.replaceAll(sent, '').replaceAll(encodeURIComponent(sent), '');
  for (const trace of TRACES) assert.ok(!text.includes(trace), `${what}: ${trace} in ${answer.text.slice(0, 500)}`);
}

interface Described {
  parameters?: { in: string; name: string; schema: { type?: string; enum?: string[] } }[];
  requestBody?: object;
}
const { body: openapi } = await postern.call('GET', '/openapi.json', { key: null });
const operations = Object.entries(openapi.paths as Record<string, Record<string, Described>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), path, described })),
);
const own = operations.filter(({ path }) => /^\/v1\/me(\/|$)/.test(path));
const others = operations.filter(({ path }) => path.startsWith('/v1/') && !/^\/v1\/me(\/|$)/.test(path));

test('there are operations of both kinds', () => {
  assert.ok(own.length >= 12 && others.length >= 80, `${own.length} ${others.length}`);
});

test('every other operation refuses the token, whatever it names', async () => {
  for (const { method, path, described } of others) {
    const body = described.requestBody === undefined ? undefined : {};
    let first: string | undefined;
    for (const [theirs, never] of PAIRS) {
      for (const id of [theirs, never, acme.id]) {
        const target = path.replaceAll(/\{[^}]+\}/g, encodeURIComponent(id));
        const answer =
          path === '/v1/authorize'
            ? await postern.call(method, target, { key: null, headers: { 'x-postern-key': acme.token } })
            : await call(method, target, body);
        // Some are open to everybody where a site says so: the token adds nothing.
        const anonymous = await postern.call(method, target, { key: null });
        if (anonymous.status !== 401 && plain(answer, id) === plain(anonymous, id)) continue;
        assertError(answer, 'invalid_api_key', undefined, `${method} ${target}`);
        first ??= plain(answer, id);
        assert.equal(plain(answer, id), first, `${method} ${target}`);
      }
      if (!path.includes('{')) break;
    }
  }
});

test('its own operations: ids of another get the bytes of ids that never existed', async () => {
  let compared = 0;
  for (const { method, path } of own.filter((one) => one.path.includes('{'))) {
    for (const [theirs, never] of PAIRS) {
      const of = (id: string) => call(method, path.replaceAll(/\{[^}]+\}/g, encodeURIComponent(id)));
      const [answer, other] = [await of(theirs), await of(never)];
      assert.equal(answer.status, 404, `${path} ${theirs} ${answer.text}`);
      assert.equal(plain(answer, theirs), plain(other, never), `${path} ${theirs}`);
      assertNothing(answer, theirs, path);
      compared++;
    }
  }
  assert.ok(compared >= 30);
});

test('its own operations: every parameter of a query, with what belongs to another', async () => {
  let compared = 0;
  for (const { method, path, described } of own.filter((one) => one.method === 'GET' && !one.path.includes('{'))) {
    const whole = await call(method, path);
    assertStatus(whole, 200, path);
    assertNothing(whole, '', path);
    for (const { in: place, name } of described.parameters ?? []) {
      if (place !== 'query') continue;
      for (const [theirs, never] of PAIRS) {
        const of = (value: string) => call(method, `${path}?${name}=${encodeURIComponent(value)}`);
        const [answer, other] = [await of(theirs), await of(never)];
        assert.equal(plain(answer, theirs), plain(other, never), `${path}?${name}=${theirs}`);
        assertNothing(answer, theirs, `${path}?${name}`);
        compared++;
      }
    }
    for (const name of ['requesterId', 'requester', 'owner', 'policyId']) {
      if (described.parameters?.some((one) => one.name === name) === true) assert.fail(`${path} takes ${name}`);
      assertError(await call(method, `${path}?${name}=${zenith.id}`), 'invalid_request', name);
    }
  }
  assert.ok(compared >= 200, String(compared));
});

test('an item that only another asked for, in every filter that takes one', async () => {
  const { id: onlyTheirs, externalId } = items[3] as { id: string; externalId: string };
  const never = `cnt_${'0'.repeat(26)}`;
  for (const path of [
    '/v1/me/decisions?',
    '/v1/me/usage?period=7d&',
    '/v1/me/usage?groupBy=purpose&compare=previous&',
  ]) {
    for (const [there, absent] of [
      [onlyTheirs, never],
      [externalId, 'never-there'],
    ] as const) {
      const [answer, other] = [
        await call('GET', `${path}contentId=${there}`),
        await call('GET', `${path}contentId=${absent}`),
      ];
      assertStatus(answer, 200);
      assert.equal(plain(answer, there), plain(other, absent), path);
    }
  }
});

test('cursors of another open nothing of another', async () => {
  for (const { path } of own.filter(({ described }) => described.parameters?.some(({ name }) => name === 'cursor'))) {
    const theirs = await postern.call('GET', `${path}?limit=1`, { key: zenith.token });
    const { nextCursor } = theirs.body;
    if (nextCursor === null) continue;
    const answer = await call('GET', `${path}?limit=100&cursor=${nextCursor}`);
    assertNothing(answer, '', path);
  }
  // Positions of another's records, as a list would write them.
  for (const [path, position] of [
    ['/v1/me/licenses', zenith.license],
    ['/v1/me/requests', zenith.request],
    ['/v1/me/statements', zenith.statement],
  ] as const) {
    const list = { routeOptions: { url: path }, params: {}, query: {} };
    const answer = await call('GET', `${path}?cursor=${bindCursor(list, toCursor(position))}`);
    assertStatus(answer, 200, path);
    assertNothing(answer, '', path);
  }
  // The position in the log is sealed: a number is none.
  const list = { routeOptions: { url: '/v1/me/decisions' }, params: {}, query: {} };
  const bare = bindCursor(list, toCursor('999999999999999'));
  assertError(await call('GET', `/v1/me/decisions?cursor=${bare}`), 'invalid_cursor');
});

test('bodies: nothing names another, and dry runs are its own', async () => {
  for (const [theirs, never] of PAIRS) {
    const of = (value: string) =>
      call('POST', '/v1/me/access', { checks: [{ contentId: value }, { url: `https://${value}/`, purpose: value }] });
    const [answer, other] = [await of(theirs), await of(never)];
    assert.equal(plain(answer, theirs), plain(other, never), theirs);
  }
  const answer = await call('POST', '/v1/me/access', { checks: items.map(({ id }) => ({ contentId: id })) });
  assert.deepEqual(
    answer.body.data.map(({ licenseId, rateLimit }: any) => [licenseId, rateLimit]),
    items.map(() => [acme.license, null]),
  );
  const [theirs, never] = [
    await call('POST', '/v1/me/requests', { licenseType: 'x', collectionId: zenith.request }),
    await call('POST', '/v1/me/requests', { licenseType: 'x', collectionId: FAKE.request }),
  ];
  assert.equal(plain(theirs, zenith.request), plain(never, FAKE.request));
  assert.equal((await call('POST', '/v1/me/requests', { licenseType: 'x', collectionId })).status, 201);
});

test("the other's requests change nothing that it reads", async () => {
  const read = async () =>
    Promise.all(
      own
        .filter(({ method, path }) => method === 'GET' && !path.includes('{') && path !== '/v1/me/content')
        .map(async ({ path }) => plain(await call('GET', path), '')),
    );
  const before = await read();
  for (const { id: contentId } of items) await check(postern, { contentId, requesterId: zenith.id, purpose: 'more' });
  await postern.call('POST', '/v1/me/requests', { key: zenith.token, body: { licenseType: 'more' } });
  assert.deepEqual(await read(), before);
});
