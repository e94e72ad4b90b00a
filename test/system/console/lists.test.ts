/** Lists show every requester and the demand without a license; the log is readable on a small screen. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, type Signed, signedIn, signingIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { item, made, makePolicy } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const policy = await makePolicy(postern, [{ action: 'allow', conditions: { licenseType: 'training' } }], {
  name: 'Reference by license',
});
const essay = await made(
  postern,
  '/v1/content',
  item({ title: 'An essay on tides', externalId: 'essays/of the sea/tides', policyId: policy.id }),
);
await made(postern, '/v1/requesters', { id: 'partner:acme', name: 'Acme GmbH', type: 'ai' });
await made(postern, '/v1/licenses', {
  requesterId: 'partner:acme',
  type: 'training',
  terms: {
    currency: 'EUR',
    timezone: 'UTC',
    period: 'month',
    unit: 'decision',
    tiers: [{ upTo: null, unitPriceMicros: 50_000 }],
  },
});
await made(postern, '/v1/requesters', { id: 'quiet', name: 'Never asked' });
const ask = (requesterId: string | undefined, purpose: string, times: number) =>
  made(
    postern,
    '/v1/access/check/batch',
    { checks: Array.from({ length: times }, () => ({ contentId: essay.id, requesterId, purpose })) },
    200,
  );
await ask('partner:acme', 'training', 5);
await ask('StrangeBot', 'training', 40);
await ask('StrangeBot', 'search', 3);
for (let i = 0; i < 30; i++) await ask(`bot-${String(i).padStart(2, '0')}`, 'training', 2);
const browser = await launchBrowser();
after(() => browser.close());

let signed: Signed;
let page: Page;
beforeEach(signingIn(browser, postern, { width: 1024, height: 800 }, (now) => ({ page } = signed = now)));
const rows = (caption: string) => page.getByRole('table', { name: caption }).locator('tbody tr');

describe('partners and bots', () => {
  test('everybody who asked or was added is listed, in the order one chooses', async () => {
    await page.goto('/console/requesters');
    await page.locator('[data-total="33"]').waitFor();
    assert.match(
      await rows('Partners and bots').first().innerText(),
      /StrangeBot[\s\S]*43[\s\S]*43[\s\S]*not in your list/,
    );
    assert.match(
      await rows('Partners and bots').nth(1).innerText(),
      /Acme GmbH[\s\S]*partner:acme[\s\S]*5[\s\S]*0[\s\S]*active/,
    );
    await page.getByRole('button', { name: 'Last seen' }).click();
    await page.waitForURL(/sort=lastSeen/);
    await page.getByRole('columnheader', { name: 'Last seen' }).and(page.locator('[aria-sort="descending"]')).waitFor();
    await rows('Partners and bots').first().getByText('bot-29').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Never asked').waitFor();
    assert.deepEqual(signed.faults, []);
  });

  test('a stranger is found by a part of its id and added', async () => {
    await page.goto('/console/requesters');
    await page.getByLabel('Name or id').fill('strange');
    await page.locator('[data-total="1"]').waitFor();
    await page.getByRole('link', { name: 'Add StrangeBot' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a partner or bot' });
    await dialog.waitFor();
    assert.equal(await dialog.getByLabel('Id', { exact: true }).inputValue(), 'StrangeBot');
  });

  test('the palette finds those nobody added, too', async () => {
    await page.goto('/console/content');
    await page.getByRole('heading', { name: 'Content', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByLabel('Search and go').fill('strangeb');
    await page.getByText('43 requests · not in your list').click();
    await page.getByRole('heading', { name: 'StrangeBot', level: 1 }).waitFor();
  });

  test('a key that may not read usage sees those that were added', async () => {
    const { key } = await made(postern, '/v1/api-keys', {
      name: 'Narrow',
      type: 'secret',
      permissions: ['policies:read'],
    });
    await using other = await signedIn(browser, postern.url, key);
    await other.page.goto('/console/requesters');
    await other.page.locator('[data-total="2"]').waitFor();
    await other.page.getByText('Acme GmbH').waitFor();
    assert.deepEqual(other.faults, []);
  });
});

describe('demand', () => {
  test('everybody who was denied, with purposes and items, page by page and as a file', async () => {
    await page.goto('/console/demand');
    await page.locator('[data-total="31"]').waitFor();
    const first = await rows('Demand').first().innerText();
    assert.match(
      first,
      /StrangeBot[\s\S]*[\s\S]*An essay on tides[\s\S]*1 item, for training 40, search 3[\s\S]*training[\s\S]*\+43 \(0 before\)[\s\S]*43[\s\S]*€2\.15/,
    );
    await page.getByRole('button', { name: 'Next' }).click();
    await page.waitForURL(/cursor=/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^demand-\d{4}-\d\d-\d\d\.csv$/);
    const lines = (await (await download.createReadStream()).toArray()).join('').trimEnd().split('\r\n');
    assert.equal(lines.length, 32);
    assert.ok(lines[0]?.startsWith('\ufeff'), 'a spreadsheet reads it as UTF-8');
    assert.match(lines[1] as string, /^StrangeBot,StrangeBot,false,43,0,43,0,1,/);
  });

  test('narrowed to a purpose', async () => {
    await page.goto('/console/demand');
    await page.getByLabel('Purpose', { exact: true }).fill('search');
    await page.keyboard.press('Enter');
    await page.locator('[data-total="1"]').waitFor();
    assert.match(await rows('Demand').first().innerText(), /\+3 \(0 before\)/);
    await rows('Demand').first().getByRole('link', { name: '3', exact: true }).click();
    await page.getByRole('heading', { name: 'Decisions', level: 1 }).waitFor();
    await page.locator('[data-total="3"]').waitFor();
  });

  test('in groups that one chooses, in both directions', async () => {
    await page.goto('/console/demand');
    const groups = page.getByRole('group', { name: 'One row for each' });
    await groups.getByRole('button', { name: 'Purpose' }).click();
    await page.locator('[data-total="32"]').waitFor();
    await groups.getByRole('button', { name: 'Visitor' }).click();
    await page.locator('[data-total="2"]').waitFor();
    assert.match(page.url(), /by=purpose/);
    assert.match(await rows('Demand').first().innerText(), /^training[\s\S]*100/);
    await page.getByRole('button', { name: 'Denied', exact: true }).click();
    await page.getByRole('columnheader', { name: 'Denied' }).and(page.locator('[aria-sort="ascending"]')).waitFor();
    await rows('Demand').first().getByText('search', { exact: true }).waitFor();
    await groups.getByRole('button', { name: 'Purpose' }).click();
    assert.equal(await groups.locator('[aria-pressed="true"]').innerText(), 'Purpose', 'one group remains');
    await groups.getByRole('button', { name: 'Kind of license' }).click();
    await rows('Demand').last().getByRole('cell', { name: 'training', exact: true }).last().waitFor();
    assert.deepEqual(signed.faults, []);
  });

  test('the next step of a sale: add a stranger', async () => {
    await page.goto('/console/demand');
    await rows('Demand').first().getByRole('link', { name: 'Add', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a partner or bot' });
    assert.equal(await dialog.getByLabel('Id', { exact: true }).inputValue(), 'StrangeBot');
  });

  test('the overview leads there with its span', async () => {
    await page.goto('/console?period=7d');
    await page.getByRole('link', { name: 'All 31 who were denied' }).click();
    await page.locator('[data-total="31"]').waitFor();
    assert.ok(new URL(page.url()).searchParams.has('from'));
  });
});

test('the log names items, partners and policies, says when exactly, and breaks no word at 1024 pixels', async () => {
  await page.goto('/console/decisions?requesterId=partner:acme');
  await page.locator('[data-total="5"]').waitFor();
  const row = rows('Decisions').first();
  for (const name of ['An essay on tides', 'Acme GmbH', 'Reference by license']) {
    await row.getByRole('link', { name, exact: true }).waitFor();
  }
  for (const words of ['essays/of the sea/tides', 'partner:acme', 'rule 1']) await row.getByText(words).waitFor();
  assert.match(await row.locator('time').innerText(), /^\d{1,2} \w+ \d{4}\s+\d\d:\d\d:\d\d$/);
  const broken = await row.evaluate((element) => {
    const document = element.ownerDocument;
    const walker = document.createTreeWalker(element, 4);
    const found: string[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[\p{L}\p{N}]+/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push(word);
      }
    }
    return found;
  });
  assert.deepEqual(broken, []);
});

test('the menu of requests to copy widens no page', async () => {
  for (const width of [390, 1024]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto('/console/decisions');
    await page.locator('[data-total]').waitFor();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('menuitem').first().waitFor();
    const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    assert.ok((await page.evaluate<number>(wide)) <= 0, `${width}`);
  }
});

describe('after a deployment', () => {
  const gone = (name: string) =>
    page.route(new RegExp(`/assets/${name}-[^/]+\\.js$`), (route) => route.fulfill({ status: 404, body: '' }));

  test('a page whose file is gone says that there is a new version', async () => {
    await gone('audit');
    await page.goto('/console/content');
    await page.getByRole('heading', { name: 'Content', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('alert').getByText('A new version is available').waitFor();
    await page.unroute(/assets/);
    await page.unrouteAll();
    await page.getByRole('alert').getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  });

  test('what was typed stays when only the palette is gone', async () => {
    await gone('palette');
    await page.goto('/console/content/new');
    await page.getByLabel('Title').fill('Half a thought');
    await page.keyboard.press('Control+k');
    await page.getByRole('status').getByText('A new version is available').waitFor();
    assert.equal(await page.getByLabel('Title').inputValue(), 'Half a thought');
  });
});
