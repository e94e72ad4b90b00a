/** A licensing manager sees on the page of a site what its web server serves otherwise than it should. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { startSite } from '../../drift/site.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());
const site = await startSite();
after(() => site[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());
const { host } = site;

const policy = await made(postern, '/v1/policies', {
  name: 'No training',
  rules: [{ action: 'deny', conditions: { crawler: ['GPTBot'] } }],
  defaultAction: 'allow',
});
await made(postern, '/v1/collections', { name: 'Premium', hosts: [host], paths: ['/premium/'], policyId: policy.id });
await postern.call('PUT', `/v1/sites/${host}`, { body: { signals: { robots: 'replace' } } });
const { text } = await postern.call('GET', `/v1/sites/${host}/signals/robots.txt`);

test('live against intended, line by line, and a check on demand', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 1000 } });
  const { page } = signed;
  const listed = page.getByRole('row', { name: host });
  await page.goto('/console/sites');
  await listed.getByText('not looked at yet').waitFor();
  await page.goto(`/console/sites/${encodeURIComponent(host)}`);
  const panel = page.getByRole('region', { name: 'On your site' });
  await panel.getByText('Not looked at yet').waitFor();

  site.files.set('/robots.txt', text.replace('Disallow: /premium/', ''));
  await panel.getByRole('button', { name: 'Check now' }).click();
  await panel.getByText('GPTBot may fetch /premium/; the policies deny it.').waitFor();
  await panel.getByText('says something else').waitFor();
  await panel.getByText('says more than you allow').waitFor();
  await page.getByRole('link', { name: 'Sites', exact: true }).first().click();
  await listed.getByText('says something else').waitFor();
  await listed.getByRole('link', { name: host }).click();
  await panel.getByText('Line by line').click();
  await panel.locator('.line-intended', { hasText: 'Disallow: /premium/' }).waitFor();

  site.files.set('/robots.txt', text);
  await panel.getByRole('button', { name: 'Check now' }).click();
  await panel.getByText('as it should be').first().waitFor();
  assert.deepEqual(signed.faults, []);
});
