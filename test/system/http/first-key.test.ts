/** The first key reaches the operator: a start that ended before it was shown does not lock the operator out. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { assertBackgroundWorked } from '../../../kit/background.ts';
import { databaseSettings, testClock, testEngine } from '../../../kit/service.ts';
import { newKeyText } from '../../../src/api/keys/key.ts';
import { type Service, startService } from '../../../src/service/app.ts';
import { readConfig } from '../../../src/service/config.ts';
import { openLog } from '../../../src/service/log.ts';

interface Place extends Disposable {
  settings: Record<string, string>;
}

/** A data directory, and a database of its own where the engine needs one. */
async function place(): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-first-key-'));
  return {
    settings: { POSTERN_DATA_DIR: dataDir, ...(await databaseSettings(dataDir)) },
    [Symbol.dispose]: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}
/** On a cluster a key that was made just now may be about to be shown by another node. */
const SHOWN_WITHIN_MS = 30_000;
// Later than any other clock of this process: ids never go back.
const clock = testClock(Date.parse('2100-01-01T00:00:00Z'));
const shownByNow = (): void => clock.advance(SHOWN_WITHIN_MS);
let running: Service | undefined;
const logs: string[] = [];
afterEach(async () => {
  await running?.close();
  assertBackgroundWorked(logs.join(''));
});
async function start({ settings }: Place, env: Record<string, string> = {}): Promise<Service> {
  const config = readConfig({ POSTERN_PORT: '0', ...settings, ...env });
  const logger = openLog(config, { write: (line) => logs.push(line) });
  running = await startService({ config, logger, clock });
  return running;
}
const list = async (service: Service, key: string | undefined): Promise<[number, number | undefined]> => {
  const response = await fetch(`${service.address}/v1/api-keys`, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { totalCount?: number };
  return [response.status, body.totalCount];
};

test('a first key that was never shown is replaced at the next start, again and again', async () => {
  using data = await place();
  const keys: (string | undefined)[] = [];
  for (let i = 0; i < 3; i++) {
    const service = await start(data);
    keys.push(service.firstKey);
    if (i === 2) {
      assert.deepEqual(await list(service, keys[0]), [401, undefined]);
      assert.deepEqual(await list(service, keys[1]), [401, undefined]);
      assert.deepEqual(await list(service, keys[2]), [200, 1]);
    }
    await service.close();
    shownByNow();
  }
  assert.equal(new Set(keys).size, 3);
  assert.ok(keys.every((key) => key?.startsWith('svc_sk_')));
});

test('one that was made just now is replaced at once, but not where another node may be showing it', async () => {
  using data = await place();
  const first = await start(data);
  await first.close();
  clock.advance(SHOWN_WITHIN_MS - 1);
  const second = await start(data);
  assert.equal(second.firstKey !== undefined, testEngine() === 'sqlite');
  await second.close();
});

test('one that was shown stays, though it was never used', async () => {
  using data = await place();
  const first = await start(data);
  await first.firstKeyShown();
  await first.close();
  shownByNow();
  const second = await start(data);
  assert.equal(second.firstKey, undefined);
  assert.deepEqual(await list(second, first.firstKey), [200, 1]);
  await second.close();
});

test('one that was used stays, whatever is known of its showing', async () => {
  using data = await place();
  const first = await start(data);
  assert.deepEqual(await list(first, first.firstKey), [200, 1]);
  await first.close();
  shownByNow();
  const second = await start(data);
  assert.equal(second.firstKey, undefined);
  assert.deepEqual(await list(second, first.firstKey), [200, 1]);
  await second.close();
});

test('a key that the operator chose stays, and takes the place of one that was never shown', async () => {
  using data = await place();
  const lost = await start(data);
  await lost.close();
  const chosen = newKeyText('secret');
  for (const expected of [chosen, undefined]) {
    const service = await start(data, { POSTERN_BOOTSTRAP_KEY: chosen });
    assert.equal(service.firstKey, expected);
    await service.close();
  }
  const last = await start(data);
  assert.equal(last.firstKey, undefined);
  assert.deepEqual(await list(last, lost.firstKey), [401, undefined]);
  assert.deepEqual(await list(last, chosen), [200, 1]);
  await last.close();
});
