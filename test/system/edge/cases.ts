/**
 * The cases that every adapter passes in its own runtime. Promise: the same request has the same verdict everywhere,
 * and nothing that a visitor sends says who it is.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { FOR_CDNS, HOST, PUBLIC_HOST, startWorld, TEXT, type World } from '../../enforce/world.ts';
import { makeKey } from '../../http/given.ts';

export interface Visit {
  method?: string;
  headers?: Record<string, string>;
  /** Known to the platform. */
  ip?: string;
  country?: string;
  /** The platform verified a crawler. */
  bot?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface Site extends AsyncDisposable {
  visit(path: string, visit?: Visit): Promise<Answer>;
}

export interface Platform {
  name: string;
  /** Starts the adapter in its runtime, in front of the origin. */
  start(world: World, environment: Record<string, string>): Promise<Site>;
  /** Missing on the platform. */
  lacks?: readonly (
    | 'ip'
    | 'country'
    | 'bot'
    | 'headers of pages'
    | 'answers of the origin'
    | 'preflights'
    | 'memory'
  )[];
  /** Headers of visitors that the platform itself overwrites. */
  owns?: readonly string[];
}

export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const GPTBOT = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)';
const CCBOT = 'CCBot/2.0 (https://commoncrawl.org/faq/)';

/** Headers in which platforms and proxies say what they know. */
const FORGED = {
  'x-forwarded-for': '203.0.113.9',
  'x-real-ip': '203.0.113.9',
  'true-client-ip': '203.0.113.9',
  'cf-connecting-ip': '203.0.113.9',
  'fastly-client-ip': '203.0.113.9',
  'x-nf-client-connection-ip': '203.0.113.9',
  'cloudfront-viewer-address': '203.0.113.9:1',
  forwarded: 'for=203.0.113.9',
  'cf-ipcountry': 'DE',
  'x-vercel-ip-country': 'DE',
  'x-country': 'DE',
  'cloudfront-viewer-country': 'DE',
  'x-postern-requester': 'partner',
  'x-postern-key': 'x',
  'x-postern-options': 'unknown=allow',
  x_postern_requester: 'partner',
  // Some applications serve what these name.
  'x-original-uri': '/open/a',
  'x-original-url': '/open/a',
  x_original_url: '/open/a',
  'x.original.url': '/open/a',
  'x-rewrite-url': '/open/a',
  'x_rewrite-url': '/open/a',
  'x-original-method': 'GET',
  'x-forwarded-host': 'open.example',
  'x-middleware-subrequest': 'proxy:proxy:proxy:proxy:proxy',
  'x-http-method-override': 'OPTIONS',
};

const NO_ROUTE = { status: 404, body: '{"error":{"code":"route_not_found","message":"There is no such route."}}' };

export function testPlatform(platform: Platform): void {
  const lacks = (what: NonNullable<Platform['lacks']>[number]): boolean => platform.lacks?.includes(what) === true;
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world[Symbol.asyncDispose]());

  /** Describes the adapter with these settings. */
  function withSettings(settings: Record<string, string>, body: (site: () => Site) => void): void {
    describe(`${platform.name}, ${JSON.stringify(settings)}`, () => {
      let site: Site;
      before(async () => {
        const { proxy, postern } = world;
        const own = { POSTERN_URL: proxy.url, POSTERN_KEY: postern.key, POSTERN_ORIGIN: `https://${HOST}` };
        site = await platform.start(world, { ...own, POSTERN_TIMEOUT_MS: '20000', ...settings });
      });
      beforeEach(() => {
        world.proxy.faults = [];
        world.proxy.asked.length = 0;
        world.served.length = 0;
      });
      after(() => site?.[Symbol.asyncDispose]());
      body(() => site);
    });
  }
  const asks = (): { path: string; check: Record<string, unknown> }[] =>
    world.proxy.asked
      .filter(({ path }) => path.startsWith('/v1/access/'))
      .map(({ path, body }) => ({ path, check: JSON.parse(body) as Record<string, unknown> }));
  const isServed = ({ status, text }: Answer): boolean => status === 200 && text === TEXT;

  withSettings({ POSTERN_ASK: 'everyone', POSTERN_ON_ERROR: 'deny' }, (site) => {
    const visit = (path: string, one?: Visit) =>
      site().visit(path, { ...one, headers: { 'user-agent': CCBOT, ...one?.headers } });

    test('allowed: served, asked about once, and kept out of caches', async () => {
      const answer = await visit('/open/a?x=1');
      assert.ok(isServed(answer), `${answer.status} ${answer.text}`);
      assert.equal(asks().length, 1);
      assert.equal(asks()[0]?.check.url, `https://${HOST}/open/a?x=1`);
      assert.equal(world.served.length, 1);
      if (lacks('headers of pages')) return;
      assert.match(answer.headers.get('x-postern-decision') ?? '', /^dec_/);
      assert.equal(answer.headers.get('cache-control'), 'private');
      assert.match(answer.headers.get('vary') ?? '', /User-Agent/);
    });

    test('no CDN in front is told to keep a page that not everybody may have', async () => {
      if (lacks('answers of the origin')) return;
      const names = Object.keys(FOR_CDNS);
      const toldBy = ({ headers }: Answer): string[] => names.filter((name) => headers.has(name));
      const page = await visit('/open/cached');
      assert.deepEqual([isServed(page), toldBy(page)], [true, []]);
      assert.deepEqual(toldBy(await visit('/robots.txt')), names);
    });

    test('denied: every method, and nothing reaches the origin', async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
        const answer = await visit('/shut/a', { method });
        assert.equal(answer.status, 403, method);
        assert.equal(answer.headers.get('cache-control'), 'no-store', method);
        assert.ok(!answer.text.includes(TEXT), method);
      }
      assert.equal(world.served.length, 0);
      assert.equal(asks().length, 4);
    });

    test('denied without a license, served with one', async () => {
      const denied = await visit('/licensed/a', { headers: { 'user-agent': GPTBOT } });
      assert.deepEqual([denied.status, JSON.parse(denied.text).reason], [401, 'no_license']);
      const authorization = `Bearer ${world.token}`;
      assert.ok(isServed(await visit('/licensed/a', { headers: { authorization } })));
      const wrong = await visit('/licensed/a', { headers: { authorization: `${authorization}x` } });
      assert.equal(wrong.status, 401);
    });

    test('an offer: 402 with its price, as a page where that is preferred', async () => {
      const answer = await visit('/sold/a', { headers: { accept: 'text/html' } });
      assert.deepEqual([answer.status, answer.headers.get('crawler-price')], [402, 'USD 0.005']);
      assert.match(answer.headers.get('content-type') ?? '', /text\/html/);
      assert.match(answer.text, /<h1>License required<\/h1>/);
    });

    test('a limit: 429 with Retry-After', async () => {
      assert.ok(isServed(await visit('/limited/a')));
      const answer = await visit('/limited/a');
      assert.deepEqual([answer.status, answer.headers.has('retry-after')], [429, true]);
    });

    test('a collection that observes', async () => {
      const answer = await visit('/watched/a');
      assert.ok(isServed(answer));
      if (!lacks('headers of pages')) assert.equal(answer.headers.get('x-postern-would'), 'deny');
    });

    test('files for crawlers, where everything is denied', async () => {
      for (const path of [
        '/robots.txt',
        '/robots.txt?v=2',
        '/license.xml',
        '/.well-known/security.txt',
        '/favicon.ico',
      ])
        assert.ok(isServed(await visit(path)), path);
      assert.equal((await visit('/robots.txt', { method: 'HEAD' })).status, 200);
      assert.equal(asks().length, 0);
      for (const path of [
        '/robots.txt;x',
        '/robots.txt%3Bx',
        '/x/robots.txt',
        '/.well-known/%2e%2e%2fshut',
        '/robots.TXT',
        '/robots.txt?rest_route=/wp/v2/posts/7',
        '/robots.txt?v=2&p=7',
        '/favicon.ico?p=7',
        '/.well-known/x?feed=rss2',
        '/.well-known/x.php5/shut',
      ])
        assert.ok(!isServed(await visit(path)), path);
      assert.equal((await visit('/robots.txt', { method: 'POST' })).status, 403);
    });

    test('other spellings of a denied page', async () => {
      for (const path of [
        '/open/../shut/a',
        '/open/%2e%2e/shut/a',
        '/open/..%2fshut/a',
        '//shut/a',
        '/open/..;/shut/a',
        '/open/a%00',
        '/open/..%5cshut/a',
        '/SHUT/a',
        '/%73hut/a',
        '/shut/style.css',
        '/shut/a;style.css',
        '/shut/a%3Bstyle.css',
        '/shut/style.css?v=1',
      ]) {
        const answer = await visit(path);
        assert.ok(!answer.text.includes(TEXT), path);
      }
    });

    test('the address and the country are those of the platform', async () => {
      if (!lacks('ip')) {
        assert.ok(isServed(await visit('/near/a', { ip: '203.0.113.9' })));
        assert.equal((await visit('/near/a', { ip: '198.51.100.9' })).status, 403);
      }
      if (!lacks('country')) {
        assert.ok(isServed(await visit('/german/a', { country: 'DE' })));
        for (const country of ['FR', 'XX', 'T1']) assert.equal((await visit('/german/a', { country })).status, 403);
      }
    });

    test('headers of visitors change nothing', async () => {
      const forged = Object.fromEntries(Object.entries(FORGED).filter(([name]) => !platform.owns?.includes(name)));
      const from = { ip: '198.51.100.9', country: 'FR' };
      for (const path of ['/near/a', '/german/a', '/shut/a', '/licensed/a']) {
        const answer = await visit(path, { ...from, headers: forged });
        assert.ok(answer.status === 403 || answer.status === 401, `${path} ${answer.status}`);
      }
      assert.ok(isServed(await visit('/open/a', { ...from, headers: forged })));
      const names = Object.keys(world.served.at(-1)?.headers ?? {});
      assert.deepEqual(
        names.filter((name) => /^x[-_.](?:postern[-_.](?:requester|key|options)|original|rewrite)/i.test(name)),
        [],
      );
      const context = asks().at(-1)?.check.context as Record<string, unknown>;
      if (!lacks('ip')) assert.equal(context.ip, from.ip);
      else assert.equal(context.ip, undefined);
    });

    test('a signature and a token pass through; other credentials do not', async () => {
      const headers = {
        'signature-input': 'sig1=("@authority");keyid="k";tag="web-bot-auth"',
        signature: 'sig1=:AAAA:',
        'signature-agent': '"https://agent.example"',
        authorization: 'Basic c2VjcmV0',
        cookie: 'session=secret',
      };
      await visit('/open/a', { headers });
      const { check } = asks()[0] ?? assert.fail();
      assert.deepEqual(check.visitor, {
        signatureInput: headers['signature-input'],
        signature: headers.signature,
        signatureAgent: headers['signature-agent'],
        method: 'GET',
        url: `https://${HOST}/open/a`,
      });
      assert.ok(!JSON.stringify(check).includes('ecret'));
    });

    test('a verified bot proves nothing unless the settings trust the platform', async () => {
      if (lacks('bot')) return;
      assert.equal((await visit('/proven/a', { bot: true, headers: { 'user-agent': GPTBOT } })).status, 403);
    });

    test('a preflight is answered without the text', async () => {
      const headers = { origin: 'https://other.example', 'access-control-request-method': 'GET' };
      const answer = await visit('/shut/a', { method: 'OPTIONS', headers });
      assert.ok(answer.status < 300 && answer.text === '', String(answer.status));
      if (!lacks('preflights'))
        assert.equal(answer.headers.get('access-control-allow-origin'), 'https://other.example');
      assert.equal((await visit('/shut/a', { method: 'OPTIONS' })).status, 403);
    });

    test('no answer of Postern, and none in JSON of it, denies', async () => {
      for (const fault of [
        'cut',
        { status: 500 },
        { status: 200, body: '{"status":"ok"}' },
        // An ingress without a service behind it, and an address of Postern that is not its root.
        { status: 404, body: 'default backend - 404' },
        { status: 400, body: '{"error":"Bad Request"}' },
        NO_ROUTE,
      ] as const) {
        world.proxy.faults = [fault];
        const answer = await visit('/open/a');
        assert.deepEqual([answer.status, answer.headers.has('retry-after')], [503, true], JSON.stringify(fault));
        // An answer between failures, or nothing would be asked for a while.
        assert.ok(isServed(await visit('/open/a')));
      }
    });
  });

  withSettings({ POSTERN_ASK: 'programs', POSTERN_ON_ERROR: 'allow', POSTERN_TRUST_BOTS: 'true' }, (site) => {
    const visit = (path: string, one?: Visit) => site().visit(path, one);

    test('browsers are served without asking, whatever the policy', async () => {
      const answer = await visit('/shut/a', { headers: { 'user-agent': FIREFOX } });
      assert.ok(isServed(answer), String(answer.status));
      assert.equal(asks().length, 0);
      if (!lacks('headers of pages')) assert.equal(answer.headers.get('cache-control'), 'private');
    });

    test('programs are asked about, and so is who proves something or is known as a bot', async () => {
      const token = `Bearer ${world.token}`;
      const visits: Visit[] = [
        { headers: { 'user-agent': GPTBOT } },
        { headers: { 'user-agent': '' } },
        { headers: { 'user-agent': FIREFOX, authorization: token } },
        { headers: { 'user-agent': FIREFOX, 'signature-input': 'sig1=()' } },
        ...(lacks('bot') ? [] : [{ headers: { 'user-agent': FIREFOX }, bot: true }]),
      ];
      for (const one of visits) assert.equal((await visit('/shut/a', one)).status, 403, JSON.stringify(one));
      assert.equal(asks().length, visits.length);
    });

    test('a verified bot is proven where the settings trust the platform', async () => {
      if (lacks('bot')) return;
      assert.ok(isServed(await visit('/proven/a', { bot: true, headers: { 'user-agent': GPTBOT } })));
      assert.equal((await visit('/proven/a', { headers: { 'user-agent': GPTBOT } })).status, 403);
    });

    test('no answer of Postern allows, and a wrong key does not', async () => {
      const denied = { headers: { 'user-agent': GPTBOT } };
      for (const fault of ['cut', { status: 404, body: 'default backend - 404' }, { status: 400 }] as const) {
        world.proxy.faults = [fault];
        assert.ok(isServed(await visit('/shut/a', denied)), JSON.stringify(fault));
        assert.equal((await visit('/shut/a', denied)).status, 403);
      }
      for (const fault of [{ status: 401 }, NO_ROUTE]) {
        world.proxy.faults = [fault];
        assert.equal((await visit('/shut/a', denied)).status, 503, JSON.stringify(fault));
      }
    });
  });

  withSettings({ POSTERN_ASK: 'everyone', POSTERN_ON_ERROR: 'deny', POSTERN_TIMEOUT_MS: '400' }, (site) => {
    test('a slow Postern: a visitor waits no longer than the settings say', async () => {
      // Not the first visit of a server, which takes its own time.
      await site().visit('/favicon.ico', { headers: { 'user-agent': CCBOT } });
      for (let i = 0; i < 2; i++) {
        world.proxy.faults = ['silent'];
        const begun = performance.now();
        assert.equal((await site().visit('/open/a', { headers: { 'user-agent': CCBOT } })).status, 503);
        // The machine may be busy; without a bound this takes for ever.
        assert.ok(performance.now() - begun < 5_000);
      }
    });
  });

  withSettings({ POSTERN_ASK: 'everyone', POSTERN_ON_ERROR: 'deny', POSTERN_MODE: 'observe' }, (site) => {
    test('observing, nobody is refused, and Postern knows of it', async () => {
      const answer = await site().visit('/shut/a', { headers: { 'user-agent': CCBOT } });
      assert.ok(isServed(answer), String(answer.status));
      for (let i = 0; i < 200 && asks().length === 0; i++) await new Promise((done) => setImmediate(done));
      assert.equal(asks().length, 1);
    });
  });

  withSettings(
    { POSTERN_ASK: 'everyone', POSTERN_ON_ERROR: 'deny', POSTERN_ORIGIN: `https://${PUBLIC_HOST}` },
    (site) => {
      test('the site has the signals of Postern, and its own copy while Postern is down', async () => {
        for (const fault of lacks('memory') ? [undefined] : ([undefined, 'cut'] as const)) {
          if (fault !== undefined) world.proxy.faults = [fault];
          const answer = await site().visit('/robots.txt', { headers: { 'user-agent': CCBOT } });
          assert.equal(answer.status, 200);
          assert.match(answer.text, /^User-agent: \*$/im);
        }
        assert.equal(world.proxy.asked[0]?.headers.authorization, undefined, 'without the key');
        world.proxy.faults = [];
        const tdm = await site().visit('/.well-known/tdmrep.json', { headers: { 'user-agent': CCBOT } });
        assert.match(tdm.headers.get('content-type') ?? '', /json/);
        assert.ok(Array.isArray(JSON.parse(tdm.text)));
        assert.equal(asks().length, 0);
      });
    },
  );

  testStatus(platform.name.toLowerCase(), () => world, withSettings);

  if (lacks('answers of the origin')) return;
  withSettings({ POSTERN_ASK: 'everyone', POSTERN_ON_ERROR: 'deny', POSTERN_ASSETS: 'true' }, (site) => {
    const visit = (path: string, one?: Visit) =>
      site().visit(path, { ...one, headers: { 'user-agent': CCBOT, ...one?.headers } });

    test('assets are served without asking, and nothing else passes for one', async () => {
      for (const path of ['/shut/style.css', '/style.css?v=1.2']) assert.ok(isServed(await visit(path)), path);
      assert.equal(asks().length, 0);
      for (const path of [
        '/shut/page.css',
        '/shut/page.js',
        '/shut;style.css',
        '/shut/a%3Bstyle.css',
        '/shut/a%2fstyle.css',
        '/shut/style.css?p=7',
        '/shut/style.CSS',
        '/shut//style.css',
        '/index.php/style.css',
        '/shut/a.pdf',
      ]) {
        assert.ok(!(await visit(path)).text.includes(TEXT), path);
      }
      assert.equal((await visit('/shut/style.css', { method: 'POST' })).status, 403);
    });
  });
}

type WithSettings = (settings: Record<string, string>, body: (site: () => Site) => void) => void;

/** Tests that only the operator learns how an adapter is set up. */
function testStatus(name: string, world: () => World, withSettings: WithSettings): void {
  const read = async (site: Site, proof: string, visit: Visit = {}): Promise<Answer> =>
    site.visit(`/.well-known/postern?proof=${proof}`, { ...visit, headers: { 'user-agent': CCBOT } });
  const prove = async (host = HOST, key = world().postern.key): Promise<string> =>
    (await world().postern.call('POST', '/v1/proxy-probes', { body: { host }, key })).body.adapterProof;

  for (const mode of ['enforce', 'observe', 'off']) {
    const chosen = { POSTERN_ASK: 'programs', POSTERN_ON_ERROR: 'allow', POSTERN_MODE: mode };
    withSettings(chosen, (site) => {
      test('the status, for a proof of the key', async () => {
        const { proxy, served } = world();
        const answer = await read(site(), await prove());
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        const { adapter, failure, ...status } = JSON.parse(answer.text) as Record<string, unknown>;
        const expected = {
          version: '0.1.0',
          mode,
          ask: 'programs',
          onError: 'allow',
          unknown: 'deny',
          timeoutMs: 20_000,
        };
        assert.deepEqual([status, failure], [expected, null]);
        assert.ok(name.startsWith(String(adapter)), String(adapter));
        assert.equal(proxy.asked.length, 1);
        for (const fault of ['cut', { status: 401 }, { status: 404 }, { status: 200, body: 'hello' }] as const) {
          proxy.faults = [fault];
          const { failure: why } = JSON.parse((await read(site(), await prove())).text) as Record<string, unknown>;
          assert.match(String(why), /could not be reached|is not Postern's/, JSON.stringify(fault));
        }
        assert.equal(served.length, 0);
      });
    });
  }

  withSettings({ POSTERN_ASK: 'everyone', POSTERN_ON_ERROR: 'deny' }, (site) => {
    test('no status for anybody else: the site answers, as for a file for crawlers', async () => {
      const { postern, proxy } = world();
      const proof = await prove();
      const [seconds, ...codes] = proof.split('.');
      const another = await makeKey(postern, { permissions: ['access:check'] });
      const forged = [
        '',
        'x',
        `${Number(seconds) - 301}.${codes.join('.')}`,
        `${Number(seconds) + 1}.${codes.join('.')}`,
        `${seconds}.`,
        `${seconds}.${'0'.repeat(64)}`,
        `${seconds}.${codes[0]?.slice(0, 32)}`,
        `${seconds}.${'00.'.repeat(20)}${codes.join('.')}`,
        `Infinity.${codes.join('.')}`,
        await prove('other.example'),
        await prove(HOST, another),
      ];
      for (const one of forged) {
        const { status, text } = await read(site(), one);
        assert.deepEqual([status, text.includes('adapter')], [200, false], one);
      }
      assert.equal((await read(site(), proof, { method: 'HEAD' })).status, 200);
      assert.equal((await read(site(), 'x&x=1')).status, 403);
      assert.equal((await read(site(), proof, { method: 'POST' })).status, 403);
      for (const path of [
        '/.well-known/postern/',
        '/.well-known//postern',
        '/.well-known/Postern',
        '/x/../shut/postern',
      ]) {
        assert.ok(!(await site().visit(`${path}?proof=${proof}`)).text.includes('adapter'), path);
      }
      assert.ok(proxy.asked.every(({ body }) => body !== '{}'));
    });
  });
}
