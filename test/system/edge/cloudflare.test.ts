/** The adapter of Cloudflare in workerd, its runtime, by the table of cases; and many visitors at once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Miniflare } from 'miniflare';
import { until } from '../../../kit/until.ts';
import { startWorld, type World } from '../../enforce/world.ts';
import { bundleOf } from './bundle.ts';
import { FIREFOX, type Site, testPlatform } from './cases.ts';

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

  test('a flood of programs that wait for Postern delays no reader, of whom nothing is asked', async () => {
    await using world = await startWorld();
    const settings = {
      POSTERN_URL: world.proxy.url,
      POSTERN_KEY: world.postern.key,
      POSTERN_ORIGIN: 'https://site.example',
      POSTERN_ASK: 'programs',
      POSTERN_ON_ERROR: 'deny',
      POSTERN_TIMEOUT_MS: '20000',
    };
    await using site = await start(world, settings);
    // Postern answers none of them: each program waits for all of its time, but for those that are too many.
    world.proxy.faults = Array.from({ length: 1_000 }, () => 'silent');
    let answered = 0;
    const programs = Array.from({ length: 1_000 }, async (_, i) => {
      const { status } = await site.visit(`/open/${i}`, { headers: { 'user-agent': `GPTBot/1.${i}` } });
      answered++;
      return status;
    });
    await until('250 of them wait', () => world.proxy.asked.length === 250 && answered === 750);
    const readers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => site.visit(`/shut/${i}`, { headers: { 'user-agent': FIREFOX } })),
    );
    assert.equal(answered, 750);
    assert.deepEqual(new Set(readers.map(({ status }) => status)), new Set([200]));
    assert.equal(world.proxy.asked.length, 250);
    assert.deepEqual(new Set(await Promise.all(programs)), new Set([503]));
    // Then Postern counts as dead, and another flood asks nothing for a while.
    const again = await Promise.all(
      Array.from({ length: 100 }, (_, i) => site.visit(`/open/${i}`, { headers: { 'user-agent': `GPTBot/2.${i}` } })),
    );
    assert.deepEqual(new Set(again.map(({ status }) => status)), new Set([503]));
    assert.equal(world.proxy.asked.length, 250);
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
