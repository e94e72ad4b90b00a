/** The pages that visitors see instead of content, in a browser: readable light and dark, and on a phone. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import { launchBrowser } from '../../../kit/browser.ts';
import { freePort } from '../../../kit/port.ts';
import { startTestService } from '../../../kit/service.ts';
import { openServing } from '../../client/serving.ts';
import { assertStatus, made, makePolicy } from '../../http/given.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ORIGIN = 'https://site.example';
const LONG = 'a-very-long-mailbox@department.of.the.publisher.example';

const browser = await launchBrowser();
after(() => browser.close());
const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const serving = openServing();
after(() => serving[Symbol.asyncDispose]());

const collection = async (path: string, rule: object) => {
  const { id: policyId } = await makePolicy(postern, [rule]);
  await made(postern, '/v1/collections', { name: path, hosts: ['site.example'], paths: [path], policyId });
};
await collection('/shut/', { action: 'deny', conditions: {}, message: `Not for you: ${'x'.repeat(200)}` });
await collection('/sold/', { action: 'allow', conditions: { licenseType: ['crawl'] } });
await collection('/limited/', { action: 'allow', conditions: {}, rateLimit: { requests: 1, period: 'hour' } });
const offer = { unitPriceMicros: 5000, currency: 'USD', url: 'https://licensing.example/', contact: LONG };
assertStatus(await postern.call('PUT', '/v1/offers/crawl', { body: offer }), 201);
const start = (url: string) =>
  serving.servers.Express?.({ url, key: postern.key, content: 'url', origin: ORIGIN }) ?? assert.fail('no Express');
const site = await start(postern.url);
const alone = await start(`http://127.0.0.1:${await freePort()}`);
await fetch(`${site}/limited/x`);

for (const colorScheme of ['light', 'dark'] as const) {
  test(`each page can be read on a ${colorScheme} phone`, async () => {
    const context = await browser.newContext({ colorScheme, viewport: { width: 360, height: 640 } });
    const page = await context.newPage();
    for (const [url, title] of [
      [`${site}/shut/x`, 'Access denied'],
      [`${site}/sold/x`, 'License required'],
      [`${site}/limited/x`, 'Too many requests'],
      [`${alone}/x`, 'Access cannot be decided now'],
    ] as const) {
      await page.goto(url);
      assert.equal(await page.getByRole('heading').textContent(), title);
      await page.evaluate(AXE);
      const found = (await page.evaluate(`axe.run({ resultTypes: ['violations'] })`)) as {
        violations: { id: string; impact: string }[];
      };
      const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      assert.deepEqual(
        serious.map(({ id }) => id),
        [],
        url,
      );
      const beyond = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      assert.equal(beyond, 0, `${url} is wider than the phone`);
    }
    await context.close();
  });
}
