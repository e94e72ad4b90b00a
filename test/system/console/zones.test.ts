/**
 * A day of the console is the viewer's day, on every page and in every time zone: the overview and the decision log
 * agree on the numbers of a period.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { item, made } from '../../http/given.ts';

const HOUR_MS = 3_600_000;
// Two in the afternoon in Los Angeles; half past three in the morning of the next day in Kolkata.
const NOW = Date.parse('2026-11-03T22:00:00Z');

let now = NOW - 10 * 24 * HOUR_MS;
const postern = await startTestService({ clock: { now: () => now } });
after(() => postern[Symbol.asyncDispose]());
const essay = await made(postern, '/v1/content', item({ title: 'An essay on tides', externalId: 'essays/tides' }));
// Each hour has one more, over the night in which Los Angeles sets its clocks back, so an error of an hour shows.
for (let hour = 0; now < NOW; now += HOUR_MS, hour++) {
  const checks = Array.from({ length: 1 + (hour % 5) }, () => ({ contentId: essay.id, requesterId: 'partner' }));
  await made(postern, '/v1/access/check/batch', { checks }, 200);
}
const browser = await launchBrowser();
after(() => browser.close());

const count = (n: number): string => new Intl.NumberFormat('en-GB').format(n);
const totalOf = async (query: string) =>
  (await postern.call('GET', `/v1/analytics/usage?${query}`)).body.summary.totalRequests;
const startOf = (day: string, zone: string) =>
  new Date(Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds);

for (const zone of ['America/Los_Angeles', 'Asia/Kolkata', 'UTC']) {
  describe(zone, () => {
    const today = Temporal.Instant.fromEpochMilliseconds(NOW).toZonedDateTimeISO(zone).toPlainDate();
    const day = (back: number): string => today.subtract({ days: back }).toString();
    const signed = () =>
      signedIn(browser, postern.url, postern.key, {
        timezoneId: zone,
        viewport: { width: 1366, height: 900 },
      });
    const shown = (page: Page) => page.locator('[data-total]').getAttribute('data-total');
    const requests = (page: Page) => page.locator('[data-figure="totalRequests"]');

    test('a day of the overview has as many requests under Decisions', async () => {
      await using at = await signed();
      const { page } = at;
      await page.clock.setFixedTime(NOW);
      for (const back of [0, 1, 2, 3]) {
        const on = day(back);
        const wanted = await totalOf(`startDate=${on}&endDate=${on}&timezone=${zone}`);
        await page.goto(`/console?start=${on}&end=${on}`);
        await page.getByText('Decisions over time').waitFor();
        assert.equal(await requests(page).innerText(), count(wanted), on);
        await page.goto('/console/decisions');
        await page.getByRole('button', { name: 'When: Any time' }).click();
        await page.getByLabel('From', { exact: true }).fill(on);
        await page.getByLabel('To, included').fill(on);
        await page.getByRole('button', { name: 'Show', exact: true }).click();
        await page.locator(`[data-total="${wanted}"]`).waitFor();
        const { searchParams } = new URL(page.url());
        assert.deepEqual(
          [searchParams.get('from'), searchParams.get('to')],
          [startOf(on, zone).toISOString(), startOf(day(back - 1), zone).toISOString()],
        );
      }
    });

    test('the span one drags over ends on the day that its chip names, and links lead to the same decisions', async () => {
      await using at = await signed();
      const { page } = at;
      await page.clock.setFixedTime(NOW);
      await page.goto('/console?period=7d');
      await page.getByRole('button', { name: 'Show the numbers' }).click();
      const written = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: zone });
      const yesterday = startOf(day(1), zone);
      await page
        .getByRole('table', { name: 'Decisions by bucket' })
        .locator('tbody tr')
        .nth(1)
        .getByRole('button')
        .click();
      await page.getByRole('button', { name: `When: ${written.format(yesterday)}`, exact: true }).waitFor();
      const wanted = await totalOf(`startDate=${day(1)}&endDate=${day(1)}&timezone=${zone}`);
      await page.getByText(count(wanted), { exact: true }).first().waitFor();
      const [reason] = (await postern.call('GET', '/v1/analytics/usage?period=all')).body.byDenialReason;
      const denials = await page.locator(`[data-reason="${reason.reason}"]`).innerText();
      await page.getByRole('region', { name: 'Why requests were denied' }).getByRole('link').first().click();
      await page.locator('[data-total]').waitFor();
      assert.equal(count(Number(await shown(page))), denials);
      await page.getByRole('button', { name: `When: ${written.format(yesterday)}` }).waitFor();
    });

    test('a file is named after its first day', async () => {
      await using at = await signed();
      const { page } = at;
      await page.clock.setFixedTime(NOW);
      await page.goto('/console?period=7d');
      await page.getByText('Decisions over time').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'CSV' }).click(),
      ]);
      assert.equal(download.suggestedFilename(), `usage-${day(6)}-day.csv`);
      const lines = (await (await download.createReadStream()).toArray()).join('').trim().split('\r\n');
      assert.ok(lines[1]?.startsWith(`${day(6)},`) && lines.at(-1)?.startsWith(`${day(0)},`), lines.join(' '));
    });

    test('decisions are found by times of day', async () => {
      await using at = await signed();
      const { page } = at;
      await page.clock.setFixedTime(NOW);
      await page.goto('/console/decisions');
      await page.getByRole('button', { name: 'When: Any time' }).click();
      await page.getByLabel('From', { exact: true }).fill(day(1));
      await page.getByLabel('At', { exact: true }).fill('09:30');
      await page.getByLabel('To, included').fill(day(1));
      await page.getByLabel('Until', { exact: true }).fill('17:00');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      const wall = (time: string) =>
        Temporal.PlainDateTime.from(`${day(1)}T${time}`)
          .toZonedDateTime(zone)
          .toInstant();
      const span = `from=${wall('09:30')}&to=${wall('17:00')}`;
      const { totalCount } = (await postern.call('GET', `/v1/access/decisions?${span}`)).body;
      await page.locator(`[data-total="${totalCount}"]`).waitFor();
      assert.ok(totalCount > 0 && totalCount < 100);
    });

    test('no question about usage leaves the zone out', async () => {
      await using at = await signed();
      const { page } = at;
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (pathname === '/v1/analytics/usage') asked.push(`${searchParams.get('timezone')}`);
      });
      for (const path of ['', '/requesters/partner', `/content/${essay.id}`]) {
        await page.goto(`/console${path}`);
        await page.locator('.bars svg').first().waitFor();
      }
      assert.ok(asked.length >= 3);
      // Browsers call some zones by their older names.
      const own = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone');
      assert.deepEqual(new Set(asked), new Set([own]));
    });
  });
}
