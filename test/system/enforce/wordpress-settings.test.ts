/**
 * The pages of the WordPress plugin in a browser. Promise: a new user comes from activation to observing, and then to
 * enforcing, by the pages alone; what is not chosen is asked for; no secret is shown again.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { made, makeKey, makePolicy } from '../../http/given.ts';
import { BROWSER, CRAWLER, PASSWORD, startWordPress } from './wordpress.ts';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const postern = stack.use(await startTestService());
const wp = stack.use(await startWordPress());
const browser = await launchBrowser();
stack.defer(() => browser.close());
const context = await browser.newContext({ baseURL: wp.url, userAgent: BROWSER });
const page = await context.newPage();
page.setDefaultTimeout(60_000);
const faults: string[] = [];
page.on('pageerror', (error) => faults.push(error.message));
const SETTINGS = '/wp-admin/options-general.php?page=postern';
const look = async (name: string): Promise<void> => {
  if (process.env.LOOKS === undefined) return;
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 1000 });
    await page.screenshot({ path: `${process.env.LOOKS}/${name}-${width}.png`, fullPage: true });
  }
};

test('from activation to a refused crawler', async () => {
  await page.goto('/wp-login.php');
  // Its script moves the focus there a while after it has loaded, from the field that is being filled in.
  await page.locator('#user_login:focus').waitFor();
  await page.fill('#user_login', 'editor');
  await page.fill('#user_pass', PASSWORD);
  await page.click('#wp-submit');
  await page.waitForURL(/wp-admin/);
  await page.goto('/wp-admin/plugins.php');
  assert.match(await page.innerText('.notice-warning'), /decides nothing yet/);

  await page.click('.notice-warning a');
  await look('empty');
  await page.fill('#postern-url', postern.url);
  await page.fill('#postern-key', await makeKey(postern, { permissions: ['access:check'] }));
  assert.equal(await page.locator('input[name="postern[ask]"]:checked').count(), 0);
  assert.equal(await page.locator('input[name="postern[on_error]"]:checked').count(), 0);
  assert.equal(await page.locator('input[name="postern[mode]"]:checked').inputValue(), 'observe');
  await page.click('#submit');
  assert.equal(await page.locator('input[name="postern[ask]"]:invalid').count(), 2, 'asked for');
  await page.check('input[name="postern[ask]"][value="programs"]');
  await page.check('input[name="postern[on_error]"][value="deny"]');
  await page.fill('#postern-timeout_ms', '10000');
  await page.click('#submit');
  await page.waitForSelector('#setting-error-settings_updated');

  await page.click('text=Test connection');
  await page.waitForSelector('.notice-error');
  assert.match(await page.innerText('.wrap'), /no collection for localhost/);
  const { id } = await makePolicy(postern, [
    { action: 'deny', conditions: { crawler: 'GPTBot' } },
    { action: 'allow', conditions: {} },
  ]);
  await made(postern, '/v1/collections', { name: 'Site', hosts: [wp.host], paths: ['/'], policyId: id });
  await page.click('text=Test connection');
  await page.waitForSelector('.notice-success');
  assert.equal(await page.locator('.notice-error').count(), 0, await page.innerText('.wrap'));
  await look('tested');

  assert.equal((await wp.get('/', { as: CRAWLER })).status, 200);
  await page.check('input[name="postern[mode]"][value="enforce"]');
  await page.click('#submit');
  await page.waitForSelector('#setting-error-settings_updated');
  assert.equal((await wp.get('/', { as: CRAWLER })).status, 403);
});

test('items, the box on the dashboard and Site Health', async () => {
  const secret = await makeKey(postern, { permissions: ['content:write', 'analytics:read'] });
  await page.goto(SETTINGS);
  await page.fill('#postern-content_key', secret);
  await page.click('#submit');
  await page.waitForSelector('#setting-error-settings_updated');
  assert.ok(!(await page.content()).includes(secret));
  await page.click('text=Register all posts');
  await page.waitForSelector('progress');
  await look('importing');
  await wp.cron();
  const items = await until('items', async () => (await postern.call('GET', '/v1/content')).body.totalCount as number);
  assert.equal(items, 2);
  await page.goto('/wp-admin/index.php');
  assert.match(await page.innerText('#postern'), /GPTBot[^]*\/\s[^]*Denied: policy_denied/);
  await look('dashboard');
  await page.goto('/wp-admin/site-health.php');
  await page.click('.site-health-view-passed');
  await page.click('text=Postern works');
  assert.match(await page.innerText('#health-check-issues-good'), /Programs are asked about/);
});

test('a constant shows as fixed, and nothing failed in the pages', async () => {
  wp.configure(`define( 'POSTERN_MODE', 'enforce' );\n`);
  await page.goto(SETTINGS);
  assert.ok(await page.locator('input[name="postern[mode]"][value="observe"]').isDisabled());
  assert.match(await page.innerText('.wrap'), /Fixed by POSTERN_MODE/);
  await page.click('text=Write the early loader');
  assert.match(await page.innerText('code'), /is_file\( '.*postern\/early\.php' \)/);
  await look('loader');
  assert.deepEqual(faults, []);
});
