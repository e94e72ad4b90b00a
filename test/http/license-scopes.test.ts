/** Licenses for collections: they cover what a collection decides, wherever the scope of a license is evaluated. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { check, item, made, makePolicy } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const LICENSED = [{ action: 'allow', conditions: { hasValidLicense: true } }];
let count = 0;

/** A site under one policy, whose archive is a collection of its own, and a partner with a license of this scope. */
async function given(scopeOf: (ids: { site: string; archive: string }) => object | null) {
  const host = `s${++count}.example`;
  const { id: policyId } = await makePolicy(postern, LICENSED);
  const { id: site } = await made(postern, '/v1/collections', { name: 'Site', hosts: [host], policyId });
  const archive = await made(postern, '/v1/collections', { name: 'A', hosts: [host], paths: ['/archive/'], policyId });
  const { id: requesterId } = await made(postern, '/v1/requesters', { id: `partner-${count}` });
  const scope = scopeOf({ site, archive: archive.id });
  const license = await made(postern, '/v1/licenses', { requesterId, type: 'news', scope });
  assert.deepEqual(license.scope, scope);
  const url = (path: string): string => `https://${host}${path}`;
  const newItem = (path: string, more = {}) => made(postern, '/v1/content', item({ source: url(path), ...more }));
  const decide = (asked: object) => check(postern, { requesterId, ...asked });
  const reason = async (asked: object): Promise<string | null> => (await decide(asked)).reason;
  return { site, archive: archive.id, policyId, requesterId, licenseId: license.id, url, newItem, decide, reason };
}

describe('a license for a collection', () => {
  test('covers the URLs and items that the collection decides, and nothing else under its policy', async () => {
    const { url, newItem, policyId, reason, decide, licenseId } = await given(({ site }) => ({
      collectionIds: [site],
    }));
    const inside = await newItem('/news/1');
    const archived = await newItem('/archive/1');
    const own = await newItem('/news/own', { policyId });
    const outside = await made(postern, '/v1/content', item({ policyId }));
    assert.equal((await decide({ url: url('/anything') })).licenseId, licenseId);
    assert.deepEqual(
      [
        await reason({ url: url('/anything') }),
        await reason({ contentId: inside.id }),
        await reason({ url: url('/news/1') }),
        await reason({ url: url('/archive/x') }),
        await reason({ contentId: archived.id }),
        await reason({ contentId: own.id }),
        await reason({ url: url('/news/own') }),
        await reason({ contentId: outside.id }),
      ],
      [null, null, null, 'no_license', 'no_license', 'no_license', 'no_license', 'no_license'],
    );
  });

  test('follows an item that gets a policy of its own, and one that loses it', async () => {
    const { newItem, policyId, reason } = await given(({ site }) => ({ collectionIds: [site] }));
    const { id } = await newItem('/moves');
    const edit = (body: object) => postern.call('PATCH', `/v1/content/${id}`, { body });
    assert.equal(await reason({ contentId: id }), null);
    await edit({ policyId });
    assert.equal(await reason({ contentId: id }), 'no_license');
    await edit({ policyId: null });
    assert.equal(await reason({ contentId: id }), null);
  });

  test('an empty list and a deleted collection cover nothing', async () => {
    const none = await given(() => ({ collectionIds: [] }));
    assert.equal(await none.reason({ url: none.url('/') }), 'no_license');
    const { site, archive, url, reason } = await given((ids) => ({ collectionIds: [ids.site] }));
    assert.equal(await reason({ url: url('/news') }), null);
    await postern.call('DELETE', `/v1/collections/${archive}`);
    assert.equal(await reason({ url: url('/archive/1') }), null, 'the site decides there now');
    await postern.call('DELETE', `/v1/collections/${site}`);
    const { id: other } = await makePolicy(postern, LICENSED);
    const host = new URL(url('/')).hostname;
    await made(postern, '/v1/collections', { name: 'Again', hosts: [host], policyId: other });
    assert.equal(await reason({ url: url('/news') }), 'no_license');
  });

  test('every list of a scope must cover', async () => {
    const { url, newItem, reason } = await given(({ site, archive }) => ({
      collectionIds: [site, archive],
      tags: ['sold'],
    }));
    const [sold, kept] = [await newItem('/archive/1', { tags: ['sold'] }), await newItem('/2')];
    assert.deepEqual(
      [
        await reason({ contentId: sold.id }),
        await reason({ contentId: kept.id }),
        await reason({ url: url('/without-item') }),
      ],
      [null, 'no_license', 'no_license'],
    );
  });

  test('an expired one explains the denial only where it covered', async () => {
    const { url, reason, licenseId } = await given(({ site }) => ({ collectionIds: [site] }));
    await postern.call('PATCH', `/v1/licenses/${licenseId}`, { body: { expiresAt: '2020-01-01T00:00:00Z' } });
    assert.deepEqual(
      [await reason({ url: url('/a') }), await reason({ url: url('/archive/a') })],
      ['license_expired', 'no_license'],
    );
  });

  test('counts as of a time by the collections and the scope of that time', async () => {
    const { site, archive, url, decide, licenseId } = await given((ids) => ({ collectionIds: [ids.site] }));
    const { created: before } = await decide({ url: url('/archive/1') });
    await postern.call('PATCH', `/v1/licenses/${licenseId}`, { body: { scope: { collectionIds: [archive] } } });
    const { created: middle } = await decide({ url: url('/archive/1') });
    await postern.call('DELETE', `/v1/collections/${archive}`);
    const at = async (asOf: string, path: string) => (await decide({ url: url(path), asOf, dryRun: true })).allowed;
    assert.deepEqual([await at(before, '/'), await at(before, '/archive/1')], [true, false]);
    assert.deepEqual([await at(middle, '/'), await at(middle, '/archive/1')], [false, true]);
    assert.equal((await decide({ url: url('/archive/1') })).allowed, false);
    await postern.call('PATCH', `/v1/licenses/${licenseId}`, { body: { scope: { collectionIds: [site] } } });
    assert.equal((await decide({ url: url('/archive/1') })).allowed, true);
  });

  test('decides dry runs, batches, simulations and what the partner sees alike', async () => {
    const { url, newItem, requesterId, licenseId } = await given(({ archive }) => ({ collectionIds: [archive] }));
    const [inside, outside] = [await newItem('/archive/1'), await newItem('/1')];
    const checks = [
      { url: url('/archive/x') },
      { url: url('/x') },
      { contentId: inside.id },
      { contentId: outside.id },
    ];
    const asPartner = checks.map((one) => ({ ...one, requesterId }));
    const allowed = ({ data }: { data: { allowed: boolean }[] }) => data.map((one) => one.allowed);
    const expected = [true, false, true, false];
    for (const dryRun of [false, true]) {
      const body = { checks: asPartner.map((one) => ({ ...one, dryRun })) };
      assert.deepEqual(allowed(await made(postern, '/v1/access/check/batch', body, 200)), expected);
    }
    const simulated = { policy: { rules: LICENSED }, checks: asPartner };
    const { body: simulation } = await postern.call('POST', '/v1/policies/simulate', { body: simulated });
    assert.deepEqual(allowed(simulation), expected);
    const { token: key } = await made(postern, `/v1/requesters/${requesterId}/tokens`, { name: 't' });
    const own = await postern.call('POST', '/v1/me/access', { key, body: { checks } });
    assert.deepEqual(allowed(own.body), expected);
    const { data } = (await postern.call('GET', '/v1/me/content?limit=100', { key })).body;
    assert.deepEqual(
      data.map(({ id, licenseId: by }: { id: string; licenseId: string }) => [id, by]),
      [[inside.id, licenseId]],
    );
  });

  test('counts in the impact preview and for a candidate', async () => {
    const { url, newItem, decide, policyId } = await given(({ archive }) => ({ collectionIds: [archive] }));
    const inside = await newItem('/archive/1');
    const draft = { rules: [{ action: 'deny', conditions: { hasValidLicense: true } }], defaultAction: 'allow' };
    await postern.call('PUT', `/v1/policies/${policyId}/candidate`, { body: draft });
    for (const asked of [{ url: url('/archive/x') }, { url: url('/x') }, { contentId: inside.id }]) await decide(asked);
    const impact = await made(postern, `/v1/policies/${policyId}/impact`, { policy: draft }, 200);
    assert.deepEqual([impact.allowToDeny, impact.denyToAllow, impact.unknown.decisions], [2, 1, 0]);
    const candidate = (await postern.call('GET', `/v1/policies/${policyId}/candidate`)).body;
    assert.deepEqual([candidate.newlyDenied, candidate.newlyAllowed], [2, 1]);
  });
});
