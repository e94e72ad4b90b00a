/**
 * A final statement never changes and never disappears when records are edited, deleted or erased later. Periods
 * that are not final are never given up without a word, and the sums over all statements stay true.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertError, assertStatus, item, made, makePolicy } from './given.ts';

const clock = testClock(Date.parse('2026-09-10T12:00:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const TERMS = {
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  period: 'month',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 1_000_000 }],
};

type Any = any;

const policy = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
const article = await made(postern, '/v1/content', item({ policyId: policy.id }));
const toTime = (text: string): void => clock.advance(Date.parse(text) - clock.now());
const patch = (id: string, body: object) => postern.call('PATCH', `/v1/licenses/${id}`, { body });
const get = (id: string) => postern.call('GET', `/v1/statements/${id}`);

let used = 0;
async function use(requesterId: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    clock.advance(1000);
    const answer = await postern.call('POST', '/v1/access/check', { body: { contentId: article.id, requesterId } });
    assert.equal(answer.body.allowed, true, answer.text);
    used += 1;
  }
}

let months = 2026 * 12 + 8;
const nextMonth = (): string => {
  const month = `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`;
  months += 1;
  return month;
};

/** A license used twice in each of three months, of which the second one is final. It is the 10th of the third. */
async function withFinal({ terms = TERMS, ...more }: { terms?: object; [field: string]: unknown } = {}) {
  const [first, second, third] = [nextMonth(), nextMonth(), nextMonth()];
  const requesterId = `acme-${first}`;
  toTime(`${first}-05T12:00:00Z`);
  await made(postern, '/v1/requesters', { id: requesterId, name: 'Acme' });
  const license: Any = await made(postern, '/v1/licenses', { requesterId, type: 'commercial', terms, ...more });
  for (const month of [first, second, third]) {
    toTime(`${month}-10T12:00:00Z`);
    await use(requesterId, 2);
  }
  const found = await postern.call('GET', `/v1/statements?period=${second}&licenseId=${license.id}`);
  const answer = await postern.call('POST', `/v1/statements/${found.body.data[0].id}/finalize`);
  assertStatus(answer, 200);
  const final: Any = answer.body;
  assert.equal(final.total.amount, '2.00');
  return { license, requesterId, final, first, second, third };
}

/** The final statement is as it was, by id and in every list that had it; and all sums are true. */
async function assertKept({ license, requesterId, final }: Awaited<ReturnType<typeof withFinal>>, what = '') {
  assert.deepEqual((await get(final.id)).body, final, what);
  for (const period of [final.period, final.period.slice(0, 4)]) {
    for (const query of [`licenseId=${license.id}`, `requesterId=${requesterId}`, 'limit=100']) {
      const { data } = (await postern.call('GET', `/v1/statements?period=${period}&${query}`)).body;
      const found = data.filter(({ id }: Any) => id === final.id);
      assert.deepEqual(found, [final], `${what} ${period} ${query}`);
    }
  }
  const evidence = await postern.call('GET', `/v1/statements/${final.id}`, {
    headers: { accept: 'application/x-ndjson' },
  });
  assert.equal(evidence.text.trim().split('\n').length, 2, what);
  await assertSums(what);
}

async function assertSums(what: string): Promise<void> {
  let sum = 0;
  for (let at = 2026; at <= Math.floor(months / 12); at++) {
    const { body } = await postern.call('GET', `/v1/statements?period=${at}&limit=100&timezone=Europe/Berlin`);
    assert.equal(body.hasMore, false);
    sum += body.outside.noLicense + body.outside.noTerms;
    for (const { decisions, uncounted } of body.data) {
      sum += decisions + uncounted.reduce((all: number, one: Any) => all + one.decisions, 0);
    }
  }
  assert.equal(sum, used, `all allowed decisions are on a statement or outside ${what}`);
}

describe('dates that would take a final period from its license', () => {
  test('are refused: the start and the end, also in the middle of the period', async () => {
    const kept = await withFinal();
    const { license, final, second, third } = kept;
    const refused: [object, string][] = [
      [{ startsAt: final.to }, 'startsAt'],
      [{ startsAt: `${third}-05T00:00:00Z` }, 'startsAt'],
      [{ startsAt: '2099-01-01T00:00:00Z' }, 'startsAt'],
      [{ startsAt: `${second}-15T00:00:00Z` }, 'startsAt'],
      [{ expiresAt: final.from }, 'expiresAt'],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
      [{ expiresAt: `${second}-15T00:00:00Z` }, 'expiresAt'],
      [{ startsAt: '2020-01-01T00:00:00Z', expiresAt: '2020-01-02T00:00:00Z' }, 'expiresAt'],
      [{ startsAt: '2099-01-01T00:00:00Z', expiresAt: '2099-01-02T00:00:00Z', type: 'other' }, 'startsAt'],
    ];
    for (const [body, param] of refused) {
      const answer = await patch(license.id, body);
      assertError(answer, 'statement_final', param, JSON.stringify(body));
      assert.match(answer.body.error.message, new RegExp(final.id));
    }
    const { warnings: _, ...stored } = (await postern.call('GET', `/v1/licenses/${license.id}`)).body;
    assert.deepEqual(stored, license);
    await assertKept(kept);
  });

  test('are refused for a license that was revoked, too', async () => {
    const kept = await withFinal();
    assertStatus(await postern.call('POST', `/v1/licenses/${kept.license.id}/revoke`), 200);
    assertError(await patch(kept.license.id, { startsAt: '2099-01-01T00:00:00Z' }), 'statement_final');
    assertError(await patch(kept.license.id, { expiresAt: kept.final.from }), 'statement_final');
    await assertKept(kept);
  });

  test('are not refused where they keep it: bounds of the period, and those that it had', async () => {
    const kept = await withFinal();
    const { license, final } = kept;
    for (const body of [
      { startsAt: final.from, expiresAt: final.to },
      { startsAt: null },
      { startsAt: '2020-01-01T00:00:00Z' },
      { expiresAt: null },
      { expiresAt: new Date(clock.now()).toISOString() },
    ]) {
      assertStatus(await patch(license.id, body), 200, JSON.stringify(body));
    }
    await assertKept(kept);
  });

  test('a license that ended within the final period may be renewed', async () => {
    const kept = await withFinal();
    const { license, third } = kept;
    assertStatus(await patch(license.id, { expiresAt: `${third}-11T00:00:00Z` }), 200);
    assertStatus(await patch(license.id, { expiresAt: '2099-01-01T00:00:00Z' }), 200);
    await assertKept(kept);
  });
});

describe('a final statement stays as it is', () => {
  const edits = {
    'its license is revoked': (id: string) => postern.call('POST', `/v1/licenses/${id}/revoke`),
    'its license is deleted': (id: string) => postern.call('DELETE', `/v1/licenses/${id}`),
    'its license is suspended': (id: string) => patch(id, { status: 'suspended' }),
    'its license covers other items': (id: string) => patch(id, { scope: { tags: ['x'] }, type: 'other' }),
    'its terms end at once': (id: string) => patch(id, { terms: null, effective: 'now' }),
    'its terms end': (id: string) => patch(id, { terms: null }),
    'its terms count otherwise at once': (id: string) =>
      patch(id, {
        terms: { ...TERMS, unit: 'distinct_content', purposes: ['x'], flatMicros: 5_000_000 },
        effective: 'now',
      }),
    'its zone, period and currency change': (id: string) =>
      patch(id, { terms: { ...TERMS, timezone: 'Asia/Tokyo', period: 'year', currency: 'JPY' } }),
  };
  for (const [what, edit] of Object.entries(edits)) {
    test(`when ${what}`, async () => {
      const kept = await withFinal();
      assertStatus(await edit(kept.license.id), 200);
      await assertKept(kept);
      toTime(`${nextMonth()}-10T12:00:00Z`);
      await assertKept(kept, 'a month later');
    });
  }

  test('when terms end and come back in another zone', async () => {
    const kept = await withFinal();
    const { id } = kept.license;
    assertStatus(await patch(id, { terms: null, effective: 'now' }), 200);
    clock.advance(1000);
    assertStatus(await patch(id, { terms: { ...TERMS, timezone: 'America/New_York', period: 'quarter' } }), 200);
    await use(kept.requesterId, 1);
    await assertKept(kept);
    assertStatus(await postern.call('DELETE', `/v1/licenses/${id}`), 200);
    await assertKept(kept);
  });

  test('when its requester is deleted, and registered again', async () => {
    const kept = await withFinal();
    assertStatus(await postern.call('DELETE', `/v1/requesters/${kept.requesterId}`), 200);
    await assertKept(kept);
    assertStatus(
      await postern.call('POST', '/v1/requesters', { body: { id: kept.requesterId, name: 'Another' } }),
      201,
    );
    await assertKept(kept);
  });

  test('when the item is deleted', async () => {
    const own: Any = await made(postern, '/v1/content', item({ policyId: policy.id }));
    const { license, requesterId, final } = await withFinal();
    const body = { contentId: own.id, requesterId };
    assertStatus(await postern.call('POST', '/v1/access/check', { body }), 200);
    assertStatus(await postern.call('DELETE', `/v1/content/${own.id}`), 200);
    used += 1;
    assert.deepEqual((await get(final.id)).body, final);
    assertStatus(await postern.call('DELETE', `/v1/licenses/${license.id}`), 200);
    assert.deepEqual((await get(final.id)).body, final);
  });

  test('for its partner', async () => {
    const kept = await withFinal();
    const { token } = await made(postern, `/v1/requesters/${kept.requesterId}/tokens`, { name: 't' });
    const own = (path: string) => postern.call('GET', path, { key: token });
    assert.equal((await postern.call('DELETE', `/v1/licenses/${kept.license.id}`)).status, 200);
    const { data } = (await own(`/v1/me/statements?period=${kept.second}`)).body;
    assert.deepEqual(
      data.map(({ id, status }: Any) => [id, status]),
      [[kept.final.id, 'final']],
    );
    assert.equal((await own(`/v1/me/statements/${kept.final.id}`)).body.id, kept.final.id);
    const { token: other } = await made(
      postern,
      `/v1/requesters/${(await made(postern, '/v1/requesters', { name: 'o' })).id}/tokens`,
      { name: 't' },
    );
    assertError(await postern.call('GET', `/v1/me/statements/${kept.final.id}`, { key: other }), 'statement_not_found');
  });

  test('when the dates or the terms of its license were changed before edits were refused', async () => {
    const kept = await withFinal();
    const { id } = kept.license;
    const starts = Date.parse('2099-01-01T00:00:00Z');
    await postern.tamper({ sql: 'update licenses set starts_at = $1 where id = $2', params: [starts, id] });
    await assertKept(kept, 'with a later start');
    assertStatus(await postern.call('POST', `/v1/licenses/${id}/revoke`), 200);
    await assertKept(kept, 'with terms that never began');
    await postern.tamper({ sql: 'update licenses set starts_at = 1, expires_at = 2 where id = $1', params: [id] });
    assertStatus(await postern.call('DELETE', `/v1/licenses/${id}`), 200);
    await assertKept(kept, 'without a license');
  });

  test('but for the name, when its requester is erased', async () => {
    const kept = await withFinal();
    const answer = await postern.call('POST', `/v1/requesters/${kept.requesterId}/erase`, { body: {} });
    assert.ok(answer.status < 300, answer.text);
    const { body } = await until('the erasure', async () => {
      const found = await get(kept.final.id);
      return found.body.requesterId === kept.requesterId ? undefined : found;
    });
    const { requesterId, requesterName: _name, ...rest } = body;
    const { requesterId: __, requesterName: ___, ...before } = kept.final;
    assert.deepEqual(rest, before);
    await until('the erasure of the terms', async () => {
      const query = `period=${kept.final.period}&requesterId=${requesterId}`;
      const { data } = (await postern.call('GET', `/v1/statements?${query}`)).body;
      return data.some((one: Any) => one.id === kept.final.id);
    });
    await assertSums('after an erasure');
  });
});

describe('dates that give up periods that are not final', () => {
  test('are accepted, and the answer says what is no longer billed', async () => {
    const { license, requesterId, final, third } = await withFinal();
    const warned = await patch(license.id, { expiresAt: final.to });
    assertStatus(warned, 200);
    const [warning, ...others] = warned.body.warnings;
    assert.equal(others.length, 0);
    assert.deepEqual([warning.code, warning.param], ['unbilled_period', 'expiresAt']);
    assert.match(warning.message, new RegExp(`${third}.* 2 units from 2 decisions, 2\\.00 EUR`));
    const list = (await postern.call('GET', `/v1/statements?period=${third}&requesterId=${requesterId}`)).body;
    assert.deepEqual(list.data, []);
    await assertSums('with a period given up');
    const restored = await patch(license.id, { expiresAt: null });
    assert.equal(restored.body.warnings, undefined);
    await assertSums('with the period restored');
  });

  test('say it of the start, of all periods, and of fees without use', async () => {
    const requesterId = (await made(postern, '/v1/requesters', { name: 'n' })).id;
    const [first, second] = [nextMonth(), nextMonth()];
    toTime(`${first}-05T12:00:00Z`);
    const license: Any = await made(postern, '/v1/licenses', {
      requesterId,
      type: 'commercial',
      terms: { ...TERMS, flatMicros: 3_000_000 },
    });
    await use(requesterId, 1);
    toTime(`${second}-05T12:00:00Z`);
    const warned = await patch(license.id, { startsAt: '2099-01-01T00:00:00Z' });
    assert.deepEqual(
      warned.body.warnings.map(({ message, param }: Any) => [param, message.match(/\d+ units? from .*? EUR/)[0]]),
      [
        ['startsAt', '1 unit from 1 decision, 4.00 EUR'],
        ['startsAt', '0 units from 0 decisions, 3.00 EUR'],
      ],
    );
    await assertSums('with all periods given up');
    // Without use and without terms there is nothing to say.
    const bare: Any = await made(postern, '/v1/licenses', { requesterId, type: 'x' });
    for (const body of [{ expiresAt: '2020-01-01T00:00:00Z' }, { features: ['a'] }]) {
      const answer = await patch(bare.id, body);
      assert.deepEqual([answer.status, answer.body.warnings], [200, undefined]);
    }
  });
});
