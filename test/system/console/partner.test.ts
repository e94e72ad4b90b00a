/** The page of partners: what the API says of one partner, by a token that stays in this tab and in one header. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { BrowserContextOptions, Page, Request } from 'playwright-core';
import { launchBrowser } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { check, item, made, makePolicy } from '../../http/given.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const FIRST_PAGE_BYTES_MAX = 250_000;
const PHONE = { viewport: { width: 390, height: 844 } } as const;

const postern = await startTestService({
  env: { POSTERN_PUBLISHER: 'The Daily; 1 Main Street', POSTERN_PUBLISHER_CONTACT: 'licensing@daily.example' },
});
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const policy = await makePolicy(postern, [
  { action: 'allow', conditions: { licenseType: 'commercial' }, rateLimit: { requests: 100, period: 'day' } },
  { action: 'deny', message: 'Not without a license.' },
]);
const gold = await makePolicy(postern, [{ action: 'allow', conditions: { licenseType: 'gold' } }]);
const article = await made(postern, '/v1/content', item({ policyId: policy.id, source: 'https://news.example/a' }));
await made(postern, '/v1/content', item({ policyId: gold.id, source: 'https://news.example/gold' }));

const TERMS = {
  reference: 'Contract 12',
  currency: 'EUR',
  timezone: 'UTC',
  period: 'month',
  unit: 'decision',
  tiers: [
    { upTo: 100, unitPriceMicros: 20_000 },
    { upTo: null, unitPriceMicros: 12_500 },
  ],
  quota: { units: 10, onExceed: 'allow' },
  alerts: [0.8],
};

let count = 0;
async function newPartner() {
  const id = `acme-${++count}`;
  await made(postern, '/v1/requesters', { id, name: `Acme ${count} AI` });
  const license = await made(postern, '/v1/licenses', { requesterId: id, type: 'commercial', terms: TERMS });
  const old = await made(postern, '/v1/licenses', { requesterId: id, type: 'trial' });
  await made(postern, `/v1/licenses/${old.id}/revoke`, {}, 200);
  for (const purpose of ['training', 'training', 'search']) {
    await check(postern, { contentId: article.id, requesterId: id, purpose });
  }
  const { id: tokenId, token } = await made(postern, `/v1/requesters/${id}/tokens`, { name: 'ours' });
  const get = async (path: string) => (await postern.call('GET', path, { key: token })).body;
  return { id, name: `Acme ${count} AI`, license, tokenId, token, get };
}

/** A page with what went wrong on it, and what it asked for. */
async function open(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ baseURL: postern.url, timezoneId: 'UTC', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load')) faults.push(message.text());
  });
  return { page, faults, requests, [Symbol.asyncDispose]: () => context.close() };
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.goto('/partner');
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const kept = (page: Page) => page.evaluate<[string[], number]>('[Object.values(sessionStorage), localStorage.length]');

describe('the token', () => {
  test('that is wrong, or an API key, opens nothing and is not kept', async () => {
    await using opened = await open();
    const { page } = opened;
    for (const [text, told] of [
      ['svc_rt_wrong', 'its form or checksum is wrong'],
      [postern.key, 'This is an API key'],
      ['svc_rt_ \u00fc', 'A token begins with svc_rt_ and has no spaces.'],
    ] as const) {
      await signIn(page, text);
      await page.getByText(told).waitFor();
      assert.deepEqual(await kept(page), [[], 0], told);
    }
    assert.deepEqual(opened.faults, []);
  });

  test('is kept for a reload, in this tab; it is in one header, and in no address, cookie or local storage', async () => {
    const acme = await newPartner();
    await using opened = await open();
    const { page, requests } = opened;
    await signIn(page, acme.token);
    await page.getByRole('heading', { name: acme.name, level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: acme.name, level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    assert.deepEqual(await kept(page), [[acme.token], 0]);
    assert.deepEqual(await page.context().cookies(), []);
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search + new URL(page.url()).hash, '/partner');
    for (const request of requests) {
      assert.ok(!request.url().includes(acme.token) && !(request.postData() ?? '').includes(acme.token));
      const { authorization, ...others } = await request.allHeaders();
      assert.ok(!JSON.stringify(others).includes(acme.token), request.url());
      assert.equal(authorization, request.url().includes('/v1/me') ? `Bearer ${acme.token}` : undefined);
    }
    const another = await page.context().newPage();
    await another.goto('/partner');
    await another.getByLabel('Token', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token', { exact: true }).waitFor();
    assert.deepEqual(await kept(page), [[], 0]);
    await page.reload();
    await page.getByLabel('Token', { exact: true }).waitFor();
    assert.deepEqual(opened.faults, []);
  });

  test('that is revoked, or whose partner is suspended, ends the view with the reason', async () => {
    for (const [end, told] of [
      [
        (id: string, tokenId: string) => postern.call('DELETE', `/v1/requesters/${id}/tokens/${tokenId}`),
        'This token was revoked.',
      ],
      [
        (id: string) => postern.call('PATCH', `/v1/requesters/${id}`, { body: { status: 'suspended' } }),
        'The publisher has suspended your access.',
      ],
    ] as const) {
      const acme = await newPartner();
      await using opened = await open();
      const { page } = opened;
      await signIn(page, acme.token);
      await page.getByRole('heading', { name: acme.name, level: 1 }).waitFor();
      // A request that is still in flight would end the view before the click that is to end it.
      await page.waitForLoadState('networkidle');
      const ended = await end(acme.id, acme.tokenId);
      assert.ok(ended.status < 300, ended.text);
      await page.getByRole('region', { name: 'Usage' }).getByText('Year', { exact: true }).click();
      await page.getByText(told).waitFor();
      assert.equal(await page.getByText(acme.name).count(), 0, 'nothing of before is left');
      assert.deepEqual(await kept(page), [[], 0]);
      await signIn(page, acme.token);
      await page.getByText(told).waitFor();
      assert.deepEqual(opened.faults, []);
    }
  });
});

describe('what is shown', () => {
  test('is what the API says: licenses, quota, terms, usage, purposes, statements, limits', async () => {
    const acme = await newPartner();
    await using opened = await open();
    const { page } = opened;
    await signIn(page, acme.token);
    const me = await acme.get('/v1/me');
    const { used, units } = me.licenses[0].quota;
    const card = page.getByRole('article', { name: 'commercial' });
    await card.getByText(`${used} of ${units} used`).waitFor();
    const running = await acme.get(`/v1/me/licenses/${acme.license.id}/usage`);
    await card.getByText(/^3 requests in \w+ \d{4}/).waitFor();
    await card.getByText(`€${running.amount.amount} so far.`).waitFor();
    await card.getByText(`About ${running.projectedUnits} and €${running.projectedAmount.amount} by`).waitFor();
    await card.getByText('Terms: Contract 12').click();
    await card.getByText('€0.02 each, up to 100').waitFor();
    await page.getByText('Ended and suspended (1)').click();
    await page.getByRole('row', { name: /trial .* revoked/ }).waitFor();
    const usage = await acme.get('/v1/me/usage?period=30d&groupBy=purpose&timezone=UTC');
    const { totalRequests, allowed, denied } = usage.summary;
    await page.getByText(`${totalRequests} requests, ${allowed} allowed and ${denied} denied`).waitFor();
    for (const { id, allowed: some } of usage.groups) {
      await page.getByRole('row', { name: new RegExp(`^${id} ${some} `) }).waitFor();
    }
    const [statement] = (await acme.get('/v1/me/statements')).data;
    const row = page.getByRole('row', { name: /Contract 12/ });
    assert.match(await row.innerText(), new RegExp(`3\\s+3\\s+€${statement.total.amount}\\s+running`));
    for (const [ending, pattern] of [
      ['CSV', new RegExp(`^\uFEFFstatementId,[^]*${statement.id}`)],
      ['HTML', /^<!doctype html>/i],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Save Contract 12 as ${ending}` }).click(),
      ]);
      assert.match((await (await download.createReadStream()).toArray()).join(''), pattern);
      assert.equal(download.suggestedFilename(), `statement-${statement.id}.${ending.toLowerCase()}`);
    }
    const { limit, remaining } = me.limits[0].rateLimit;
    await page.getByRole('row', { name: new RegExp(`^${limit} a day ${remaining} `) }).waitFor();
    assert.deepEqual(opened.faults, []);
  });

  test('of what there is: the publisher, and offers before a first denial', async () => {
    const offer = { unitPriceMicros: 5000, currency: 'EUR' };
    assert.equal((await postern.call('PUT', '/v1/offers/archive', { body: offer })).status, 201);
    const acme = await newPartner();
    await using opened = await open();
    const { page } = opened;
    await signIn(page, acme.token);
    await page.getByText('The Daily', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'licensing@daily.example' }).waitFor();
    const offers = page.getByRole('list', { name: 'Licenses to ask for' });
    await offers.getByText('archive').waitFor();
    await offers.getByRole('button', { name: 'Ask for it' }).click();
    assert.equal(await page.getByLabel('Kind of license').inputValue(), 'archive');
    assert.deepEqual(opened.faults, []);
    await postern.call('DELETE', '/v1/offers/archive');
  });

  test('of what it may have: a remedy becomes a request, whose answer appears', async () => {
    const acme = await newPartner();
    await using opened = await open(PHONE);
    const { page } = opened;
    await signIn(page, acme.token);
    const ask = page.getByRole('region', { name: 'May I have this?' });
    const about = async (what: string, told: string) => {
      await ask.getByLabel('Address or id').fill(what);
      await ask.getByRole('button', { name: 'Ask', exact: true }).click();
      await ask.getByText(told).waitFor();
    };
    await about(article.id, 'Allowed');
    await about('none', 'The publisher has registered nothing under this id or address.');
    await about('https://news.example/gold', 'A license of the kind gold.');
    await ask.getByRole('button', { name: 'Ask for it' }).click();
    const form = page.getByRole('region', { name: 'Ask for a license' });
    assert.equal(await form.getByLabel('Kind of license').inputValue(), 'gold');
    await form.getByLabel('What you want to do').fill('For our next model.');
    await form.getByRole('button', { name: 'Send request' }).click();
    await form.getByText('open', { exact: true }).waitFor();
    const [request] = (await acme.get('/v1/me/requests')).data;
    assert.deepEqual([request.licenseType, request.note], ['gold', 'For our next model.']);
    await postern.call('POST', `/v1/license-requests/${request.id}/grant`, {
      body: { free: true, answer: 'Welcome.' },
    });
    await page.reload();
    await form.getByText('Welcome.').waitFor();
    await page.getByRole('article', { name: 'gold' }).waitFor();
    assert.deepEqual(opened.faults, []);
  });

  test('of offers and collections: a price becomes a request for one collection', async () => {
    const acme = await newPartner();
    const offer = {
      unitPriceMicros: 20_000,
      currency: 'EUR',
      contact: 'sales@news.example',
      url: 'https://news.example/l',
    };
    assert.ok((await postern.call('PUT', '/v1/offers/diamond', { body: offer })).status < 300);
    const diamond = await makePolicy(postern, [{ action: 'allow', conditions: { licenseType: 'diamond' } }]);
    const reports = await made(postern, '/v1/collections', {
      name: 'Reports',
      hosts: ['reports.example'],
      policyId: diamond.id,
    });
    await check(postern, { url: 'https://reports.example/1', requesterId: acme.id });
    await using opened = await open(PHONE);
    const { page } = opened;
    await signIn(page, acme.token);
    const ask = page.getByRole('region', { name: 'May I have this?' });
    await ask.getByLabel('Address or id').fill('https://reports.example/2');
    await ask.getByRole('button', { name: 'Ask', exact: true }).click();
    const offers = ask.getByRole('list', { name: 'Offers' });
    assert.match(await offers.innerText(), /diamond: €0\.02 per access\. Contact: sales@news\.example/);
    assert.equal(await offers.getByRole('link', { name: 'About this license' }).getAttribute('href'), offer.url);
    await offers.getByRole('button', { name: 'Ask for it' }).click();
    const form = page.getByRole('region', { name: 'Ask for a license' });
    assert.equal(await form.getByLabel('Kind of license').inputValue(), 'diamond');
    await form.getByLabel('For', { exact: true }).selectOption('Reports');
    await form.getByRole('button', { name: 'Send request' }).click();
    await page.getByRole('row', { name: /diamond for Reports/ }).waitFor();
    const [request] = (await acme.get('/v1/me/requests')).data;
    assert.deepEqual([request.licenseType, request.collectionId], ['diamond', reports.id]);
    assert.deepEqual(opened.faults, []);
  });

  test('passes axe in both themes, and is no wider than a phone', async () => {
    const acme = await newPartner();
    await postern.call('POST', '/v1/me/requests', {
      key: acme.token,
      body: { licenseType: 'x'.repeat(64), note: 'y' },
    });
    for (const colorScheme of ['light', 'dark'] as const) {
      await using opened = await open({ ...PHONE, colorScheme, reducedMotion: 'reduce' });
      const { page } = opened;
      await page.goto('/partner');
      await page.getByLabel('Token', { exact: true }).waitFor();
      assert.deepEqual(await faultsOf(page), []);
      await signIn(page, acme.token);
      await page.getByRole('heading', { name: acme.name, level: 1 }).waitFor();
      await page.getByRole('row', { name: /Contract 12/ }).waitFor();
      await page.getByText('Terms: Contract 12').click();
      await page.getByText('Ended and suspended (1)').click();
      assert.match(await page.locator('.legend').innerText(), /Allowed\s+Denied/);
      await page.getByRole('button', { name: 'Show the numbers' }).click();
      await page.getByLabel('Address or id').fill('https://news.example/gold');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByText('What would help').waitFor();
      assert.deepEqual(await faultsOf(page), [], colorScheme);
      assert.deepEqual(opened.faults, []);
    }
  });
});

/** Serious findings of axe, and how much wider than the screen the page is. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.evaluate(AXE);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const found = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
    `axe.run(document, ${JSON.stringify({ runOnly: tags })}).then((result) => result.violations)`,
  );
  const wide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return [
    ...found
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' ')}`),
    ...(wide > 0 ? [`${wide} pixels too wide`] : []),
  ];
}

test('the page is small, comes from this service only, and under the policy of the console', async () => {
  const acme = await newPartner();
  await using opened = await open();
  const loaded = new Map<string, number>();
  opened.page.on('response', async (response) => {
    const { pathname, origin } = new URL(response.url());
    assert.equal(origin, postern.url);
    if (pathname.startsWith('/v1/')) return;
    const body = await response.body();
    loaded.set(pathname, pathname.endsWith('.woff2') ? body.length : gzipSync(body, { level: 9 }).length);
  });
  await signIn(opened.page, acme.token);
  await opened.page.getByRole('row', { name: /Contract 12/ }).waitFor();
  await opened.page.waitForLoadState('networkidle');
  const bytes = [...loaded.values()].reduce((sum, one) => sum + one, 0);
  assert.ok(bytes > 0 && bytes <= FIRST_PAGE_BYTES_MAX, `${bytes} bytes: ${JSON.stringify([...loaded])}`);
  const policies = await Promise.all(
    ['/console', '/partner'].map(async (path) =>
      (await fetch(postern.url + path)).headers.get('content-security-policy')?.replace(/'nonce-[^']+'/, 'nonce'),
    ),
  );
  assert.equal(policies[0], policies[1]);
  assert.match(policies[0] ?? '', /default-src 'none'/);
  assert.deepEqual(opened.faults, []);
});
