/** Publisher and partner download receipts of decisions and of final statements, which verify. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { verifyReceipt } from '../../../client/src/receipt.ts';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { item, made, makePolicy } from '../../http/given.ts';

const MINUTE_MS = 60_000;
const now = new Date();
const monthStart = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
const clock = testClock(monthStart - 5 * 24 * 60 * MINUTE_MS);
const env = { POSTERN_RECEIPTS: 'private', POSTERN_PUBLIC_URL: 'https://access.example.com' };
const postern = await startTestService({ clock, env });
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const policy = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
const { id: contentId } = await made(postern, '/v1/content', item({ policyId: policy.id }));
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme AI' });
const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 'ours' });
const tiers = [{ upTo: null, unitPriceMicros: 10_000 }];
const terms = { reference: 'C-12', currency: 'EUR', timezone: 'UTC', period: 'month', unit: 'decision', tiers };
await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'commercial', terms });
const asked = await postern.call('POST', '/v1/access/check', { body: { contentId, requesterId: 'acme' } });
const period = new Date(clock.now()).toISOString().slice(0, 7);
const { data } = (await postern.call('GET', `/v1/statements?period=${period}`)).body;
const statementId: string = data[0].id;
clock.advance(Math.max(Date.now(), monthStart + 2 * MINUTE_MS) - clock.now());
await postern.call('POST', `/v1/statements/${statementId}/finalize`);
await until('a checkpoint', async () => {
  const answer = await postern.call('GET', `/v1/statements/${statementId}/proof`);
  if (answer.status === 503) clock.advance(MINUTE_MS);
  return answer.status === 200 ? true : undefined;
});
const keys: string = (await postern.call('GET', '/v1/log-keys')).body.keys[0].key;

async function download(page: Page, name: string | RegExp) {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: typeof name === 'string' }).click(),
  ]);
  const text = (await (await file.createReadStream()).toArray()).join('');
  return { name: file.suggestedFilename(), receipt: await verifyReceipt(text, keys) };
}

const LOOKED = process.env.LOOKED;
const look = async (page: Page, name: string): Promise<void> => {
  if (LOOKED !== undefined) await page.screenshot({ path: `${LOOKED}/${name}.png` });
};

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const) {
  test(`at ${width} px, for the publisher`, async () => {
    await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width, height } });
    const { page } = signed;
    await page.goto(`/console/decisions/${asked.body.id}`);
    const decision = await download(page, 'Download receipt');
    await look(page, `decision-${width}`);
    assert.equal(decision.receipt.decision?.allowed, true);
    assert.match(decision.name, /^dec_\w+\.tlog-proof$/);
    await page.goto(`/console/statements/${statementId}`);
    const statement = await download(page, 'Download receipt');
    await look(page, `statement-${width}`);
    assert.deepEqual([statement.name, statement.receipt.statement?.id], [`${statementId}.tlog-proof`, statementId]);
    assert.equal(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), true);
    assert.deepEqual(signed.faults, []);
  });

  test(`at ${width} px, for the partner`, async () => {
    const context = await browser.newContext({ baseURL: postern.url, viewport: { width, height } });
    const page = await context.newPage();
    await page.goto('/partner');
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Earlier' }).click();
    const { name, receipt } = await download(page, 'Receipt of C-12');
    await look(page, `partner-${width}`);
    assert.deepEqual([name, receipt.statement?.id], [`${statementId}.tlog-proof`, statementId]);
    assert.equal(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), true);
    await context.close();
  });
}

test('without a log, there is no button', async () => {
  await using plain = await startTestService();
  const { id } = await made(plain, '/v1/content', item());
  const decided = await plain.call('POST', '/v1/access/check', { body: { contentId: id } });
  await using signed = await signedIn(browser, plain.url, plain.key, {});
  await signed.page.goto(`/console/decisions/${decided.body.id}`);
  await signed.page.getByRole('heading', { name: 'Answer' }).waitFor();
  await signed.page.waitForLoadState('networkidle');
  assert.equal(await signed.page.getByRole('button', { name: 'Download receipt' }).count(), 0);
  assert.deepEqual(signed.faults, []);
});
