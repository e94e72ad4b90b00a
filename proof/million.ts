/** The console on a store with a million items, or more: how long until each page can be used. */
import type { Page } from 'playwright-core';
import type { Answer } from '../kit/answer.ts';
import { launchBrowser, signedIn } from '../kit/browser.ts';
import { startTestService, type TestService } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const AT_ONCE = 1_000;
const COUNTED_WITHIN_MS = 300_000;
const TYPES = ['article', 'report', 'image', 'dataset', 'video'];
const WORDS = ['tide', 'harbour', 'lighthouse', 'current', 'chart', 'estuary', 'cape', 'shoal', 'anchor', 'drift'];

export interface MillionFigures {
  items: number;
  /** From the click to the page that can be used. */
  slowestMs: number;
  slowestPage: string;
}

/** Throws when a page takes longer than `withinMs`. */
export async function runMillion({
  items,
  withinMs,
  tell,
}: {
  items: number;
  withinMs: number;
  tell: (line: string) => void;
}): Promise<MillionFigures> {
  await using postern = await startTestService({ env: { POSTERN_LOG_LEVEL: 'silent' } });
  const began = performance.now();
  await fill(postern, items);
  tell(`${items} items written in ${Math.round((performance.now() - began) / 1000)} s`);
  const browser = await launchBrowser();
  try {
    const pages = await measure(postern, browser, items);
    const slow = Object.entries(pages).filter(([, ms]) => ms > withinMs);
    if (slow.length > 0) throw new Error(`slower than ${withinMs} ms: ${JSON.stringify(Object.fromEntries(slow))}`);
    tell(JSON.stringify(pages));
    const [slowestPage, slowestMs] = Object.entries(pages).toSorted(([, one], [, other]) => other - one)[0] ?? ['', 0];
    return { items, slowestMs, slowestPage };
  } finally {
    await browser.close();
  }
}

async function fill(postern: TestService, items: number): Promise<void> {
  const open = { name: 'Open', rules: [{ action: 'allow', conditions: { purpose: 'reading' } }] };
  const policyId = (await postern.call('POST', '/v1/policies', { body: open })).body.id;
  for (let i = 0; i < items; i += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, items - i) }, (_, n) => itemOf(i + n, policyId));
    const { body } = await postern.call('POST', '/v1/content/bulk-upsert', { body: { items: some } });
    if (body.failed > 0) throw new Error(`an item was refused: ${body.errors[0].message}`);
  }
  for (let i = 0; i < 20; i++) {
    const checks = Array.from({ length: AT_ONCE }, (_, n) => ({
      contentId: `item-${(i * 7_919 + n * 104_729) % items}`,
      requesterId: `reader-${n % 300}`,
      ...(n % 3 === 0 ? {} : { purpose: 'reading' }),
    }));
    await postern.call('POST', '/v1/access/check/batch', { body: { checks } });
  }
}

const itemOf = (n: number, policyId: string) => ({
  externalId: `item-${n}`,
  title: `${WORDS[n % 10]} ${WORDS[Math.floor(n / 10) % 10]} number ${n}`,
  type: TYPES[n % 5],
  source: `https://example.com/${n}`,
  policyId,
  tags: [`t${n % 50}`],
  metadata: { section: `s${n % 20}` },
});

async function measure(
  postern: TestService,
  browser: Awaited<ReturnType<typeof launchBrowser>>,
  items: number,
): Promise<Record<string, number>> {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 900 } });
  const { page } = signed;
  const figures: Record<string, number> = {};
  const time = async (name: string, path: string, ready: (page: Page) => Promise<unknown>) => {
    const began = performance.now();
    await page.evaluate(`history.pushState(null, '', '/console${path}'); dispatchEvent(new Event('popstate'))`);
    await ready(page);
    figures[name] = Math.round(performance.now() - began);
  };
  // Not those of the list before, which stay until the next ones are there.
  const rows = (caption: string) => (of: Page) =>
    of.locator('[aria-busy="false"]').getByRole('table', { name: caption }).locator('tbody tr').first().waitFor();
  await page.goto('/console/nowhere');
  await page.getByRole('heading', { name: 'Not found' }).first().waitFor();
  const middle = `/v1/content/item-${Math.floor(items / 2)}`;
  // Its figures are counted a while after it was written.
  const isThere = ({ status }: Answer): boolean => status === 200;
  const { id } = (await until('an item', () => postern.call('GET', middle), COUNTED_WITHIN_MS, isThere)).body;
  await time('overview', '', (of) => of.locator('[data-figure="totalRequests"]').waitFor());
  await time('decisions', '/decisions', rows('Decisions'));
  await time('content', '/content', rows('Content'));
  await time('content, words', '/content?q=lighthouse%20chart', rows('Content'));
  await time('content, few words match', `/content?q=number%20${Math.floor(items * 0.77)}`, rows('Content'));
  await time('content, type and tag', '/content?type=image&tag=t7', rows('Content'));
  await time('item', `/content/${id}`, (of) => of.getByText('Details').waitFor());
  await time('policies', '/policies', rows('Policies'));
  await time('requesters', '/requesters', rows('Partners and bots'));
  await time('keys', '/keys', rows('API keys'));
  await time('audit log', '/audit', rows('Changes'));
  await time('status', '/status', (of) => of.getByText('up to date').waitFor());
  return figures;
}
