/**
 * The core of the adapters, without a platform: it is small, does nothing when it is imported, knows a browser from a
 * program, and does not start without the settings that only an operator can choose.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import crawlerUserAgents from 'crawler-user-agents';
import { openEdge } from '../../client/src/edge/edge.ts';
import { openFiles } from '../../client/src/edge/files.ts';
import { openSite } from '../../client/src/edge/site.ts';
import { isBrowser } from '../../client/src/edge/who.ts';
import { BROWSERS, PROGRAMS } from '../../kit/user-agents.ts';
import { PACKAGED } from '../../src/rules/crawlers/directory.ts';
import { BROWSERS as BROWSER_NAME, findProgram } from '../../src/rules/crawlers/program.ts';
import { bundleOf } from '../system/edge/bundle.ts';

test('the core takes at most 12 kB, and a whole Worker with pages, prices, files, settings and status 21', async () => {
  assert.ok((await bundleOf('client/src/edge/edge.ts', { minify: true })).length <= 12 * 1024);
  assert.ok((await bundleOf('adapters/cloudflare/worker.js', { minify: true })).length <= 21_000);
});

test('the status has the version of the package', () => {
  const { version } = JSON.parse(readFileSync('client/package.json', 'utf8')) as { version: string };
  for (const file of [
    'client/src/edge/status.ts',
    'adapters/wordpress/wp/status.php',
    'adapters/wordpress/postern.php',
  ])
    assert.match(
      readFileSync(file, 'utf8'),
      new RegExp(`ersion(?: += |: +)'?${version.replaceAll('.', '\\.')}\\b`, 'i'),
      file,
    );
});

test('nothing of a platform is used, and nothing runs, when it is imported', async () => {
  const code = await bundleOf('client/src/edge/index.ts');
  assert.doesNotMatch(code, /\b(?:process|Buffer|require|setImmediate)\b[.(]|\bfrom ["']/);
  const refused = ['fetch', 'setTimeout', 'setInterval', 'queueMicrotask', 'crypto', 'performance', 'Intl'];
  const script = `
    for (const name of ${JSON.stringify(refused)})
      Object.defineProperty(globalThis, name, { get() { throw new Error(name + ' at import'); } });
    Date.now = Math.random = () => { throw new Error('time or chance at import'); };
    await import('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(code))});`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', script]);
});

describe('programs and browsers', () => {
  test('browsers are browsers', () => {
    for (const one of BROWSERS) assert.ok(isBrowser(one), one);
  });

  test('programs are programs, also within the user agent of a browser', () => {
    for (const one of PROGRAMS) assert.ok(!isBrowser(one), one);
    const [chrome = ''] = BROWSERS;
    for (const name of [
      'GPTBot/1.2',
      'NewThing/1.0',
      'NewThing',
      '(compatible; X)',
      '(+https://x.example)',
      ', GPTBot',
    ]) {
      assert.ok(!isBrowser(`${chrome} ${name}`), name);
    }
    assert.ok(!isBrowser(`${chrome} ${'(a'.repeat(10_000)}`));
  });

  test('crawlers of a public list are programs, but for those that say nothing of it', () => {
    const known = crawlerUserAgents.flatMap(({ instances }) => instances);
    const hidden = known.filter((one) => isBrowser(one));
    assert.ok(known.length > 1_000);
    assert.ok(hidden.length <= known.length / 100, hidden.join('\n'));
  });

  test('the client asks about everything that the service calls a program, and about more', () => {
    for (const one of BROWSERS) assert.equal(findProgram(one), BROWSER_NAME, one);
    const known = [...crawlerUserAgents.flatMap(({ instances }) => instances), ...PROGRAMS];
    for (const one of known) if (isBrowser(one)) assert.equal(findProgram(one), BROWSER_NAME, one);
    for (const { userAgents } of PACKAGED.crawlers) {
      for (const token of userAgents) {
        for (const one of [token, `${BROWSERS[0]} ${token}`, `${BROWSERS[0]} (${token}/1.0)`]) {
          if (isBrowser(one)) assert.equal(findProgram(one), BROWSER_NAME, one);
        }
      }
    }
  });

  test('a long user agent takes no long time', () => {
    const begun = performance.now();
    for (const part of ['(', '()', '((', ' Safari/1', '[FB', ')(', ' ']) {
      isBrowser(`Mozilla/5.0 (X) Firefox/1${part.repeat(160)}`.slice(0, 512));
    }
    assert.ok(performance.now() - begun < 500);
  });
});

test('the guide shows the adapters as they are', () => {
  const page = readFileSync('docs/protect-a-site.md', 'utf8');
  for (const [language, file] of [
    ['js', 'adapters/cloudflare/worker.js'],
    ['ts', 'adapters/next/proxy.ts'],
  ] as const) {
    assert.ok(page.includes(`\`\`\`${language}\n${readFileSync(file, 'utf8')}\`\`\`\n`), file);
  }
  for (const name of globSync('adapters/*/README.md')) {
    const [first = ''] = readFileSync(name, 'utf8').split('\n');
    assert.match(first, /`(?:POSTERN_ASK=)?programs`.*looks like a browser/, name);
  }
});

describe('what nobody chose does not start', () => {
  const settings = {
    POSTERN_URL: 'https://postern.example',
    POSTERN_KEY: 'k',
    POSTERN_ASK: 'programs',
    POSTERN_ON_ERROR: 'deny',
  };
  test('settings', () => {
    openSite(settings);
    for (const name of Object.keys(settings)) {
      assert.throws(() => openSite({ ...settings, [name]: '' }), new RegExp(`Set ${name}: `));
      assert.throws(() => openSite({ ...settings, [name]: undefined }), TypeError);
    }
    for (const [name, value] of [
      ['POSTERN_ASK', 'all'],
      ['POSTERN_ON_ERROR', 'open'],
      ['POSTERN_MODE', 'observing'],
      ['POSTERN_UNKNOWN', 'yes'],
      ['POSTERN_TIMEOUT_MS', '1s'],
      ['POSTERN_ASSETS', '1'],
    ] as const) {
      assert.throws(() => openSite({ ...settings, [name]: value }), new RegExp(`${name} must be`));
    }
    assert.throws(() => openSite({ ...settings, POSTERN_ORIGIN: 'www.example.com' }), /origin/);
    assert.throws(() => openSite({ ...settings, POSTERN_URL: 'postern.example' }), TypeError);
  });

  test('options', () => {
    const options = { url: 'https://postern.example', key: 'k' };
    assert.throws(() => openEdge({ ...options, ask: 'programs' } as never), /`onError` must be 'deny' or 'allow'/);
    assert.throws(() => openEdge({ ...options, onError: 'deny' } as never), /`ask` must be 'programs' or 'everyone'/);
  });
});

const refusal = (code: string): Response =>
  new Response(JSON.stringify({ error: { code, message: 'There is none.' } }), { status: 404 });

test('the last good copy is served while something else answers for Postern', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  let answer = (): Response => new Response('the rules');
  const settings = { url: 'https://postern.example', key: 'k', ask: 'everyone', onError: 'deny' } as const;
  const file = openFiles({ ...settings, fetch: async () => answer() });
  const edge = openEdge({ ...settings, file });
  const read = async (): Promise<string> => {
    now += 600_000;
    const request = new Request('https://site.example/robots.txt');
    return (await edge.handle(request, {}, () => new Response('own'))).text();
  };
  assert.equal(await read(), 'the rules');
  for (const status of [404, 401, 403]) {
    answer = () => new Response('default backend', { status });
    assert.equal(await read(), 'the rules', String(status));
  }
  answer = () => refusal('signal_not_found');
  assert.equal(await read(), 'own');
});

test('a flood of made-up files pushes no good copy out, and countries of no place are not passed on', async () => {
  let isUp = true;
  const asked: string[] = [];
  const answer = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (!isUp) throw new TypeError('down');
    if (init?.method === 'POST') {
      asked.push(String(init.body));
      return refusal('content_not_found');
    }
    return String(input).endsWith('/robots.txt') ? new Response('the rules') : refusal('signal_not_found');
  };
  const settings = { url: 'https://postern.example', key: 'k', ask: 'everyone', onError: 'deny' } as const;
  const edge = openEdge({ ...settings, fetch: answer, file: openFiles({ ...settings, fetch: answer }) });
  const get = async (path: string) =>
    (await edge.handle(new Request(`https://site.example${path}`), {}, () => new Response('own'))).text();
  assert.equal(await get('/robots.txt'), 'the rules');
  for (let i = 0; i < 200; i++) assert.equal(await get(`/.well-known/tdm-policy/col_${i}.json`), 'own');
  isUp = false;
  assert.equal(await get('/robots.txt'), 'the rules');
  isUp = true;
  for (const [country, expected] of [
    ['DE', 'DE'],
    ['XK', 'XK'],
    ['XX', undefined],
    ['T1', undefined],
    ['de', undefined],
  ] as const) {
    await edge.check(new Request('https://site.example/a'), { known: { country } });
    assert.equal(JSON.parse(asked.at(-1) as string).context.country, expected);
  }
});

test('a flood of requests for files asks a slow Postern for a bounded number of them', async () => {
  let asked = 0;
  const hang = (): Promise<Response> => {
    asked++;
    return new Promise(() => {});
  };
  const settings = {
    url: 'https://postern.example',
    key: 'k',
    ask: 'everyone',
    onError: 'deny',
    timeoutMs: 3_000,
  } as const;
  const edge = openEdge({ ...settings, file: openFiles({ ...settings, fetch: hang }) });
  const get = async (path: string) =>
    (await edge.handle(new Request(`https://site.example/.well-known/${path}`), {}, () => new Response('own'))).text();
  const all = Array.from({ length: 1_000 }, (_, i) => get(`tdm-policy/col_${i}.json`));
  assert.deepEqual(new Set(await Promise.all(all)), new Set(['own']));
  assert.equal(asked, 250);
  // It failed, so it is left alone for a while.
  assert.equal(await get('tdmrep.json'), 'own');
  assert.equal(asked, 250);
});

test('nothing is asked where the mode is off, and a function may choose whom to ask about', async () => {
  const asked: string[] = [];
  const options = {
    url: 'https://postern.example',
    key: 'k',
    onError: 'deny',
    fetch: async (_: unknown, init?: RequestInit) => {
      asked.push(String(init?.body));
      return new Response('no', { status: 500 });
    },
  } as const;
  const request = () => new Request('https://site.example/a');
  const off = openEdge({ ...options, ask: 'everyone', mode: 'off' });
  assert.equal((await off.check(request())).allowed, true);
  assert.equal(asked.length, 0);
  const chosen = openEdge({
    ...options,
    ask: ({ path }, { country }) => path === '/a' && country === 'DE',
  });
  assert.equal((await chosen.check(request(), { known: { country: 'FR' } })).allowed, true);
  assert.equal((await chosen.check(request(), { known: { country: 'DE' } })).status, 503);
  assert.equal(asked.length, 1);
});
