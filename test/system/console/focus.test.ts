/** Without a mouse: a dialog that closes gives the focus back to the button that opened it, or to that of its menu. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });

/** The buttons that open a dialog, one after the other. */
const dialogs: [page: string, ...buttons: [RegExp, ...RegExp[]]][] = [
  ['/console/requesters', /^Add a partner/],
  ['/console/keys', /^Create a key/],
  ['/console/requesters/acme', /^More to do/, /^Edit/],
  ['/console/requesters/acme', /^More to do/, /^Delete/],
  ['/console/audit', /requester\.created/],
];

for (const [path, first, ...others] of dialogs) {
  const last = others.at(-1) ?? first;
  test(`${path}: Escape in the dialog of ${last.source} leads back to ${first.source}`, async () => {
    await using signed = await signedIn(browser, postern.url, postern.key);
    const { page } = signed;
    await page.goto(path);
    const button = page.getByRole('button', { name: first }).first();
    await button.focus();
    await page.keyboard.press('Enter');
    for (const name of others) {
      await page.getByRole('menuitem', { name }).focus();
      await page.keyboard.press('Enter');
    }
    const dialog = page.getByRole('dialog').filter({ visible: true });
    await dialog.locator(':focus').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await button.and(page.locator(':focus')).waitFor({ timeout: 5_000 });
    assert.deepEqual(signed.faults, []);
  });
}

test('the rule that a key moved keeps the focus, and the key moves it further', async () => {
  const rules = ['DE', 'FR', 'IT'].map((country) => ({ action: 'deny', conditions: { country } }));
  const policy = await made(postern, '/v1/policies', { name: 'Countries', rules });
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto(`/console/policies/${policy.id}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const focused = (name: string) => button(name).and(page.locator(':focus')).waitFor({ timeout: 5_000 });
  const order = async () => (await page.locator('.rule-title .words').allInnerTexts()).map((one) => one.slice(-7));
  await button('Move rule 1 down').focus();
  await page.keyboard.press('Enter');
  await focused('Move rule 2 down');
  await page.keyboard.press('Enter');
  // The last rule cannot go further down.
  await focused('Move rule 3 up');
  assert.deepEqual(await order(), [' France', 's Italy', 'Germany']);
  await button('Move rule 1: press space, then arrows').focus();
  for (const [key, said] of [
    ['Space', 'over droppable area 1'],
    ['ArrowDown', 'over droppable area 2'],
    ['Space', 'was dropped'],
  ] as const) {
    await page.keyboard.press(key);
    await page.getByRole('status').filter({ hasText: said }).waitFor({ state: 'attached', timeout: 5_000 });
  }
  await focused('Move rule 2: press space, then arrows');
  assert.deepEqual(await order(), ['s Italy', ' France', 'Germany']);
  await button('Add a rule').focus();
  await page.keyboard.press('Enter');
  await page.locator('.rule-title[aria-expanded="true"]:focus').waitFor({ timeout: 5_000 });
  assert.deepEqual(signed.faults, []);
});

test('a span is chosen by keys alone, and the focus returns to its button', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  for (const path of ['/console', '/console/decisions']) {
    await page.goto(path);
    const button = page.getByRole('button', { name: /^When: / });
    await button.focus();
    await page.keyboard.press('Enter');
    // Also the first time, when the choices are still to load.
    await page.getByRole('dialog').locator('button:focus').waitFor({ timeout: 5_000 });
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button.and(page.locator(':focus')).waitFor({ timeout: 5_000 });
    assert.match(page.url(), /=20/);
  }
  assert.deepEqual(signed.faults, []);
});
