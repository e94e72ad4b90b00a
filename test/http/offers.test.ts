/** Offers, one per license type and collection: each edit leaves one trace, and none changes a decision. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, ID, item, MOMENT, made, makePolicy } from './given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const put = (path: string, body: object, headers: Record<string, string> = {}) =>
  postern.call('PUT', `/v1/offers/${path}`, { body, headers });
const PRICED = { unitPriceMicros: 5000, currency: 'USD' };
const X402 = { network: 'eip155:8453', asset: '0xToken', payTo: '0xPublisher' };

let count = 0;
const newType = (): string => `type-${++count}`;

describe('the record', () => {
  test('is created, read, replaced and deleted by its license type', async () => {
    const type = newType();
    const created = await put(type, { ...PRICED, contact: 'licensing@example.com', features: ['a', 'a'] });
    assertStatus(created, 201);
    const { id, created: at, updated, ...fields } = created.body;
    assert.match(id, ID('off'));
    assert.match(at, MOMENT);
    assert.equal(updated, at);
    assert.deepEqual(fields, {
      object: 'offer',
      licenseType: type,
      collectionId: null,
      features: ['a'],
      unit: 'decision',
      unitPriceMicros: 5000,
      currency: 'USD',
      contact: 'licensing@example.com',
      url: null,
      validUntil: null,
      x402: null,
    });
    const read = await postern.call('GET', `/v1/offers/${type}`);
    assert.deepEqual(read.body, created.body);
    assert.equal(read.headers.get('etag'), created.headers.get('etag'));
    const fresh = { 'if-none-match': read.headers.get('etag') ?? '' };
    assertStatus(await postern.call('GET', `/v1/offers/${type}`, { headers: fresh }), 304);

    const replaced = await put(type, { url: 'https://example.com/x', validUntil: '2030-01-01T01:00:00+01:00' });
    assertStatus(replaced, 200);
    assert.deepEqual(
      [replaced.body.id, replaced.body.contact, replaced.body.unitPriceMicros, replaced.body.validUntil],
      [id, null, null, '2030-01-01T00:00:00.000Z'],
    );
    assertError(await put(type, PRICED, { 'if-match': read.headers.get('etag') ?? '' }), 'precondition_failed');
    const listed = await postern.call('GET', `/v1/offers?licenseType=${type}`);
    assert.deepEqual([listed.body.totalCount, listed.body.data], [1, [replaced.body]]);

    const deleted = await postern.call('DELETE', `/v1/offers/${type}`);
    assert.deepEqual(deleted.body, { id, object: 'offer', deleted: true });
    assertError(await postern.call('GET', `/v1/offers/${type}`), 'offer_not_found');
    assertError(await postern.call('DELETE', `/v1/offers/${type}`), 'offer_not_found');
  });

  test('one that is stored already leaves no trace', async () => {
    const type = newType();
    const body = { ...PRICED, validUntil: '2030-01-01T00:00:00Z', x402: X402 };
    const first = await put(type, body);
    const before = (await postern.call('GET', '/v1/audit-log')).body.totalCount;
    clock.advance(1000);
    const again = await put(type, { ...body, validUntil: '2030-01-01T01:00:00.000+01:00' });
    assertStatus(again, 200);
    assert.deepEqual([again.body, again.headers.get('etag')], [first.body, first.headers.get('etag')]);
    assert.equal((await postern.call('GET', '/v1/audit-log')).body.totalCount, before);
  });

  test('one for a collection is another one', async () => {
    const type = newType();
    const { id } = await made(postern, '/v1/collections', { name: 'C', hosts: ['priced.example'] });
    assertStatus(await put(type, PRICED), 201);
    const scoped = await put(`${type}?collectionId=${id}`, { ...PRICED, unitPriceMicros: 7 });
    assertStatus(scoped, 201);
    assert.equal(scoped.body.collectionId, id);
    assert.equal((await postern.call('GET', `/v1/offers/${type}`)).body.unitPriceMicros, 5000);
    assert.equal((await postern.call('GET', `/v1/offers/${type}?collectionId=${id}`)).body.unitPriceMicros, 7);
    assert.equal((await postern.call('GET', `/v1/offers?collectionId=${id}`)).body.totalCount, 1);
    assertError(await put(`${type}?collectionId=col_none`, PRICED), 'invalid_request', 'collectionId');
  });

  test('any license type is a name: with slashes, spaces and letters of any script', async () => {
    for (const type of ['a/b', 'a b', 'Presse – Archiv', '..%2F', '日本']) {
      const path = encodeURIComponent(type);
      assertStatus(await put(path, PRICED), 201, type);
      assert.equal((await postern.call('GET', `/v1/offers/${path}`)).body.licenseType, type);
    }
    assertError(await put('x'.repeat(65), PRICED), 'invalid_request', 'licenseType');
  });

  test('what says nothing, or contradicts itself, is refused', async () => {
    for (const [body, param] of [
      [{}, 'unitPriceMicros'],
      [{ features: ['a'] }, 'unitPriceMicros'],
      [{ unitPriceMicros: 5 }, 'currency'],
      [{ currency: 'USD', url: 'https://example.com/' }, 'unitPriceMicros'],
      [{ ...PRICED, unitPriceMicros: -1 }, 'unitPriceMicros'],
      [{ ...PRICED, unitPriceMicros: 0.5 }, 'unitPriceMicros'],
      [{ ...PRICED, currency: 'DOGE' }, 'currency'],
      [{ ...PRICED, unit: 'week' }, 'unit'],
      [{ contact: 'nobody' }, 'contact'],
      [{ contact: 'a@b.example\r\nx: y' }, 'contact'],
      [{ url: 'javascript:alert(1)' }, 'url'],
      [{ ...PRICED, validUntil: 'tomorrow' }, 'validUntil'],
      [{ ...PRICED, x402: { ...X402, network: 'base' } }, 'x402.network'],
      [{ ...PRICED, x402: { ...X402, payTo: '' } }, 'x402.payTo'],
      [{ ...PRICED, unit: 'month', x402: X402 }, 'x402'],
      [{ url: 'https://example.com/', x402: X402 }, 'x402'],
      [{ ...PRICED, x402: { ...X402, decimals: 2 } }, 'x402.decimals'],
      [{ ...PRICED, unitPriceMicros: 0, x402: X402 }, 'x402.decimals'],
      [{ ...PRICED, price: 5 }, 'price'],
    ] as const) {
      assertError(await put(newType(), body), 'invalid_request', param, JSON.stringify(body));
    }
  });
});

describe('in remedies', () => {
  const remediesOf = async (contentId: string, more: object = {}) => {
    const { body } = await postern.call('POST', '/v1/access/check', { body: { contentId, explain: true, ...more } });
    return body.remedies;
  };
  const licensed = async (conditions: object, more: object = {}) => {
    const { id: policyId } = await makePolicy(postern, [{ action: 'allow', conditions }]);
    const { id } = await made(postern, '/v1/content', item({ policyId, ...more }));
    return id as string;
  };

  test('only those that would turn the denial', async () => {
    const [plain, rich, poor] = [newType(), newType(), newType()];
    await put(plain, PRICED);
    await put(rich, { ...PRICED, features: ['archive'] });
    const either = await licensed({ licenseType: [plain, rich, poor] });
    const [remedy] = await remediesOf(either);
    assert.deepEqual(remedy.licenseType, [plain, rich, poor]);
    assert.deepEqual(remedy.offers, [
      { licenseType: plain, features: [], unit: 'decision', ...PRICED },
      { licenseType: rich, features: ['archive'], unit: 'decision', ...PRICED },
    ]);
    // As it is offered, the plain license lacks the feature.
    const archive = await licensed({ licenseType: [plain, rich], licenseFeatures: ['archive'] });
    const [needy] = await remediesOf(archive);
    assert.deepEqual(
      [needy.licenseType.length, needy.offers.map((one: { licenseType: string }) => one.licenseType)],
      [2, [rich]],
    );
    const [none] = await remediesOf(await licensed({ licenseType: poor }));
    assert.equal('offers' in none, false);
  });

  test('where any license would do: every type that is offered, unless another rule denies it', async () => {
    const banned = newType();
    const good = newType();
    await put(banned, PRICED);
    await put(good, PRICED);
    const { id: policyId } = await makePolicy(postern, [
      { action: 'deny', conditions: { licenseType: banned } },
      { action: 'allow', conditions: { hasValidLicense: true } },
    ]);
    const { id } = await made(postern, '/v1/content', item({ policyId }));
    const types = (await remediesOf(id))[0].offers.map((one: { licenseType: string }) => one.licenseType);
    assert.ok(types.includes(good) && !types.includes(banned), String(types));
  });

  test('the offer for the collection counts before the one for everywhere, and none that has ended', async () => {
    const type = newType();
    const { id: policyId } = await makePolicy(postern, [{ action: 'allow', conditions: { licenseType: type } }]);
    const { id } = await made(postern, '/v1/collections', { name: 'D', hosts: ['d.example'], policyId });
    const at = async (body: object = {}) => {
      const answer = await postern.call('POST', '/v1/access/check', {
        body: { url: 'https://d.example/x', explain: true, ...body },
      });
      return answer.body.remedies[0].offers?.map((one: { unitPriceMicros: number }) => one.unitPriceMicros);
    };
    assert.equal(await at(), undefined);
    await put(type, PRICED);
    assert.deepEqual(await at(), [5000]);
    const soon = new Date(clock.now() + 60_000).toISOString();
    await put(`${type}?collectionId=${id}`, { ...PRICED, unitPriceMicros: 9, validUntil: soon });
    assert.deepEqual(await at(), [9]);
    const elsewhere = await licensed({ licenseType: type });
    assert.equal((await remediesOf(elsewhere))[0].offers[0].unitPriceMicros, 5000);
    clock.advance(60_000);
    assert.deepEqual(await at(), [5000]);
    // Past price lists are not kept.
    assert.equal(await at({ dryRun: true, asOf: new Date(clock.now() - 1000).toISOString() }), undefined);
    await postern.call('DELETE', `/v1/offers/${type}`);
    assert.equal(await at(), undefined);
  });

  test('the price of x402 is in the smallest unit of the token', async () => {
    const type = newType();
    await put(type, { ...PRICED, x402: { ...X402, decimals: 18, extra: { name: 'DAI' } } });
    const [{ offers }] = await remediesOf(await licensed({ licenseType: type }));
    assert.deepEqual(offers[0].x402, {
      scheme: 'exact',
      ...X402,
      amount: '5000000000000000',
      maxTimeoutSeconds: 60,
      extra: { name: 'DAI' },
    });
  });

  test('never change a decision', async () => {
    const type = newType();
    const contentId = await licensed({ licenseType: type });
    const decide = async () => {
      const { body } = await postern.call('POST', '/v1/access/check', { body: { contentId } });
      const { id: _, created: __, ...decision } = body;
      return decision;
    };
    const before = await decide();
    await put(type, { ...PRICED, unitPriceMicros: 0 });
    assert.deepEqual(await decide(), before);
  });
});
