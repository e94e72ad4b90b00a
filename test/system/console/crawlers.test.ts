/** An operator looks at what crawlers proved, and adds one to the list. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { allowAll, check, item, made, makePolicy } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const view = { viewport: { width: 1366, height: 1000 }, timezoneId: 'Europe/Berlin' } as const;
const { id: policyId } = await makePolicy(postern, [allowAll]);
const { id: contentId } = await made(postern, '/v1/content', item({ policyId, title: 'Tide tables' }));

before(async () => {
  const identities = [{ kind: 'ip', ranges: ['192.0.2.0/24'] }];
  await made(postern, '/v1/requesters', { id: 'ccbot', name: 'CCBot', userAgents: ['CCBot'], identities });
  const ask = (userAgent: string, ip: string) => check(postern, { contentId, visitor: {}, context: { userAgent, ip } });
  for (let i = 0; i < 3; i++) await ask('CCBot/2.0', '192.0.2.7');
  for (let i = 0; i < 2; i++) await ask('CCBot/2.0', '198.51.100.7');
  await ask('Bytespider', '198.51.100.7');
});

describe('badges', () => {
  test('say in every list of decisions what a visitor proved', async () => {
    await using signed = await signedIn(browser, postern.url, postern.key, view);
    const { page } = signed;
    await page.goto('/console/decisions');
    const table = page.getByRole('table', { name: 'Decisions' });
    await table.waitFor();
    const count = (text: string) => table.getByText(text, { exact: true }).count();
    assert.equal(await count('Verified by its address'), 3);
    assert.equal(await count('Not ccbot: false name'), 2);
    assert.equal(await count('Only claimed'), 1);
    await page.goto('/console/decisions?spoofed=true');
    await table.getByText('Not ccbot: false name').first().waitFor();
    assert.equal(await table.getByRole('row').count(), 3);
    await table.getByRole('link', { name: 'Allowed' }).first().click();
    await page.getByRole('region', { name: 'Request' }).getByText('Not ccbot: false name').waitFor();
    await page.goto('/console');
    await page.getByRole('region', { name: 'Latest decisions' }).getByText('Verified by its address').first().waitFor();
    await page.goto('/console/requesters');
    await page.getByRole('row', { name: /CCBot/ }).getByText('Verified', { exact: true }).waitFor();
    await page.goto('/console/requesters/ccbot');
    await page.getByText('by its address', { exact: true }).waitFor();
    assert.deepEqual(signed.faults, []);
  });
});

describe('the page of a crawler', () => {
  test('counts what was proven, only claimed and false', async () => {
    await using signed = await signedIn(browser, postern.url, postern.key, view);
    const { page } = signed;
    await page.goto('/console');
    await page.getByRole('region', { name: 'Crawlers' }).getByRole('link', { name: 'CCBot' }).click();
    await page.getByRole('heading', { name: 'CCBot', level: 1 }).waitFor();
    await page.getByRole('img', { name: '3 verified and 2 under a false name, of 5 requests' }).waitFor();
    const figure = (name: string) => page.locator('.total', { hasText: name }).locator('.value').innerText();
    assert.deepEqual(await Promise.all(['Requests', 'Verified', 'Only claimed', 'False names'].map(figure)), [
      '5',
      '3',
      '0',
      '2',
    ]);
    await page.getByRole('region', { name: 'Top content' }).getByRole('link', { name: 'Tide tables' }).waitFor();
    await page.getByText('In your list:').getByRole('link', { name: 'CCBot' }).waitFor();
    assert.deepEqual(signed.faults, []);
  });

  test('adds it to the list, with its identities', async () => {
    await using signed = await signedIn(browser, postern.url, postern.key, view);
    const { page } = signed;
    await page.goto('/console/crawlers?q=Bytespider');
    await page.getByRole('link', { name: 'Bytespider', exact: true }).click();
    await page.getByRole('button', { name: 'Add to partners & bots' }).click();
    await page.waitForURL('**/requesters/bytespider');
    const { body } = await postern.call('GET', '/v1/requesters/bytespider');
    assert.deepEqual(body.userAgents, ['Bytespider']);
    assert.deepEqual(signed.faults, []);
  });
});
