/** A license manager writes terms, watches what is used, and makes a statement final. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { check, item, made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const policy = await made(postern, '/v1/policies', {
  name: 'Licensed',
  rules: [{ action: 'allow', conditions: { licenseType: 'commercial' } }],
});
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme AI' });
const license = await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'commercial' });
const { id: contentId } = await made(postern, '/v1/content', item({ policyId: policy.id }));

/** The least distance between the texts of two cells that stand beside each other, in pixels. */
const narrowestGap = (page: Page): Promise<number> =>
  page.evaluate<number>(`{
    const edges = (cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getBoundingClientRect();
    };
    const filled = [...document.querySelectorAll('th + *, td + *')].filter(
      (cell) => cell.textContent !== '' && cell.previousElementSibling.textContent !== '',
    );
    Math.min(...filled.map((cell) => edges(cell).left - edges(cell.previousElementSibling).right));
  }`);

const view = { viewport: { width: 1366, height: 1000 }, timezoneId: 'Europe/Berlin' } as const;

describe('terms', () => {
  test('are typed as money and counts, beside an example that changes with them', async () => {
    await using signed = await signedIn(browser, postern.url, postern.key, view);
    const { page } = signed;
    await page.goto('/console/licenses');
    await page.getByRole('link', { name: 'commercial' }).click();
    await page.getByRole('button', { name: 'Add terms' }).click();
    const dialog = page.getByRole('dialog');
    const example = dialog.getByRole('region', { name: 'Example' });
    await dialog.getByLabel('Your name of the contract').fill('Contract 12');
    await dialog.getByRole('button', { name: 'Another tier' }).click();
    await dialog.getByLabel('The first units, up to').fill('1000');
    await dialog.getByLabel('Each (EUR)').first().fill('0,02');
    await dialog.getByLabel('Each (EUR)').last().fill('0.0125');
    await dialog.getByLabel('Least per month').fill('25');
    await dialog.getByLabel('Fee per month').fill('10');
    await example.getByLabel('With so many requests').fill('1401');
    assert.equal(await example.locator('tfoot td').last().innerText(), '€35.01');
    await dialog.getByLabel('Fee per month').fill('ten');
    await dialog.getByText('An amount, such as 0.02.').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Save terms' }).isDisabled(), true);
    await dialog.getByLabel('Fee per month').fill('10');
    await dialog.getByRole('textbox', { name: 'Quota' }).fill('4');
    await dialog.getByRole('button', { name: 'Save terms' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Contract 12', level: 1 }).waitFor();
    const { terms } = (await postern.call('GET', `/v1/licenses/${license.id}`)).body;
    assert.deepEqual(terms, {
      reference: 'Contract 12',
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      period: 'month',
      unit: 'decision',
      tiers: [
        { upTo: 1_000, unitPriceMicros: 20_000 },
        { upTo: null, unitPriceMicros: 12_500 },
      ],
      minimumMicros: 25_000_000,
      flatMicros: 10_000_000,
      quota: { units: 4, onExceed: 'allow' },
      alerts: [0.5, 0.8, 1],
    });
    assert.deepEqual(signed.faults, []);
  });

  test('show what the running period used, and what is left of the quota', async () => {
    for (let i = 0; i < 3; i++) await check(postern, { contentId, requesterId: 'acme', purpose: 'training' });
    await using signed = await signedIn(browser, postern.url, postern.key, view);
    const { page } = signed;
    await page.goto(`/console/licenses/${license.id}`);
    await page.getByText('3 of 4 used (75.0 %)').waitFor();
    const { amount } = (await postern.call('GET', `/v1/licenses/${license.id}/usage`)).body;
    await page.getByText(`€${amount.amount}`, { exact: true }).first().waitFor();
    assert.deepEqual(signed.faults, []);
  });
});

describe('statements', () => {
  test('of a month are in one table with their sum; a running one cannot be made final', async () => {
    await using signed = await signedIn(browser, postern.url, postern.key, view);
    const { page } = signed;
    await page.goto('/console/statements');
    const row = page.getByRole('row', { name: /Acme AI/ });
    const [statement] = (await postern.call('GET', '/v1/statements')).body.data;
    assert.match(await row.innerText(), new RegExp(`3\\s+3\\s+€${statement.total.amount}`));
    await page.getByRole('region', { name: 'Not on any statement' }).waitFor({ state: 'detached' });
    const [all] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).click(),
    ]);
    assert.equal(all.suggestedFilename(), `statements-${statement.period}.csv`);
    assert.match((await (await all.createReadStream()).toArray()).join(''), new RegExp(`\\r\\n${statement.id},`));
    await row.getByRole('link', { name: /\d{4}$/ }).click();
    await page.getByRole('heading', { name: /, Acme AI$/, level: 1 }).waitFor();
    await page.getByText(statement.lines[0].sha256).waitFor();
    assert.equal(
      await page.getByRole('button', { name: 'Make final' }).getAttribute('title'),
      'Its period has not ended yet.',
    );
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'HTML' }).click(),
    ]);
    const html = (await (await download.createReadStream()).toArray()).join('');
    assert.ok(html.includes('Statement of usage') && html.includes('Acme AI'));
    // The policy of the console would refuse its styles.
    const printed = await signed.context.newPage();
    await printed.setContent(html);
    assert.ok((await narrowestGap(printed)) >= 8, 'columns of the page to print stand apart');
    assert.deepEqual(signed.faults, []);
  });

  test('are not for viewers', async () => {
    const { path } = await made(postern, '/v1/users/links', { name: 'Vic', role: 'viewer' });
    const context = await browser.newContext({ baseURL: postern.url });
    const page = await context.newPage();
    await page.goto(path);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: /^Vic/ }).waitFor();
    await page.goto('/console/statements');
    await page.getByText('Prices are for licensing managers and admins.').waitFor();
    await context.close();
  });
});
