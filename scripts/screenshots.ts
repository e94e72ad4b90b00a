/**
 * Takes pictures of every page of the console: desktop and phone, light and dark. `--url URL --key KEY` names a
 * service with data, such as that of `npm run demo`; without them it starts an empty one. `--docs` writes only those of
 * docs/images.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, signedIn } from '../kit/browser.ts';
import { startTestService } from '../kit/service.ts';

interface Shot {
  name: string;
  /** Path of the page; null when the service has no such record. */
  path: string | null;
  act?: (page: Page) => Promise<void>;
}

interface Screen {
  name: string;
  width: number;
  height: number;
}

const SCREENS: readonly Screen[] = [
  { name: 'desktop', width: 1440, height: 900 },
  { name: 'phone', width: 390, height: 844 },
];
const SCHEMES = ['light', 'dark'] as const;

const { values: flags } = parseArgs({
  options: {
    url: { type: 'string' },
    key: { type: 'string' },
    out: { type: 'string', default: 'screenshots' },
    only: { type: 'string' },
    docs: { type: 'boolean', default: false },
  },
});

await using service = flags.url === undefined ? await startTestService() : undefined;
const url = flags.url ?? service?.url ?? '';
const key = flags.key ?? service?.key ?? '';

const get = async (path: string): Promise<{ data: { id: string }[] }> =>
  (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).json() as never;
const first = async (path: string): Promise<string | undefined> => (await get(path)).data[0]?.id;

const item = await first('/v1/content?q=fetch');
const collection = await first('/v1/collections?limit=1');
const policy = await first('/v1/policies?limit=1');
const denied = await first('/v1/access/decisions?allowed=false&reason=no_license&limit=1');
const license = (await get('/v1/licenses?limit=1')).data[0] as { id: string; requesterId: string } | undefined;
const statement = await first('/v1/statements?limit=1');
const site = ((await get('/v1/sites?limit=1')).data[0] as { host?: string } | undefined)?.host;
const crawler = ((await get('/v1/analytics/usage?period=30d')) as { byCrawler?: { crawler: string }[] }).byCrawler?.[0];
const webhook = await first('/v1/webhooks');
const under = (base: string, id: string | undefined): string | null =>
  id === undefined ? null : `${base}/${encodeURIComponent(id)}`;

const SHOTS: readonly Shot[] = [
  { name: 'overview', path: '' },
  { name: 'visitors', path: '/visitors' },
  { name: 'programs', path: '/programs' },
  { name: 'decisions', path: '/decisions' },
  { name: 'decision', path: under('/decisions', denied) },
  { name: 'demand', path: '/demand' },
  { name: 'demand-grouped', path: '/demand?by=requester,purpose,licenseType' },
  { name: 'content', path: '/content' },
  { name: 'new-item', path: '/content/new' },
  { name: 'import', path: '/content/import' },
  { name: 'item', path: under('/content', item) },
  { name: 'collections', path: '/collections' },
  { name: 'collection', path: under('/collections', collection) },
  { name: 'test-address', path: '/collections/match?url=https://www.example.com/' },
  { name: 'policies', path: '/policies' },
  { name: 'new-policy', path: '/policies/new' },
  {
    name: 'policy',
    path: under('/policies', policy),
    act: async (page) => {
      const rule = page.locator('.rule-title').first();
      if ((await rule.count()) > 0) await rule.click();
    },
  },
  { name: 'bench', path: policy === undefined ? null : `/policies/${policy}?tab=bench` },
  { name: 'versions', path: policy === undefined ? null : `/policies/${policy}?tab=versions` },
  { name: 'requesters', path: '/requesters' },
  { name: 'requester', path: under('/requesters', license?.requesterId ?? 'somebody') },
  { name: 'crawlers', path: '/crawlers' },
  { name: 'crawler', path: under('/crawlers', crawler?.crawler) },
  { name: 'sites', path: '/sites' },
  { name: 'site', path: under('/sites', site) },
  { name: 'licenses', path: '/licenses' },
  { name: 'license', path: under('/licenses', license?.id) },
  { name: 'new-license', path: '/licenses?new=1' },
  { name: 'offers', path: '/offers' },
  { name: 'new-offer', path: '/offers?new=1' },
  { name: 'requests', path: '/requests' },
  { name: 'statements', path: '/statements' },
  { name: 'statement', path: under('/statements', statement) },
  { name: 'users', path: '/users' },
  { name: 'keys', path: '/keys' },
  { name: 'new-key', path: '/keys?new=1' },
  { name: 'webhooks', path: '/webhooks' },
  { name: 'webhook', path: under('/webhooks', webhook) },
  { name: 'audit', path: '/audit' },
  { name: 'status', path: '/status' },
];

/** Screenshots of the README and the guides. */
const DOCS: readonly { name: string; scheme: (typeof SCHEMES)[number]; height: number }[] = [
  { name: 'overview', scheme: 'light', height: 1060 },
  { name: 'visitors', scheme: 'light', height: 900 },
  { name: 'programs', scheme: 'light', height: 620 },
  { name: 'demand', scheme: 'light', height: 900 },
  { name: 'policy', scheme: 'light', height: 900 },
  { name: 'decision', scheme: 'dark', height: 900 },
];

interface Picture {
  shot: Shot;
  screen: Screen;
  scheme: 'light' | 'dark';
  file: string;
  whole: boolean;
}

async function take(browser: Browser, { shot, screen, scheme, file, whole }: Picture): Promise<void> {
  const { name, path, act } = shot;
  if (path === null) return;
  await using signed = await signedIn(browser, url, key, {
    viewport: screen,
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  const { page, faults } = signed;
  await page.goto(`/console${path}`);
  await page.locator('h1').first().waitFor();
  await act?.(page);
  // A report may take longer than the page.
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(700);
  const wide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  if (wide > 0) process.stdout.write(`${name} ${screen.name}: ${wide} pixels too wide\n`);
  for (const fault of faults) process.stdout.write(`${name} ${screen.name} ${scheme}: ${fault}\n`);
  if (whole) await page.screenshot({ path: file, fullPage: true });
  else writeFileSync(file, await asWebp(page));
}

/** A third of the size of a PNG. Playwright itself writes PNG and JPEG alone. */
async function asWebp(page: Page): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  return Buffer.from(data, 'base64');
}

const browser = await launchBrowser();
const out = flags.docs ? 'docs/images' : flags.out;
mkdirSync(out, { recursive: true });
if (flags.docs) {
  for (const { name, scheme, height } of DOCS) {
    const shot = SHOTS.find((one) => one.name === name);
    if (shot === undefined) continue;
    const file = join(out, `console-${name}.webp`);
    await take(browser, { shot, screen: { name: 'desktop', width: 1440, height }, scheme, file, whole: false });
  }
} else {
  for (const shot of SHOTS.filter(({ name }) => flags.only === undefined || flags.only.split(',').includes(name))) {
    for (const screen of SCREENS) {
      for (const scheme of SCHEMES) {
        const file = join(out, `${shot.name}-${screen.name}-${scheme}.png`);
        await take(browser, { shot, screen, scheme, file, whole: true });
      }
    }
  }
}
await browser.close();
