/**
 * Every page, light and dark, with data and without: nothing that axe calls serious (WCAG 2.2 AA), nothing the Content
 * Security Policy refuses, nothing wider than a phone; and a first visit that is small enough.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { item, made } from '../../http/given.ts';
import { fillEverything } from './everything.ts';
import { findings, go, settled, shows, turned } from './looking.ts';
import { fillProofs } from './proofs.ts';

const FIRST_PAGE_BYTES_MAX = 250_000;

const browser = await launchBrowser();
after(() => browser.close());
const empty = await startTestService();
after(() => empty[Symbol.asyncDispose]());
const full = await startTestService({
  env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true', POSTERN_CRAWLER_LISTS: 'false' },
});
after(() => full[Symbol.asyncDispose]());
const proofs = await fillProofs(full);
after(() => proofs[Symbol.asyncDispose]());
const { denied, essay, collection, policy, site, billed, statement, webhook } = await fillEverything(full);

const openRule = async (page: Page) => {
  await page.locator('.rule-title').first().click();
};
const editPolicy = async (page: Page) => {
  await page.getByRole('textbox', { name: 'Description' }).fill('Edited, and not published');
  await page.getByText('Not published yet').waitFor();
};
const showAll = async (page: Page) => {
  await page.getByRole('button', { name: '20 more' }).click();
};
const mistypeKind = async (page: Page) => {
  await page.getByRole('combobox', { name: 'Kind of license' }).fill('enterprize');
};
const editTerms = async (page: Page) => {
  await page.getByRole('button', { name: 'Edit terms' }).click();
  await page.getByRole('region', { name: 'Example' }).waitFor();
};
const grant = async (page: Page) => {
  if (await page.getByRole('button', { name: 'Grant…' }).isHidden()) return;
  await page.getByRole('button', { name: 'Grant…' }).click();
  await page.getByRole('dialog').getByLabel('Note to the partner').waitFor();
};
const PAGES: readonly [path: string, act?: (page: Page) => Promise<void>][] = [
  [''],
  ['?period=7d', async (page) => page.getByRole('button', { name: 'Show the numbers' }).click()],
  ['/decisions'],
  ['/decisions', async (page) => page.getByRole('button', { name: /^When:/ }).click()],
  ['/visitors'],
  ['/programs'],
  ['/demand'],
  ['/demand?sort=change&order=asc'],
  ['/demand?by=requester,crawler,collection,purpose,licenseType'],
  [`/decisions/${denied.id}`],
  ['/content'],
  ['/content/new'],
  ['/content/import'],
  [`/content/${essay.id}`],
  ['/collections'],
  ['/collections/new'],
  ['/collections/match'],
  ['/collections/match?url=https://example.com/a?b'],
  ['/collections/match?url=https://elsewhere.example/a/b'],
  ['/collections/match?url=https://elsewhere.example/a/../b'],
  [`/collections/${collection.id}?url=https://example.com/section-1/`, showAll],
  ['/policies'],
  ['/policies/new'],
  [`/policies/${policy.id}`, openRule],
  [`/policies/${policy.id}?tab=rules`, editPolicy],
  [`/policies/${policy.id}?tab=bench`],
  [`/policies/${policy.id}?tab=candidate`],
  [`/policies/${policy.id}?tab=versions`],
  ['/offers'],
  ['/offers?new=1'],
  ['/sites'],
  ['/sites?new=1'],
  ['/sites/news.example'],
  [`/collections/${site.id}`],
  ['/requesters'],
  ['/requesters/GPTBot'],
  ['/requesters/somebody-else'],
  ['/crawlers'],
  ['/crawlers/GPTBot'],
  ['/crawlers/GPTBot?period=year&enforced=false'],
  ['/crawlers/nobody-known'],
  ['/licenses'],
  ['/licenses?new=1', mistypeKind],
  [`/licenses/${billed.id}`],
  [`/licenses/${billed.id}`, editTerms],
  ['/statements'],
  ['/statements?period=2020-Q1'],
  [`/statements/${statement.id}`],
  ['/requests'],
  ['/requests', grant],
  ['/requests?status=all'],
  ['/users'],
  ['/users?new=1'],
  ['/keys'],
  ['/keys?new=1'],
  ['/webhooks'],
  [`/webhooks/${webhook.id}`],
  ['/audit'],
  ['/status'],
  ['/nowhere'],
];

const tooWide = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Panels whose content is wider than they are, unless one may scroll it. */
const OVERFLOWING = `[...document.querySelectorAll('.panel')]
  .filter((panel) => panel.scrollWidth > panel.clientWidth && getComputedStyle(panel).overflowX === 'visible')
  .map((panel) => panel.getAttribute('aria-label') ?? 'the list')`;

/** Pixels too wide once the page has taken its new width. */
async function tooWideAtLast(page: Page): Promise<number> {
  await turned(page, 'document.documentElement.scrollWidth <= document.documentElement.clientWidth');
  return tooWide(page);
}

/** All that is wrong with the pages of a service. */
async function look(of: TestService, pages: typeof PAGES): Promise<string[]> {
  await using signed = await signedIn(browser, of.url, of.key, {
    viewport: { width: 1366, height: 900 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const { page, faults } = signed;
  const wrong: string[] = [];
  await page.goto('/console/nowhere');
  for (const [path, act] of pages) {
    await go(page, path);
    await act?.(page);
    await turned(page, shows('light'));
    for (const finding of await findings(page)) wrong.push(`${path} light: ${finding}`);
    await page.emulateMedia({ colorScheme: 'dark' });
    await turned(page, shows('dark'));
    for (const finding of await findings(page, 'color-contrast')) wrong.push(`${path} dark: ${finding}`);
    await page.emulateMedia({ media: 'print' });
    await turned(page, shows('light'));
    for (const finding of await findings(page, 'color-contrast')) wrong.push(`${path} on paper: ${finding}`);
    await page.emulateMedia({ media: 'screen' });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1024, height: 768 });
    await turned(page, `${OVERFLOWING}.length === 0`);
    for (const panel of await page.evaluate<string[]>(OVERFLOWING))
      wrong.push(`${path}: ${panel} overflows at 1024 pixels`);
    await page.setViewportSize({ width: 390, height: 844 });
    const wide = await tooWideAtLast(page);
    if (wide > 0) wrong.push(`${path}: ${wide} pixels wider than a phone`);
    await page.setViewportSize({ width: 1366, height: 900 });
    for (const fault of faults.splice(0)) wrong.push(`${path}: ${fault}`);
  }
  return wrong;
}

describe('every page', () => {
  test('with data', async () => assert.deepEqual(await look(full, PAGES), []));
  test('with nothing in it', async () => {
    const pages = PAGES.filter(
      ([path]) => !/(cnt|col|pol|dec|wh|lic|stm)_|news\.example/.test(path) && !path.startsWith('?'),
    );
    assert.deepEqual(await look(empty, pages), []);
  });
});

test('the status page has the lists, the keys of agents and the false names that "with data" looks at', async () => {
  await using signed = await signedIn(browser, full.url, full.key, { reducedMotion: 'reduce' });
  const { page } = signed;
  await page.goto('/console/status');
  const row = (table: string, name: RegExp) => page.getByRole('table', { name: table }).getByRole('row', { name });
  await row('Published addresses', /list\.txt.*2 ranges/).waitFor();
  await row('Published addresses', /gone.*never fetched.*failed fetch/).waitFor();
  await row('Keys of agents', new RegExp(`${proofs.url} .*1 key`)).waitFor();
  await row('Keys of agents', /keys-that-are-gone.*never fetched/).waitFor();
  await row('False names', /listed/).waitFor();
});

test('signing in and the palette', async () => {
  await using signed = await signedIn(browser, full.url, full.key, { reducedMotion: 'reduce' });
  const { page, context, faults } = signed;
  await page.goto('/console/content');
  await settled(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByLabel('Search and go').waitFor();
  assert.deepEqual(await findings(page), []);
  await context.clearCookies();
  await page.goto('/console');
  await page.getByLabel('API key').waitFor();
  assert.deepEqual(await findings(page), []);
  // Without a session, the page's query for it is refused.
  assert.deepEqual(faults, []);
});

test('one long id breaks no word in the other columns', async () => {
  await using postern = await startTestService();
  await made(postern, '/v1/content', item({ externalId: 'tide-tables-of-2026' }));
  for (const id of ['a'.repeat(128), 'university']) {
    await made(postern, '/v1/requesters', { id, type: 'research' });
    await made(postern, '/v1/licenses', { requesterId: id, type: 'commercial' });
    await made(postern, '/v1/access/check', { contentId: 'tide-tables-of-2026', requesterId: id }, 200);
  }
  const screen = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const;
  await using signed = await signedIn(browser, postern.url, postern.key, screen);
  for (const [path, texts] of [
    ['requesters', ['university']],
    ['licenses', ['commercial', 'everything']],
    ['decisions', ['A title tide-tables-of-2026']],
  ] as const) {
    await signed.page.goto(`/console/${path}`);
    await settled(signed.page);
    for (const word of texts) {
      const [lines] = await signed.page.getByRole('cell', { name: word, exact: true }).evaluateAll((cells) =>
        cells.map((cell) => {
          const range = cell.ownerDocument.createRange();
          range.selectNode(cell.ownerDocument.createTreeWalker(cell, 4).nextNode() ?? cell);
          return new Set([...range.getClientRects()].map(({ top }) => top)).size;
        }),
      );
      assert.equal(lines, 1, `${path}: ${word}`);
    }
  }
});

test('the tests see what they are for: bad contrast, a style that the policy refuses, a page too wide', async () => {
  await using signed = await signedIn(browser, full.url, full.key, { viewport: { width: 390, height: 844 } });
  const { page, faults } = signed;
  await page.goto('/console/content');
  await settled(page);
  await page.evaluate(`
    document.querySelector('h1').style.color = '#ddd';
    document.querySelector('.main').insertAdjacentHTML('beforeend', '<div id="wide">x</div><p style="color:red">inline</p>');
    document.querySelector('#wide').style.width = '900px';
  `);
  assert.ok((await findings(page)).some((one) => one.startsWith('color-contrast')));
  assert.ok((await tooWide(page)) > 0);
  assert.ok(faults.some((one) => one.includes('Content Security Policy')));
});

test('a first visit to the overview loads at most 250 kB, compressed, and nothing from elsewhere', async () => {
  await using signed = await signedIn(browser, full.url, full.key);
  const loaded = new Map<string, number>();
  signed.page.on('response', async (response) => {
    const { pathname, origin } = new URL(response.url());
    assert.equal(origin, full.url);
    if (pathname.startsWith('/v1/') || pathname.endsWith('/session')) return;
    // As gzip would send it: what the browser takes is smaller still.
    const body = await response.body();
    loaded.set(pathname, pathname.endsWith('.woff2') ? body.length : gzipSync(body, { level: 9 }).length);
  });
  await signed.page.goto('/console');
  await settled(signed.page);
  await signed.page.waitForLoadState('networkidle');
  const bytes = [...loaded.values()].reduce((sum, one) => sum + one, 0);
  assert.ok(bytes <= FIRST_PAGE_BYTES_MAX, `${bytes} bytes: ${JSON.stringify([...loaded])}`);
  assert.ok(loaded.size > 3);
});
