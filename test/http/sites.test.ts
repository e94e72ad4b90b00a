/** Sites and their signals: every operation, and what is served to whom. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, MOMENT, made, makeKey, makePolicy } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const put = (host: string, body: object, headers: Record<string, string> = {}) =>
  postern.call('PUT', `/v1/sites/${host}`, { body, headers });
const robots = (host: string, query = '', key: string | null = postern.key, headers: Record<string, string> = {}) =>
  postern.call('GET', `/v1/sites/${host}/signals/robots.txt${query}`, { key, headers });

/** A site whose only collection has a policy. */
async function makeSite(host: string, rules: object[], body: object = {}) {
  const policy = await makePolicy(postern, rules);
  const collection = await made(postern, '/v1/collections', {
    name: 'C',
    hosts: [host],
    paths: ['/'],
    policyId: policy.id,
  });
  await put(host, body);
  return { policy, collection };
}

describe('sites', () => {
  test('are made with first values, and replaced as a whole', async () => {
    const created = await put('one.example.com', { contact: 'rights@example.com' });
    assertStatus(created, 201);
    const { created: at, updated, ...rest } = created.body;
    assert.match(at, MOMENT);
    assert.equal(at, updated);
    assert.deepEqual(rest, {
      id: 'one.example.com',
      object: 'site',
      host: 'one.example.com',
      signals: {
        public: false,
        robots: 'augment',
        robotsBase: null,
        license: false,
        tdmrep: false,
        contentSignal: true,
        contentUsage: false,
        licenseServer: false,
        link: false,
      },
      contact: 'rights@example.com',
      licensingUrl: null,
      purposes: {},
      sitemaps: [],
      urls: { case: 'sensitive', finalSlash: 'ignored', index: ['index.html', 'index.htm', 'index.php'] },
      version: 1,
    });
    assert.deepEqual((await postern.call('GET', '/v1/sites/ONE.example.com:443')).body, created.body);
    const replaced = await put('one.example.com', { signals: { robots: 'off' } });
    assertStatus(replaced, 200);
    assert.deepEqual([replaced.body.contact, replaced.body.signals.robots, replaced.body.version], [null, 'off', 2]);
    assert.ok((await postern.call('GET', '/v1/sites')).body.data.some((one: any) => one.host === 'one.example.com'));
  });

  test('an edit that changes nothing writes nothing', async () => {
    const first = await put('same.example.com', { purposes: { training: ['training'] } });
    const again = await put('same.example.com', { purposes: { training: ['training'] } });
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('etag'), first.headers.get('etag'));
  });

  test('hosts, unknown fields and stale edits are refused', async () => {
    assertError(await put('a%2Fb', {}), 'invalid_request', 'host');
    assertError(await put('*.example.com', {}), 'invalid_request', 'host');
    assertError(await put('x.example.com', { signals: { robot: 'off' } }), 'invalid_request', 'signals.robot');
    await put('stale.example.com', {});
    assertError(
      await put('stale.example.com', { contact: 'a@b.example' }, { 'if-match': '"7"' }),
      'precondition_failed',
    );
    assertError(await postern.call('GET', '/v1/sites/none.example.com'), 'site_not_found');
  });

  test('a site may come before its collection, and outlive it', async () => {
    const host = 'alone.example.org';
    assertStatus(await put(host, {}), 201);
    const nothing = /User-agent: \*\nDisallow:\n/;
    assert.match((await robots(host)).text, nothing);
    const { id: policyId } = await makePolicy(postern, []);
    const { id } = await made(postern, '/v1/collections', { name: 'C', hosts: [host], paths: ['/'], policyId });
    assert.match((await robots(host)).text, /Disallow: \//);
    await postern.call('DELETE', `/v1/collections/${id}`);
    assert.match((await robots(host)).text, nothing);
  });

  test('a host in another script is the one in its xn-- form', async () => {
    const path = encodeURIComponent('Grüße.example');
    const { body } = await put(path, {});
    assert.deepEqual([body.id, body.host], ['xn--gre-6ka8l.example', 'xn--gre-6ka8l.example']);
    for (const host of [path, 'xn--gre-6ka8l.example']) {
      assertStatus(await postern.call('GET', `/v1/sites/${host}/signals/robots.txt`), 200);
      assertStatus(await put(host, {}), 200);
    }
    assertStatus(await postern.call('DELETE', `/v1/sites/${path}`), 200);
  });

  test('hosts at which nothing can be served are refused; stored ones go on', async () => {
    const bad = ['-', '..', 'a..b', '-a.example', 'a-.example', `${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}ab`];
    for (const host of bad) {
      // URL parsers resolve `..`.
      if (host !== '..') assertError(await put(host, {}), 'invalid_request', 'host', host);
      for (const pattern of [host, `*.${host}`]) {
        const body = { name: 'C', hosts: ['ok.example', pattern] };
        const refused = await postern.call('POST', '/v1/collections', { body });
        assertError(refused, 'invalid_request', 'hosts[1]', pattern);
        assert.match(refused.body.error.message, /must be a host such as www\.example\.com/);
      }
    }
    const good = ['localhost:8080', 'a_b.example', 'xn--bcher-kva.example', '10.0.0.1', '[::1]:8443', '1a.example'];
    const { id } = await made(postern, '/v1/collections', { name: 'C', hosts: good });
    for (const host of good) assertStatus(await put(host, {}), 201, host);

    await postern.tamper(
      { sql: "update sites set host = '-' where host = 'localhost:8080'", params: [] },
      { sql: "update site_versions set host = '-' where host = 'localhost:8080'", params: [] },
    );
    await postern.restart();
    assertStatus(await postern.call('GET', '/v1/sites/-'), 200);
    assertStatus(await put('-', { contact: 'a@example.com' }), 200);
    assertStatus(await postern.call('DELETE', '/v1/sites/-'), 200);
    assertStatus(await postern.call('PATCH', `/v1/collections/${id}`, { body: { name: 'D' } }), 200);
  });

  test('the contact is an email address or a URL, as files and pages name it', async () => {
    const texts = ['licensing@example.com', 'https://example.com/rights?a=1', 'mailto:a@example.com', null];
    for (const contact of texts) assert.equal((await put('contact.example.com', { contact })).body.contact, contact);
    const long = `${'a'.repeat(320)}@example.com`;
    for (const contact of ['', 'abc', 'Jo at example.com', 'a b@example.com', 'a@', 'javascript:x', 'a@b\n', long, 7])
      assertError(await put('contact.example.com', { contact }), 'invalid_request', 'contact');
    const { body } = await put('contact.example.com', { contact: 'call us' });
    assert.match(body.error.message, /must be an email address or a URL, such as licensing@example\.com/);
  });

  test('a site that is made again goes on counting versions', async () => {
    await put('again.example.com', {});
    assertStatus(await postern.call('DELETE', '/v1/sites/again.example.com'), 200);
    assertError(await robots('again.example.com'), 'site_not_found');
    assert.equal((await put('again.example.com', {})).body.version, 3);
  });
});

describe('robots.txt', () => {
  test('is read with a key, or by everybody where the site says so', async () => {
    await makeSite('key.example.com', []);
    assertError(await robots('key.example.com', '', null), 'missing_api_key');
    assertError(await robots('none.example.com', '', null), 'missing_api_key');
    const other = await makeKey(postern, { permissions: ['content:read'] });
    assertError(await robots('key.example.com', '', other), 'insufficient_permissions');
    assertStatus(await robots('key.example.com'), 200);
    await put('key.example.com', { signals: { public: true } });
    assertStatus(await robots('key.example.com', '', null), 200);
    assertError(
      await postern.call('GET', '/v1/sites/key.example.com/signals/report', { key: null }),
      'missing_api_key',
    );
    await put('key.example.com', {});
    assertError(await robots('key.example.com', '', null), 'missing_api_key');
  });

  test('has a type, a tag and a date, and answers 304', async () => {
    await makeSite('tag.example.com', []);
    const { status, headers, text } = await robots('tag.example.com');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.match(headers.get('last-modified') ?? '', / GMT$/);
    assert.match(text, /^# BEGIN Postern\n/);
    const tag = headers.get('etag') ?? '';
    assert.equal((await robots('tag.example.com', '', postern.key, { 'if-none-match': tag })).status, 304);
  });

  test('answers 304 to If-Modified-Since, and never hides a second edit in the same second', async () => {
    const clock = testClock(Date.parse('2026-11-21T09:30:00.200Z'));
    await using site = await startTestService({ clock });
    const edit = (robotsBase: string) =>
      site.call('PUT', '/v1/sites/since.example.com', { body: { signals: { robotsBase } } });
    const ask = (headers: Record<string, string>, method = 'GET') =>
      site.call(method, '/v1/sites/since.example.com/signals/robots.txt', { headers });
    assertStatus(await edit('# one\n'), 201);
    const early = (await ask({})).headers.get('last-modified') ?? '';
    clock.advance(500);
    await edit('# two\n');
    assert.match((await ask({ 'if-modified-since': early })).text, /# two/);
    clock.advance(500);
    const { headers } = await ask({ 'if-modified-since': early });
    const date = headers.get('last-modified') ?? '';
    assert.ok(Date.parse(date) > Date.parse(early) && Date.parse(date) <= clock.now(), date);
    for (const method of ['GET', 'HEAD']) assert.equal((await ask({ 'if-modified-since': date }, method)).status, 304);
    for (const other of ['not a date', '', early, '5000', '2030-01-01'])
      assertStatus(await ask({ 'if-modified-since': other }), 200);
    assertStatus(await ask({ 'if-modified-since': date, 'if-none-match': '"another"' }), 200);
    await edit('# three\n');
    assert.match((await ask({ 'if-modified-since': date })).text, /# three/);
  });

  test('follows edits of policies, collections, items and requesters at once', async () => {
    const host = 'edits.example.com';
    const { policy, collection } = await makeSite(host, [{ action: 'allow' }]);
    const read = async () => (await robots(host)).text;
    assert.doesNotMatch(await read(), /Disallow: \//);
    await postern.call('PATCH', `/v1/policies/${policy.id}`, { body: { rules: [{ action: 'deny' }] } });
    assert.match(await read(), /^Disallow: \/$/m);
    await postern.call('PATCH', `/v1/collections/${collection.id}`, { body: { paths: ['/part/'] } });
    assert.match(await read(), /^Disallow: \/part\/$/m);
    const open = await makePolicy(postern, [{ action: 'allow' }]);
    const item = {
      externalId: 'item',
      title: 'I',
      type: 'article',
      source: `https://${host}/part/x`,
      policyId: open.id,
    };
    const { id } = await made(postern, '/v1/content', item);
    assert.match(await read(), /^Allow: \/part\/x\$$/m);
    await postern.call('PATCH', `/v1/content/${id}`, { body: { status: 'archived' } });
    assert.doesNotMatch(await read(), /^Allow: \/part\/x\$$/m);
    await made(postern, '/v1/requesters', { id: 'bot', userAgents: ['GPTBot'] });
    await postern.call('PATCH', `/v1/policies/${policy.id}`, {
      body: { rules: [{ action: 'allow', conditions: { requesterId: 'bot' } }, { action: 'deny' }] },
    });
    assert.match(await read(), /User-agent: GPTBot\n/);
    await postern.call('PATCH', '/v1/requesters/bot', { body: { status: 'suspended' } });
    assert.doesNotMatch(await read(), /User-agent: GPTBot\n/);
  });

  test('is given as it was served at a time', async () => {
    const host = 'past.example.com';
    const { policy } = await makeSite(host, [{ action: 'allow' }]);
    const before = await robots(host);
    const between = new Date().toISOString();
    await postern.call('PATCH', `/v1/policies/${policy.id}`, { body: { rules: [{ action: 'deny' }] } });
    const later = await robots(host);
    assert.notEqual(before.text, later.text);
    const past = await robots(host, `?asOf=${between}`);
    assert.equal(past.text, before.text);
    assert.equal(past.headers.get('etag'), before.headers.get('etag'));
    assertError(await robots(host, '?asOf=2020-01-01T00:00:00Z'), 'signal_not_found');
    assertError(await robots(host, '?asOf=2100-01-01T00:00:00Z'), 'invalid_request', 'asOf');
  });

  test('is not served where it is switched off', async () => {
    await makeSite('off.example.com', [], { signals: { robots: 'off' } });
    assertError(await robots('off.example.com'), 'signal_not_found');
  });

  test('keeps the file of the site byte for byte, and repeats what it says to everybody', async () => {
    const base = 'User-agent: *\r\nDisallow: /admin # ours\r\n\r\nSitemap: https://base.example.com/s.xml';
    const rules = [{ action: 'deny', conditions: { crawler: 'GPTBot' } }, { action: 'allow' }];
    await makeSite('base.example.com', rules, { signals: { robotsBase: base } });
    const { text } = await robots('base.example.com');
    assert.ok(text.startsWith(`${base}\n# BEGIN Postern\n`), text);
    const files = '(?:Allow: [^\\n]+\\n|Disallow: /\\.well-known/[^\\n]+\\n)*';
    assert.match(
      text,
      new RegExp(`User-agent: GPTBot\\nContent-Signal: [^\\n]+\\nDisallow: /admin\\n${files}Disallow: /\\n`),
    );
  });

  test('says of what varies the more restrictive', async () => {
    const host = 'varies.example.com';
    const rules = [{ action: 'allow', conditions: { country: 'DE' } }];
    await makeSite(host, rules);
    assert.match((await robots(host)).text, /^Disallow: \/$/m);
    const { body } = await postern.call('GET', `/v1/sites/${host}/signals/report`);
    const [statement] = body.statements.filter((one: any) => !one.free);
    assert.deepEqual(statement.answers[0].access, {
      allowed: false,
      reason: 'policy_denied',
      rule: null,
      varies: ['country'],
    });
    assert.deepEqual(body.contradictions, []);
  });
});

describe('answers to visitors', () => {
  const ask = (host: string, query: string) =>
    postern.call('GET', `/v1/authorize?origin=https://${host}${query}`, {
      key: null,
      headers: { 'x-postern-key': postern.key, 'x-original-uri': '/x' },
    });

  test('name the page about licenses where the site says so', async () => {
    const host = 'link.example.com';
    const { policy } = await makeSite(host, [{ action: 'allow' }], {
      signals: { link: true },
      licensingUrl: 'https://www.example.com/lizenz/ü',
    });
    const link = '<https://www.example.com/lizenz/%C3%BC>; rel="license"';
    assert.equal((await ask(host, '')).headers.get('link'), link);
    await postern.call('PATCH', `/v1/policies/${policy.id}`, { body: { rules: [{ action: 'deny' }] } });
    const problem = await ask(host, '&body=problem');
    assert.equal(problem.headers.get('link'), link);
    assert.equal(JSON.parse(problem.text).licensingUrl, 'https://www.example.com/lizenz/%C3%BC');
    assert.match((await ask(host, '&body=html')).text, /<a href="https:\/\/www\.example\.com\/lizenz\/%C3%BC">/);
    await put(host, { licensingUrl: 'https://www.example.com/licenses' });
    assert.equal((await ask(host, '')).headers.get('link'), null);
    assert.ok((await ask(host, '&body=problem')).headers.get('link'));
    await put(host, {});
    assert.equal((await ask(host, '&body=problem')).headers.get('link'), null);
    await put(host, { signals: { license: true, link: true } });
    assert.equal((await ask(host, '')).headers.get('link'), `<https://${host}/license.xml>; rel="license"`);
  });
});
