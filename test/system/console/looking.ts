/** Shared by the tests of pages: goes to a page, waits for its colors, and asks axe about it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

const GRAVE: readonly string[] = ['serious', 'critical'];
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Returns findings of axe that are as grave, by all rules or one. */
export async function findings(page: Page, rule?: string, impacts = GRAVE): Promise<string[]> {
  if (await page.evaluate<boolean>('window.axe === undefined')) await page.evaluate(AXE);
  const options = {
    runOnly: rule === undefined ? WCAG : { type: 'rule', values: [rule] },
    resultTypes: ['violations'],
  };
  const found = await page.evaluate<Finding[]>(
    `axe.run(document, ${JSON.stringify(options)}).then((result) => result.violations)`,
  );
  return found
    .filter(({ impact }) => impacts.includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 260)}`),
    );
}

/** Waits until the page has applied its new colors. */
export const shows = (scheme: 'dark' | 'light') => `document.documentElement.dataset.mantineColorScheme === '${scheme}'
  && document.getAnimations().every((one) => one.playState !== 'running')`;

/** Waits for an expression to be true, two seconds at most; the page's policy does not let it evaluate by itself. */
export async function turned(page: Page, expression: string): Promise<void> {
  const end = Date.now() + 2_000;
  while (!(await page.evaluate<boolean>(expression)) && Date.now() < end) await page.waitForTimeout(30);
}

export async function settled(page: Page): Promise<void> {
  await page.locator('h1, h3').first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}

/** Goes there as a link of the console does. */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(`/console${path}`)}); dispatchEvent(new Event('popstate'))`,
  );
  await settled(page);
}
