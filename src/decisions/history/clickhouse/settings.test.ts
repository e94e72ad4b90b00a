/** The settings of columns in ClickHouse. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../../../service/config.ts';
import { placeName } from './settings.ts';

const POSTERN_DATABASE_URL = 'postgres://postern@127.0.0.1/postern';
const read = (env: Record<string, string>): string | null => readConfig({ POSTERN_DATABASE_URL, ...env }).clickHouse;

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

test('a URL, with the usual port and user, and its password from either setting', () => {
  const cases: [url: string, password: string | undefined, read: string][] = [
    ['clickhouse://u:p@host:81/db', undefined, 'clickhouse://u:p@host:81/db'],
    ['clickhouse://u:p%40%3A%2F@host/db', undefined, 'clickhouse://u:p%40%3A%2F@host:8123/db'],
    ['clickhouses://u@host/db', 'p @:/?#%', 'clickhouses://u:p%20%40%3A%2F%3F%23%25@host:8443/db'],
    ['clickhouse://[::1]/a%20b', undefined, 'clickhouse://default@[::1]:8123/a%20b'],
  ];
  for (const [url, password, wanted] of cases) {
    const given: Record<string, string> = password === undefined ? {} : { POSTERN_COLUMNS_PASSWORD: password };
    assert.equal(read({ ...given, POSTERN_COLUMNS: url }), wanted);
  }
  assert.equal(read({}), null);
});

test('the place names neither user nor password', () => {
  assert.equal(placeName('clickhouse://u:p@host:8123/a%20b'), 'host:8123/a b');
});

test('the place of a node of the version before: says what to do instead', () => {
  for (const url of ['http://10.0.0.5:8080', 'https://node/']) {
    const [fault = '', ...more] = faultsOf({ POSTERN_DATABASE_URL, POSTERN_COLUMNS: url });
    assert.match(fault, /^POSTERN_COLUMNS: nodes no longer ask each other for reports: unset it, .*clickhouse:\/\//);
    assert.deepEqual(more, []);
  }
});

test('anything else is refused, without the password', () => {
  const bad = ['x', 'clickhouse://u:secret@host', 'clickhouse://u:secret@host/', 'clickhouse:///db', 'clickhouse:db'];
  const worse = [
    'clickhouse://u:secret@host/a/b',
    'clickhouse://u:secret@host/db?x=1',
    'clickhouse://u:se%cret@host/db',
  ];
  for (const url of [...bad, ...worse, 'mysql://u:secret@host/db']) {
    const faults = faultsOf({ POSTERN_DATABASE_URL, POSTERN_COLUMNS: url, POSTERN_COLUMNS_PASSWORD: 'p' });
    assert.equal(faults.length, 1, url);
    assert.match(faults[0] ?? '', /^POSTERN_COLUMNS: must be a URL such as clickhouse:\/\//, url);
    assert.doesNotMatch(faults.join(), /se%?cret/);
  }
});

test('a cluster is named beside the URL, and is no part of the place', () => {
  const POSTERN_COLUMNS = 'clickhouse://u:p@host:81/db';
  assert.equal(
    read({ POSTERN_COLUMNS, POSTERN_COLUMNS_CLUSTER: 'two-shards' }),
    `${POSTERN_COLUMNS}?cluster=two-shards`,
  );
  assert.equal(placeName(`${POSTERN_COLUMNS}?cluster=two-shards`), 'host:81/db');
  for (const name of ['', 'a b', "a'b", '`', '{cluster}']) {
    const faults = faultsOf({ POSTERN_DATABASE_URL, POSTERN_COLUMNS, POSTERN_COLUMNS_CLUSTER: name });
    assert.match(faults.join(), /^POSTERN_COLUMNS_CLUSTER: must be a name of remote_servers/, name);
  }
  const alone = faultsOf({ POSTERN_DATABASE_URL, POSTERN_COLUMNS_CLUSTER: 'c' });
  assert.match(alone.join(), /^POSTERN_COLUMNS_CLUSTER: is for POSTERN_COLUMNS, which is not set$/);
});

test('needs PostgreSQL, one password, and a place for it', () => {
  const POSTERN_COLUMNS = 'clickhouse://u:p@host/db';
  assert.match(faultsOf({ POSTERN_COLUMNS }).join(), /^POSTERN_COLUMNS: is for nodes on PostgreSQL/);
  const both = { POSTERN_DATABASE_URL, POSTERN_COLUMNS, POSTERN_COLUMNS_PASSWORD: 'q' };
  assert.match(faultsOf(both).join(), /^POSTERN_COLUMNS_PASSWORD: the URL of POSTERN_COLUMNS has one too; keep one$/);
  const alone = { POSTERN_DATABASE_URL, POSTERN_COLUMNS_PASSWORD: 'q' };
  assert.match(faultsOf(alone).join(), /^POSTERN_COLUMNS_PASSWORD: is for POSTERN_COLUMNS, which is not set$/);
});

test('decisions move to ClickHouse after 35 days or more, and before they leave the log', () => {
  const placed = { POSTERN_DATABASE_URL, POSTERN_COLUMNS: 'clickhouse://u:p@host/db' };
  assert.equal(readConfig({ ...placed, POSTERN_RECORD_DAYS: '35', POSTERN_DECISION_DAYS: '36' }).recordDays, 35);
  assert.equal(readConfig({ ...placed, POSTERN_RECORD_DAYS: '35', POSTERN_COLUMNS_CLUSTER: 'c' }).recordDays, 35);
  const cases: [env: Record<string, string>, fault: RegExp][] = [
    [
      { ...placed, POSTERN_RECORD_DAYS: '34' },
      /^POSTERN_RECORD_DAYS: must be a number of days from 35 to 36500, not "34"$/,
    ],
    [{ POSTERN_DATABASE_URL, POSTERN_RECORD_DAYS: '35' }, /^POSTERN_RECORD_DAYS: .* of POSTERN_COLUMNS; set that too$/],
    [{ ...placed, POSTERN_RECORD_DAYS: '35', POSTERN_DECISION_DAYS: '35' }, /^POSTERN_DECISION_DAYS: .* after 35 days/],
  ];
  for (const [env, fault] of cases) assert.match(faultsOf(env).join(), fault);
});
