/** Promise: requests carry the settings that the version of the server needs, and none that it does not know. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { openClickHouse } from './store.ts';

const NAMES = ['deduplicate_insert', 'enable_shared_storage_snapshot_in_query', 'use_query_condition_cache'];

const VERSIONS: [version: string, settings: Record<string, string>][] = [
  ['25.3.14.14', { use_query_condition_cache: '0' }],
  ['25.12.1.1', { enable_shared_storage_snapshot_in_query: '1', use_query_condition_cache: '0' }],
  [
    '26.6.1.1',
    { deduplicate_insert: 'enable', enable_shared_storage_snapshot_in_query: '1', use_query_condition_cache: '0' },
  ],
  ['26.7.2.1', { deduplicate_insert: 'enable', enable_shared_storage_snapshot_in_query: '1' }],
];
for (const [version, expected] of VERSIONS) {
  test(`a question to ClickHouse ${version}`, async (t) => {
    let asked = new URLSearchParams();
    const server = createServer((request, response) => {
      asked = new URL(request.url ?? '/', 'http://localhost').searchParams;
      request.resume();
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ meta: [], data: [[version]], rows: 1 }));
    });
    t.after(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const store = await openClickHouse(
      `clickhouse://user:word@127.0.0.1:${(server.address() as AddressInfo).port}/data`,
    );
    t.after(() => store.close());
    await store.query('select 1');
    const sent = NAMES.filter((name) => asked.has(name)).map((name) => [name, asked.get(name)]);
    assert.deepEqual(Object.fromEntries(sent), expected);
  });
}
