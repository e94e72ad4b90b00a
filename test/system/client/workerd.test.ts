/**
 * The documented guards in workerd, the runtime of Cloudflare Workers. Promise: however many visitors come at once,
 * each gets its own answer. That runtime ends a visit that waits for the request of another.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Miniflare } from 'miniflare';
import { rolldown } from 'rolldown';
import { startTestService } from '../../../kit/service.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { startFaultyProxy } from '../../client/faulty-proxy.ts';
import { made, makePolicy } from '../../http/given.ts';

const postern = await startTestService({ env: { POSTERN_DECISION_MAX_AGE: '2' } });
const proxy = await startFaultyProxy(postern.url);
after(async () => {
  await proxy[Symbol.asyncDispose]();
  await postern[Symbol.asyncDispose]();
});

const policyOf = async (...rules: object[]) => (await makePolicy(postern, rules)).id;
for (const [externalId, policyId] of [
  ['open', await policyOf({ action: 'allow', conditions: {} })],
  ['closed', await policyOf({ action: 'deny', conditions: {} })],
  ['counted', await policyOf({ action: 'allow', conditions: {}, rateLimit: { requests: 1_000_000, period: 'day' } })],
]) {
  const item = { externalId, title: 'x', type: 'article', source: `https://site.example/articles/${externalId}` };
  await made(postern, '/v1/content', { ...item, policyId });
}

const PROGRAMS = [...readFileSync('docs/enforce/node.md', 'utf8').matchAll(/^```js\n([^]*?)^```$/gm)].map(
  (match) => match[1] ?? '',
);
/** A program with a longer wait: what is tried is that each visitor gets an answer, not how fast this machine is. */
const documented = (word: string): string =>
  (
    PROGRAMS.find((program) => program.includes('export default') && program.includes(word)) ?? assert.fail(word)
  ).replace('key:', 'timeoutMs: 20_000, key:');

const WRAPPED = `
import { guard } from '@postern/client';
const { fetch: guarded } = guard({
  url: process.env.POSTERN_URL, key: process.env.POSTERN_KEY, content: 'url', origin: 'https://site.example',
  timeoutMs: 20_000, onError: 'allow', batch: true,
});
export default { fetch: guarded(() => new Response('The article')) };`;

async function bundleOf(program: string): Promise<string> {
  const folder = folderOf({ 'main.js': program });
  await using bundle = await rolldown({
    input: join(folder, 'main.js'),
    platform: 'node',
    resolve: {
      alias: { '@postern/client': resolve('client/src/index.ts') },
      modules: [resolve('node_modules')],
    },
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  return output[0].code;
}

async function startWorker(program: string): Promise<Miniflare> {
  const worker = new Miniflare({
    modules: true,
    script: await bundleOf(program),
    compatibilityDate: '2026-01-01',
    compatibilityFlags: ['nodejs_compat'],
    bindings: { POSTERN_URL: proxy.url, POSTERN_KEY: postern.key },
  });
  await worker.ready;
  return worker;
}

for (const [name, program] of [
  ['Hono', documented('Hono')],
  ['a handler that takes the verdict', documented('toResponse')],
  ['a wrapped handler that asks for batches', WRAPPED],
] as const) {
  describe(name, () => {
    let worker: Miniflare;
    before(async () => {
      worker = await startWorker(program);
    });
    after(() => worker.dispose());
    const get = async (path: string) => {
      const page = await worker.dispatchFetch(`https://site.example/articles/${path}`);
      return { status: page.status, text: await page.text() };
    };

    for (const count of [8, 60, 200]) {
      test(`${count} visitors at once`, async () => {
        proxy.asked.length = 0;
        const paths = Array.from(
          { length: count },
          (_, i) => ['counted', 'closed', 'nothing', 'open'][i % 4] as string,
        );
        const pages = await Promise.all(paths.map(get));
        for (const [i, { status, text }] of pages.entries()) {
          const isOpen = paths[i] === 'open' || paths[i] === 'counted';
          assert.deepEqual(
            [status, text.includes('The article')],
            [isOpen ? 200 : 403, isOpen],
            `${paths[i]}: ${text}`,
          );
        }
        assert.ok(proxy.asked.every(({ path }) => path === '/v1/access/check'));
        assert.ok(proxy.asked.filter(({ path }) => path).length >= count / 2, 'each its own request');
      });
    }

    test('an answer with a maxAge serves the next visitors, while others are answered', async () => {
      await get('open');
      proxy.asked.length = 0;
      const pages = await Promise.all(Array.from({ length: 20 }, () => get('open')));
      assert.ok(pages.every(({ status }) => status === 200));
      assert.equal(proxy.asked.length, 0);
    });

    test('a dead service is asked no more after three failures, and every visitor gets an answer', async () => {
      proxy.faults = Array.from({ length: 300 }, () => ({ status: 500 }));
      for (let i = 0; i < 3; i++) await get('counted');
      proxy.asked.length = 0;
      const pages = await Promise.all(Array.from({ length: 60 }, () => get('counted')));
      const expected = name.startsWith('a wrapped') ? 200 : 503;
      assert.ok(pages.every(({ status }) => status === expected));
      assert.equal(proxy.asked.length, 0);
      proxy.faults = [];
    });
  });
}
