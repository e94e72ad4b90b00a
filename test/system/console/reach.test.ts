/** A publisher sees what a partner may have and who may have an item or a collection, and saves both lists. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { item, made, makePolicy } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const { id: policyId } = await makePolicy(postern, [
  { action: 'deny', conditions: { purpose: 'training', countryNot: 'DE' } },
  { action: 'allow', conditions: { licenseType: 'gold' }, permissions: ['training', 'preview_only'] },
  { action: 'allow', conditions: { requesterId: 'stranger' }, permissions: ['preview_only'] },
  { action: 'allow', conditions: { contentTags: 'open' }, permissions: ['preview_only'] },
]);
const news = await made(postern, '/v1/collections', { name: 'News', hosts: ['e.example'], paths: ['/'], policyId });
for (let i = 0; i < 14; i++) {
  const more = { externalId: `news-${i}`, title: `News ${i}`, tags: i === 0 ? ['open'] : [] };
  await made(postern, '/v1/content', item({ ...more, source: `https://e.example/${i}` }));
}
const first = (await postern.call('GET', '/v1/content/news-0')).body;
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'gold' });

const VIEWPORT = { viewport: { width: 1440, height: 900 } };
type Page = Awaited<ReturnType<typeof signedIn>>['page'];

async function download(page: Page, panel: ReturnType<Page['getByRole']>): Promise<string[]> {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  return readFileSync(await saved.path(), 'utf8')
    .replace(/^\u{feff}/u, '')
    .trimEnd()
    .split('\r\n');
}

test('what a partner may have: pages, filters and a file', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, VIEWPORT);
  const { page } = signed;
  await page.goto('/console/requesters/acme');
  const panel = page.getByRole('region', { name: 'What it may have' });
  await panel.getByRole('link', { name: 'News', exact: true }).waitFor();
  await panel.getByText('all its pages that are no items').waitFor();
  assert.equal(await panel.locator('tbody tr').count(), 10);
  await panel.getByText(/also ask for the tags of the item, the country, the purpose: taken as not known/).waitFor();
  await panel.getByRole('button', { name: 'Next' }).click();
  await panel.getByRole('link', { name: 'News 0' }).waitFor();
  assert.equal(await panel.locator('tbody tr').count(), 5);
  await panel.getByLabel('Permission', { exact: true }).click();
  await page.getByRole('option', { name: 'Redistribution' }).click();
  await panel.getByText('No rule allows it.').waitFor();
  await panel.getByLabel('Permission', { exact: true }).click();
  await page.getByRole('option', { name: 'Training' }).click();
  await panel.getByRole('link', { name: 'News 13' }).waitFor();
  const lines = await download(page, panel);
  assert.equal(lines[0], 'item,title,source,collection,permissions,license,depends on');
  assert.equal(lines.length, 16);
  await panel.getByLabel('Purpose').fill('training');
  await panel.getByLabel('Purpose').press('Enter');
  await panel.getByText('No rule allows it.').waitFor();
  assert.deepEqual(signed.faults, []);
});

test('who may have an item, and a collection', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, VIEWPORT);
  const { page } = signed;
  await page.goto(`/console/content/${first.id}`);
  const panel = page.getByRole('region', { name: 'Who may have it' });
  await panel.getByRole('link', { name: 'Acme' }).waitFor();
  await panel.getByText('Everybody may have it, also without a name: Preview only.').waitFor();
  await panel.getByText('not in your list').waitFor();
  assert.deepEqual((await download(page, panel)).slice(0, 1), ['requester,name,permissions,license,depends on']);
  await page.goto(`/console/collections/${news.id}`);
  await panel.getByRole('link', { name: 'Acme' }).waitFor();
  assert.equal(await panel.getByText('Everybody may have it').count(), 0);
  assert.deepEqual(signed.faults, []);
});

test('without the permissions, there is no panel', async () => {
  const { key } = await made(postern, '/v1/api-keys', {
    name: 'k',
    type: 'secret',
    permissions: ['content:read', 'requesters:read', 'analytics:read'],
  });
  await using signed = await signedIn(browser, postern.url, key, VIEWPORT);
  const { page } = signed;
  await page.goto('/console/requesters/acme');
  await page.getByRole('region', { name: 'Licenses' }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'What it may have' }).count(), 0);
  assert.deepEqual(signed.faults, []);
});
