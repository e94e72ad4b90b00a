/** The decision log: what was answered can be read again, filtered, and streamed. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { allowAll, assertError, assertStatus, check, item, made, makeItem, makeKey } from './given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

type Any = any;
const read = (id: string) => postern.call('GET', `/v1/access/decisions/${id}`);
const list = (query: string) => postern.call('GET', `/v1/access/decisions?${query}`);
const streamed = (query: string, accept: string) =>
  postern.call('GET', `/v1/access/decisions?${query}`, { headers: { accept } });

describe('a decision read again is the answer that was given, with what it was made on', () => {
  const rules = [
    { action: 'deny', conditions: { purpose: 'bad' }, message: 'No “quotes”' },
    {
      action: 'allow',
      conditions: { purpose: 'limited' },
      rateLimit: { requests: 1, period: 'hour' },
      permissions: ['training'],
    },
    { action: 'allow', conditions: { licenseType: 'a' }, priority: 5 },
    { action: 'deny', conditions: { default: true }, priority: 99, message: 'License required' },
  ];
  const asked: object[] = [
    {},
    { requesterId: 'bot' },
    {
      purpose: 'bad',
      permission: 'training',
      requesterId: 'x:/@y',
      context: { ip: '2001:db8::1', country: 'DE', userAgent: 'A "b", c\n' },
    },
    { purpose: 'limited', requesterId: 'l' },
    { purpose: 'limited', requesterId: 'l' },
    { purpose: 'limited', requesterId: 'l', permission: 'training' },
    { purpose: 'limited', requesterId: 'm', permission: 'redistribution' },
    { license: { type: 'a' }, permission: 'preview_only' },
    { license: { type: 'a', features: ['x', 'y'], expiresAt: '2030-01-01T00:00:00Z' }, requesterId: 'bot' },
    { license: { type: 'a', expiresAt: '2020-01-01T00:00:00Z' }, requesterId: 'bot' },
    { context: {} },
    { context: { userAgent: '' } },
    { context: { method: 'HEAD' } },
    { context: { method: "M-SEARCH!#$%&'*+.^_`|~", ip: '192.0.2.1' }, dryRun: false },
    { explain: true, requesterId: 'e' },
  ];
  for (const one of asked) {
    test(JSON.stringify(one), async () => {
      const content = await makeItem(postern, rules);
      const given: Any[] = [];
      for (let i = 0; i < 2; i++) {
        clock.advance(777);
        given.push(await check(postern, { contentId: content.externalId, ...one }));
      }
      await postern.call('PATCH', `/v1/policies/${content.policyId}`, { body: { rules: [], name: 'later' } });
      for (const { explanation: _, remedies: __, ...answer } of given) {
        const { body, status } = await read(answer.id);
        assert.equal(status, 200);
        const { publicId, purpose, permission, context, license, ...again } = body;
        assert.deepEqual((await read(publicId)).body, body);
        const { explanation: ___, remedies: ____, ...rest } = again;
        assert.deepEqual(rest, answer);
        const inputs = one as Any;
        assert.equal(purpose ?? undefined, inputs.purpose);
        assert.equal(permission ?? undefined, inputs.permission);
        for (const [key, value] of Object.entries(inputs.context ?? {})) assert.equal(context[key], value, key);
        if (inputs.license !== undefined) {
          assert.equal(license.type, inputs.license.type);
          assert.deepEqual(license.features ?? undefined, inputs.license.features);
          if (inputs.license.expiresAt)
            assert.equal(Date.parse(license.expiresAt), Date.parse(inputs.license.expiresAt));
        }
        const listed = (await list(`contentId=${content.id}`)).body.data.find((each: Any) => each.id === answer.id);
        assert.deepEqual(listed, body);
      }
    });
  }
  test('in a batch too, and after a restart', async () => {
    const time = testClock();
    await using own = await startTestService({ clock: time });
    const { id } = await makeItem(own, rules);
    const checks = asked.slice(0, 10).map((one) => ({ contentId: id, ...one }));
    const answers = (await own.call('POST', '/v1/access/check/batch', { body: { checks } })).body.data;
    await own.restart();
    for (const answer of answers) {
      const { body } = await own.call('GET', `/v1/access/decisions/${answer.id}`);
      for (const [key, value] of Object.entries(answer)) assert.deepEqual(body[key], value, key);
    }
  });
});

test('unknown decisions are not found', async () => {
  const { id } = await check(postern, { contentId: (await makeItem(postern, [])).id });
  const near = id.slice(0, -1) + (id.at(-1) === '1' ? '2' : '1');
  for (const one of [
    'none',
    'dec_',
    'dec_00000000000000000000000000',
    near.replace(/.$/, 'z'),
    `${id}0`,
    id.toUpperCase(),
    'x'.repeat(300),
    '%20',
    'dec_zzzzzzzzzzzzzzzzzzzzzzzzzz',
  ]) {
    assertError(await read(one), 'decision_not_found', undefined, one.slice(0, 40));
  }
});

describe('filters', async () => {
  const time = testClock(Date.parse('2026-03-01T12:00:00Z'));
  const own = await startTestService({ clock: time });
  after(() => own[Symbol.asyncDispose]());
  const a = await makeItem(own, [{ action: 'allow', conditions: { purpose: 'p' } }], { externalId: 'a/1' });
  const b = await makeItem(own, [{ action: 'deny', conditions: { hasValidLicense: false } }], { externalId: 'b' });
  const asked: [string, object][] = [
    ['1', { contentId: a.id, requesterId: 'x', purpose: 'p' }],
    ['2', { contentId: a.id, requesterId: 'y' }],
    ['3', { contentId: b.id, requesterId: 'x' }],
    ['4', { contentId: b.id }],
    ['5', { contentId: a.id, purpose: 'p' }],
  ];
  const names = new Map<string, string>();
  for (const [name, body] of asked) {
    names.set((await check(own, body)).id, name);
    time.advance(86_400_000);
  }
  const cases: [string, string][] = [
    ['', '54321'],
    [`contentId=${a.id}`, '521'],
    ['contentId=a%2F1', '521'],
    ['contentId=b', '43'],
    ['requesterId=x', '31'],
    ['requesterId=X', ''],
    ['requesterId=nobody', ''],
    [`policyId=${b.policyId}`, '43'],
    ['allowed=true', '51'],
    ['allowed=false', '432'],
    ['reason=no_license', '43'],
    ['reason=policy_denied', '2'],
    ['reason=license_expired', ''],
    ['from=2026-03-03T00:00:00Z', '543'],
    ['to=2026-03-03T00:00:00Z', '21'],
    ['from=2026-03-02T00:00:00Z&to=2026-03-04T00:00:00Z', '32'],
    ['from=2026-03-03', '543'],
    ['contentId=b&requesterId=x&allowed=false', '3'],
    ['contentId=b&allowed=true', ''],
  ];
  for (const [query, expected] of cases) {
    test(query === '' ? 'none' : query, async () => {
      const { body } = await own.call('GET', `/v1/access/decisions?${query}`);
      assert.equal(body.data.map((one: { id: string }) => names.get(one.id)).join(''), expected);
      assert.equal(body.totalCount, expected.length);
      for (const accept of ['application/x-ndjson', 'text/csv']) {
        const { text } = await own.call('GET', `/v1/access/decisions?${query}`, { headers: { accept } });
        for (const [id, name] of names) assert.equal(text.includes(id), expected.includes(name), `${accept} ${name}`);
      }
    });
  }
  test('values that cannot be are refused', async () => {
    for (const [param, value] of [
      ['allowed', 'maybe'],
      ['allowed', '1'],
      ['reason', 'because'],
      ['from', 'yesterday'],
      ['to', '2026-02-30T00:00:00Z'],
    ]) {
      assertError(await own.call('GET', `/v1/access/decisions?${param}=${value}`), 'invalid_request', param, value);
    }
  });
});

describe('streams', async () => {
  const content = await makeItem(postern, [allowAll]);
  const agents = ['plain', 'with, comma', 'with "quotes"', 'line\nbreak', '=1+1', '@x', 'ünï😀', ''];
  const checks = Array.from({ length: 250 }, (_, i) => ({
    contentId: content.id,
    requesterId: `r${i}`,
    context: { userAgent: agents[i % agents.length] },
  }));
  const ids: string[] = (await made(postern, '/v1/access/check/batch', { checks }, 200)).data.map((one: Any) => one.id);

  test('NDJSON has the whole selection, one decision a line', async () => {
    const answer = await streamed(`contentId=${content.id}`, 'application/x-ndjson');
    assertStatus(answer, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/x-ndjson/);
    assert.ok(answer.headers.get('request-id'));
    const lines = answer.text.split('\n');
    assert.equal(lines.pop(), '');
    const decisions = lines.map((line) => JSON.parse(line));
    assert.deepEqual(new Set(decisions.map((one) => one.id)), new Set(ids));
    assert.equal(decisions.length, 250);
    for (const one of [decisions[0], decisions[249]]) assert.deepEqual(one, (await read(one.id)).body);
  });
  test('CSV has a header, a row each, and cells as RFC 4180 has them', async () => {
    const answer = await streamed(`contentId=${content.id}`, 'text/csv');
    assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/);
    const [head, ...rows] = csv(answer.text);
    assert.equal(rows.length, 250);
    for (const row of rows) assert.equal(row.length, head?.length);
    const at = (name: string) => head?.indexOf(name) ?? -1;
    assert.deepEqual(new Set(rows.map((row) => row[at('id')])), new Set(ids));
    const agentOf = new Map(rows.map((row) => [row[at('requesterId')], row[at('userAgent')]]));
    for (const [i, asked] of checks.entries()) {
      const agent = asked.context.userAgent as string;
      if (!/^[=@]/.test(agent)) assert.equal(agentOf.get(`r${i}`), agent);
    }
  });
  test('an empty selection is an empty stream', async () => {
    const lines = await streamed('requesterId=nobody', 'application/x-ndjson');
    assert.deepEqual([lines.status, lines.text], [200, '']);
    assert.equal(csv((await streamed('requesterId=nobody', 'text/csv')).text).length, 1);
  });
  test('a bad filter is an error, as JSON', async () => {
    assertError(await streamed('reason=because', 'application/x-ndjson'), 'invalid_request', 'reason');
    const key = await makeKey(postern, { permissions: ['content:read'] });
    const refused = await postern.call('GET', '/v1/access/decisions', { key, headers: { accept: 'text/csv' } });
    assertError(refused, 'insufficient_permissions');
  });
  test('any other Accept gets the list', async () => {
    for (const accept of ['*/*', 'application/json', 'text/html,*/*']) {
      assert.equal((await streamed('limit=1', accept)).body.object, 'list');
    }
  });
  for (const [accept, type] of [
    ['TEXT/CSV', 'text/csv'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['application/json;q=0.5, text/csv', 'text/csv'],
    ['application/json, text/csv', 'application/json'],
    ['text/csv, application/json', 'text/csv'],
    ['text/csv, */*', 'text/csv'],
    ['application/x-ndjson, */*;q=0.1', 'application/x-ndjson'],
    ['text/csv;q=0', 'application/json'],
    ['text/csv;q=0.2, application/x-ndjson;q=0.9', 'application/x-ndjson'],
    ['text/*', 'text/csv'],
    ['application/*', 'application/json'],
    ['text/html, image/png', 'application/json'],
    ['text/csvx', 'application/json'],
    [';;q=,,=', 'application/json'],
  ] as const) {
    test(`Accept: ${accept} gets ${type}`, async () => {
      const answer = await streamed('requesterId=nobody', accept);
      assertStatus(answer, 200);
      assert.equal(answer.headers.get('content-type')?.split(';')[0], type);
    });
  }
  test('a reader that goes away costs nothing', async () => {
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${postern.key}`, accept: 'application/x-ndjson' };
    const answer = await fetch(`${postern.url}/v1/access/decisions`, { headers, signal: stop.signal });
    assert.equal(answer.status, 200);
    stop.abort();
    await answer.text().catch(() => '');
    assertStatus(await postern.call('GET', '/v1/access/decisions'), 200);
  });
});

/** RFC 4180. */
function csv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
    if (end === ',') continue;
    if (end === '') break;
    rows.push([]);
  }
  return rows.filter((row) => row.length > 1);
}

test('a check of an item that is not there leaves no decision', async () => {
  const before = (await list('limit=1')).body.totalCount;
  await postern.call('POST', '/v1/access/check', { body: { contentId: 'not-there' } });
  await made(postern, '/v1/content', item());
  assert.equal((await list('limit=1')).body.totalCount, before);
});

test('with `expand=names`, what its ids are called now: in the list, in one, and in files', async () => {
  const { id: policyId } = await made(postern, '/v1/policies', { name: 'By name', rules: [allowAll] });
  const { id: contentId } = await made(postern, '/v1/content', item({ title: 'Tides, "explained"', policyId }));
  await made(postern, '/v1/requesters', { id: 'named', name: 'Acme GmbH' });
  for (const requesterId of ['named', 'unnamed', undefined]) await check(postern, { contentId, requesterId });
  const names = (requester: string | null) => ({
    content: 'Tides, "explained"',
    requester,
    policy: 'By name',
    collection: null,
  });
  const { data } = (await list(`contentId=${contentId}&expand=names`)).body;
  assert.deepEqual(
    data.map((one: Any) => one.names),
    [names(null), names(null), names('Acme GmbH')],
  );
  assert.deepEqual((await read(`${data[2].id}?expand=names`)).body.names, names('Acme GmbH'));
  assert.equal('names' in (await read(data[2].id)).body, false);
  const table = (await streamed(`contentId=${contentId}&expand=names`, 'text/csv')).text.trim().split('\r\n');
  assert.match(table[0] as string, /,title,requesterName,policyName,collectionName$/);
  assert.match(table[3] as string, /,"Tides, ""explained""",Acme GmbH,By name,$/);
  const lines = (await streamed(`contentId=${contentId}&expand=names`, 'application/x-ndjson')).text.trim().split('\n');
  assert.deepEqual(JSON.parse(lines[2] as string).names, names('Acme GmbH'));
  const reader = await made(postern, '/v1/api-keys', { name: 'r', type: 'secret', permissions: ['analytics:read'] });
  const narrow = await postern.call('GET', `/v1/access/decisions/${data[2].id}?expand=names`, { key: reader.key });
  assert.deepEqual(narrow.body.names, { ...names('Acme GmbH'), policy: null }, 'policies are not for this key');
  assertError(await list('expand=titles'), 'invalid_request', 'expand');
});
