/** Names as long as they may be, without a space: no page is wider than its window, and nothing leaves its panel. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { check, item, made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const LONG = 'Donaudampfschifffahrtsgesellschaftsverwaltung'.repeat(5);
const id = 'a'.repeat(128);
const name = LONG.slice(0, 200);
const word = LONG.slice(0, 64);

await made(postern, '/v1/requesters', {
  id,
  name,
  tags: [word],
  userAgents: [LONG],
  identities: [
    { kind: 'ip', ranges: Array.from({ length: 300 }, (_, i) => `192.0.2.${i % 256}/32`) },
    { kind: 'dns', suffixes: [`${'x'.repeat(60)}.crawl.example.com`] },
  ],
});
const policy = await made(postern, '/v1/policies', {
  name,
  description: LONG,
  rules: [{ action: 'allow', conditions: { licenseType: word, requesterId: id }, message: LONG }],
});
await postern.call('PATCH', `/v1/policies/${policy.id}`, { body: { defaultAction: 'allow' } });
const license = await made(postern, '/v1/licenses', {
  requesterId: id,
  type: word,
  terms: {
    reference: LONG.slice(0, 100),
    currency: 'EUR',
    timezone: 'Europe/Berlin',
    period: 'month',
    unit: 'decision',
    tiers: [{ upTo: null, unitPriceMicros: 12_500 }],
    quota: { units: 500, onExceed: 'allow' },
  },
});
const essay = await made(postern, '/v1/content', item({ title: name, policyId: policy.id, tags: [word] }));
await check(postern, { contentId: essay.id, requesterId: id });
const collection = await made(postern, '/v1/collections', { name, hosts: ['a.example'], paths: [`/${LONG}`] });
await postern.call('PUT', '/v1/sites/a.example', { body: { contact: 'l@example.com' } });
const webhook = await made(postern, '/v1/webhooks', {
  url: `https://example.com/${LONG}`,
  events: ['*'],
  description: LONG,
});
const { token } = await made(postern, `/v1/requesters/${id}/tokens`, { name });
const [statement] = (await postern.call('GET', `/v1/statements?licenseId=${license.id}`)).body.data;

const PAGES = [
  '',
  '/content',
  `/content/${essay.id}`,
  '/collections',
  `/collections/${collection.id}`,
  `/policies/${policy.id}`,
  `/policies/${policy.id}?tab=versions`,
  '/sites/a.example',
  '/requesters',
  `/requesters/${id}`,
  '/licenses',
  `/licenses/${license.id}`,
  `/statements/${statement.id}`,
  `/webhooks/${webhook.id}`,
];

/** Pixels by which the page is too wide, and texts beyond the right side of their panel that cannot be scrolled to. */
const BEYOND = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const scrolls = (one) => one !== null && (/auto|scroll|hidden/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement.closest('.panel *')));
  const beyond = [...document.querySelectorAll('.panel *')].filter((one) => one.children.length === 0 && one.innerText
    && one.getBoundingClientRect().right > one.closest('.panel').getBoundingClientRect().right + 1
    && !one.closest('thead, caption') && !scrolls(one));
  return [...(scrollWidth > clientWidth ? [scrollWidth - clientWidth + ' pixels too wide'] : []),
    ...beyond.map((one) => one.className + ' ' + one.innerText.slice(0, 30))].slice(0, 3);
})()`;

const WIDTHS = [1440, 768, 360];

/** Returns the faults once the page has taken its new width: charts are drawn again. */
async function faultsAt(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 900 });
  const end = Date.now() + 3_000;
  for (;;) {
    const faults = await page.evaluate<string[]>(BEYOND);
    if (faults.length === 0 || Date.now() > end) return faults;
    await page.waitForTimeout(50);
  }
}

test('no page of the console is wider than its window', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { reducedMotion: 'reduce' });
  const { page, faults } = signed;
  const wrong: string[] = [];
  for (const path of PAGES) {
    await page.goto(`/console${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    for (const width of WIDTHS) {
      for (const one of await faultsAt(page, width)) wrong.push(`${path} at ${width}: ${one}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(faults, []);
});

test('nor is the page for partners', async () => {
  const context = await browser.newContext({ baseURL: postern.url, viewport: { width: 360, height: 800 } });
  after(() => context.close());
  const page = await context.newPage();
  await page.goto('/partner');
  await page.locator('input').first().fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Statements' }).waitFor();
  await page.getByText(/^Terms:/).waitFor();
  for (const width of WIDTHS) {
    assert.deepEqual(await faultsAt(page, width), [], `at ${width}`);
  }
});
