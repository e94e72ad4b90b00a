/** Decisions that the columns counted and the records have lost: the log says so loudly, and no report counts them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { allowAll, check, makeItem } from '../http/given.ts';

test('records without their newest decisions: an error in the log, and reports of what is there', async () => {
  await using postern = await startTestService();
  const { id } = await makeItem(postern, [allowAll]);
  for (let i = 0; i < 5; i++) await check(postern, { contentId: id });
  const usage = async () => (await postern.call('GET', '/v1/analytics/usage?period=all')).body.summary?.totalRequests;
  assert.equal(await usage(), 5);
  await postern.tamper({
    sql: 'delete from decisions where seq in (select seq from decisions order by seq desc limit 2)',
  });
  await postern.restart();
  await until('the columns are counted anew', async () => (await usage()) === 3);
  const errors = postern.logs.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
  assert.equal(errors.length, 1);
  assert.match(errors[0].problem, /2 decisions that were counted are not in the records, the last of \d{4}-/);

  // Once is enough: the columns are those of the records now.
  await postern.restart();
  await check(postern, { contentId: id });
  assert.equal(await usage(), 4);
  assert.equal(postern.logs.filter((line) => JSON.parse(line).level === 50).length, 1);
});
