/** A test fails with the service that it started when background work of that failed, unless it says that it may. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { launched, newTestKey, temporaryFolder } from './launch.ts';
import { databaseSettings, dropDatabase, runOn, startTestService } from './service.ts';
import { until } from './until.ts';

const BREAK = { sql: 'alter table licenses rename to away' };
const FAILED = /background work failed \d+ times .*housekeeping failed and will be retried/;

for (const housekeepingMayFail of [false, true]) {
  describe(housekeepingMayFail ? 'work that may fail' : 'work that may not fail', () => {
    async function ends(end: () => PromiseLike<unknown>): Promise<void> {
      if (housekeepingMayFail) await end();
      else await assert.rejects(async () => end(), FAILED);
    }

    test('in the process of the test', async () => {
      const postern = await startTestService({ housekeepingMayFail });
      await postern.tamper(BREAK);
      await until('work fails', () => postern.logs.some((line) => line.includes('housekeeping failed')));
      await ends(() => postern[Symbol.asyncDispose]());
    });

    test('in a process of its own', async () => {
      using folder = temporaryFolder();
      const env = await databaseSettings(folder.path);
      const running = await launched({ dataDir: folder.path, key: newTestKey(), env, housekeepingMayFail });
      await runOn(folder.path, env.POSTERN_DATABASE_URL, BREAK);
      await until('work fails', () => running.output().includes('housekeeping failed'));
      await ends(() => running[Symbol.asyncDispose]());
      await dropDatabase(folder.path);
    });
  });
}
