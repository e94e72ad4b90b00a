/** Rules are written and read with names instead of ids. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { item, made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const news = await made(postern, '/v1/collections', {
  name: 'Breaking news',
  hosts: ['www.example.com'],
  paths: ['/n/'],
});
await made(postern, '/v1/requesters', { id: 'partner:acme', name: 'Acme GmbH', type: 'ai_company' });
const essay = await made(postern, '/v1/content', item({ title: 'An essay on tides', externalId: 'essay' }));
const policy = await made(postern, '/v1/policies', { name: 'By name', rules: [] });

test('records are chosen by name, shown by name, and stored by id', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 900 } });
  const { page, faults } = signed;
  await page.goto(`/console/policies/${policy.id}`);
  await page.getByRole('button', { name: 'Add a rule' }).click();
  const card = page.locator('.rule-card').first();
  const choose = async (condition: string, typed: string, option: string | RegExp) => {
    await card.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByRole('menuitem', { name: new RegExp(`^${condition} ?[A-Z]`) }).click();
    await card.getByRole('combobox', { name: condition, exact: true }).fill(typed);
    await page.getByRole('option', { name: option }).first().click();
    await page.keyboard.press('Escape');
  };
  await choose('Collection', 'break', /^Breaking news/);
  await choose('Partner or bot', 'acme', /^Acme GmbH/);
  await choose('Crawler', 'gptb', /^GPTBot/);
  await choose('Country', 'germ', 'Germany');
  await choose('Item', 'tides', /^An essay on tides/);
  await choose('Host', 'www', 'www.example.com');
  // Names arrive after the ids.
  await card.locator('.words', { hasText: 'An essay on tides' }).waitFor();
  const sentence = await card.locator('.words').innerText();
  assert.match(
    sentence,
    /collection is Breaking news and partner or bot is Acme GmbH and crawler is GPTBot and country is Germany and item is An essay on tides and host is www\.example\.com/,
  );
  await page.getByRole('button', { name: 'Preview and publish' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('version 2', { exact: true }).waitFor();
  const { rules } = (await postern.call('GET', `/v1/policies/${policy.id}`)).body;
  assert.deepEqual(rules[0].conditions, {
    collection: [news.id],
    requesterId: ['partner:acme'],
    crawler: ['GPTBot'],
    country: ['DE'],
    contentId: [essay.id],
    host: ['www.example.com'],
  });
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.locator('.sentences', { hasText: 'collection is Breaking news' }).waitFor();
  assert.deepEqual(faults, []);
});

test('somebody who is in no list is typed', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 900 } });
  const { page } = signed;
  const other = await made(postern, '/v1/policies', { name: 'Strangers', rules: [{ action: 'deny', conditions: {} }] });
  await page.goto(`/console/policies/${other.id}`);
  await page.locator('.rule-title').first().click();
  const card = page.locator('.rule-card').first();
  await card.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByRole('menuitem', { name: /^Partner or bot/ }).click();
  await card.getByRole('combobox', { name: 'Partner or bot', exact: true }).fill('StrangeBot');
  await page.getByRole('option', { name: /^StrangeBot\s*as typed/ }).click();
  await card.locator('.words', { hasText: 'partner or bot is StrangeBot' }).waitFor();
});
