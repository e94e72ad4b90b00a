/** Collections: every operation and every limit. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertError, assertStatus, ID, MOMENT, made, makePolicy } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const create = (body: object) => postern.call('POST', '/v1/collections', { body });
const patch = (id: string, body: object, headers: Record<string, string> = {}) =>
  postern.call('PATCH', `/v1/collections/${id}`, { body, headers });
const get = (id: string) => postern.call('GET', `/v1/collections/${id}`);
const make = (body: object) => made(postern, '/v1/collections', { name: 'C', paths: ['/'], ...body });

const EMPTY = {
  description: null,
  hosts: [],
  paths: [],
  contentTypes: [],
  contentTags: [],
  policyId: null,
  mode: 'enforce',
  metadata: {},
};

describe('create', () => {
  test('gives the collection', async () => {
    const { id: policyId } = await makePolicy(postern, []);
    const given = {
      name: 'News',
      description: 'D',
      hosts: ['www.example.com', '*.example.com', 'localhost:8080'],
      paths: ['/news/', '/*.pdf$', '/a?id=*'],
      contentTypes: ['article'],
      contentTags: ['premium'],
      policyId,
      mode: 'observe',
      metadata: { a: { b: [1] } },
    };
    const answer = await create(given);
    assertStatus(answer, 201);
    const { id, created, updated, ...rest } = answer.body;
    assert.match(id, ID('col'));
    assert.match(created, MOMENT);
    assert.equal(created, updated);
    assert.equal(answer.headers.get('etag'), '"1"');
    assert.deepEqual(rest, { object: 'collection', ...given, version: 1, warnings: [] });
    const { warnings: _, ...stored } = answer.body;
    assert.deepEqual((await get(id)).body, stored);
  });

  test('fills in what is left out, and drops duplicates', async () => {
    const { id: _, created: _c, updated: _u, warnings: _w, ...rest } = await make({ paths: ['/x', '/y', '/x'] });
    assert.deepEqual(rest, { ...EMPTY, object: 'collection', name: 'C', paths: ['/x', '/y'], version: 1 });
  });

  test('needs a name and a selector', async () => {
    assertError(await create({ paths: ['/'] }), 'invalid_request', 'name');
    for (const none of [{}, { hosts: [], contentTags: [] }]) {
      assertError(await create({ name: 'C', ...none }), 'invalid_request', 'paths');
    }
    for (const one of [{ hosts: ['a.b'] }, { paths: ['/'] }, { contentTypes: ['video'] }, { contentTags: ['x'] }]) {
      assertStatus(await create({ name: 'C', ...one }), 201);
    }
  });

  test('names of hosts in other scripts are stored in their xn-- form', async () => {
    const hosts = [
      'bücher.example',
      '*.Bücher.example',
      'BÜCHER.example',
      'xn--bcher-kva.example',
      '例え。テスト:8080',
    ];
    const { body } = await create({ name: 'C', hosts, paths: ['/in-scripts/'] });
    const stored = ['xn--bcher-kva.example', '*.xn--bcher-kva.example', 'xn--r8jz45g.xn--zckzah:8080'];
    assert.deepEqual(body.hosts, stored);
    const url = 'https://例え.テスト:8080/in-scripts/a';
    const checked = await postern.call('POST', '/v1/access/check', { body: { url, dryRun: true } });
    assert.equal(checked.body.collectionId, body.id, checked.text);
    const edited = await postern.call('PATCH', `/v1/collections/${body.id}`, { body: { hosts: ['bücher.example'] } });
    assert.deepEqual(edited.body.hosts, ['xn--bcher-kva.example']);
  });

  test('refuses hosts and patterns that can match nothing', async () => {
    for (const host of ['', 'https://a.b', 'a.b/c', '*', 'a b', '*.10.0.0.1', 'a.b:0', '*.a.b:00', 5]) {
      assertError(await create({ name: 'C', hosts: ['a.b', host] }), 'invalid_request', 'hosts[1]');
    }
    for (const host of ['bücher.example/', 'bü cher.example', 'http://bücher.example', 'a@bücher.example', 'xn--ü.a']) {
      assertError(await create({ name: 'C', hosts: ['a.b', host] }), 'invalid_request', 'hosts[1]');
    }
    for (const path of ['', 'news', '/a b', '/a//b', '/a/../b', '/%2Fa', '/%zz', '/%2541', '/a#b', null]) {
      assertError(await create({ name: 'C', paths: ['/', path] }), 'invalid_request', 'paths[1]');
    }
    assertError(await create({ name: 'C', contentTypes: ['page'] }), 'invalid_request', 'contentTypes[0]');
    assertError(await create({ name: 'C', paths: ['/'], path: '/' }), 'invalid_request', 'path');
    assertError(await create({ name: 'C', paths: ['/'], policyId: 'pol_none' }), 'invalid_request', 'policyId');
  });

  test('has limits', async () => {
    const hosts = (count: number) => Array.from({ length: count }, (_, i) => `h${i}.example`);
    const paths = (count: number) => Array.from({ length: count }, (_, i) => `/p${i}`);
    assertStatus(await create({ name: 'x'.repeat(200), hosts: hosts(100), contentTags: ['limits'] }), 201);
    assertError(await create({ name: 'x'.repeat(201), hosts: hosts(1) }), 'invalid_request', 'name');
    assertError(await create({ name: 'C', hosts: hosts(101) }), 'invalid_request', 'hosts');
    assertStatus(await create({ name: 'C', hosts: ['limits.example'], paths: paths(1000) }), 201);
    assertError(await create({ name: 'C', paths: paths(1001) }), 'invalid_request', 'paths');
    assertStatus(await create({ name: 'C', paths: [`/${'x'.repeat(499)}`] }), 201);
    assertError(await create({ name: 'C', paths: [`/${'x'.repeat(500)}`] }), 'invalid_request', 'paths[0]');
    assertError(
      await create({ name: 'C', paths: ['/'], description: 'x'.repeat(2001) }),
      'invalid_request',
      'description',
    );
    assertError(
      await create({ name: 'C', paths: ['/'], metadata: { a: 'x'.repeat(17_000) } }),
      'invalid_request',
      'metadata',
    );
  });

  test('all together have at most half a million addresses', async () => {
    await using fresh = await startTestService();
    const hosts = (n: number) => Array.from({ length: 100 }, (_, i) => `h${n}-${i}.example`);
    const paths = Array.from({ length: 1000 }, (_, i) => `/p${i}`);
    for (let i = 0; i < 5; i++) await made(fresh, '/v1/collections', { name: 'C', hosts: hosts(i), paths });
    const one = { name: 'C', paths: ['/'] };
    assertError(await fresh.call('POST', '/v1/collections', { body: one }), 'invalid_request', 'paths');
    const { data } = (await fresh.call('GET', '/v1/collections?limit=1')).body;
    assertStatus(await fresh.call('PATCH', `/v1/collections/${data[0].id}`, { body: { paths: ['/'] } }), 200);
    assertStatus(await fresh.call('POST', '/v1/collections', { body: one }), 201);
  });
});

describe('edit', () => {
  test('changes what is given and counts versions', async () => {
    const { id } = await make({ hosts: ['a.example'], metadata: { a: 1, b: 2 } });
    const answer = await patch(id, { name: 'D', paths: ['/d'], metadata: { a: null, c: 3 } });
    assertStatus(answer, 200);
    assert.deepEqual(
      [answer.body.name, answer.body.paths, answer.body.hosts, answer.body.metadata, answer.body.version],
      ['D', ['/d'], ['a.example'], { b: 2, c: 3 }, 2],
    );
    assert.equal(answer.headers.get('etag'), '"2"');
    const replaced = await patch(id, { metadata: { z: 1 }, metadataReplace: true });
    assert.deepEqual(replaced.body.metadata, { z: 1 });
    assert.ok(replaced.body.updated > replaced.body.created);
  });

  test('never leaves it without a selector', async () => {
    const { id } = await make({ hosts: ['edit.example'] });
    assertStatus(await patch(id, { paths: [] }), 200);
    assertError(await patch(id, { hosts: [] }), 'invalid_request', 'paths');
    assertError(await patch(id, {}), 'invalid_request');
    assertError(await patch(id, { id: 'col_x' }), 'invalid_request', 'id');
    assertError(await patch(id, { policyId: 'pol_none' }), 'invalid_request', 'policyId');
    assertError(await patch('col_none', { name: 'x' }), 'collection_not_found');
  });

  test('If-Match and If-None-Match', async () => {
    const { id } = await make({});
    assertStatus(await patch(id, { name: 'D' }, { 'if-match': '"1"' }), 200);
    assertError(await patch(id, { name: 'E' }, { 'if-match': '"1"' }), 'precondition_failed');
    const path = `/v1/collections/${id}`;
    assertError(await postern.call('DELETE', path, { headers: { 'if-match': '"1"' } }), 'precondition_failed');
    assert.equal((await postern.call('GET', path, { headers: { 'if-none-match': '"2"' } })).status, 304);
    assertStatus(await postern.call('DELETE', path, { headers: { 'if-match': '"2"' } }), 200);
  });

  test('an Idempotency-Key makes it once', async () => {
    const options = { body: { name: 'Once', paths: ['/'] }, headers: { 'idempotency-key': 'collections-1' } };
    const first = await postern.call('POST', '/v1/collections', options);
    const second = await postern.call('POST', '/v1/collections', options);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(second.text, first.text);
    assert.equal((await postern.call('GET', '/v1/collections?q=once')).body.totalCount, 1);
  });
});

describe('delete', () => {
  test('removes it', async () => {
    const { id } = await make({});
    const answer = await postern.call('DELETE', `/v1/collections/${id}`);
    assert.deepEqual(answer.body, { id, object: 'collection', deleted: true });
    assertError(await get(id), 'collection_not_found');
    assertError(await postern.call('DELETE', `/v1/collections/${id}`), 'collection_not_found');
  });

  test('a policy stays as long as a collection has it', async () => {
    const { id: policyId } = await makePolicy(postern, []);
    const { id } = await make({ policyId });
    assertError(await postern.call('DELETE', `/v1/policies/${policyId}`), 'policy_in_use');
    assertStatus(await patch(id, { policyId: null }), 200);
    assertStatus(await postern.call('DELETE', `/v1/policies/${policyId}`), 200);
    assertError(await patch(id, { policyId }), 'invalid_request', 'policyId');
  });
});

test('list: newest first, by words of the name', async () => {
  await using fresh = await startTestService();
  for (const name of ['The Daily News', 'Archive', 'Newsletters']) {
    await made(fresh, '/v1/collections', { name, paths: [`/${name.length}`] });
  }
  const names = async (query: string): Promise<string[]> => {
    const answer = await fresh.call('GET', `/v1/collections?${query}`);
    assertStatus(answer, 200);
    return answer.body.data.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await names(''), ['Newsletters', 'Archive', 'The Daily News']);
  assert.deepEqual(await names('q=news'), ['Newsletters', 'The Daily News']);
  assert.deepEqual(await names('q=news daily'), ['The Daily News']);
  assert.deepEqual(await names('q=!'), []);
  const page = (await fresh.call('GET', '/v1/collections?limit=2')).body;
  assert.deepEqual([page.hasMore, page.totalCount], [true, 3]);
  assert.deepEqual(await names(`limit=2&cursor=${page.nextCursor}`), ['The Daily News']);
  assertError(await fresh.call('GET', '/v1/collections?host=a'), 'invalid_request', 'host');
});

test('lists its versions as they were, newest first', async () => {
  const { id } = await made(postern, '/v1/collections', { name: 'First', paths: ['/a'] });
  await postern.call('PATCH', `/v1/collections/${id}`, { body: { paths: ['/b'], mode: 'observe' } });
  await postern.call('PATCH', `/v1/collections/${id}`, { body: { name: 'Second' } });
  const first = (await postern.call('GET', `/v1/collections/${id}/versions?limit=2`)).body;
  assert.deepEqual(
    first.data.map((one: any) => [one.id, one.object, one.version, one.name, one.paths, one.mode]),
    [
      [id, 'collection_version', 3, 'Second', ['/b'], 'observe'],
      [id, 'collection_version', 2, 'First', ['/b'], 'observe'],
    ],
  );
  const rest = (await postern.call('GET', `/v1/collections/${id}/versions?limit=2&cursor=${first.nextCursor}`)).body;
  assert.deepEqual(
    [first.totalCount, rest.data.map((one: any) => [one.version, one.paths, one.mode])],
    [3, [[1, ['/a'], 'enforce']]],
  );
  await postern.call('DELETE', `/v1/collections/${id}`);
  assertError(await postern.call('GET', `/v1/collections/${id}/versions`), 'collection_not_found');
});

test('every edit stays as a version, also after a deletion', async () => {
  await using fresh = await startTestService();
  const { id } = await made(fresh, '/v1/collections', { name: 'C', paths: ['/'] });
  await fresh.call('PATCH', `/v1/collections/${id}`, { body: { paths: ['/a'] } });
  await fresh.call('DELETE', `/v1/collections/${id}`);
  const rows = (await fresh.rowsOf('collection_versions')) as { version: number; record: string | null }[];
  const versions = rows
    .toSorted((a, b) => a.version - b.version)
    .map(({ version, record }) => [Number(version), record === null ? null : JSON.parse(record).paths]);
  assert.deepEqual(versions, [
    [1, ['/']],
    [2, ['/a']],
    [3, null],
  ]);
});

test('two that can tie are warned about', async () => {
  await using fresh = await startTestService();
  const add = (body: object) => made(fresh, '/v1/collections', body);
  const first = await add({ name: 'First', hosts: ['tie.example'], paths: ['/a', '/*.pdf$'] });
  assert.deepEqual(first.warnings, []);
  const { warnings } = await add({ name: 'Second', hosts: ['*.example', 'TIE.example'], paths: ['/b', '/%61'] });
  assert.equal(warnings.length, 1);
  assert.deepEqual([warnings[0].code, warnings[0].param], ['collections_tie', 'paths[1]']);
  assert.match(warnings[0].message, new RegExp(`"First" \\(${first.id}\\).*the other one decides`));
  for (const other of [
    { hosts: ['tie.example'], paths: ['/ab'] },
    { hosts: ['other.example'], paths: ['/a'] },
    { hosts: ['*.tie.other'], paths: ['/a'] },
    { hosts: ['tie.example'], paths: ['/a'], contentTypes: ['video'] },
    { paths: ['/a'] },
  ]) {
    assert.deepEqual((await add({ name: 'Other', ...other })).warnings, [], JSON.stringify(other));
  }
  const edited = await fresh.call('PATCH', `/v1/collections/${first.id}`, { body: { name: 'Oldest' } });
  assert.match(edited.body.warnings[0].message, /this collection decides/);
  const typed = { name: 'Types', contentTypes: ['article', 'video'] };
  await add(typed);
  assert.equal((await add({ ...typed, contentTypes: ['report'] })).warnings.length, 0);
  assert.equal((await add({ ...typed, contentTypes: ['video'] })).warnings[0].param, 'contentTypes');
});
