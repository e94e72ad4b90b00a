/**
 * A denied visitor gets the offers that would turn the denial, in the headers that crawlers read. 402 only with one of
 * them. No offer lets anybody in; Pay Per Crawl does, and only where the operator says that Cloudflare is in front.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Compile } from 'typebox/schema';
import type { Answer } from '../../kit/answer.ts';
import * as fc from '../../kit/fast-check.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { offerHeaders } from '../../src/requesters/offers/headers.ts';
import type { Offered } from '../../src/requesters/offers/offer.ts';
import { assertStatus, made, makeKey, makePolicy } from '../http/given.ts';
import { authorize, decisions, ORIGIN, recorded, serve } from './asking.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const policyOf = async (...rules: object[]): Promise<string> => (await makePolicy(postern, rules)).id;
const put = async (path: string, body: object) => {
  const answer = await postern.call('PUT', `/v1/offers/${path}`, { body });
  assert.ok(answer.status === 200 || answer.status === 201, answer.text);
};
const URL_OF_LICENSE = 'https://licensing.example/crawling?a=<b>';
const X402 = { network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', payTo: '0xPublisher' };
await put('crawling', {
  unitPriceMicros: 5000,
  currency: 'USD',
  contact: 'licensing@site.example',
  url: URL_OF_LICENSE,
  x402: { ...X402, extra: { name: 'USDC', version: '2' } },
});
await put('euro', { unitPriceMicros: 20_000_000, currency: 'EUR', unit: 'month' });
await put('talk', { contact: 'licensing@site.example' });

const LICENSED = await policyOf({ action: 'allow', conditions: { licenseType: 'crawling' }, message: 'x' });
await serve(postern, '/licensed', LICENSED);
await serve(postern, '/monthly', await policyOf({ action: 'allow', conditions: { licenseType: 'euro' } }));
await serve(postern, '/talk', await policyOf({ action: 'allow', conditions: { licenseType: 'talk' } }));
await serve(postern, '/unoffered', await policyOf({ action: 'allow', conditions: { licenseType: 'none' } }));
await serve(postern, '/closed', await policyOf({ action: 'deny', conditions: {} }));
await serve(postern, '/open', await policyOf({ action: 'allow', conditions: {} }));
const LIMITED = { action: 'allow', conditions: { licenseType: 'crawling' }, rateLimit: { requests: 1, period: 'day' } };
await serve(postern, '/limited', await policyOf(LIMITED));
await made(postern, '/v1/requesters', { id: 'paying', userAgents: ['PayingBot'] });
await made(postern, '/v1/licenses', { requesterId: 'paying', type: 'crawling' });
await made(postern, '/v1/requesters', { id: 'late', userAgents: ['LateBot'] });
await made(postern, '/v1/licenses', { requesterId: 'late', type: 'crawling', expiresAt: '2026-11-21T09:00:00Z' });
await made(postern, '/v1/requesters', { id: 'broke', userAgents: ['BrokeBot'] });

const path = (more: string): string => `/v1/authorize?origin=${ORIGIN}&${more}`;
const visit = (target: string, agent = 'Mozilla', more = 'denyStatus=401,402,429', headers: object = {}) =>
  authorize(postern, target, { path: path(more), headers: { 'user-agent': agent, ...headers } });
const NAMES = ['crawler-price', 'link', 'payment-required'];
const offersOf = ({ headers }: Answer) => NAMES.map((name) => headers.get(name));

/** The schema of x402 version 2, 5.1, read from its tables of fields. */
const PAYMENT_REQUIRED = {
  type: 'object',
  required: ['x402Version', 'resource', 'accepts'],
  properties: {
    x402Version: { const: 2 },
    error: { type: 'string' },
    resource: {
      type: 'object',
      required: ['url'],
      properties: { url: { type: 'string' }, description: { type: 'string' }, mimeType: { type: 'string' } },
      additionalProperties: false,
    },
    accepts: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds'],
        properties: {
          scheme: { type: 'string', minLength: 1 },
          network: { type: 'string', pattern: '^[-a-z0-9]{3,16}:[-_a-zA-Z0-9]{1,32}$' },
          amount: { type: 'string', pattern: '^[1-9][0-9]*$' },
          asset: { type: 'string', minLength: 1 },
          payTo: { type: 'string', minLength: 1 },
          maxTimeoutSeconds: { type: 'integer', minimum: 1 },
          extra: { type: 'object' },
        },
        additionalProperties: false,
      },
    },
    extensions: { type: 'object' },
  },
  additionalProperties: false,
};
const paymentRequired = Compile(PAYMENT_REQUIRED);
function decoded(header: string | null | undefined): any {
  const json = JSON.parse(Buffer.from(header ?? '', 'base64').toString());
  assert.ok(paymentRequired.Check(json), JSON.stringify(json));
  return json;
}

describe('the status', () => {
  test('is 402 where an offer would turn the denial, for anybody, and else an honest 401 or 403', async () => {
    for (const [target, agent, status] of [
      ['/licensed', 'Mozilla', 402],
      ['/licensed', 'BrokeBot', 402],
      ['/licensed', 'LateBot', 402],
      ['/monthly', 'BrokeBot', 402],
      ['/talk', 'BrokeBot', 402],
      ['/unoffered', 'Mozilla', 401],
      ['/unoffered', 'BrokeBot', 403],
      ['/closed', 'BrokeBot', 403],
      ['/licensed', 'PayingBot', 200],
    ] as const) {
      const answer = await visit(target, agent);
      assert.equal(answer.status, status, `${target} ${agent}`);
      assert.equal(answer.headers.get('x-postern-status'), status === 200 ? null : String(status));
      assert.equal(answer.headers.get('www-authenticate'), status === 401 ? 'Bearer' : null);
    }
  });

  test('is one that the proxy passes on; the best one is in a header', async () => {
    for (const [more, status] of [
      ['', 403],
      ['denyStatus=429', 403],
      ['denyStatus=401', 401],
      ['denyStatus=402', 402],
    ] as const) {
      const answer = await visit('/licensed', 'Mozilla', more);
      assert.equal(answer.status, status, more);
      assert.equal(answer.headers.get('x-postern-status'), '402');
      assert.equal(answer.headers.get('crawler-price'), 'USD 0.005');
    }
  });

  test('a used-up limit is no question of money', async () => {
    assertStatus(await visit('/limited', 'PayingBot'), 200);
    const answer = await visit('/limited', 'PayingBot');
    assert.deepEqual([answer.status, answer.headers.get('x-postern-status')], [429, '429']);
    assert.deepEqual(offersOf(answer), [null, null, null]);
  });
});

describe('the headers', () => {
  test('say the price, the page and how to pay, and allowed answers say nothing', async () => {
    const answer = await visit('/licensed', 'BrokeBot');
    const [price, link, required] = offersOf(answer);
    assert.equal(price, 'USD 0.005');
    assert.equal(link, '<https://licensing.example/crawling?a=%3Cb%3E>; rel="license"');
    assert.deepEqual(decoded(required), {
      x402Version: 2,
      error: 'License required',
      resource: { url: `${ORIGIN}/licensed` },
      accepts: [
        {
          scheme: 'exact',
          ...X402,
          amount: '5000',
          maxTimeoutSeconds: 60,
          extra: { name: 'USDC', version: '2' },
        },
      ],
    });
    assert.deepEqual(offersOf(await visit('/licensed', 'PayingBot')), [null, null, null]);
    assert.deepEqual(offersOf(await visit('/closed', 'BrokeBot')), [null, null, null]);
  });

  test('a price per month is no price of a request', async () => {
    assert.deepEqual(offersOf(await visit('/monthly')), [null, null, null]);
  });

  const offered = fc.record(
    {
      licenseType: fc.string({ minLength: 1 }),
      features: fc.constant([]),
      unit: fc.constantFrom('decision', 'month', 'year'),
      unitPriceMicros: fc.nat(),
      currency: fc.constantFrom('USD', 'EUR', 'JPY', 'KWD'),
      url: fc.string({ maxLength: 2000 }).map((text) => `https://a.example/${encodeURIComponent(text.toWellFormed())}`),
      x402: fc.record({
        scheme: fc.constant('exact'),
        network: fc.constant('eip155:8453'),
        amount: fc.constant('5'),
        asset: fc.stringMatching(/^[!-~]{100,128}$/),
        payTo: fc.stringMatching(/^[!-~]{100,128}$/),
        maxTimeoutSeconds: fc.constant(60),
      }),
    },
    { requiredKeys: ['licenseType', 'features', 'unit'] },
  );

  test('have at most 2 KiB together, and each value is whole', () => {
    let dropped = 0;
    fc.assert(
      fc.property(
        fc.array(offered as unknown as fc.Arbitrary<Offered>, { maxLength: 20, size: 'max' }),
        fc.webUrl(),
        (all, url) => {
          const headers = offerHeaders(all, url);
          const bytes = Object.entries(headers).reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);
          assert.ok(bytes <= 2048, String(bytes));
          if (headers['crawler-price'] !== undefined) assert.match(headers['crawler-price'], /^[A-Z]{3} \d+(\.\d+)?$/);
          const first = all.find((one) => one.url !== undefined)?.url;
          if (headers.link !== undefined) assert.equal(headers.link, `<${new URL(first ?? '').href}>; rel="license"`);
          const payable = all.filter(({ x402 }) => x402 !== undefined);
          const accepts = headers['payment-required'] === undefined ? [] : decoded(headers['payment-required']).accepts;
          assert.deepEqual(
            accepts,
            payable.slice(0, accepts.length).map(({ x402 }) => ({ ...x402 })),
          );
          if (accepts.length < payable.length) dropped++;
        },
      ),
      { numRuns: 500 },
    );
    assert.ok(dropped > 10, `something did not fit: ${dropped}`);
  });

  test('a URL too long for the budget costs PAYMENT-REQUIRED and nothing else', async () => {
    const [price, link, required] = offersOf(await visit(`/licensed?x=${'y'.repeat(1800)}`, 'BrokeBot'));
    assert.equal(price, 'USD 0.005');
    assert.ok(link !== null);
    assert.equal(required, null);
  });
});

describe('the body', () => {
  test('problem details carry the offers, and nothing of the rules', async () => {
    const answer = await visit('/licensed', 'BrokeBot', 'denyStatus=402&body=problem');
    assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
    const problem = JSON.parse(answer.text);
    assert.deepEqual([answer.status, problem.status, problem.licensingUrl], [402, 402, URL_OF_LICENSE]);
    const [remedy] = problem.remedies;
    assert.equal('rule' in remedy, false);
    assert.deepEqual(
      [remedy.offers.length, remedy.offers[0].unitPriceMicros, remedy.offers[0].contact],
      [1, 5000, 'licensing@site.example'],
    );
    const plain = await visit('/unoffered', 'BrokeBot', 'denyStatus=402&body=problem');
    assert.equal('licensingUrl' in JSON.parse(plain.text), false);
  });

  test('a page names the price, with nothing of it as markup', async () => {
    await put('marked', {
      unitPriceMicros: 1_500_000,
      currency: 'EUR',
      url: 'https://a.example/?"><script>x</script>',
    });
    const policyId = await policyOf({ action: 'allow', conditions: { licenseType: 'marked' } });
    await serve(postern, '/marked', policyId);
    const { text } = await visit('/marked', 'BrokeBot', 'body=html');
    assert.match(text, /marked: EUR 1\.50 per access\./);
    assert.doesNotMatch(text, /<script/);
  });
});

describe('Pay Per Crawl', () => {
  const IN_BAND = { 'cf-pay-per-crawl': 'protocol=cloudflare, pricing=in-band' };
  const paid = (target: string, agent: string, headers: object = IN_BAND, type = 'crawling') =>
    visit(target, agent, `denyStatus=402&payPerCrawl=${type}`, headers);

  test('lets the crawler in that Cloudflare charges, at the price of the offer, as a license that was vouched for', async () => {
    const answer = await paid('/licensed', 'BrokeBot');
    assert.deepEqual([answer.status, answer.headers.get('crawler-price')], [200, 'USD 0.005']);
    const decision = await recorded(postern, answer);
    assert.deepEqual([decision.allowed, decision.licenseId], [true, null]);
    assert.deepEqual(decision.license, { type: 'crawling', features: [] });
  });

  test('charges nothing where the policy allows without it', async () => {
    for (const [target, agent] of [
      ['/open', 'BrokeBot'],
      ['/licensed', 'PayingBot'],
    ] as const) {
      const answer = await paid(target, agent);
      assert.deepEqual([answer.status, answer.headers.get('crawler-price')], [200, 'USD 0.00'], target);
      assert.equal((await recorded(postern, answer)).license ?? null, null);
    }
  });

  test('sells nothing else: another type, no dollars, no price, nothing that is closed', async () => {
    for (const [target, type] of [
      ['/licensed', 'euro'],
      ['/monthly', 'euro'],
      ['/talk', 'talk'],
      ['/unoffered', 'none'],
      ['/closed', 'crawling'],
    ] as const) {
      const answer = await paid(target, 'BrokeBot', IN_BAND, type);
      assert.ok(answer.status >= 400, target);
    }
  });

  test('needs both the option and the word of Cloudflare', async () => {
    const without = await visit('/licensed', 'BrokeBot', 'denyStatus=402', IN_BAND);
    assert.equal(without.status, 402);
    for (const value of [
      '',
      'pricing=in-band',
      'protocol=other, pricing=in-band',
      'protocol=cloudflare, pricing=zone-default',
      'protocol=cloudflare, pricing=bypass',
      'protocol=cloudflare, pricing="in-band"',
      'protocol=cloudflare, pricing=in-band, pricing=bypass',
      'protocol=cloudflare; pricing=in-band',
    ]) {
      assert.equal((await paid('/licensed', 'BrokeBot', { 'cf-pay-per-crawl': value })).status, 402, value);
    }
    const readOnly = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
    assert.equal((await paid('/licensed', 'BrokeBot', { ...IN_BAND, 'x-postern-key': readOnly })).status, 402);
  });

  test('records each request once, and an address that is not registered is counted as ever', async () => {
    const before = await decisions(postern);
    await paid('/licensed', 'BrokeBot');
    await paid('/closed', 'BrokeBot');
    assert.equal(await decisions(postern), before + 2);
    const answer = await paid('/nowhere', 'BrokeBot');
    assert.equal(answer.headers.get('x-postern-error'), 'content_not_found');
    const counted = await postern.call('GET', '/v1/analytics/unregistered?host=site.example');
    assert.equal(counted.body.data.length, 1, counted.text);
  });
});
