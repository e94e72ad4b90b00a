/**
 * A guard answers browsers with a page and programs with problem details. The page says what /v1/authorize says with
 * `body=html`, for each kind of server, on a real socket.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type GuardOptions, guard } from '../../client/src/index.ts';
import { freePort } from '../../kit/port.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { authorize } from '../enforce/asking.ts';
import { made, makePolicy } from '../http/given.ts';
import { openServing, TEXT } from './serving.ts';

const clock = testClock();
const postern = await startTestService({ clock, env: { POSTERN_DECISION_MAX_AGE: '60' } });
after(() => postern[Symbol.asyncDispose]());
const serving = openServing({ before: { vary: 'Origin' } });
after(() => serving[Symbol.asyncDispose]());

const HOST = 'site.example';
const ORIGIN = `https://${HOST}`;
const MESSAGE = 'Ask <b>us</b> & "them" for it: 5 €';
const collection = async (path: string, ...rules: object[]) => {
  const { id: policyId } = await makePolicy(postern, rules);
  await made(postern, '/v1/collections', { name: path, hosts: [HOST], paths: [path], policyId });
};
await collection('/open/', { action: 'allow', conditions: {} });
await collection('/shut/', { action: 'deny', conditions: {}, message: MESSAGE });
await collection('/kept/', { action: 'deny', conditions: {} });
await collection('/sold/', { action: 'allow', conditions: { licenseType: ['crawl', 'a<b'] } });
await collection('/signed/', { action: 'allow', conditions: { requesterVerified: true } });
await collection('/partly/', { action: 'allow', conditions: {}, permissions: ['preview_only'] });
for (const count of [1, 2]) {
  const rateLimit = { requests: 1, period: 'hour' };
  await collection(`/limited/${count}`, { action: 'allow', conditions: {}, rateLimit });
}
const offer = {
  unitPriceMicros: 5000,
  currency: 'USD',
  url: 'https://licensing.example/?a=1&b=2',
  contact: "o'hara@a.example",
};
for (const [path, body] of [
  ['/v1/offers/crawl', offer],
  [`/v1/sites/${HOST}`, { signals: { public: true, link: true, license: true } }],
] as const) {
  const answer = await postern.call('PUT', path, { body });
  assert.ok(answer.status < 300, answer.text);
}
assert.equal((await postern.call('GET', `/v1/sites/${HOST}/signals/robots.txt`)).status, 200);

const options: GuardOptions = { url: postern.url, key: postern.key, content: 'url', origin: ORIGIN };
const CHROMIUM =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';
const PROBLEM = 'application/problem+json';
const PAGE = 'text/html; charset=utf-8';

type Get = (path: string, accept?: string, method?: string) => Promise<Response>;

const getFrom =
  (url: string): Get =>
  (path, accept, method = 'GET') =>
    fetch(url + path, { method, headers: accept === undefined ? {} : { accept } });

/** The page for the same request at a proxy. */
const atDoor = async (target: string, more = ''): Promise<{ status: number; text: string }> =>
  authorize(postern, target, { path: `/v1/authorize?origin=${ORIGIN}&denyStatus=401,402,429&body=html${more}` });
const withoutId = (page: string): string => page.replaceAll(/dec_\w{26}/g, 'dec_…');
/** Fastify adds a charset to problem details. */
const typeOf = ({ headers }: Response): string | undefined =>
  headers.get('content-type')?.replace(/^(application.*); charset=utf-8$/, '$1');

for (const [name, start] of Object.entries(serving.servers)) {
  describe(name, async () => {
    const serve = async (given: GuardOptions) => getFrom(await start(given));
    const get = await serve(options);

    test('a browser receives the page of /v1/authorize, with the status and the headers of the refusal', async () => {
      for (const path of ['/shut/x', '/sold/x', '/signed/x']) {
        const page = await get(path, CHROMIUM);
        const door = await atDoor(path);
        assert.deepEqual([page.status, typeOf(page)], [door.status, PAGE], path);
        assert.equal(withoutId(await page.text()), withoutId(door.text), path);
        assert.match(page.headers.get('x-postern-decision') ?? '', /^dec_/);
        assert.equal(page.headers.get('cache-control'), 'no-store');
        assert.match(page.headers.get('link') ?? '', /rel="license"/, path);
      }
    });
    test('whatever else accepts anything receives problem details', async () => {
      for (const accept of [undefined, '*/*', 'application/json', 'image/avif,image/webp,*/*;q=0.8']) {
        const answer = await get('/shut/x', accept);
        assert.equal(typeOf(answer), PROBLEM, accept ?? 'no Accept');
        assert.equal(((await answer.json()) as { detail: string }).detail, MESSAGE);
      }
    });
    test('both answers vary, those of allowed requests do not', async () => {
      for (const accept of [CHROMIUM, '*/*']) {
        const { headers } = await get('/shut/x', accept);
        const fields = (headers.get('vary') ?? '').split(/, ?/);
        assert.ok(fields.includes('Accept'), String(fields));
        if (name === 'Express' || name === 'Fastify') assert.ok(fields.includes('Origin'), 'the own field stays');
        const open = await get('/open/x', accept);
        assert.equal(await open.text(), TEXT);
        assert.ok(!(open.headers.get('vary') ?? '').includes('Accept'));
      }
    });
    test('an answer to HEAD has the headers of a page and no body', async () => {
      const { status, headers } = await get('/shut/x', CHROMIUM, 'HEAD');
      assert.deepEqual([status, headers.get('content-type')], [403, PAGE]);
    });
    test('without an answer of the service, a browser receives a page too', async () => {
      const alone = await serve({ ...options, url: `http://127.0.0.1:${await freePort()}` });
      const page = await alone('/open/x', CHROMIUM);
      assert.deepEqual([page.status, typeOf(page)], [503, PAGE]);
      assert.match(await page.text(), /<h1>Access cannot be decided now<\/h1>/);
    });
    test('pages can be switched off', async () => {
      const bare = await serve({ ...options, pages: false });
      assert.equal(typeOf(await bare('/shut/x', CHROMIUM)), PROBLEM);
    });
  });
}

describe('a page', async () => {
  const handle = guard(options).fetch(() => new Response(TEXT));
  const get = (path: string, accept = CHROMIUM, own = handle) =>
    own(new Request(`${ORIGIN}${path}`, { headers: { accept } }));

  test('has no markup of the message or of an offer', async () => {
    const text = await (await get('/shut/x')).text();
    assert.ok(text.includes('Ask &#60;b&#62;us&#60;/b&#62; &#38; &#34;them&#34; for it: 5 €'), text);
    const sold = await (await get('/sold/x')).text();
    assert.ok(sold.includes('href="https://licensing.example/?a=1&#38;b=2"'), sold);
    assert.ok(sold.includes('a&#60;b') && !sold.includes('a<b'));
    assert.ok(sold.includes('mailto:o&#39;hara@a.example'));
    assert.ok(sold.includes('crawl: USD 0.005 per access.'));
  });
  test('says when a limit begins anew, and which permission would do', async () => {
    assert.equal((await get('/limited/1')).status, 200);
    await atDoor('/limited/2');
    const [page, door] = [await get('/limited/1'), await atDoor('/limited/2')];
    assert.deepEqual([page.status, door.status], [429, 429]);
    const text = await page.text();
    assert.equal(withoutId(text), withoutId(door.text));
    assert.match(text, /Ask again after 2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d UTC\./);
    const training = guard({ ...options, permission: 'training' }).fetch(() => new Response(TEXT));
    const partly = await (await get('/partly/x', CHROMIUM, training)).text();
    assert.match(partly, /Ask for another permission: preview_only\./);
    assert.equal(withoutId(partly), withoutId((await atDoor('/partly/x', '&permission=training')).text));
  });
  test('is preferred as RFC 9110 says', async () => {
    const pages = [
      'text/html',
      'TEXT/HTML',
      'text/*',
      'text/html;level=1',
      'application/json;q=0.5, text/html;q=0.6',
      '*/*;q=0.1,text/html',
      'application/xhtml+xml, text/html ; q=0.9, application/*;q=0.8',
      'text/html, application/problem+json;q=0',
    ];
    const problems = [
      '',
      'text/html;q=0',
      'text/html;q=0, */*',
      'text/html;q=0.5,*/*',
      'application/problem+json, text/html',
      'text/plain',
      'application/*, text/*',
      'text/html;q=x',
      ';;,,q=1',
    ];
    for (const accept of pages) assert.equal(typeOf(await get('/shut/x', accept)), PAGE, accept);
    for (const accept of problems) assert.equal(typeOf(await get('/shut/x', accept)), PROBLEM, accept);
  });
  test('of a kept answer is as each visitor prefers it', async () => {
    let asked = 0;
    const counted: typeof fetch = (url, init) => {
      asked++;
      return fetch(url, init);
    };
    const own = guard({ ...options, fetch: counted }).fetch(() => new Response(TEXT));
    const types = [];
    for (const accept of [CHROMIUM, '*/*', CHROMIUM]) types.push(typeOf(await get('/kept/x', accept, own)));
    assert.deepEqual(types, [PAGE, PROBLEM, PAGE]);
    assert.equal(asked, 1);
  });
});
