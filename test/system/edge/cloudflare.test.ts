/** The adapter of Cloudflare in workerd, its runtime, by the table of cases; and many visitors at once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Miniflare } from 'miniflare';
import { bundleOf } from './bundle.ts';
import { type Site, testPlatform } from './cases.ts';
import { startWorld, type World } from './world.ts';

/**
 * Cloudflare itself, as far as a Worker sees it: the address in a header that visitors cannot send, `cf`, and an origin
 * at the address of the request.
 */
async function start(world: World, environment: Record<string, string>): Promise<Site> {
  const worker = new Miniflare({
    modules: true,
    script: await bundleOf('adapters/cloudflare/worker.js'),
    compatibilityDate: '2026-01-01',
    bindings: environment,
  });
  await worker.ready;
  return {
    async visit(path, { method = 'GET', headers = {}, ip, country, bot } = {}) {
      const cf = { ...(country && { country }), verifiedBotCategory: bot === true ? 'AI Crawler' : '' };
      const from = ip === undefined ? {} : { 'cf-connecting-ip': ip };
      const answer = await worker.dispatchFetch(world.origin + path, {
        method,
        headers: { ...headers, ...from },
        redirect: 'manual',
        cf: cf as never,
      });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    },
    [Symbol.asyncDispose]: () => worker.dispose(),
  };
}

testPlatform({ name: 'Cloudflare', start, owns: ['cf-connecting-ip'] });

describe('in workerd', () => {
  test('200 visitors at once each get their own answer', async () => {
    await using world = await startWorld();
    const own = { POSTERN_URL: world.proxy.url, POSTERN_KEY: world.postern.key, POSTERN_TIMEOUT_MS: '60000' };
    const settings = {
      ...own,
      POSTERN_ORIGIN: 'https://site.example',
      POSTERN_ASK: 'everyone',
      POSTERN_ON_ERROR: 'deny',
    };
    await using site = await start(world, settings);
    const paths = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? `/open/${i}` : `/shut/${i}`));
    const answers = await Promise.all(paths.map((path) => site.visit(path)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      paths.map((path) => (path.startsWith('/open') ? 200 : 403)),
    );
    assert.equal(world.proxy.asked.length, 200);
  });

  test('a Worker without its settings serves nothing, and says what is missing', async () => {
    await using world = await startWorld();
    await using site = await start(world, { POSTERN_URL: world.proxy.url, POSTERN_KEY: 'k', POSTERN_ASK: 'everyone' });
    const answer = await site.visit('/open/a');
    assert.equal(answer.status, 500);
    assert.match(answer.text, /Set POSTERN_ON_ERROR: deny or allow/);
    assert.equal(world.served.length, 0);
  });
});
