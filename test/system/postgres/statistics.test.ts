/** PostgreSQL's statistics, which are samples of values, keep nothing that was erased. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hurry } from '../../../kit/hurry.ts';
import { startTestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { allowAll, assertStatus, check, item, made, makePolicy } from '../../http/given.ts';

hurry();

const DAY_MS = 86_400_000;
const ID = 'unmistakable-requester';
const AGENT = 'unmistakable-agent';

process.env.POSTERN_TEST_ENGINE = 'postgres';
const clock = testClock();

async function started(erased: string, env: Record<string, string> = {}) {
  const postern = await startTestService({ clock, env });
  const { id: policyId } = await makePolicy(postern, [allowAll]);
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId }));
  for (let i = 0; i < 3; i++) {
    await check(postern, { contentId, requesterId: ID, context: { userAgent: AGENT } });
    await check(postern, { contentId, requesterId: 'another', context: { userAgent: `${AGENT}/${i}` } });
  }
  // As the server does by itself at some time.
  await postern.tamper({ sql: 'analyze' });
  const isSampled = async (): Promise<boolean> => {
    const samples = 'concat(most_common_vals, histogram_bounds)';
    const where = `schemaname = current_schema() and ${samples} like '%${erased}%'`;
    return (await postern.rowsOf(`pg_stats where ${where}`)).length > 0;
  };
  assert.ok(await isSampled());
  return Object.assign(postern, { isSampled });
}

test('an erased requester', async () => {
  await using postern = await started(ID);
  assertStatus(await postern.call('POST', `/v1/requesters/${ID}/erase`, { body: { confirm: ID } }), 200);
  await until(
    'no sample has it',
    async () => {
      clock.advance(1000);
      return !(await postern.isSampled());
    },
    60_000,
  );
});

test('erased inputs', async () => {
  await using postern = await started(AGENT, { POSTERN_INPUT_DAYS: '1' });
  clock.advance(3 * DAY_MS);
  await until('no sample has them', async () => !(await postern.isSampled()), 60_000);
});
