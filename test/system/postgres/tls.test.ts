/**
 * TLS to the database as docs/cluster.md describes it: the connections that work, and those with which a node does not
 * start.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Client } from 'pg';
import { generate } from 'selfsigned';
import { startPostgres, testPostgres } from '../../../kit/postgres.ts';
import { startTestService } from '../../../kit/service.ts';
import { item } from '../../http/given.ts';

const IP_ADDRESS = 7;
/** For 127.0.0.1, and its own authority. */
const certificate = () =>
  generate([{ name: 'commonName', value: 'database' }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: IP_ADDRESS, ip: '127.0.0.1' }] },
    ],
  });

const folder = mkdtempSync(join(tmpdir(), 'postern-tls-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const own = await certificate();
const rootFile = file('root.crt', own.cert);
const otherRootFile = file('other.crt', (await certificate()).cert);
/** Takes connections to the tests' databases by TLS alone. */
const server = await startPostgres(
  { ssl: 'on' },
  {
    'server.crt': own.cert,
    'server.key': own.private,
    'pg_hba.conf': 'host postgres all 127.0.0.1/32 trust\nhostssl all all 127.0.0.1/32 trust\n',
  },
);

describe('TLS to the database', () => {
  for (const settings of [`sslmode=verify-full&sslrootcert=${rootFile}`, 'sslmode=no-verify']) {
    test(`${settings.replace(folder, '')}: every connection of a node is encrypted`, async () => {
      await using database = await server.newDatabase();
      await using postern = await startTestService({ env: { POSTERN_DATABASE_URL: `${database.url}?${settings}` } });
      const { body } = await postern.call('POST', '/v1/content', { body: item() });
      assert.equal((await postern.call('POST', '/v1/access/check', { body: { contentId: body.id } })).status, 200);
      const usage = await postern.call('GET', '/v1/analytics/usage?period=all');
      assert.equal(usage.body.summary.totalRequests, 1);
      const client = new Client({ connectionString: `${database.url}?sslmode=no-verify` });
      await client.connect();
      const { rows } = await client.query(
        `select application_name as name, ssl from pg_stat_ssl join pg_stat_activity using (pid)
         where datname = current_database() and application_name = 'postern'`,
      );
      await client.end();
      assert.ok(rows.length >= 3, 'requests, changes, columns');
      assert.ok(rows.every(({ ssl }) => ssl));
    });
  }

  for (const [what, settings] of [
    ['a certificate of another authority', `sslmode=verify-full&sslrootcert=${otherRootFile}`],
    ['an authority that is not known', 'sslmode=verify-full'],
    ['require, where the authority is not known', 'sslmode=require'],
    ['a file of authorities that is not there', 'sslmode=verify-full&sslrootcert=/none.crt'],
    ['no TLS, where the server asks for it', 'sslmode=disable'],
    ['nothing said, where the server asks for it', ''],
  ] as const) {
    test(`${what}: the node does not start`, async () => {
      await using database = await server.newDatabase();
      await assert.rejects(
        startTestService({ env: { POSTERN_DATABASE_URL: `${database.url}?${settings}` } }),
        /POSTERN_DATABASE_URL/,
      );
    });
  }
  test('a name that is not the certificate’s: the node does not start', async () => {
    await using database = await server.newDatabase();
    const url = database.url.replace('127.0.0.1', 'localhost');
    await assert.rejects(
      startTestService({ env: { POSTERN_DATABASE_URL: `${url}?sslmode=verify-full&sslrootcert=${rootFile}` } }),
      /POSTERN_DATABASE_URL/,
    );
  });
  test('a server that speaks no TLS: the node does not start', async () => {
    await using database = await (await testPostgres()).newDatabase();
    await assert.rejects(
      startTestService({ env: { POSTERN_DATABASE_URL: `${database.url}?sslmode=verify-full` } }),
      /POSTERN_DATABASE_URL/,
    );
  });
});
