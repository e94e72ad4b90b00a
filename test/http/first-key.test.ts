/** The first key reaches somebody: a start that ended before it was shown does not lock the operator out. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { pino } from 'pino';
import { type Service, startService } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { newKeyText } from '../../src/keys/key.ts';

const folder = (): Disposable & { path: string } => {
  const path = mkdtempSync(join(tmpdir(), 'postern-first-key-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};
let running: Service | undefined;
afterEach(() => running?.close());
async function start(path: string, env: Record<string, string> = {}): Promise<Service> {
  const config = readConfig({ POSTERN_PORT: '0', POSTERN_DATA_DIR: path, ...env });
  running = await startService({ config, logger: pino({ level: 'silent' }) });
  return running;
}
const list = async (service: Service, key: string | undefined): Promise<[number, number | undefined]> => {
  const response = await fetch(`${service.address}/v1/api-keys`, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { totalCount?: number };
  return [response.status, body.totalCount];
};

test('a first key that was never shown is replaced at the next start, again and again', async () => {
  using data = folder();
  const keys: (string | undefined)[] = [];
  for (let i = 0; i < 3; i++) {
    const service = await start(data.path);
    keys.push(service.firstKey);
    if (i === 2) {
      assert.deepEqual(await list(service, keys[0]), [401, undefined]);
      assert.deepEqual(await list(service, keys[1]), [401, undefined]);
      assert.deepEqual(await list(service, keys[2]), [200, 1]);
    }
    await service.close();
  }
  assert.equal(new Set(keys).size, 3);
  assert.ok(keys.every((key) => key?.startsWith('svc_sk_')));
});

test('one that was shown stays, though it was never used', async () => {
  using data = folder();
  const first = await start(data.path);
  await first.firstKeyShown();
  await first.close();
  const second = await start(data.path);
  assert.equal(second.firstKey, undefined);
  assert.deepEqual(await list(second, first.firstKey), [200, 1]);
  await second.close();
});

test('one that was used stays, whatever is known of its showing', async () => {
  using data = folder();
  const first = await start(data.path);
  assert.deepEqual(await list(first, first.firstKey), [200, 1]);
  await first.close();
  const second = await start(data.path);
  assert.equal(second.firstKey, undefined);
  assert.deepEqual(await list(second, first.firstKey), [200, 1]);
  await second.close();
});

test('a key that the operator chose stays, and takes the place of one that was never shown', async () => {
  using data = folder();
  const lost = await start(data.path);
  await lost.close();
  const chosen = newKeyText('secret');
  for (const expected of [chosen, undefined]) {
    const service = await start(data.path, { POSTERN_BOOTSTRAP_KEY: chosen });
    assert.equal(service.firstKey, expected);
    await service.close();
  }
  const last = await start(data.path);
  assert.equal(last.firstKey, undefined);
  assert.deepEqual(await list(last, lost.firstKey), [401, undefined]);
  assert.deepEqual(await list(last, chosen), [200, 1]);
  await last.close();
});
