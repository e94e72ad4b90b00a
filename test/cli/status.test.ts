/** `postern status` says what is kept of visitors, and what of it is being removed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandHere } from '../../kit/command.ts';
import { startTestService, type TestService } from '../../kit/service.ts';

async function statusOf({ url, key }: TestService): Promise<string> {
  const ran = await commandHere(['status'], { env: { POSTERN_URL: url, POSTERN_KEY: key } });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout;
}

test('everything is kept unless settings say otherwise', async () => {
  await using postern = await startTestService();
  const said = /^Kept of visitors: addresses full, user agents full; inputs for ever, decisions for ever$/m;
  assert.match(await statusOf(postern), said);
});

test('what the settings keep, and for how long', async () => {
  const env = {
    POSTERN_IP_PRECISION: '/24,/48',
    POSTERN_USER_AGENT: 'crawler-only',
    POSTERN_INPUT_DAYS: '30',
    POSTERN_DECISION_DAYS: '365',
  };
  await using postern = await startTestService({ env });
  const kept = 'addresses /24,/48, user agents crawler-only; inputs for 30 days, decisions for 365 days';
  assert.ok((await statusOf(postern)).includes(`Kept of visitors: ${kept}\n`));
});

test('old decisions that are leaving the log', async () => {
  await using postern = await startTestService();
  assert.doesNotMatch(await statusOf(postern), /leaving/);
  await postern.tamper({ sql: `insert into settings (name, value) values ('decisions_retiring', '1')` });
  assert.match(await statusOf(postern), /^Old decisions are leaving the log now$/m);
});
