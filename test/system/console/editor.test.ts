/** The editor of rules is safe by default: what was not said yet allows, denies and publishes nothing. */
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, type Signed, signedIn, signingIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { check, item, made, makeKey } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

let signed: Signed;
let page: Page;
beforeEach(signingIn(browser, postern, { width: 1440, height: 900 }, (now) => ({ page } = signed = now)));

const open = async (rules: object[], more: object = {}) => {
  const policy = await made(postern, '/v1/policies', { name: 'Edited', rules, ...more });
  await page.goto(`/console/policies/${policy.id}`);
  await page.getByRole('heading', { name: 'Rules', exact: true }).waitFor();
  return policy as { id: string };
};
const card = (number: number) => page.locator('.rule-card').nth(number - 1);
const words = (number: number) => card(number).locator('.words').innerText();
const publishing = () => page.getByRole('button', { name: 'Preview and publish' });
const addCondition = async (number: number, name: RegExp) => {
  await card(number).getByRole('button', { name: 'Add a condition' }).click();
  await page.getByRole('menuitem', { name }).click();
};
const focused = () => page.evaluate<string>('document.activeElement.getAttribute("aria-label")');
const rulesOf = async (id: string) => (await postern.call('GET', `/v1/policies/${id}`)).body.rules;

test('a new rule denies, stands before the default, and does nothing until it has a condition', async () => {
  const { id } = await open([
    { action: 'deny', conditions: { country: 'FR' }, priority: 20 },
    { action: 'allow', conditions: { country: 'DE' }, priority: 10 },
    { action: 'allow', conditions: { default: true } },
  ]);
  await page.getByRole('button', { name: 'Add a rule' }).click();
  assert.match(await words(3), /never: it has no condition yet/);
  assert.equal(await card(3).getAttribute('data-action'), 'deny');
  assert.match(await words(4), /everybody else/);
  await card(3).getByText('until you add one, this rule does nothing').waitFor();
  assert.equal(await publishing().getAttribute('title'), 'Rule 3 has no condition yet: add one, or remove the rule.');
  assert.equal(await card(3).locator('.mantine-Alert-root').count(), 0, 'nothing is wrong before anything is said');
  // What would be decided now, by every way that decides by a draft.
  const essay = await made(postern, '/v1/content', item({ title: 'Decided', externalId: `e-${id}`, policyId: id }));
  await page.getByRole('tab', { name: 'Try it' }).click();
  await page.getByRole('combobox', { name: 'Item' }).fill('Decided');
  await page.getByRole('option', { name: /Decided/ }).click();
  await page.getByRole('button', { name: 'Decide', exact: true }).click();
  await page.locator('[data-outcome="allowed"]').waitFor();
  await page.getByRole('tab', { name: 'Rules' }).click();
  await card(3).locator('.rule-title').click();

  await addCondition(3, /^Crawler A known bot/);
  assert.equal(await focused(), 'Crawler');
  assert.equal(
    await publishing().getAttribute('title'),
    'Rule 3 has no value for “Crawler” yet: give one, or remove the condition.',
  );
  assert.equal(await card(3).locator('.mantine-Alert-root').count(), 0);
  await page.keyboard.type('gptb');
  await page.getByRole('option', { name: /^GPTBot/ }).click();
  await page.keyboard.press('Escape');
  await publishing().click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('version 2', { exact: true }).waitFor();
  assert.deepEqual(await rulesOf(id), [
    { action: 'allow', conditions: { country: 'DE' } },
    { action: 'deny', conditions: { country: 'FR' } },
    { action: 'deny', conditions: { crawler: ['GPTBot'] } },
    { action: 'allow', conditions: { default: true } },
  ]);
  const decision = await check(postern, { contentId: essay.id, context: { userAgent: 'GPTBot/1.2' } });
  assert.equal(decision.allowed, false);
  assert.deepEqual(signed.faults, []);
});

test('a rule that loses its last condition matches nobody, not everybody', async () => {
  await open([{ action: 'allow', conditions: { country: 'DE' } }]);
  await card(1).locator('.rule-title').click();
  await card(1).getByRole('button', { name: 'Remove condition Country' }).click();
  assert.match(await words(1), /never: it has no condition yet/);
  assert.equal(await publishing().getAttribute('aria-disabled'), 'true');
});

test('a rule that matches everybody else is open where it goes', async () => {
  await open([
    { action: 'deny', conditions: { country: 'FR' } },
    { action: 'allow', conditions: { country: 'DE' } },
  ]);
  await card(1).locator('.rule-title').click();
  await addCondition(1, /^Everything else/);
  assert.match(await words(2), /country is France and no other rule matches/);
  await card(2).getByRole('button', { name: 'Remove condition Country' }).click();
  assert.match(await words(2), /everybody else/);
});

test('warnings advise what the form can do, by its words', async () => {
  await open(
    [
      { action: 'allow', conditions: { default: true } },
      { action: 'deny', conditions: { crawler: 'GPTBot' } },
      { action: 'allow', conditions: { crawler: 'ClaudeBot' }, priority: 9 },
      { action: 'deny', conditions: { crawler: 'GPTBot' }, priority: 10 },
    ],
    { defaultAction: 'allow' },
  );
  const alerts = page.locator('.rule-card .mantine-Alert-root');
  await alerts.first().waitFor();
  const said = (await alerts.allInnerTexts()).join('\n');
  for (const wire of ['rules[', 'crawlerVerified', 'priority', 'userAgent', 'Move it to the end', 'default: true'])
    assert.ok(!said.includes(wire), `${wire} in ${said}`);
  assert.match(said, /Require “Crawler verified: yes”/);
  assert.match(said, /A check without “User agent” is not denied by this rule, and rule 4 then allows it/);
  assert.match(said, /This rule says the same as rule 1, which is evaluated before it/);
});

test('a value that is refused is named as its field; half a time is no fault', async () => {
  await open([{ action: 'deny', conditions: { ip: '10.0.0.0/8' } }]);
  await card(1).locator('.rule-title').click();
  await card(1).getByRole('combobox', { name: 'Address', exact: true }).fill('300.1.2.3');
  await page.keyboard.press('Enter');
  const alert = card(1).locator('.mantine-Alert-root');
  await alert.waitFor();
  assert.match(await alert.innerText(), /^“Address”.*IPv4/);
  await publishing().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('alert').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Publish', exact: true }).isDisabled(), true);
  await dialog.getByRole('button', { name: 'Not yet' }).click();
  await card(1).getByRole('button', { name: 'Remove condition Address' }).click();
  await addCondition(1, /^Time The time/);
  const from = card(1).getByLabel('From (09:00)');
  await from.pressSequentially('09');
  assert.match(await words(1), /days mon/);
  assert.ok(!(await words(1)).includes('from'));
  await from.pressSequentially(':00');
  await from.blur();
  await card(1).locator('.words', { hasText: 'from 09:00' }).waitFor();
});

test('Publish stays in sight below a long preview', async () => {
  const { id } = await open([{ action: 'allow', conditions: { default: true } }]);
  for (let i = 0; i < 8; i++) {
    const { id: contentId } = await made(postern, '/v1/content', item({ externalId: `long-${i}`, policyId: id }));
    await check(postern, { contentId, requesterId: `somebody-${i}` });
  }
  await page.setViewportSize({ width: 390, height: 600 });
  await page.getByRole('button', { name: 'Remove rule 1' }).click();
  await publishing().click();
  await page.locator('[data-figure="allowToDeny"]', { hasText: '8' }).waitFor();
  const publish = page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true });
  const { y = 0, height = 0 } = (await publish.boundingBox()) ?? {};
  assert.ok(y > 0 && y + height <= 600, `at ${y}`);
  await page.getByRole('button', { name: 'Not yet' }).click();
});

test('who may not edit reads sentences, and finds no field', async () => {
  const { id } = await open([{ action: 'deny', conditions: { country: 'FR' }, message: 'Write to us.' }], {
    description: 'About France',
  });
  const key = await makeKey(postern, { name: 'Reader', permissions: ['policies:read', 'content:read'] });
  await using reader = await signedIn(browser, postern.url, key, { viewport: { width: 1440, height: 900 } });
  await reader.page.goto(`/console/policies/${id}`);
  await reader.page.getByText('country is France').waitFor();
  await reader.page.getByText('Message: Write to us.').waitFor();
  await reader.page.getByText('About France').waitFor();
  assert.equal(await reader.page.locator('main :is(input, textarea, [contenteditable])').count(), 0);
  assert.equal(await reader.page.getByRole('button', { name: 'Add a rule' }).count(), 0);
  assert.deepEqual(reader.faults, []);
});

test('a limit is the digits that its field shows, whatever separator was typed', async () => {
  const { id } = await open([{ action: 'allow', conditions: { country: 'FR' } }]);
  await card(1).locator('.rule-title').click();
  await card(1).getByRole('button', { name: 'Add a limit' }).click();
  const requests = card(1).getByRole('textbox', { name: 'Requests' });
  for (const typed of ['2.5', '1.000', '1,000']) {
    await requests.selectText();
    await page.keyboard.type(typed);
    assert.equal(await requests.inputValue(), typed.replace(/\D/, ''));
  }
  await publishing().click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('version 2', { exact: true }).waitFor();
  assert.equal((await rulesOf(id))[0].rateLimit.requests, 1_000);
});

test('a template says what to replace, by the number of its rule, until it is replaced', async () => {
  await page.goto('/console/policies/new');
  const cards = page.locator('.card');
  await cards.first().waitFor();
  for (const text of await cards.allInnerTexts()) assert.doesNotMatch(text, /rules\[|context\.|Replace/);
  await page.getByRole('button', { name: 'Use this one: AI crawlers' }).click();
  const advice = page.getByText('Rule 2 has the address licensing@example.com of the template: replace it with yours.');
  await advice.waitFor();
  assert.doesNotMatch(await page.getByRole('textbox', { name: 'Description' }).inputValue(), /rules\[|context\./);
  await card(2).locator('.rule-title').click();
  await card(2).getByLabel('Message').fill('Write to us@news.example.');
  await advice.waitFor({ state: 'detached' });
});
