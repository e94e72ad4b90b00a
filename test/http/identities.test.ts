/** Identities of requesters: what they may be, how they are kept; crawlers of the directory as requesters. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, type TestService } from '../../kit/service.ts';
import { toRequesterId } from '../../src/requesters/crawlers/register.ts';
import { CRAWLERS } from '../../src/rules/crawlers/directory.ts';
import { assertError, assertStatus, made } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const ALL = [
  { kind: 'ip', ranges: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'] },
  { kind: 'ip', list: 'https://example.com/ranges.json' },
  { kind: 'dns', suffixes: ['crawl.example.com', 'example.co.uk'] },
  { kind: 'signature', agent: 'https://agent.example.com' },
];
const create = (identities: unknown) => postern.call('POST', '/v1/requesters', { body: { identities } });
const many = (count: number) => Array.from({ length: count }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`);

describe('identities', () => {
  test('are kept as they were sent, and empty without any', async () => {
    const { id, identities } = await made(postern, '/v1/requesters', { identities: ALL });
    assert.deepEqual(identities, ALL);
    assert.deepEqual((await postern.call('GET', `/v1/requesters/${id}`)).body.identities, ALL);
    const patched = await postern.call('PATCH', `/v1/requesters/${id}`, { body: { identities: [ALL[2]] } });
    assert.deepEqual(patched.body.identities, [ALL[2]]);
    assert.deepEqual((await made(postern, '/v1/requesters', {})).identities, []);
  });
  test('each edit is a version of the history and an event', async () => {
    const { id } = await made(postern, '/v1/requesters', { identities: ALL });
    await postern.call('PATCH', `/v1/requesters/${id}`, { body: { identities: [] } });
    const { data } = (await postern.call('GET', `/v1/events?objectId=${id}`)).body;
    assert.deepEqual(data[0].data.previous.identities, ALL);
    const rows = (await postern.rowsOf('history')) as { object_id: string; record: string }[];
    const versions = rows.filter((row) => row.object_id === id).map(({ record }) => JSON.parse(record).identities);
    assert.deepEqual(versions, [ALL, []]);
  });
  const refused: [string, unknown, string][] = [
    ['another kind', [{ kind: 'asn', ranges: ['10.0.0.0/8'] }], 'identities[0]'],
    ['two ways in one', [{ kind: 'ip', ranges: ['10.0.0.0/8'], list: 'https://example.com/' }], 'identities[0]'],
    ['nothing in one', [{ kind: 'ip' }], 'identities[0]'],
    ['no range', [{ kind: 'ip', ranges: [] }], 'identities[0].ranges'],
    ['bits past the prefix', [{ kind: 'ip', ranges: ['10.0.0.1/8'] }], 'identities[0].ranges[0]'],
    ['octal', [{ kind: 'ip', ranges: ['010.0.0.1'] }], 'identities[0].ranges[0]'],
    ['21 of them', Array(21).fill(ALL[2]), 'identities'],
    ['1001 ranges', [{ kind: 'ip', ranges: many(1001) }], 'identities[0].ranges'],
    [
      '1001 ranges in two',
      [
        { kind: 'ip', ranges: many(1000) },
        { kind: 'ip', ranges: ['10.0.0.0/8'] },
      ],
      'identities',
    ],
    ['http', [ALL[2], { kind: 'ip', list: 'http://example.com/' }], 'identities[1].list'],
    ['a private address', [{ kind: 'ip', list: 'https://127.0.0.1/ranges' }], 'identities[0].list'],
    ['a local name', [{ kind: 'signature', agent: 'https://agent.internal' }], 'identities[0].agent'],
    ['credentials', [{ kind: 'ip', list: 'https://a:b@example.com/' }], 'identities[0].list'],
    ['no URL', [{ kind: 'signature', agent: 'example.com' }], 'identities[0].agent'],
    ['one label', [{ kind: 'dns', suffixes: ['com'] }], 'identities[0].suffixes[0]'],
    ['a leading dot', [{ kind: 'dns', suffixes: ['.example.com'] }], 'identities[0].suffixes[0]'],
    ['a trailing dot', [{ kind: 'dns', suffixes: ['example.com.'] }], 'identities[0].suffixes[0]'],
    ['a mask', [{ kind: 'dns', suffixes: ['*.example.com'] }], 'identities[0].suffixes[0]'],
    ['capitals', [{ kind: 'dns', suffixes: ['Example.com'] }], 'identities[0].suffixes[0]'],
    ['an address as a name', [{ kind: 'dns', suffixes: ['exa mple.com'] }], 'identities[0].suffixes[0]'],
    ['an object', { kind: 'ip', ranges: ['10.0.0.0/8'] }, 'identities'],
  ];
  for (const [what, identities, param] of refused) {
    test(`refused: ${what}`, async () => {
      const answer = await create(identities);
      assertError(answer, 'invalid_request');
      assert.ok(answer.body.error.param.startsWith(param), `${answer.body.error.param}: ${answer.text}`);
    });
  }
  test('the bounds themselves are accepted', async () => {
    assertStatus(await create([{ kind: 'ip', ranges: many(1000) }]), 201);
    assertStatus(
      await create(Array.from({ length: 20 }, () => ({ kind: 'dns', suffixes: Array(50).fill('a.example.com') }))),
      201,
    );
  });
  test('private lists only where the operator allows them', async () => {
    await using own = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
    const identities = [{ kind: 'ip', list: 'http://127.0.0.1:9/ranges' }];
    assert.deepEqual((await made(own, '/v1/requesters', { identities })).identities, identities);
  });
});

describe('crawlers as requesters', () => {
  const register = (body: object, of: TestService = postern) => of.call('POST', '/v1/crawlers/register', { body });

  test('each id is its own, and one that a requester may have', () => {
    const ids = CRAWLERS.map(toRequesterId);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[A-Za-z0-9._:@/-]{1,128}$/);
  });
  test('by name, with what the directory says; repeating it changes nothing', async () => {
    await using own = await startTestService();
    const first = await register({ names: ['gptbot', 'Applebot'] }, own);
    assertStatus(first, 200);
    assert.deepEqual(first.body, {
      object: 'crawler_registration',
      created: 2,
      unchanged: 0,
      requesters: [
        { crawler: 'GPTBot', requesterId: 'gptbot', created: true },
        { crawler: 'Applebot', requesterId: 'applebot', created: true },
      ],
    });
    const gptbot = (await own.call('GET', '/v1/requesters/gptbot')).body;
    assert.deepEqual(
      [gptbot.name, gptbot.tags, gptbot.userAgents, gptbot.identities],
      ['GPTBot', ['crawler', 'training'], ['GPTBot'], [{ kind: 'ip', list: 'https://openai.com/gptbot.json' }]],
    );
    await own.call('PATCH', '/v1/requesters/gptbot', { body: { name: 'Mine' } });
    const traces = async () => [
      (await own.call('GET', '/v1/audit-log')).body.totalCount,
      (await own.call('GET', '/v1/requesters/gptbot')).body,
    ];
    const before = await traces();
    const again = await register({ names: ['GPTBot'], purposes: [] }, own);
    assert.deepEqual([again.body.created, again.body.unchanged], [0, 1]);
    assert.deepEqual(await traces(), before);
  });
  test('by purpose', async () => {
    await using own = await startTestService();
    const { body } = await register({ purposes: ['user_fetch'] }, own);
    const expected = CRAWLERS.filter(({ purpose }) => purpose === 'user_fetch');
    assert.equal(body.created, expected.length);
    assert.equal((await own.call('GET', '/v1/requesters?tag=user_fetch')).body.totalCount, expected.length);
    assert.equal((await own.call('GET', '/v1/events?type=requester.created')).body.totalCount, expected.length);
  });
  test('the whole directory', async () => {
    await using own = await startTestService();
    const purposes = [...new Set(CRAWLERS.map(({ purpose }) => purpose))];
    assert.equal((await register({ purposes }, own)).body.created, CRAWLERS.length);
    assert.equal((await register({ purposes }, own)).body.unchanged, CRAWLERS.length);
  });
  test('no second requester for a user agent that one has', async () => {
    await using own = await startTestService();
    await made(own, '/v1/requesters', { id: 'partner', userAgents: ['claudebot'] });
    const { body } = await register({ names: ['ClaudeBot'] }, own);
    assert.deepEqual(body.requesters, [{ crawler: 'ClaudeBot', requesterId: 'partner', created: false }]);
    assertError(await own.call('GET', '/v1/requesters/claudebot'), 'requester_not_found');
  });
  test('an unknown name registers nothing, and the nearest one is named', async () => {
    const answer = await register({ names: ['CCBot', 'GPTBott'] });
    assertError(answer, 'invalid_request', 'names[1]');
    assert.match(answer.body.error.message, /GPTBot\?/);
    assertError(await postern.call('GET', '/v1/requesters/ccbot'), 'requester_not_found');
    assertError(await register({}), 'invalid_request');
    assertError(await register({ purposes: ['all'] }), 'invalid_request');
    assertError(await register({ names: ['x'.repeat(65)] }), 'invalid_request', 'names[0]');
  });
});
