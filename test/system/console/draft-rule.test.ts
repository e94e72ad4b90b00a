/** A rule about a crawler, partner or page is drafted where it decides, shown with its impact, and not published. */
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, type Signed, signingIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { check, made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

let signed: Signed;
let page: Page;
beforeEach(signingIn(browser, postern, { width: 1440, height: 900 }, (now) => ({ page } = signed = now)));

const rules = [
  { action: 'deny', conditions: { country: 'FR' } },
  { action: 'deny', conditions: { crawlerPurpose: 'training' } },
  { action: 'allow', conditions: { default: true } },
];
const policy = await made(postern, '/v1/policies', { name: 'News rules', rules });
await made(postern, '/v1/collections', {
  name: 'News',
  hosts: ['www.example.com'],
  paths: ['/n/'],
  policyId: policy.id,
});
const visit = (path: string, userAgent: string, more: object = {}) =>
  check(postern, { url: `https://www.example.com${path}`, context: { userAgent, ...more } });
for (let i = 0; i < 3; i++) await visit('/n/1', 'Mozilla/5.0 Googlebot/2.1');
await visit('/n/2', 'GPTBot/1.2');
await made(postern, '/v1/requesters', { id: 'partner:acme', name: 'Acme' });
await check(postern, { url: 'https://www.example.com/n/1', requesterId: 'partner:acme' });

const stored = async () => (await postern.call('GET', `/v1/policies/${policy.id}`)).body;
const dialog = () => page.getByRole('dialog');
const openDraft = async () => {
  await dialog().getByRole('button', { name: 'Open the draft' }).click();
  await page.getByText('Not published yet').waitFor();
};
const publish = async (version: number) => {
  await page.getByRole('button', { name: 'Preview and publish' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText(`version ${version}`, { exact: true }).waitFor();
};

test('a crawler is denied before the rule that allows it, under whatever proof', async () => {
  await page.goto('/console/crawlers/Googlebot');
  await page.getByRole('button', { name: 'Draft a rule…' }).click();
  await dialog()
    .getByText('News rules (3 of the latest requests)')
    .or(dialog().locator('input[value^="News rules (3"]'))
    .first()
    .waitFor();
  await dialog().getByText('crawler is Googlebot').waitFor();
  assert.match(await dialog().locator('.sentences').innerText(), /Rule 3\s*deny/);
  await dialog().locator('[data-figure="allowToDeny"]', { hasText: '3' }).waitFor();
  await openDraft();
  assert.equal((await stored()).version, 1, 'one press publishes nothing');
  // What is not published is not lost by a second press.
  await page.goto('/console/crawlers/GPTBot');
  await page.getByRole('button', { name: 'Draft a rule…' }).click();
  await dialog().getByText('You have a draft of this policy').waitFor();
  await dialog().getByRole('link', { name: 'News rules' }).click();
  await publish(2);
  assert.deepEqual((await stored()).rules[2], { action: 'deny', conditions: { crawler: 'Googlebot' } });
  const forged = await visit('/n/1', 'Mozilla/5.0 Googlebot/2.1', { crawlerVerified: false });
  assert.equal(forged.allowed, false);
  assert.deepEqual(signed.faults, []);
});

test('a crawler is allowed only as itself, and only past the rule that denies it', async () => {
  await page.goto('/console/crawlers/GPTBot');
  await page.getByRole('button', { name: 'Draft a rule…' }).click();
  await dialog().getByText('It is denied already, by rule 2.').waitFor();
  await dialog().getByText('Allow', { exact: true }).click();
  await dialog().getByText('crawler is GPTBot and the crawler is verified').waitFor();
  assert.match(await dialog().locator('.sentences').innerText(), /Rule 2\s*allow/);
  await openDraft();
  await publish(3);
  assert.equal((await visit('/n/2', 'GPTBot/1.2')).allowed, false);
  assert.equal((await visit('/n/2', 'GPTBot/1.2', { crawlerVerified: true })).allowed, true);
  assert.equal((await visit('/n/2', 'GPTBot/1.2', { crawlerVerified: true, country: 'FR' })).allowed, false);
});

test('a page is denied by its exact path, a partner only without a license', async () => {
  const { id } = await visit('/n/1', 'Firefox');
  await page.goto(`/console/decisions/${id}`);
  await page.getByRole('button', { name: 'Rule about the page…' }).click();
  await dialog().getByText('host is www.example.com and path matches /n/1$').waitFor();
  await openDraft();
  await publish(4);
  assert.equal((await visit('/n/1', 'Firefox')).allowed, false);
  assert.equal((await visit('/n/12', 'Firefox')).allowed, true);

  await page.goto('/console/requesters/partner:acme');
  await page.getByRole('button', { name: 'Draft a rule…' }).click();
  await dialog().getByText('Only with a license', { exact: true }).click();
  await dialog().getByText('partner or bot is Acme and the requester has no valid license').waitFor();
});
