/** A publisher sees who reads which pages: crawlers, programs and browsers, with forged names apart. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const policy = await made(postern, '/v1/policies', {
  name: 'Archive',
  defaultAction: 'allow',
  rules: [{ action: 'deny', conditions: { path: '/archive/', hasValidLicense: false } }],
});
await made(postern, '/v1/collections', { name: 'Site', hosts: ['news.example'], paths: ['/'], policyId: policy.id });
await made(postern, '/v1/requesters', {
  id: 'gptbot',
  name: 'GPTBot',
  userAgents: ['GPTBot'],
  identities: [{ kind: 'ip', ranges: ['203.0.113.0/28'] }],
});
await postern.call('PUT', '/v1/offers/archive', {
  body: { unitPriceMicros: 10_000, currency: 'EUR', contact: 'a@b.example' },
});

const GPTBOT = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)';
const CHROME = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
async function visit(times: number, path: string, userAgent: string, ip: string): Promise<void> {
  const body = { url: `https://news.example${path}`, context: { userAgent, ip }, visitor: {} };
  for (let i = 0; i < times; i++) await postern.call('POST', '/v1/access/check', { body });
}
await visit(5, '/a', GPTBOT, '203.0.113.1');
await visit(3, '/archive/b', GPTBOT, '203.0.113.1');
await visit(4, '/a', GPTBOT, '198.51.100.1');
await visit(2, '/a?page=2', 'PageHarvest/2.1', '198.51.100.2');
await visit(6, '/archive/b', CHROME, '192.0.2.1');
await visit(1, '/a', '', '192.0.2.2');

const view = { viewport: { width: 1440, height: 1000 } } as const;

test('pages by visitors, with what was proven, denied, and what it would bring', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, view);
  const { page } = signed;
  await page.goto('/console/visitors');
  const table = page.getByRole('table', { name: 'Requests by page and visitor' });
  await table.waitFor();
  const heads = await table.locator('thead th').allInnerTexts();
  assert.deepEqual(
    heads.map((text) => text.replace('Draft a rule…', '').replaceAll(/\s+/g, ' ').trim()),
    [
      'Page of news.example',
      'All',
      'GPTBot verified',
      'Browsers',
      'GPTBot forged',
      'pageharvest program',
      'No user agent',
    ],
  );
  const row = async (name: string): Promise<string[]> => {
    const texts = await table.getByRole('row', { name }).first().locator('td').allInnerTexts();
    return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
  };
  assert.deepEqual(await row('Requests'), ['', '8', '6', '4', '2', '1']);
  assert.deepEqual(await row('Denied'), ['', '3 37.5 %', '6 100.0 %', '0 0.0 %', '0 0.0 %', '0 0.0 %']);
  assert.deepEqual(await row('/a'), ['12', '5', '', '4', '2', '1']);
  assert.deepEqual(await row('/archive/b'), ['9', '3', '6', '', '', '']);
  await page.getByRole('img', { name: /^GPTBot: 8; Browsers: 6; GPTBot, forged: 4; pageharvest: 2/ }).waitFor();
  await table.getByRole('columnheader', { name: 'pageharvest' }).getByRole('button', { name: 'Draft a rule…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Draft a rule about pageharvest' });
  await dialog
    .getByText(/^Rule \d/)
    .first()
    .waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  // A cell leads to the decisions that it counts.
  await table.getByRole('row', { name: '/a' }).first().getByRole('link', { name: '4' }).click();
  await page.locator('[data-total="4"]').waitFor();
  await page.goto('/console/visitors?pagePrefix=news.example/archive');
  await table.getByRole('row', { name: '/archive/b' }).waitFor();
  assert.deepEqual(await row('Requests'), ['', '6', '3']);
  assert.deepEqual(signed.faults, []);
});

test('the overview and the log name crawlers and programs, and the log is filtered by pages', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, view);
  const { page } = signed;
  await page.goto('/console/');
  const most = page.getByRole('region', { name: 'Top visitors' });
  for (const name of ['GPTBot', 'Browsers', 'pageharvest', 'No user agent'])
    await most.getByText(name).first().waitFor();
  const pages = page.getByRole('region', { name: 'Top pages' });
  await pages.getByRole('link', { name: 'news.example/archive/b' }).click();
  await page.waitForURL(/visitors\?pagePrefix=news\.example%2Farchive%2Fb/);
  await page.goto('/console/decisions?pagePrefix=news.example/archive');
  await page.locator('[data-total="9"]').waitFor();
  await page.getByRole('cell', { name: 'Browsers' }).first().waitFor();
  assert.equal(await page.getByText('anonymous').count(), 0);
  assert.deepEqual(signed.faults, []);
});
