/** Live files are compared with the intended ones by meaning; a difference is announced once. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertError, assertStatus, made, makeKey, makePolicy } from '../http/given.ts';
import { startSite } from './site.ts';

const clock = testClock();
const postern = await startTestService({ clock, env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
const site = await startSite();
after(async () => {
  await site[Symbol.asyncDispose]();
  await postern[Symbol.asyncDispose]();
});

const { host } = site;
const RIGHTS = ['full_access', 'training', 'fine_tuning'];
const { id: open } = await makePolicy(postern, [{ action: 'allow', permissions: RIGHTS }]);
const { id: closed } = await makePolicy(postern, [
  { action: 'deny', conditions: { crawler: ['GPTBot'] } },
  { action: 'allow', permissions: RIGHTS },
]);
await made(postern, '/v1/collections', { name: 'All', hosts: [host], paths: ['/'], policyId: open });
const premium = await made(postern, '/v1/collections', {
  name: 'P',
  hosts: [host],
  paths: ['/premium/'],
  policyId: closed,
});

const put = async (signals: object, more: object = {}) =>
  assert.ok((await postern.call('PUT', `/v1/sites/${host}`, { body: { signals, ...more } })).status < 300);
const signal = async (kind: string) => (await postern.call('GET', `/v1/sites/${host}/signals/${kind}`)).text;
const drift = `/v1/sites/${host}/signals/drift`;
const check = async () => {
  const answer = await postern.call('POST', drift);
  assertStatus(answer, 200);
  return answer.body;
};
const fileOf = (answer: any, kind: string) => answer.files.find((one: any) => one.kind === kind);
const events = async () => (await postern.call('GET', '/v1/events?type=signals.drifted')).body.data;

const ALL = { robots: 'augment', robotsBase: 'User-agent: *\nDisallow: /admin\n', license: true, tdmrep: true };

/** Serves what Postern renders. */
async function serveAll(): Promise<void> {
  site.files.clear();
  site.files.set('/', 'page');
  site.files.set('/robots.txt', await signal('robots.txt'));
  site.files.set('/license.xml', await signal('license.xml'));
  site.files.set('/.well-known/tdmrep.json', await signal('tdmrep.json'));
  for (const policy of JSON.parse(await signal('tdm-policy'))) {
    site.files.set(new URL(policy.uid).pathname, JSON.stringify(policy));
  }
}

beforeEach(async () => {
  await put(ALL);
  await serveAll();
});

describe('no drift', () => {
  test('the files as they are rendered', async () => {
    const answer = await check();
    assert.equal(answer.state, 'same', JSON.stringify(answer.files));
    assert.deepEqual(
      answer.files.map(({ kind, state }: any) => [kind, state]),
      [
        ['robots.txt', 'same'],
        ['license.xml', 'same'],
        ['tdmrep.json', 'same'],
        ['tdm-policy', 'same'],
        ['headers', 'same'],
      ],
    );
    assert.deepEqual((await postern.call('GET', drift)).body, answer);
  });

  test('other order, white space and line ends, and comments', async () => {
    const text = await signal('robots.txt');
    const groups = text
      .replaceAll(/^#.*$/gm, '')
      .split(/\n\n+/)
      .filter((one) => one.trim() !== '');
    const lines = groups.toReversed().map((group) =>
      group
        .trim()
        .split('\n')
        .map((line) => `  ${line}  # x`)
        .join('\r\n'),
    );
    site.files.set('/robots.txt', `\uFEFF# hello\r\n${lines.join('\r\n\r\n')}\r\nSitemap: https://${host}/s.xml`);
    const rsl = (await signal('license.xml')).replaceAll('\n', '').replace('?>', '?>\n');
    site.files.set('/license.xml', `<?xml version="1.0"?>\n<!-- x -->${rsl}`);
    site.files.set('/.well-known/tdmrep.json', JSON.stringify(JSON.parse(await signal('tdmrep.json'))));
    const answer = await check();
    assert.equal(answer.state, 'same', JSON.stringify(answer.files));
    assert.ok(
      fileOf(answer, 'robots.txt').lines.some(({ kind }: any) => kind === 'live'),
      'the lines are shown',
    );
  });

  test('a block that a CDN puts in front and that agrees', async () => {
    const block =
      '# BEGIN managed\nUser-agent: *\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /premium/\n# END managed\n\n';
    site.files.set('/robots.txt', block + (await signal('robots.txt')));
    assert.equal((await check()).state, 'same');
  });

  test('other ends of lines, and a byte order mark, in each file', async () => {
    const spellings: Record<string, (text: string) => string> = {
      CRLF: (text) => text.replaceAll('\n', '\r\n'),
      CR: (text) => text.replaceAll('\n', '\r'),
      'CRLF and no last one': (text) => text.replaceAll('\n', '\r\n').trimEnd(),
      'no last one': (text) => text.trimEnd(),
      'one more': (text) => `${text}\n`,
      'CR at the end': (text) => `${text.trimEnd()}\r`,
      'many at the end': (text) => `${text}\r\n\r\n\n\r`,
      'a byte order mark': (text) => `\uFEFF${text}`,
    };
    const policy = `/.well-known/tdm-policy/${premium.id}.json`;
    site.files.set(policy, await signal(`tdm-policy?collectionId=${premium.id}`));
    const intended = new Map(site.files);
    for (const [name, spell] of Object.entries(spellings)) {
      for (const path of ['/robots.txt', '/license.xml', '/.well-known/tdmrep.json', policy]) {
        site.files.set(path, spell(intended.get(path) as string));
        const answer = await check();
        assert.equal(answer.state, 'same', `${path}: ${name} ${JSON.stringify(answer.files)}`);
        site.files.set(path, intended.get(path) as string);
      }
    }
  });

  test('what the reference parser takes: typing errors, no colon, groups of unknown crawlers', async () => {
    const text = await signal('robots.txt');
    const spelled = text
      .replaceAll('Disallow: /premium/', 'Dissallow: /premium/')
      .replaceAll('Disallow: /admin', 'disallow /admin')
      .replaceAll('User-agent: GPTBot', 'useragent: GPTBot');
    site.files.set('/robots.txt', `User-agent: StrangeBot\nDisallow: /\n\n${spelled}`);
    const answer = await check();
    assert.equal(answer.state, 'same', JSON.stringify(answer.files));
    site.files.set('/robots.txt', `User-agent: StrangeBot\nDisallow:\n\n${spelled}`);
    assert.match(fileOf(await check(), 'robots.txt').differences[0].message, /StrangeBot may fetch \/admin/);
  });

  test('a file that is reached through redirects', async () => {
    site.files.set('/moved', await signal('robots.txt'));
    site.files.set('/robots.txt', (_, response) => void response.writeHead(301, { location: '/moved' }).end());
    assert.equal((await check()).state, 'same');
  });
});

describe('drift, with what it means', () => {
  const messages = async (kind: string): Promise<string[]> => {
    const answer = await check();
    assert.equal(answer.state, 'drifted', JSON.stringify(answer.files));
    return fileOf(answer, kind).differences.map(({ message }: any) => message);
  };

  test('a denial that is missing', async () => {
    site.files.set('/robots.txt', (await signal('robots.txt')).replaceAll('Disallow: /premium/', ''));
    assert.deepEqual(await messages('robots.txt'), ['GPTBot may fetch /premium/; the policies deny it.']);
    const [found] = fileOf((await postern.call('GET', drift)).body, 'robots.txt').differences;
    assert.deepEqual(
      [found.about, found.crawlers, found.intended, found.live, found.effect],
      ['/premium/', ['GPTBot'], 'Disallow: /premium/', null, 'opens'],
    );
  });

  test('a block of a CDN that denies more', async () => {
    const block = 'User-agent: CCBot\nDisallow: /\n\n';
    site.files.set('/robots.txt', block + (await signal('robots.txt')));
    assert.deepEqual(await messages('robots.txt'), [
      'CCBot may not fetch /; the policies allow it.',
      ...['ai-train', 'ai-input', 'search'].map(
        (word) => `CCBot reads no ${word} in Content-Signal; intended is ${word}=yes.`,
      ),
      `CCBot does not find the license https://${host}/license.xml here.`,
    ]);
  });

  test('a line of the site’s own', async () => {
    site.files.set('/robots.txt', (await signal('robots.txt')).replaceAll('Disallow: /admin', ''));
    assert.match((await messages('robots.txt')).join('\n'), /may fetch \/admin; your own robots\.txt disallows it\./);
  });

  test('another Content-Signal, also one beside the intended one', async () => {
    const text = await signal('robots.txt');
    site.files.set('/robots.txt', `User-agent: GPTBot\nContent-Signal: ai-train=no\n\n${text}`);
    assert.deepEqual(await messages('robots.txt'), [
      'GPTBot reads ai-train=no and yes in Content-Signal; intended is ai-train=yes.',
    ]);
  });

  test('no file, and a page instead of it', async () => {
    site.files.delete('/robots.txt');
    site.files.set('/license.xml', '<html><body>Not found</body></html>');
    site.files.set('/.well-known/tdmrep.json', '<html>');
    const answer = await check();
    assert.match(fileOf(answer, 'robots.txt').differences[0].message, /no \/robots\.txt on the site \(HTTP 404\)/);
    for (const kind of ['license.xml', 'tdmrep.json']) {
      assert.match(fileOf(answer, kind).differences[0].message, /cannot be read as this format/);
    }
    site.files.set('/robots.txt', '<html><body>Not found</body></html>');
    assert.match((await messages('robots.txt')).join('\n'), /GPTBot may fetch \/premium\/; the policies deny it\./);
  });

  test('license.xml: a use that is permitted', async () => {
    const text = await signal('license.xml');
    site.files.set(
      '/license.xml',
      text.replaceAll('<prohibits type="usage">all</prohibits>', '<permits type="usage">all</permits>'),
    );
    const [found] = (await messages('license.xml')) as [string];
    assert.match(
      found,
      /find permitted for \/premium\/\*: ai-train ai-input ai-index search; the policies permit: nothing\./,
    );
  });

  test('tdmrep.json: entries in another order, and another policy', async () => {
    const entries = JSON.parse(await signal('tdmrep.json'));
    site.files.set('/.well-known/tdmrep.json', JSON.stringify(entries.toReversed()));
    assert.match(
      (await messages('tdmrep.json')).join('\n'),
      /Mining of \/premium\/\* is not reserved in the live file/,
    );
    await serveAll();
    const path = `/.well-known/tdm-policy/${premium.id}.json`;
    site.files.set(path, JSON.stringify({ ...JSON.parse(site.files.get(path) as string), permission: [] }));
    assert.match((await messages('tdm-policy')).join('\n'), /has another `permission` than intended/);
  });

  test('a header of the first page', async () => {
    await put({ ...ALL, link: true }, { licensingUrl: 'https://example.com/licensing' });
    await serveAll();
    const answerWith = (headers: Record<string, string>) =>
      site.files.set('/', (_, response) => void response.writeHead(200, headers).end('page'));
    answerWith({ 'tdm-reservation': '1' });
    assert.deepEqual(await messages('headers'), [
      'The first page answers no link; intended is <https://example.com/licensing>; rel="license".',
      'The first page answers tdm-reservation: 1; intended is 0.',
    ]);
    answerWith({ link: '</s.css>; rel=preload, <https://example.com/licensing>; rel=license' });
    assert.equal((await check()).state, 'same');
  });
});

test('a site that does not answer, or refuses, is no drift', async () => {
  for (const status of [500, 403]) {
    site.files.set('/robots.txt', status);
    const answer = await check();
    assert.equal(answer.state, 'unreachable');
    assert.match(fileOf(answer, 'robots.txt').message, new RegExp(`HTTP ${status}`));
  }
  site.files.set('/robots.txt', (_, response) => void response.writeHead(302, { location: '/robots.txt' }).end());
  assert.match(fileOf(await check(), 'robots.txt').message, /redirected more than 5 times/);
});

test('the event comes once for each difference', async () => {
  assert.equal((await check()).state, 'same');
  const before = (await events()).length;
  const counted = async () => (await events()).length - before;
  const text = await signal('robots.txt');
  site.files.set('/robots.txt', text.replaceAll('Disallow: /premium/', ''));
  const first = await check();
  const second = await check();
  assert.equal(await counted(), 1);
  assert.equal(second.since, first.since);
  site.files.set('/robots.txt', 503);
  await check();
  site.files.set('/robots.txt', text.replaceAll('Disallow: /premium/', ''));
  await check();
  assert.equal(await counted(), 1, 'a site that cannot be looked at differs as before');
  site.files.set('/robots.txt', text.replaceAll('/admin', '/other'));
  await check();
  assert.equal(await counted(), 2);
  const [event] = await events();
  assert.equal(event.type, 'signals.drifted');
  assert.deepEqual([event.data.object.host, event.data.object.state], [host, 'drifted']);
  site.files.set('/robots.txt', text);
  assert.equal((await check()).since, null);
  site.files.set('/robots.txt', text.replaceAll('/admin', '/other'));
  await check();
  assert.equal(await counted(), 3, 'it begins again');
});

test('it needs attention until the files agree again', async () => {
  const told = async (key?: string) => {
    const { body } = await postern.call('GET', '/v1/attention', key === undefined ? {} : { key });
    return body.data.filter(({ kind }: any) => kind === 'drift');
  };
  await check();
  assert.deepEqual(await told(), []);
  site.files.set('/robots.txt', 'User-agent: *\nDisallow:\n');
  const { since } = await check();
  site.files.set('/robots.txt', 503);
  await check();
  assert.deepEqual(await told(), [
    {
      kind: 'drift',
      severity: 'medium',
      subject: { host },
      message: `The live files of ${host} differ from its signals.`,
      since,
      path: `/v1/sites/${encodeURIComponent(host)}/signals/drift`,
    },
  ]);
  assertStatus(await postern.call('GET', (await told())[0].path), 200);
  const key = await makeKey(postern, { permissions: ['analytics:read'] });
  assert.deepEqual(await told(key), [], 'a key that may not read sites');
  await serveAll();
  await check();
  assert.deepEqual(await told(), []);
});

test('each site is looked at once a day, without being asked', async () => {
  site.files.set('/robots.txt', 'User-agent: *\nDisallow:\n');
  const { checked } = await check();
  site.asked.length = 0;
  const before = (await events()).length;
  clock.advance(86_400_000 - 5_000);
  site.files.set('/robots.txt', 'User-agent: *\nDisallow: /x\n');
  clock.advance(5_001);
  const again = await until('the daily look', async () => {
    const { body } = await postern.call('GET', drift);
    return body.checked !== checked && body;
  });
  assert.equal(again.state, 'drifted');
  assert.equal((await events()).length, before + 1);
  assert.equal(site.asked.filter((path) => path === '/robots.txt').length, 1);
});

test('only registered sites, and only public addresses', async () => {
  assertError(await postern.call('POST', '/v1/sites/other.example/signals/drift'), 'site_not_found');
  assertError(await postern.call('GET', '/v1/sites/other.example/signals/drift'), 'site_not_found');
  await using strict = await startTestService();
  await made(strict, '/v1/collections', { name: 'All', hosts: [host], paths: ['/'] });
  assertStatus(await strict.call('PUT', `/v1/sites/${host}`, { body: {} }), 201);
  assert.equal((await strict.call('GET', drift)).body.state, 'unchecked');
  site.asked.length = 0;
  const { body } = await strict.call('POST', drift);
  assert.equal(body.state, 'unreachable');
  assert.match(fileOf(body, 'robots.txt').message, /must lead to a public address/);
  assert.deepEqual(site.asked, []);
});
