/**
 * The span of a page: the latest days, a calendar month, any days and times. On every page that counts it means the
 * same instants, stands in the address, and shows the numbers of the API.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { launchBrowser, type Signed, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { allowAll, item, made, makePolicy } from '../../http/given.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// The clocks of the zone went back on 1 November; here it is still 3 November, in UTC the 4th.
const ZONE = 'America/Los_Angeles';
const NOW = Date.parse('2026-11-04T05:00:00Z');

let now = NOW - 45 * DAY_MS;
const postern = await startTestService({ clock: { now: () => now } });
after(() => postern[Symbol.asyncDispose]());
const { id: policyId } = await makePolicy(postern, [allowAll]);
const collection = await made(postern, '/v1/collections', { name: 'Tides', hosts: ['tides.example'], policyId });
const essay = await made(postern, '/v1/content', item({ source: 'https://tides.example/essay' }));
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 'ours' });
// Each hour has another number, so an error of an hour shows.
for (let hour = 0; now < NOW; now += 3 * HOUR_MS, hour++) {
  const one = { contentId: essay.id, requesterId: 'acme', context: { userAgent: 'CCBot/2.0' } };
  await made(postern, '/v1/access/check/batch', { checks: Array.from({ length: 1 + (hour % 7) }, () => one) }, 200);
}
const browser = await launchBrowser();
after(() => browser.close());

const at = (text: string) => Temporal.PlainDateTime.from(text).toZonedDateTime(ZONE).toInstant().toString();
const iso = (text: string) => new Date(at(text)).toISOString();
const count = (n: number): string => new Intl.NumberFormat('en-GB').format(n);
const view = { viewport: { width: 1366, height: 900 }, timezoneId: ZONE, baseURL: postern.url } as const;

/** The number of requests that the API reports between two instants. */
const between = async (from: string, to: string): Promise<number> =>
  (await postern.call('GET', `/v1/analytics/usage?startDate=${from}&endDate=${to}`)).body.summary.totalRequests;

async function openPartner(): Promise<Signed> {
  const context = await browser.newContext(view);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  await page.clock.setFixedTime(NOW);
  await page.goto('/partner');
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Acme', level: 1 }).waitFor();
  return { page, context, faults, [Symbol.asyncDispose]: () => context.close() };
}

async function openConsole(): Promise<Signed> {
  const signed = await signedIn(browser, postern.url, postern.key, view);
  await signed.page.clock.setFixedTime(NOW);
  return signed;
}

interface Spanned {
  path: string;
  open: () => Promise<Signed>;
  /** Waits for the page to show this number of requests. */
  shows: (page: Page, requests: string) => Promise<void>;
}

const bars = (page: Page, requests: string) =>
  page.getByRole('img', { name: new RegExp(`^${requests} allowed and 0 denied`) }).waitFor();
const PAGES: Record<string, Spanned> = {
  overview: { path: '/console', open: openConsole, shows: bars },
  'a crawler': {
    path: '/console/crawlers/CCBot',
    open: openConsole,
    shows: (page, requests) => page.getByRole('img', { name: `of ${requests} requests` }).waitFor(),
  },
  'a requester': { path: '/console/requesters/acme', open: openConsole, shows: bars },
  'an item': { path: `/console/content/${essay.id}`, open: openConsole, shows: bars },
  'a collection': { path: `/console/collections/${collection.id}`, open: openConsole, shows: bars },
  'the page of partners': { path: '/partner', open: openPartner, shows: bars },
};

const spanOf = (page: Page): (string | null)[] => {
  const { searchParams } = new URL(page.url());
  return ['start', 'end', 'period'].map((name) => searchParams.get(name));
};
const openChoices = (page: Page) => page.getByRole('button', { name: /^When:/ }).click();

for (const [name, { path, open, shows }] of Object.entries(PAGES)) {
  describe(name, () => {
    test('counts a calendar month and any span of the zone of the viewer, also from its address', async () => {
      await using signed = await open();
      const { page, faults } = signed;
      const asked: Request[] = [];
      page.on('request', (request) => {
        if (/\/v1\/(analytics|me)\/usage/.test(request.url())) asked.push(request);
      });
      await page.goto(`${path}?period=7d&by=week`);
      await shows(page, count(await between(at('2026-10-28T00:00'), at('2026-11-04T00:00'))));

      const october = [iso('2026-10-01T00:00'), iso('2026-11-01T00:00')] as const;
      await openChoices(page);
      await page.getByRole('button', { name: 'Last month', exact: true }).click();
      const inOctober = count(await between(...october));
      await shows(page, inOctober);
      assert.deepEqual(spanOf(page), [...october, null]);
      await page.getByRole('button', { name: 'When: 1 Oct 2026 – 31 Oct 2026' }).waitFor();

      await openChoices(page);
      await page.getByLabel('From', { exact: true }).fill('2026-10-31');
      await page.getByLabel('At', { exact: true }).fill('21:00');
      await page.getByLabel('To, included').fill('2026-11-01');
      await page.getByLabel('Until', { exact: true }).fill('09:30');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      // The night has an hour more.
      const night = [iso('2026-10-31T21:00'), iso('2026-11-01T09:30')] as const;
      assert.equal(Date.parse(night[1]) - Date.parse(night[0]), 13.5 * HOUR_MS);
      const inTheNight = count(await between(...night));
      await shows(page, inTheNight);
      assert.deepEqual(spanOf(page), [...night, null]);
      assert.equal(await page.getByLabel('Buckets', { exact: true }).inputValue(), 'hour');

      await page.reload();
      await shows(page, inTheNight);
      await page.goBack();
      await shows(page, inOctober);
      await page.getByRole('radiogroup', { name: 'Period' }).getByText('90 days', { exact: true }).click();
      await shows(page, count(await between(at('2026-08-07T00:00'), at('2026-11-04T00:00'))));
      assert.deepEqual(spanOf(page), [null, null, '90d']);

      await page.goto(`${path}?end=${october[0]}`);
      await shows(page, count(await between('2026-01-01T00:00:00Z', october[0])));
      await page.getByRole('button', { name: 'When: Until 30 Sept 2026' }).waitFor();

      const zones = new Set(asked.map((request) => new URL(request.url()).searchParams.get('timezone')));
      assert.deepEqual([...zones], [await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')]);
      assert.deepEqual(faults, []);
    });
  });
}

test('the preview of a policy decides the checks of a month again', async () => {
  await using signed = await openConsole();
  const { page } = signed;
  await page.goto(`/console/policies/${policyId}`);
  await page.getByRole('textbox', { name: 'Description' }).fill('Edited');
  await page.getByRole('button', { name: 'Preview and publish' }).click();
  await page.getByRole('dialog').getByText('As before').waitFor();
  const [preview] = await Promise.all([
    page.waitForRequest(
      (request) => request.url().endsWith('/impact') && request.postDataJSON().from === iso('2026-10-01T00:00'),
    ),
    openChoices(page).then(() => page.getByRole('button', { name: 'Last month', exact: true }).click()),
  ]);
  assert.equal(preview.postDataJSON().to, iso('2026-11-01T00:00'));
  const answer = await preview.response();
  assert.ok(answer !== null);
  const { decisions } = await answer.json();
  assert.equal(decisions, await between(at('2026-10-01T00:00'), at('2026-11-01T00:00')));
  assert.deepEqual(signed.faults, []);
});
