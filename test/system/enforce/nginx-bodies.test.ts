/** nginx, set up by its page to answer denials with Postern's own bodies: each decided and counted once. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../../kit/service.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { decisions } from '../../enforce/asking.ts';
import { configurationOf, type Page, visit } from '../../enforce/visiting.ts';
import { item, made, makePolicy } from '../../http/given.ts';
import { SERVERS } from './servers.ts';

const ORIGIN = 'https://www.example.com';
const SECRET = 'the protected text';
/** Text that would break out of a page, a header, or the configuration. */
const HOSTILE = `<script>alert("1")</script>\r\nSet-Cookie: a=b\r\n\r\n&amp; '\`$host\${uri}{{env "x"}}\\ Für 100 % €`;
const LONG = 'ライセンスが必要です。'.repeat(45);
const PROGRAM = { accept: 'application/json' };
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

async function register(path: string, rules: object[]): Promise<void> {
  const { id: policyId } = await makePolicy(postern, rules);
  await made(postern, '/v1/content', item({ externalId: path, source: ORIGIN + path, policyId }));
}
const DENY = { action: 'deny', conditions: {} };
await register('/open.html', [{ action: 'allow', conditions: {} }]);
await register('/hostile.html', [{ ...DENY, message: HOSTILE }]);
await register('/long.html', [{ ...DENY, message: LONG }]);
await register('/offered.html', [{ action: 'allow', conditions: { licenseType: 'offered' } }]);
await register('/once.html', [{ action: 'allow', conditions: {}, rateLimit: { requests: 1, period: 'day' } }]);
const OFFER = { unitPriceMicros: 5000, currency: 'USD', url: 'https://licensing.example/offered' };
assert.equal((await postern.call('PUT', '/v1/offers/offered', { body: OFFER })).status, 201);

const files = ['hostile', 'long', 'offered'].map((name) => [`${name}.html`, SECRET]);
const site = folderOf({
  'open.html': 'open to all',
  'once.html': 'once',
  'hidden.html': SECRET,
  ...Object.fromEntries(files),
});

/** The configuration of the page, with the parts of its section put in their places. */
function changes(): Record<string, string> {
  const page = configurationOf('nginx', 'nginx', {});
  const part = (language: string): string => configurationOf('nginx', language, {});
  const lineWith = (text: string): string => page.split('\n').find((line) => line.includes(text)) ?? text;
  return {
    'server {\n': `${part('nginx-bodies')}server {\n`,
    [lineWith('proxy_pass http')]: part('nginx-asked'),
    [`${lineWith('$postern_message ')}\n${lineWith('$postern_message_html ')}`]: part('nginx-taken'),
    [page.slice(page.indexOf('    location @denied'), page.lastIndexOf('}'))]: part('nginx-denied'),
  };
}
const [, startNginx] = SERVERS[0];
const server = await startNginx({ asked: new URL(postern.url).host, key: postern.key, site, changes: changes() });
after(() => server[Symbol.asyncDispose]());
const get = (path: string, headers: Record<string, string> = PROGRAM): Promise<Page> =>
  visit(server.url, path, { headers });

test('programs receive problem details, browsers the page, and each request is one decision', async () => {
  for (const [headers, type] of [
    [PROGRAM, 'application/problem+json'],
    [{}, 'application/problem+json'],
    [BROWSER, 'text/html; charset=utf-8'],
  ] as const) {
    const before = await decisions(postern);
    const page = await get('/offered.html', headers);
    assert.equal(await decisions(postern), before + 1);
    assert.deepEqual([page.status, page.headers['content-type']], [402, type], server.log());
    assert.equal(page.headers.link, '<https://licensing.example/offered>; rel="license"');
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.match(page.text, /0\.005|5000/);
    assert.ok(!page.text.includes(SECRET));
  }
  const problem = JSON.parse((await get('/offered.html')).text);
  assert.deepEqual(
    [problem.status, problem.reason, problem.licensingUrl, problem.remedies[0].kind],
    [402, 'no_license', OFFER.url, 'license'],
  );
  assert.equal((await get('/open.html', BROWSER)).text, 'open to all');
});

test('a denial that a signature would turn asks for one', async () => {
  const identities = [{ kind: 'signature', agent: 'https://agent.example' }];
  await made(postern, '/v1/requesters', { id: 'signing', userAgents: ['SigningBot'], identities });
  await register('/signed.html', [{ action: 'allow', conditions: { requesterVerified: ['signature'] } }]);
  const { status, headers } = await get('/signed.html', { ...PROGRAM, 'user-agent': 'SigningBot' });
  assert.equal(status, 403, server.log());
  assert.match(String(headers['accept-signature']), /web-bot-auth/);
});

test('a limit is used once a request, and the body says that it is used up', async () => {
  const [first, over] = [await get('/once.html'), await get('/once.html')];
  assert.deepEqual([first.status, first.text, over.status], [200, 'once', 429]);
  const problem = JSON.parse(over.text);
  assert.deepEqual([problem.status, problem.reason, problem.remedies[0].kind], [429, 'rate_limit_exceeded', 'wait']);
  assert.ok(Number(over.headers['retry-after']) >= Number(/t=(\d+)/.exec(String(over.headers.ratelimit))?.[1]));
});

test('no message breaks out of a body, and the longest arrives', async () => {
  for (const [path, message] of [
    ['/hostile.html', HOSTILE],
    ['/long.html', LONG],
  ] as const) {
    const program = await get(path);
    assert.deepEqual([program.status, JSON.parse(program.text).detail], [403, message], server.log());
    assert.equal(program.headers['set-cookie'], undefined);
    const page = await get(path, BROWSER);
    const shown = (/<p>([^]*?)<\/p>/.exec(page.text)?.[1] ?? '').replaceAll(/&#(\d+);/g, (_, code) =>
      String.fromCodePoint(Number(code)),
    );
    assert.equal(shown, message);
    assert.ok(!page.text.includes('<script'), page.text);
  }
});

test('what nothing decides about has a body as well', async () => {
  for (const path of ['/hidden.html', '/a/../b']) {
    const page = await get(path);
    assert.deepEqual([page.status, page.headers['content-type']], [403, 'application/problem+json'], path);
    assert.match(JSON.parse(page.text).detail, /\w+ .*\.$/);
  }
});
