/**
 * The headers of guards are those of `/v1/authorize`, for each kind of server, on a real socket: the signals of the
 * page, limits, offers, and the wish for a signature.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { GuardOptions } from '../../client/src/index.ts';
import type { Answer } from '../../kit/answer.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { authorize } from '../enforce/asking.ts';
import { made, makePolicy } from '../http/given.ts';
import { openServing, TEXT } from './serving.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());
const OWN_LINK = '</style.css>; rel="preload"';
const { servers, ...serving } = openServing({ before: { link: OWN_LINK }, behind: { link: OWN_LINK } });
after(() => serving[Symbol.asyncDispose]());

const HOST = 'site.example';
const ORIGIN = `https://${HOST}`;
const put = async (path: string, body: object) => {
  const answer = await postern.call('PUT', path, { body });
  assert.ok(answer.status < 300, answer.text);
};
const policyOf = async (...rules: object[]): Promise<string> => (await makePolicy(postern, rules)).id;
const serve = async (path: string, policyId: string, more: object = {}) =>
  made(postern, '/v1/collections', { name: path, hosts: [HOST], paths: [path], policyId, ...more });

const FREE = { action: 'allow', conditions: {}, permissions: ['full_access', 'training', 'fine_tuning'] };
await serve('/', await policyOf({ action: 'deny', conditions: { purpose: 'training' } }, FREE));
await serve('/free/', await policyOf(FREE));
await serve('/shut/', await policyOf({ action: 'deny', conditions: {} }));
await serve('/watched/', await policyOf({ action: 'deny', conditions: {} }), { mode: 'observe' });
await serve('/sold/', await policyOf({ action: 'allow', conditions: { licenseType: 'crawl' } }));
await serve('/signed/', await policyOf({ action: 'allow', conditions: { crawlerVerified: true } }));
for (const count of [1, 2]) {
  const rateLimit = { requests: 1, period: 'hour' };
  await serve(`/limited/${count}`, await policyOf({ action: 'allow', conditions: {}, rateLimit }));
}
await put('/v1/offers/crawl', { unitPriceMicros: 5000, currency: 'USD', url: 'https://licensing.example/crawl' });
const SIGNALS = { public: true, tdmrep: true, contentUsage: true, link: true, license: true };
await put(`/v1/sites/${HOST}`, { signals: SIGNALS });
/** Visitors do not wait for signals. */
const render = async () =>
  assert.equal((await postern.call('GET', `/v1/sites/${HOST}/signals/robots.txt`)).status, 200);
await render();

const options: GuardOptions = { url: postern.url, key: postern.key, content: 'url', origin: ORIGIN };

type Get = (path: string, userAgent: string) => Promise<Response>;

const getFrom =
  (url: string): Get =>
  (path, userAgent) =>
    fetch(url + path, { headers: { 'user-agent': userAgent } });

const TOLD = [
  'link',
  'tdm-reservation',
  'tdm-policy',
  'content-usage',
  'ratelimit-policy',
  'ratelimit',
  'retry-after',
  'accept-signature',
  'crawler-price',
  'payment-required',
];
const toldIn = ({ headers }: Pick<Response | Answer, 'headers'>): Record<string, string> =>
  Object.fromEntries(TOLD.flatMap((name) => [[name, headers.get(name) ?? '']] as const).filter(([, value]) => value));
const limitsIn = (answer: Pick<Response | Answer, 'headers'>): Record<string, string> =>
  Object.fromEntries(Object.entries(toldIn(answer)).filter(([name]) => /^ratelimit|^retry/.test(name)));
const atDoor = (path: string, userAgent: string): Promise<Answer> =>
  authorize(postern, path, {
    path: `/v1/authorize?origin=${ORIGIN}&denyStatus=401,402,429&body=problem`,
    headers: { 'user-agent': userAgent },
  });
/** Links of the server itself stay. */
const withoutOwn = ({ link = '', ...told }: Record<string, string>): Record<string, string> => {
  const rest = link.split(', ').filter((one) => one !== OWN_LINK);
  return rest.join(', ') === '' ? told : { link: rest.join(', '), ...told };
};

for (const [name, start] of Object.entries(servers)) {
  describe(name, async () => {
    const make = async (given: GuardOptions) => getFrom(await start(given));
    const get = await make(options);

    test('tells what /v1/authorize tells, of allowed, denied and observed requests', async () => {
      for (const [path, userAgent, expected] of [
        ['/page', 'Mozilla', ['link', 'tdm-reservation', 'tdm-policy', 'content-usage']],
        ['/free/page', 'Mozilla', ['link', 'tdm-reservation', 'content-usage']],
        ['/watched/page', 'Mozilla', ['link', 'tdm-reservation', 'tdm-policy', 'content-usage']],
        ['/shut/page', 'Mozilla', ['link']],
        ['/sold/page', 'GPTBot/1.2', ['link', 'crawler-price']],
        ['/signed/page', 'Google-Agent/1.0', ['link', 'accept-signature']],
      ] as const) {
        const [page, door] = [await get(path, userAgent), await atDoor(path, userAgent)];
        const told = withoutOwn(toldIn(page));
        assert.deepEqual(Object.keys(told), expected, path);
        assert.deepEqual(told, toldIn(door), path);
        assert.equal(page.status, door.status, path);
        const isServed = page.status === 200;
        assert.equal((await page.text()) === TEXT, isServed);
        const keepsOwn = name !== 'a handler that takes the verdict' && (isServed || /Express|Fastify/.test(name));
        assert.equal(page.headers.get('link')?.includes(OWN_LINK) ?? false, keepsOwn, path);
      }
    });

    test('names the page about licenses in bodies of denials, that of the site first', async () => {
      const site = 'https://site.example/licensing';
      for (const [licensingUrl, expected] of [
        [site, site],
        [null, 'https://licensing.example/crawl'],
      ] as const) {
        await put(`/v1/sites/${HOST}`, { signals: { ...SIGNALS, link: false }, licensingUrl });
        const page = await get('/sold/page', 'GPTBot/1.2');
        assert.equal(((await page.json()) as { licensingUrl: string }).licensingUrl, expected);
        const door = await atDoor('/sold/page', 'GPTBot/1.2');
        assert.equal(withoutOwn(toldIn(page)).link, door.headers.get('link'));
        assert.equal(JSON.parse(door.text).licensingUrl, expected);
      }
      await put(`/v1/sites/${HOST}`, { signals: SIGNALS });
      await render();
    });

    test('tells of signals no more than is wanted', async () => {
      const quiet = await make({ ...options, signals: false });
      const page = await quiet('/page', 'Mozilla');
      assert.deepEqual([page.status, withoutOwn(toldIn(page))], [200, {}]);
      assert.deepEqual(withoutOwn(toldIn(await quiet('/shut/page', 'Mozilla'))), {});
    });
  });
}

const atExpress = async (given: GuardOptions) => getFrom((await servers.Express?.(given)) ?? assert.fail('no Express'));

test('limits are told in the standard fields, by guards as by /v1/authorize', async () => {
  const get = await atExpress(options);
  for (const status of [200, 429]) {
    const [page, door] = [await get('/limited/1', 'Mozilla'), await atDoor('/limited/2', 'Mozilla')];
    assert.deepEqual([page.status, door.status], [status, status]);
    const [told, expected] = [limitsIn(page), limitsIn(door)];
    assert.deepEqual(told, expected);
    assert.equal(told['ratelimit-policy'], '"access";q=1;w=3600');
    const [, reset] = /^"access";r=0;t=(\d+)$/.exec(told.ratelimit ?? '') ?? [];
    assert.ok(status === 200 || Number(told['retry-after']) >= Number(reset), JSON.stringify(told));
  }
});

test('a guard that names items tells of the page as well; a long URL is none and denies nothing', async () => {
  const policyId = await policyOf(FREE);
  await made(postern, '/v1/content', { externalId: 'x', title: 'x', type: 'article', source: ORIGIN, policyId });
  await render();
  const get = await atExpress({ ...options, content: () => 'x' });
  const page = await get('/page?a=b', 'Mozilla');
  assert.deepEqual([page.status, page.headers.get('tdm-reservation')], [200, '1']);
  const long = await get(`/page?${'a'.repeat(3_000)}`, 'Mozilla');
  assert.deepEqual([long.status, long.headers.get('tdm-reservation')], [200, null]);
});

describe('caches in front', () => {
  const OWN = { 'cache-control': 'public, max-age=60', vary: 'Accept-Encoding' };
  const { servers: cached, ...closing } = openServing({ before: OWN, behind: OWN });
  after(() => closing[Symbol.asyncDispose]());
  const storing = ({ headers }: Pick<Response | Answer, 'headers'>) => [
    headers.get('cache-control'),
    headers.get('vary'),
  ];

  for (const [name, start] of Object.entries(servers)) {
    test(`${name} keeps allowed pages out of them, as /v1/authorize does`, async () => {
      const get = getFrom(await start(options));
      for (const path of ['/page', '/watched/page']) {
        const told = storing(await atDoor(path, 'Mozilla'));
        assert.deepEqual(told, ['private', 'Authorization, Signature, User-Agent']);
        assert.deepEqual(storing(await get(path, 'Mozilla')), told, path);
      }
      assert.equal(storing(await get('/shut/page', 'Mozilla'))[0], 'no-store');
      for (const path of ['/robots.txt', '/favicon.ico', '/.well-known/x']) {
        assert.deepEqual(storing(await get(path, 'Mozilla')), [null, null], path);
      }
    });
    test(`${name} keeps pages out of them that are allowed without a decision`, async () => {
      const down = getFrom(await start({ ...options, url: 'http://127.0.0.1:9', onError: 'allow' }));
      assert.equal(storing(await down('/page', 'Mozilla'))[0], 'private');
      const unknown = getFrom(await start({ ...options, origin: 'https://other.example', unknown: 'allow' }));
      assert.equal(storing(await unknown('/page', 'Mozilla'))[0], 'private');
    });
  }
  for (const [name, start] of Object.entries(cached).filter(([one]) => !one.includes('takes the verdict'))) {
    test(`${name} keeps what the application says of caches, for pages alone`, async () => {
      const get = getFrom(await start(options));
      assert.deepEqual(storing(await get('/page', 'Mozilla')), [
        OWN['cache-control'],
        'Accept-Encoding, Authorization, Signature, User-Agent',
      ]);
      assert.equal(storing(await get('/shut/page', 'Mozilla'))[0], 'no-store');
      assert.deepEqual(storing(await get('/robots.txt', 'Mozilla')), [OWN['cache-control'], OWN.vary]);
    });
  }
});
