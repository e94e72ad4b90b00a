/** The crawler directory: the form of its rows, what the look-up finds in user agents, and how it is listed. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { looksAt } from '../../../kit/looks.ts';
import { startTestService } from '../../../kit/service.ts';
import { directoryText } from '../../../scripts/crawlers.ts';
import { assertError, assertStatus, makeKey } from '../../../test/http/given.ts';
import { parseRange } from '../../lib/ip-range.ts';
import { CRAWLER_PURPOSES, type Crawler } from './crawler.ts';
import { CRAWLERS, findCrawler, openLookup, PACKAGED } from './directory.ts';
import type { Identity } from './identity.ts';

interface Listed {
  pattern: string;
  instances?: string[];
  tags?: string[];
}
const LISTED = createRequire(import.meta.url)('crawler-user-agents') as Listed[];

const nameOf = (userAgent: string): string | null => findCrawler(userAgent)?.name ?? null;
const find = (name: string): Crawler => {
  const crawler = CRAWLERS.find((one) => one.name === name);
  assert.ok(crawler !== undefined, name);
  return crawler;
};

describe('the file', () => {
  test('is what its script writes', () => {
    const text = readFileSync(new URL('directory.json', import.meta.url), 'utf8');
    assert.ok(text === directoryText(), 'Run `npm exec -- node scripts/crawlers.ts`');
  });

  test('carries its date', () => {
    assert.equal(new Date(PACKAGED.date).toISOString().slice(0, 10), PACKAGED.date);
  });

  test('each row is complete, and has a source', () => {
    assert.ok(CRAWLERS.length > 1000);
    for (const row of CRAWLERS) {
      const keys = ['name', 'operator', 'purpose', 'userAgents', 'identities', 'url', 'source'];
      assert.deepEqual(Object.keys(row), keys, row.name);
      assert.match(row.name, /^[\p{L}\d][^\p{Cc}]{1,63}$/u);
      assert.ok(row.operator === null || /^\S.{0,63}$/.test(row.operator), row.name);
      assert.ok(CRAWLER_PURPOSES.includes(row.purpose), row.name);
      assert.ok(row.userAgents.length > 0 && row.userAgents.length <= 10, row.name);
      for (const token of row.userAgents) assert.match(token, /^[^\p{Cc}]{4,64}$/u, row.name);
      assert.match(row.source ?? '', /^https?:\/\/\S+$/, row.name);
      assert.ok(row.url === null || /^https?:\/\/\S+$/.test(row.url), row.name);
      for (const identity of row.identities) assertIdentity(row.name, identity);
    }
  });

  test('no two rows have one name, or share a token', () => {
    const names = CRAWLERS.map(({ name }) => name.toLowerCase());
    assert.equal(new Set(names).size, names.length);
    const tokens = CRAWLERS.flatMap(({ userAgents }) => userAgents.map((token) => token.toLowerCase()));
    assert.equal(new Set(tokens).size, tokens.length);
  });

  test('the bots with published addresses are there with them', () => {
    const lists = (name: string): string[] =>
      find(name).identities.flatMap((one) => ('list' in one ? [one.list] : 'suffixes' in one ? one.suffixes : []));
    assert.deepEqual(lists('GPTBot'), ['https://openai.com/gptbot.json']);
    assert.deepEqual(lists('OAI-SearchBot'), ['https://openai.com/searchbot.json']);
    assert.deepEqual(lists('ChatGPT-User'), ['https://openai.com/chatgpt-user.json']);
    for (const name of ['ClaudeBot', 'Claude-User', 'Claude-SearchBot']) {
      assert.deepEqual(lists(name), ['https://claude.com/crawling/bots.json']);
    }
    for (const name of ['Googlebot', 'Googlebot-News', 'Googlebot-Image', 'GoogleOther', 'Google-CloudVertexBot']) {
      assert.match(lists(name).join(), /ipranges\/googlebot\.json,googlebot\.com$/, name);
    }
    assert.match(lists('AdsBot-Google').join(), /special-crawlers\.json$/);
    assert.match(lists('bingbot').join(), /bingbot\.json,search\.msn\.com$/);
    assert.match(lists('PerplexityBot').join(), /perplexitybot\.json$/);
    assert.match(lists('Perplexity-User').join(), /perplexity-user\.json$/);
    assert.deepEqual(lists('MistralAI-Index'), ['https://mistral.ai/mistralai-index-ips.json']);
    assert.deepEqual(lists('CCBot'), ['crawl.commoncrawl.org']);
    assert.deepEqual(lists('Applebot'), ['applebot.apple.com']);
    for (const name of ['FacebookBot', 'meta-externalfetcher']) assert.match(lists(name).join(), /geofeed$/);
    assert.deepEqual(lists('Bytespider'), []);
  });

  test('purposes are those that operators name', () => {
    const purposes = {
      training:
        'GPTBot ClaudeBot Meta-ExternalAgent Google-Extended Applebot-Extended Amazonbot CCBot Bytespider KimiBot MistralAI-Training Reflectionbot YandexAdditionalBot',
      search:
        'OAI-SearchBot Claude-SearchBot PerplexityBot Googlebot bingbot Kimi-SearchBot MistralAI-Index ExaSearchBot',
      user_fetch:
        'ChatGPT-User Claude-User Perplexity-User MistralAI-User meta-externalfetcher Google-Agent Kimi-User TongyiBot YiyanBot Shap-User',
      other: 'OAI-AdsBot',
    };
    for (const [purpose, names] of Object.entries(purposes)) {
      for (const name of names.split(' ')) assert.equal(find(name).purpose, purpose, name);
    }
  });
});

function assertIdentity(name: string, identity: Identity): void {
  if (identity.kind === 'dns') {
    for (const suffix of identity.suffixes) assert.match(suffix, /^[a-z\d-]+(\.[a-z\d-]+)+$/, name);
  } else if (identity.kind === 'signature') {
    assert.match(identity.agent, /^https:\/\/[^/]+$/, name);
  } else if ('list' in identity) {
    assert.match(identity.list, /^https?:\/\/[^\s?#]+$/, name);
  } else {
    for (const range of identity.ranges) assert.ok(parseRange(range) !== undefined, name);
  }
}

describe('the look-up', () => {
  test('finds every user agent that the list gives for AI', () => {
    const agents = LISTED.filter(({ tags = [] }) => tags.includes('ai-crawler')).flatMap(
      ({ instances = [] }) => instances,
    );
    assert.ok(agents.length >= 75);
    for (const agent of agents) {
      const crawler = findCrawler(agent);
      assert.ok(crawler !== null && crawler.purpose !== 'other', agent);
    }
  });

  test('every row is found by each of its tokens', () => {
    const alone = openLookup(CRAWLERS);
    for (const { name, userAgents } of CRAWLERS) {
      for (const token of userAgents) {
        assert.equal(alone(`Mozilla/5.0 (${token}/1.0)`)?.name, name, token);
        assert.equal(alone(token.toUpperCase())?.name, name, token);
      }
    }
  });

  test('whole tokens only', () => {
    const cases: [string, string | null][] = [
      ['Mozilla/5.0 (compatible; Claude-User/1.0; +Claude-User@anthropic.com)', 'Claude-User'],
      ['Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)', 'ClaudeBot'],
      ['Mozilla/5.0 (compatible; Claude-Users/1.0)', null],
      ['Mozilla/5.0 (compatible; My-ClaudeBot/1.0)', null],
      ['NotGPTBot/1.0', null],
      ['GPTBots/1.0', null],
      ['GPTBot_clone/1.0', null],
      ['gptbot', 'GPTBot'],
      ['GPTBot-1.2', 'GPTBot'],
      ['GPTBot-Evil', null],
      ['Googlebot-Image/1.0', 'Googlebot-Image'],
      ['Googlebot/2.1 (+http://www.google.com/bot.html)', 'Googlebot'],
      ['Kangaroo Bot/1.0', 'Kangaroo Bot'],
      ['', null],
      ['ünGPTBot/1.0', null],
    ];
    for (const [agent, name] of cases) assert.equal(nameOf(agent), name, agent);
  });

  test('addresses in a user agent name nobody', () => {
    assert.equal(nameOf('Mine/1.0 (+https://openai.com/gptbot)'), null);
    assert.equal(nameOf('Mine/1.0 (+http://gptbot.example.com)'), null);
    assert.equal(nameOf('Mine/1.0 (www.example.com/gptbot/)'), null);
    assert.equal(nameOf('Mine/1.0 (gptbot@example.com)'), null);
    assert.equal(nameOf('Mine/1.0 (see example.gptbot)'), null);
    assert.equal(nameOf('Mine/1.0 (+https://example.com/gptbot) ClaudeBot/1.0'), 'ClaudeBot');
  });

  test('the first token decides; programs give way', () => {
    assert.equal(nameOf('GPTBot/1.0 ClaudeBot/1.0'), 'GPTBot');
    assert.equal(nameOf('curl/8.0 GPTBot/1.0'), 'GPTBot');
    assert.equal(nameOf('curl/8.0'), 'curl');
    assert.equal(
      nameOf('Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/120.0 Safari/537.36 (compatible; bingbot/2.0)'),
      'bingbot',
    );
  });

  test('browsers are nobody', () => {
    const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
    const agents = [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/131.0.0.0 Safari/537.36`,
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`,
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0`,
      `Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/131.0.0.0 Mobile Safari/537.36`,
      `Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) ${webkit} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`,
      `Mozilla/5.0 (Linux; Android 11; KFTRWI) ${webkit} Silk/120.4.1 like Chrome/120.0.6099.230 Safari/537.36`,
      `Mozilla/5.0 (Linux; U; Android 13; en-us; Redmi Note 12) ${webkit} Version/4.0 Chrome/112.0 Mobile Safari/537.36 XiaoMi/MiuiBrowser/14.9`,
      `Mozilla/5.0 (Linux; Android 13; V2206 Build/TP1A; wv) ${webkit} Version/4.0 Chrome/120.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/450.0.0.38.108;]`,
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21B91 Instagram 309.1.1.28.108 (iPhone14,5; iOS 17_1; de_DE)',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/120.0 Mobile/15E148 Safari/604.1',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
      'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
      'Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0',
      'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
      'Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18',
      'Mozilla/5.0 (PlayStation 5 3.20) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15',
      'Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) 76.0.3809.146/6.0 TV Safari/537.36',
    ];
    for (const agent of agents) assert.equal(nameOf(agent), null, agent);
  });

  test('costs no more among 100,000 crawlers', () => {
    const agent = 'Mozilla/5.0 (compatible; crawler-77/1.0; +https://example.com/bots) Gecko/20100101 like no other';
    const among = (count: number): number => {
      const crawlers = Array.from({ length: count }, (_, i) => ({ ...find('GPTBot'), userAgents: [`crawler-${i}x`] }));
      return looksAt(() => assert.equal(openLookup(crawlers)(agent), null));
    };
    // A tree has a few more forks on the way, and never a look at each.
    assert.ok(among(100_000) <= among(1) + 10);
  });

  test('what is remembered is what is found, for any user agents', () => {
    const word = fc.constantFrom('GPTBot', 'Claude-User', 'x', '/1.0', ' ', '(', ')', 'https://', '@', 'ς', 'curl');
    const agent = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));
    const remembering = openLookup(FEW);
    fc.assert(
      fc.property(fc.array(agent, { maxLength: 6 }), (agents) => {
        for (const one of [...agents, ...agents]) assert.equal(remembering(one), openLookup(FEW)(one), one);
      }),
      { numRuns: 500 },
    );
  });
});

const FEW = ['GPTBot', 'Claude-User', 'curl'].map(find);

describe('GET /v1/crawlers', () => {
  test('lists the whole directory, page by page', async () => {
    await using postern = await startTestService();
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await postern.call('GET', `/v1/crawlers?limit=100${query}`);
      assert.equal(body.totalCount, CRAWLERS.length);
      seen.push(...body.data.map(({ name }: { name: string }) => name));
      assert.equal(body.hasMore, body.nextCursor !== null);
      cursor = body.nextCursor;
    }
    assert.deepEqual(
      seen,
      CRAWLERS.map(({ name }) => name),
    );
  });

  test('takes a purpose, and refuses what it does not know', async () => {
    await using postern = await startTestService();
    const { body } = await postern.call('GET', '/v1/crawlers?purpose=user_fetch&limit=100');
    const expected = CRAWLERS.filter(({ purpose }) => purpose === 'user_fetch');
    assert.equal(body.totalCount, expected.length);
    assert.deepEqual(body.data[0], { object: 'crawler', ...expected[0], own: false });
    const page = await postern.call('GET', '/v1/crawlers?purpose=user_fetch&limit=1');
    const next = await postern.call('GET', `/v1/crawlers?purpose=user_fetch&limit=1&cursor=${page.body.nextCursor}`);
    assert.equal(next.body.data[0].name, expected[1]?.name);
    assertError(await postern.call('GET', '/v1/crawlers?purpose=evil'), 'invalid_request', 'purpose');
    assertError(await postern.call('GET', '/v1/crawlers?cursor=eA'), 'invalid_cursor', 'cursor');
    assertError(await postern.call('GET', '/v1/crawlers?name=x'), 'invalid_request', 'name');
  });

  test('needs policies:read', async () => {
    await using postern = await startTestService();
    const reader = await makeKey(postern, { permissions: ['policies:read'] });
    const checker = await makeKey(postern, { permissions: ['access:check'] });
    assertStatus(await postern.call('GET', '/v1/crawlers', { key: reader }), 200);
    assertError(await postern.call('GET', '/v1/crawlers', { key: checker }), 'insufficient_permissions');
  });
});
