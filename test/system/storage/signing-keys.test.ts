/** The keys that sign License tokens are kept with the records: tokens hold after a backup is restored, and a move. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { commandHere } from '../../../kit/command.ts';
import { temporaryFolder } from '../../../kit/launch.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService } from '../../../kit/service.ts';
import { assertStatus } from '../../http/given.ts';
import { openLicensedSite, proveOnSite, readKeyIds } from '../../license-server/given.ts';

const PUBLIC = { POSTERN_PUBLIC_URL: 'https://access.example' };
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());

const readKeyId = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

describe('the keys are kept with the records', () => {
  test('in a restored backup, which signs with the same key; a rotation after the backup ends nothing there', async () => {
    const folder = stack.use(temporaryFolder());
    const dataDir = join(folder.path, 'data');
    await using postern = await startTestService({ dataDir, env: PUBLIC });
    const next = await openLicensedSite(postern);
    const token = await next();
    const backup = join(folder.path, 'backups');
    assert.equal((await commandHere(['backup', '--data-dir', dataDir, '--to', backup])).status, 0);
    assertStatus(await postern.call('POST', '/v1/signing-keys/rotate', { body: { atOnce: true } }), 200);
    assert.equal(await proveOnSite(postern, token), 'invalid_token');
    const restored = join(folder.path, 'restored');
    assert.equal((await commandHere(['restore', '--from', backup, '--data-dir', restored])).status, 0);
    await using again = await startTestService({ dataDir: restored, env: PUBLIC });
    assert.equal(await proveOnSite(again, token, postern.key), 'license');
    const later = await next(again);
    assert.deepEqual([readKeyId(later), await readKeyIds(again)], [readKeyId(token), [readKeyId(token)]]);
  });

  test('to PostgreSQL, where every node signs with the key of the folder', async () => {
    const folder = stack.use(temporaryFolder());
    const dataDir = join(folder.path, 'data');
    const { url } = stack.use(await (await testPostgres()).newDatabase());
    const postern = await startTestService({ dataDir, env: PUBLIC });
    const next = await openLicensedSite(postern);
    const token = await next();
    await postern[Symbol.asyncDispose]();
    const moved = await commandHere(['migrate-store', '--from', dataDir, '--to', url]);
    assert.equal(moved.status, 0, moved.stderr);
    const env = { ...PUBLIC, POSTERN_DATABASE_URL: url };
    await using node = await startTestService({ dataDir: join(folder.path, 'node'), env });
    assert.equal(await proveOnSite(node, token, postern.key), 'license');
    assert.equal(readKeyId(await next(node)), readKeyId(token));
  });
});
