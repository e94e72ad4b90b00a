/**
 * The embedded store while its machine's clock is set back, or forward and back again: time goes on. Decisions keep
 * their order and distance, a used-up limit is free again after its period, and a key expires.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../../kit/answer.ts';
import { launch, newTestKey, temporaryFolder } from '../../kit/launch.ts';
import { seeded } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { CLOCK_HACK } from './nodes.ts';

const LIMIT = { requests: 5, period: 'second' } as const;
const MINUTE_MS = 60_000;
const BACK_MS = [15_000, MINUTE_MS, 90 * MINUTE_MS];
const SEEN_MS = 100;
const APART_MS = 1_000;
/** The longest time that two requests may take on a busy machine. */
const SLACK_MS = 1_500;
const FREE_WITHIN_MS = 5_000;

export async function runClockJumps({ jumps, seed }: { jumps: number; seed: number }): Promise<object> {
  const random = seeded(seed);
  using folder = temporaryFolder();
  const offFile = join(folder.path, 'off');
  let off = 0;
  const set = async (to: number): Promise<void> => {
    off = to;
    writeFileSync(offFile, String(off));
    await pause(SEEN_MS);
  };
  await set(0);
  const node = launch({
    dataDir: join(folder.path, 'data'),
    key: newTestKey(),
    nodeOptions: ['--import', CLOCK_HACK],
    env: { CLOCK_OFF_FILE: offFile },
  });
  const must = async (path: string, body: object, status: number): Promise<Answer['body']> => {
    const reply = await node.ask('POST', path, { body });
    assert.equal(reply.status, status, reply.text);
    return reply.body;
  };
  try {
    await node.ready;
    const rules = [{ action: 'allow', rateLimit: LIMIT }];
    const { id: policyId } = await must('/v1/policies', { name: 'p', rules }, 201);
    const item = { externalId: 'i', title: 'i', type: 'article', source: 'https://example.org/i', policyId };
    await must('/v1/content', item, 201);
    const check = () => must('/v1/access/check', { contentId: 'i' }, 200);
    const figures = { jumps: 0, checks: 0, admitted: 0 };

    /** Uses the limit up and waits until it is free again; then looks how far apart two decisions are. */
    async function goesOn(what: string): Promise<void> {
      for (let i = 0; i <= LIMIT.requests; i++) await check();
      await until(`${what}: a limit that was used up is free again`, check, FREE_WITHIN_MS, ({ allowed }) => allowed);
      const begun = performance.now();
      const first = Date.parse((await check()).created);
      await pause(APART_MS);
      const last = Date.parse((await check()).created);
      const most = performance.now() - begun + SLACK_MS;
      assert.ok(
        last - first >= APART_MS / 2 && last - first <= most,
        `${what}: ${last - first} ms in ${most - SLACK_MS} ms`,
      );
      figures.checks += LIMIT.requests + 3;
      figures.admitted++;
    }

    await goesOn('at first');
    for (; figures.jumps < jumps; figures.jumps++) {
      const size = random.pick(BACK_MS);
      if (random.chance(0.5)) {
        await set(off - size);
        await goesOn(`set back by ${size} ms`);
      } else {
        const before = off;
        await set(off + size);
        await check();
        await set(before);
        await goesOn(`set forward by ${size} ms and back`);
      }
    }
    const expiresAt = Date.parse((await check()).created) + 2_000;
    const key = await must(
      '/v1/api-keys',
      { name: 'k', type: 'secret', expiresAt: new Date(expiresAt).toISOString() },
      201,
    );
    const headers = { authorization: `Bearer ${key.key}` };
    await set(off - MINUTE_MS);
    const ask = () => node.ask('GET', '/v1/content', { headers });
    await until('a key expires', ask, FREE_WITHIN_MS, ({ status }) => status === 401);
    return figures;
  } catch (error) {
    throw new Error(`with seed ${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    await node.end('SIGKILL');
  }
}
