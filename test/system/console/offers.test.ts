/** The price list in the console: an offer is made beside its preview, edited without losing x402, and deleted. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made, makePolicy } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

await made(postern, '/v1/collections', { name: 'News', hosts: ['news.example'] });
await makePolicy(postern, [{ action: 'allow', conditions: { licenseType: 'crawling', licenseFeatures: ['archive'] } }]);
const read = async () => (await postern.call('GET', '/v1/offers/crawling')).body;

test('an offer is made, edited and deleted; the preview shows what a denied visitor sees', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 1000 } });
  const { page } = signed;
  await page.goto('/console/offers');
  await page.getByRole('heading', { name: 'Nothing is offered yet' }).waitFor();
  await page.getByRole('button', { name: 'Offer a license' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Kind of license' }).click();
  await page.getByRole('option', { name: 'crawling' }).click();
  await dialog.getByRole('textbox', { name: 'Price' }).fill('1,250');
  await dialog.getByText('1,250 can mean two amounts. Type 1250 or 1.25.').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Offer', exact: true }).isDisabled(), true);
  await dialog.getByRole('textbox', { name: 'Price' }).fill('0,005');
  await dialog.getByLabel('Email address').fill('licensing@news.example');
  await dialog.getByLabel('Page about this license').fill('https://news.example/licensing');
  const preview = dialog.getByRole('region', { name: 'What a denied visitor sees' });
  const text = await preview.innerText();
  assert.match(
    text,
    /402 Payment Required\ncrawler-price: USD 0\.005\nlink: <https:\/\/news\.example\/licensing>; rel="license"/,
  );
  assert.match(text, /crawling, US\$0\.005 per access\. Write to licensing@news\.example\./);
  await dialog.getByLabel('Last day').fill('2099-12-30');
  await dialog.getByRole('button', { name: 'Offer', exact: true }).click();
  await page.getByRole('row', { name: /crawling.*per access/ }).waitFor();
  const stored = await read();
  assert.deepEqual([stored.unitPriceMicros, stored.currency, stored.contact], [5000, 'USD', 'licensing@news.example']);
  assert.ok(
    stored.validUntil >= '2099-12-30T10:00:00.000Z' && stored.validUntil <= '2099-12-31T12:00:00.000Z',
    stored.validUntil,
  );

  const x402 = { network: 'eip155:8453', asset: 'USDC', payTo: 'publisher' };
  const { id: _, object: __, created: ___, updated: ____, licenseType, collectionId, ...body } = stored;
  assert.deepEqual([licenseType, collectionId], ['crawling', null]);
  await postern.call('PUT', '/v1/offers/crawling', { body: { ...body, x402 } });
  await page.reload();
  await page.getByRole('button', { name: /offer of crawling/ }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  await dialog.getByRole('textbox', { name: 'Price' }).fill('0.01');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /0\.01 per access/ }).waitFor();
  assert.deepEqual([(await read()).x402, (await read()).validUntil], [x402, stored.validUntil]);

  await page.getByRole('button', { name: 'Offer a license' }).click();
  await dialog.getByRole('combobox', { name: 'Kind of license' }).fill('crawling');
  await dialog.getByRole('button', { name: 'Offer', exact: true }).click();
  await dialog.getByText(/^This kind is offered there already\./).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.equal((await read()).unitPriceMicros, 10_000);

  await page.getByRole('button', { name: /offer of crawling/ }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Nothing is offered yet' }).waitFor();
  // Before it makes an offer, the form looks whether there is one.
  assert.deepEqual(
    signed.faults.filter((fault) => !fault.includes('404')),
    [],
  );
});

test('the list names the collection of an offer', async () => {
  const [{ id }] = (await postern.call('GET', '/v1/collections')).body.data;
  await postern.call('PUT', `/v1/offers/crawling?collectionId=${id}`, { body: { contact: 'licensing@news.example' } });
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/offers');
  const link = page.getByRole('row', { name: /crawling/ }).getByRole('link', { name: 'News' });
  assert.equal(await link.getAttribute('href'), `/console/collections/${id}`);
  assert.deepEqual(signed.faults, []);
});
