/**
 * Without a mouse: a key opens each menu, list of choices and dialog, and the dialogs of each menu's
 * items. The focus is in what opens, and axe finds no fault, light and dark. Escape closes it and gives the focus back.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { fillEverything } from './everything.ts';
import { findings, go, shows, turned } from './looking.ts';

const browser = await launchBrowser();
after(() => browser.close());
const postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());
const { essay } = await fillEverything(postern);

const PAGES: readonly [path: string, opensDialog?: RegExp][] = [
  [''],
  ['/decisions'],
  ['/visitors'],
  ['/programs'],
  ['/demand'],
  ['/content/new'],
  [`/content/${essay.id}`],
  ['/requesters', /^Add a partner/],
];

const ALL = ['minor', 'moderate', 'serious', 'critical'];
const OPENED = '[role="dialog"]:visible, [role="menu"]:visible, [role="listbox"]:visible';
/** Selectors of openers, with the key that opens; lists of choices open by an arrow. */
const OPENERS: readonly [selector: string, key: string][] = [
  ['button[aria-haspopup="menu"]', 'Enter'],
  ['button[aria-haspopup="dialog"]', 'Enter'],
  ['input[aria-haspopup="listbox"]', 'ArrowDown'],
  ['.search', 'Enter'],
];
/** Items of menus that do their work without a dialog. */
const AT_ONCE = /^(Archive|Sign out|CSV|NDJSON|All \d|(GET|POST) )/;

/** Openers that look the same on every page are tried once. */
const seen = new Set<string>();

async function nameOf(opener: Locator): Promise<string> {
  const name = (await opener.getAttribute('aria-label')) ?? (await opener.textContent()) ?? '';
  return name.replace(/\d[\d,.]*/g, '0').slice(0, 60);
}

/** Waits until something is open and has the focus, or the list whose field has it. */
async function opened(page: Page): Promise<void> {
  await page.locator(OPENED).first().waitFor();
  await turned(page, hasFocus);
}

const hasFocus = `document.activeElement.getAttribute('aria-haspopup') === 'listbox'
  || document.activeElement.closest('[role="dialog"], [role="menu"]') !== null`;

/** Returns the faults of an open menu, list or dialog. */
async function examine(page: Page, what: string): Promise<string[]> {
  const wrong: string[] = [];
  if (!(await page.evaluate<boolean>(hasFocus))) wrong.push(`${what}: has no focus`);
  await turned(page, shows('light'));
  for (const one of await findings(page, undefined, ALL)) wrong.push(`${what} light: ${one}`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await turned(page, shows('dark'));
  for (const one of await findings(page, 'color-contrast')) wrong.push(`${what} dark: ${one}`);
  await page.emulateMedia({ colorScheme: 'light' });
  return wrong;
}

/** Presses Escape, and returns what is then wrong. */
async function leave(page: Page, opener: Locator, what: string): Promise<string[]> {
  await page.keyboard.press('Escape');
  const gone = await page
    .locator(OPENED)
    .first()
    .waitFor({ state: 'hidden', timeout: 5_000 })
    .then(() => true)
    .catch(() => false);
  if (!gone) return [`${what}: Escape does not close it`];
  const isBack = await opener
    .and(page.locator(':focus'))
    .waitFor({ timeout: 5_000 })
    .then(() => true)
    .catch(() => false);
  return isBack ? [] : [`${what}: the focus does not return`];
}

/** Opens the dialogs of a menu's items, which arrows reach. */
async function eachItem(page: Page, opener: Locator, what: string): Promise<string[]> {
  const wrong: string[] = [];
  const names = await page.locator('[role="menuitem"]:visible:enabled').allTextContents();
  wrong.push(...(await leave(page, opener, what)));
  for (const name of names.filter((one) => !AT_ONCE.test(one))) {
    await page.keyboard.press('Enter');
    const item = page.getByRole('menuitem', { name, exact: true });
    await item.waitFor();
    await turned(page, hasFocus);
    for (let i = 0; i < names.length && (await item.and(page.locator(':focus')).count()) === 0; i++)
      await page.keyboard.press('ArrowDown');
    if ((await item.and(page.locator(':focus')).count()) === 0) return [...wrong, `${what}, ${name}: not reached`];
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').filter({ visible: true }).waitFor();
    await turned(page, hasFocus);
    wrong.push(...(await examine(page, `${what}, ${name}`)), ...(await leave(page, opener, `${what}, ${name}`)));
  }
  return wrong;
}

async function press(page: Page, opener: Locator, key: string, path: string): Promise<string[]> {
  const name = await nameOf(opener);
  if (seen.has(`${key} ${name}`) || !(await opener.isEnabled())) return [];
  seen.add(`${key} ${name}`);
  const what = `${path} ${name}`;
  await opener.focus();
  await page.keyboard.press(key);
  await opened(page);
  const wrong = await examine(page, what);
  const isMenu = (await page.locator('[role="menu"]:visible').count()) > 0;
  return [...wrong, ...(isMenu ? await eachItem(page, opener, what) : await leave(page, opener, what))];
}

for (const [path, dialog] of PAGES) {
  test(`/console${path}`, async () => {
    const settings = { viewport: { width: 1366, height: 900 }, colorScheme: 'light', reducedMotion: 'reduce' } as const;
    await using signed = await signedIn(browser, postern.url, postern.key, settings);
    const { page, faults } = signed;
    await page.goto('/console/nowhere');
    await go(page, path);
    const wrong: string[] = [];
    for (const [selector, key] of OPENERS) {
      const openers = page.locator(`${selector}:visible`);
      for (let i = 0; i < (await openers.count()); i++) wrong.push(...(await press(page, openers.nth(i), key, path)));
    }
    if (dialog) wrong.push(...(await press(page, page.getByRole('button', { name: dialog }).first(), 'Enter', path)));
    assert.deepEqual([...wrong, ...faults], []);
  });
}
