/** A licensing manager publishes a site without knowing any of the formats. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { check, made } from '../../http/given.ts';

const postern = await startTestService({ env: { POSTERN_PUBLIC_URL: 'https://access.example' } });
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const policy = await made(postern, '/v1/policies', {
  name: 'No training',
  rules: [{ action: 'deny', conditions: { crawlerPurpose: ['training'] }, message: 'Ask for a license.' }],
  defaultAction: 'allow',
});
await made(postern, '/v1/collections', { name: 'News', hosts: ['news.example'], policyId: policy.id });

const robots = async () => {
  const answer = await fetch(`${postern.url}/v1/sites/news.example/signals/robots.txt`);
  return { status: answer.status, text: await answer.text() };
};

const rules = async () => (await postern.call('GET', '/v1/sites/news.example')).body.urls;

test('a site is published from its collection: statements, files and switches', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 1000 } });
  const { page } = signed;
  await page.goto('/console/sites?new=1');
  await page.getByRole('combobox', { name: 'Host' }).click();
  await page.getByRole('option', { name: 'news.example' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'news.example', level: 1 }).waitFor();
  const said = page.getByRole('region', { name: 'Said to crawlers' });
  const training = said.getByRole('row', { name: /GPTBot/ });
  assert.match(await training.innerText(), /no/);
  assert.match(await said.getByRole('row', { name: /everybody else/ }).innerText(), /yes/);

  const file = page.getByLabel('robots.txt', { exact: true }).filter({ hasText: 'User-agent: GPTBot' });
  await file.waitFor();
  assert.equal((await robots()).status, 401, 'nobody else reads it yet');

  await page.getByLabel('Your own robots.txt').fill('User-agent: *\nDisallow: /search\n');
  await page.getByRole('switch', { name: 'Everybody may read the files here' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('readable by everybody').waitFor();
  const served = await robots();
  assert.equal(served.status, 200);
  assert.ok(served.text.startsWith('User-agent: *\nDisallow: /search\n'), served.text);
  await file.filter({ hasText: 'Disallow: /search' }).waitFor();

  await page.getByRole('switch', { name: 'The case of letters does not matter' }).click();
  await page.getByLabel('Index files').fill('index.html, start.html');
  await page.getByRole('button', { name: 'Save' }).click();
  await until('the rules are stored', async () => (await rules()).case === 'ignored');
  assert.deepEqual(await rules(), { case: 'ignored', finalSlash: 'ignored', index: ['index.html', 'start.html'] });

  await page.getByRole('radiogroup', { name: 'robots.txt' }).getByText('Leave it alone').click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Switched off').waitFor();

  await page.goto('/console/sites?new=1');
  await page.getByRole('combobox', { name: 'Host' }).click();
  await page.getByRole('option', { name: 'news.example' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('readable by everybody').waitFor();
  assert.deepEqual(
    signed.faults.filter((fault) => !fault.includes('404')),
    [],
  );
});

test('the license server is switched on with the license that names it, and stays on', async () => {
  await made(postern, '/v1/collections', { name: 'Shop', hosts: ['shop.example'], policyId: policy.id });
  const site = { signals: { public: true } };
  assert.equal((await postern.call('PUT', '/v1/sites/shop.example', { body: site })).status, 201);
  const stored = async () => (await postern.call('GET', '/v1/sites/shop.example')).body.signals;
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/sites/shop.example');
  const license = page.getByRole('switch', { name: 'Machine-readable license (RSL)' });
  if (await license.isChecked()) await license.click();
  await page.getByRole('switch', { name: 'License server' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/license server is named in license\.xml/i).waitFor();
  await license.click();
  await page.getByRole('button', { name: 'Save' }).click();
  await until('the license server is on', async () => (await stored()).licenseServer);
  await page.getByRole('switch', { name: 'Content-Signal' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await until('another switch is stored', async () => !(await stored()).contentSignal);
  assert.equal((await stored()).licenseServer, true);
  assert.deepEqual(signed.faults, []);
});

test('who broke robots.txt: on the page of the site, and all of them in the log', async () => {
  await made(postern, '/v1/collections', { name: 'Open', hosts: ['shop.example'], policyId: policy.id });
  await postern.call('PUT', '/v1/sites/shop.example', { body: { signals: { robots: 'replace' } } });
  await postern.call('GET', '/v1/sites/shop.example/signals/robots.txt');
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 1000 } });
  const { page } = signed;
  const broke = page.getByRole('region', { name: 'Who broke robots.txt' });
  await page.goto('/console/sites/shop.example');
  await broke.getByText('No crawler did').waitFor();

  for (const userAgent of ['GPTBot/1.2', 'Bingbot/2.0']) {
    await check(postern, { url: 'https://shop.example/cart', context: { userAgent } });
  }
  await page.reload();
  await broke
    .getByRole('row', { name: /GPTBot/ })
    .getByText('allowed by an older robots.txt')
    .waitFor();
  assert.equal(await broke.getByRole('row').count(), 2, 'a head and one access');

  await broke.getByRole('link', { name: 'All of them' }).click();
  await page.getByText('2 accesses of crawlers compared').waitFor();
  await page.getByRole('combobox', { name: 'robots.txt' }).click();
  await page.getByRole('option', { name: 'Broke every copy of the day' }).click();
  await page.getByText('No matching').waitFor();
  assert.deepEqual(signed.faults, []);
});
