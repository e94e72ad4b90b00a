/** The term of a license in days survives storing and reading, in every time zone. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { collectRequiredLicenses } from '../policies/required-licenses.ts';
import { firstDayIn, lastDayIn, lastDayOfYear, renewedEnd, toInstants } from './term.ts';

const before = process.env.TZ;
after(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

const ZONES = ['UTC', 'America/Los_Angeles', 'Asia/Kathmandu', 'Europe/Berlin', 'Pacific/Apia'];

test('both days are part of the term, and come back as typed', () => {
  for (const zone of ZONES) {
    process.env.TZ = zone;
    const days = ['2026-10-25', '2027-12-31', '2028-02-29'];
    for (const first of days) {
      for (const last of days.filter((day) => day >= first)) {
        const { startsAt, expiresAt } = toInstants(first, last, undefined);
        assert.ok(startsAt !== null && expiresAt !== null);
        const at = (day: string, hour: number) => new Date(`${day}T${String(hour).padStart(2, '0')}:00:00`).getTime();
        assert.ok(Date.parse(startsAt) <= at(first, 0), `${zone} ${first}`);
        assert.ok(Date.parse(expiresAt) > at(last, 23), `${zone} ${last}`);
        assert.equal(Date.parse(expiresAt) - at(last, 23), 3_600_000, `${zone} ${last}`);
        assert.deepEqual([firstDayIn(startsAt), lastDayIn(expiresAt)], [first, last], zone);
      }
    }
  }
});

test('a term that was not changed keeps its instants, and no day is no bound', () => {
  process.env.TZ = 'Europe/Berlin';
  const term = { startsAt: '2026-05-05T05:05:05.005Z', expiresAt: '2027-01-01T00:00:00.000Z' };
  assert.deepEqual(toInstants('2026-05-05', '2027-01-01', term), term);
  assert.deepEqual(toInstants('', '', term), { startsAt: null, expiresAt: null });
  assert.equal(toInstants('2026-05-05', '2026-12-31', term).expiresAt, '2026-12-31T23:00:00.000Z');
});

test('an end within a day has that day as its last', () => {
  process.env.TZ = 'Europe/Berlin';
  assert.equal(lastDayIn('2027-01-01T00:00:00.000Z'), '2027-01-01');
  assert.equal(lastDayIn('2026-12-31T23:00:00.000Z'), '2026-12-31');
});

test('a year ends the day before its first comes again', () => {
  assert.equal(lastDayOfYear('2026-11-22'), '2027-11-21');
  assert.equal(lastDayOfYear('2027-01-01'), '2027-12-31');
  assert.equal(lastDayOfYear('2028-02-29'), '2029-02-28');
  assert.equal(lastDayOfYear('2027-03-01'), '2028-02-29');
});

test('renewing adds a year to an end that lies ahead, and starts today after one that is over', () => {
  process.env.TZ = 'Europe/Berlin';
  assert.equal(renewedEnd('2026-12-31T23:00:00.000Z', '2026-11-22'), '2027-12-31T23:00:00.000Z');
  assert.equal(renewedEnd('2027-08-01T10:30:00.000Z', '2026-11-22'), '2028-08-01T10:30:00.000Z');
  assert.equal(lastDayIn(renewedEnd('2020-01-01T00:00:00.000Z', '2026-11-22')), '2027-11-21');
});

test('kinds and extras are those that rules name, to admit them or to deny the others', () => {
  const policies = [
    { rules: [{ action: 'allow', conditions: { licenseType: ['research', 'enterprise'], licenseFeatures: 'api' } }] },
    { rules: [{ action: 'deny', conditions: { licenseTypeNot: 'media' } }, { action: 'allow' }] },
    { rules: [{ action: 'allow', conditions: { licenseType: 'research', hasValidLicense: true } }] },
  ];
  assert.deepEqual(collectRequiredLicenses(policies as never), {
    kinds: ['enterprise', 'media', 'research'],
    features: ['api'],
  });
});
