/** `postern signing-keys`: rotates the keys that sign License tokens, with notice or at once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandHere } from '../../kit/command.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { makeKey } from '../http/given.ts';
import { openLicensedSite, proveOnSite, readKeyIds } from '../license-server/given.ts';

const PUBLIC = { POSTERN_PUBLIC_URL: 'https://access.example' };

describe('postern signing-keys rotate', () => {
  const run = (postern: TestService, args: string[] = [], key = postern.key) =>
    commandHere(['signing-keys', 'rotate', ...args], { env: { POSTERN_URL: postern.url, POSTERN_KEY: key } });

  test('lists the keys that verify; the new one signs after its notice, and what was signed goes on', async () => {
    const clock = testClock();
    await using postern = await startTestService({ env: PUBLIC, clock });
    const token = await (await openLicensedSite(postern))();
    const [old = ''] = await readKeyIds(postern);
    const ran = await run(postern);
    assert.equal(ran.status, 0, ran.stderr);
    const [, next = ''] = await readKeyIds(postern);
    const lines = ran.stdout.trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^id +created +signs from$/i);
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(/ +/)[0]),
      [old, next],
    );
    assert.equal(await proveOnSite(postern, token), 'license');
  });

  test('--now ends every token, and shows no private part', async () => {
    await using postern = await startTestService({ env: PUBLIC });
    const next = await openLicensedSite(postern);
    const token = await next();
    const [old] = await readKeyIds(postern);
    const ran = await run(postern, ['--now', '--json']);
    assert.equal(ran.status, 0, ran.stderr);
    const [only, ...others] = await readKeyIds(postern);
    assert.ok(only !== old && others.length === 0);
    assert.ok(ran.stdout.includes(only ?? '') && !/"(?:d|x|jwk)"/.test(ran.stdout), ran.stdout);
    assert.equal(await proveOnSite(postern, token), 'invalid_token');
    assert.equal(await proveOnSite(postern, await next()), 'license');
  });

  test('takes api_keys:manage, and says so', async () => {
    await using postern = await startTestService({ env: PUBLIC });
    const key = await makeKey(postern, { permissions: ['access:check', 'requesters:write'] });
    const before = await readKeyIds(postern);
    const ran = await run(postern, ['--now'], key);
    assert.notEqual(ran.status, 0);
    assert.match(ran.stderr, /api_keys:manage/);
    assert.deepEqual(await readKeyIds(postern), before);
  });
});
