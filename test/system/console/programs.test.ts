/** A publisher sees the programs that the directory does not name, and drafts a rule about one. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const policy = await made(postern, '/v1/policies', { name: 'Open', defaultAction: 'allow', rules: [] });
await made(postern, '/v1/collections', { name: 'Site', hosts: ['news.example'], paths: ['/'], policyId: policy.id });
for (const [path, userAgent, times] of [
  ['/a', 'PageHarvest/2.1', 3],
  ['/b', 'PageHarvest/2.1', 2],
  ['/robots.txt', 'lodestone-reader/0.4', 1],
  ['/a', 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 4],
] as const) {
  const body = { url: `https://news.example${path}`, context: { userAgent, ip: '198.51.100.7' } };
  for (let i = 0; i < times; i++) await postern.call('POST', '/v1/access/check', { body });
}

test('programs with their requests, pages and manners, and a rule in one press', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 900 } });
  const { page } = signed;
  await page.goto('/console/programs');
  await page.locator('[data-total="2"]').waitFor();
  const row = page.getByRole('row', { name: /^pageharvest/ });
  const cells = (await row.locator('td').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
  assert.deepEqual(cells.slice(1, 6), ['5', '0 0.0 %', '2', 'about 1', 'never read']);
  await page
    .getByRole('row', { name: /^lodestone-reader/ })
    .getByText('read', { exact: true })
    .waitFor();
  // The newest first.
  await page.getByRole('button', { name: 'First seen' }).click();
  await page.waitForURL('**/console/programs?sort=firstSeen');
  await page.locator('tbody tr').first().getByText('lodestone-reader').waitFor();
  await page.getByLabel('Words of the name').fill('harvest');
  await page.locator('[data-total="1"]').waitFor();
  await row.getByRole('button', { name: 'Draft a rule…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Draft a rule about pageharvest' });
  await dialog.getByRole('button', { name: 'Open the draft' }).click();
  await page.waitForURL(`**/console/policies/${policy.id}`);
  await page.getByText('Not published yet').waitFor();
  assert.deepEqual(signed.faults, []);
});

test('a program is added to the directory in one step, and removed on its own page', async () => {
  const body = { url: 'https://news.example/a', context: { userAgent: 'FooHarvest/1', ip: '198.51.100.7' } };
  await postern.call('POST', '/v1/access/check', { body });
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 900 } });
  const { page } = signed;
  await page.goto('/console/programs');
  const row = page.getByRole('row', { name: /^fooharvest/ });
  await row.getByRole('button', { name: 'Add to the directory…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add fooharvest to the directory' });
  assert.equal(await dialog.getByLabel('Token').inputValue(), 'fooharvest');
  await dialog.getByLabel('Name').fill('Foo Harvest');
  await dialog.getByLabel('Purpose').click();
  await page.getByRole('option', { name: 'Training' }).click();
  await dialog.getByRole('button', { name: 'Add to the directory' }).click();
  await row.waitFor({ state: 'detached' });
  await page.goto('/console/crawlers/Foo%20Harvest');
  await page.getByRole('button', { name: 'Remove your entry' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.waitForURL('**/console/crawlers');
  assert.equal((await postern.call('GET', '/v1/crawlers?own=true')).body.totalCount, 0);
  assert.deepEqual(signed.faults, []);
});

test('nothing is said to be only observed while another site is enforced', async () => {
  await using mixed = await startTestService();
  const open = await made(mixed, '/v1/policies', { name: 'Open', defaultAction: 'allow', rules: [] });
  const site = { paths: ['/'], policyId: open.id };
  await made(mixed, '/v1/collections', { name: 'Enforced', hosts: ['enforced.example'], ...site });
  await made(mixed, '/v1/collections', { name: 'Observed', hosts: ['observed.example'], mode: 'observe', ...site });
  const ask = (host: string, userAgent: string) =>
    mixed.call('POST', '/v1/access/check', { body: { url: `https://${host}/`, context: { userAgent } } });
  await ask('observed.example', 'PageHarvest/2.1');
  await using signed = await signedIn(browser, mixed.url, mixed.key, { viewport: { width: 1366, height: 900 } });
  const { page } = signed;
  await page.goto('/console/programs');
  await page.getByText('Nothing is enforced yet').waitFor();
  await ask('enforced.example', 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0');
  await page.reload();
  await page.getByText('No unknown programs').waitFor();
  assert.deepEqual(signed.faults, []);
});

test('the denials of a program are one press away', async () => {
  const closed = await made(postern, '/v1/policies', { name: 'Closed', defaultAction: 'deny', rules: [] });
  await made(postern, '/v1/collections', {
    name: 'Closed',
    hosts: ['closed.example'],
    paths: ['/'],
    policyId: closed.id,
  });
  for (const userAgent of ['lodestone-reader/0.4', 'PageHarvest/2.1'])
    await postern.call('POST', '/v1/access/check', {
      body: { url: 'https://closed.example/x', context: { userAgent } },
    });
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/programs');
  await page.getByRole('link', { name: /denials of lodestone-reader$/ }).click();
  await page.getByRole('heading', { name: 'Decisions', level: 1 }).waitFor();
  await page.locator('[data-total="1"]').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Program', exact: true }).inputValue(), 'lodestone-reader');
  assert.deepEqual(signed.faults, []);
});
