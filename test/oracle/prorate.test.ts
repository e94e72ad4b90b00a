/** Periods that are not whole cost and include what a second implementation says, for random terms and dates. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { computeBill } from '../../src/reports/statements/bill.ts';
import { toPartialPeriod } from '../../src/rules/terms/price.ts';
import { LicenseQuotas, quotaUnitsAt } from '../../src/rules/terms/quota.ts';
import { newTermsProblems, type Terms } from '../../src/rules/terms/terms.ts';
import {
  type BillingPeriodSpan,
  billingPeriods,
  type PeriodBounds,
  type Segment,
} from '../../src/rules/terms/timeline.ts';
import { daysOf, partOf, unitsOf } from './prorate.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'America/Havana', 'Pacific/Kiritimati'];
const MINOR: Record<string, number> = { EUR: 10_000, JPY: 1_000_000, BHD: 1_000 };
const HOUR = 3_600_000;
const START = Date.parse('2026-01-01T00:00:00Z');

const hour = fc.integer({ min: 0, max: 24 * 800 }).map((n) => START + n * HOUR);
const kinds = fc.constantFrom('month' as const, 'quarter' as const, 'year' as const);
const world = fc.record({
  currency: fc.constantFrom('EUR', 'JPY', 'BHD'),
  timezone: fc.constantFrom(...ZONES),
  period: kinds,
  quotaPeriod: fc.constantFrom(...(['day', 'week', 'month', 'quarter', 'year', 'term', undefined] as const)),
  minimum: fc.integer({ min: 0, max: 5_000 }),
  flat: fc.integer({ min: 0, max: 500 }),
  units: fc.integer({ min: 1, max: 400 }),
  prorate: fc.constantFrom(true, true, false, undefined),
  begins: hour,
  lasts: fc.integer({ min: 1, max: 24 * 200 }).map((n) => n * HOUR),
  startsAfter: fc.option(fc.integer({ min: 0, max: 24 * 60 }).map((n) => n * HOUR)),
  expiresBefore: fc.option(fc.integer({ min: 0, max: 24 * 60 }).map((n) => n * HOUR)),
});

function termsOf(one: World): Terms {
  const { currency, timezone, period, minimum, flat, units, prorate, quotaPeriod } = one;
  const minor = MINOR[currency] as number;
  return {
    currency,
    timezone,
    period,
    unit: 'decision',
    tiers: [{ upTo: null, unitPriceMicros: 0 }],
    minimumMicros: minimum * minor,
    flatMicros: flat * minor,
    quota: { units, onExceed: 'deny', ...(quotaPeriod === undefined ? {} : { period: quotaPeriod }) },
    ...(prorate === undefined ? {} : { prorate }),
  };
}

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

interface License {
  one: World;
  terms: Terms;
  segments: Segment[];
  bounds: PeriodBounds;
  /** When it lasts under its terms; empty if the end is not after the start. */
  own: [number, number];
}

function licenseOf(one: World): License {
  const { begins, lasts, startsAfter, expiresBefore } = one;
  const terms = termsOf(one);
  const bounds = {
    startsAt: startsAfter === null ? null : begins + startsAfter,
    expiresAt: expiresBefore === null ? null : begins + lasts - expiresBefore,
  };
  const own: [number, number] = [
    Math.max(begins, bounds.startsAt ?? begins),
    Math.min(begins + lasts, bounds.expiresAt ?? Infinity),
  ];
  return { one, terms, segments: [{ from: begins, to: begins + lasts, version: 1, terms }], bounds, own };
}

function assertPriced({ one, terms, own }: License, span: BillingPeriodSpan, at: number): void {
  const { currency, timezone, period, units, prorate } = one;
  const days = daysOf(period, timezone, at, own);
  assert.deepEqual(span.share, days && { days: days[0], of: days[1] }, `${span.label} of ${timezone}`);
  const counted = prorate === true ? days : null;
  const nothing = { units: 0, decisions: 0, lines: [], uncounted: [] };
  const { ownMicros } = computeBill(terms, nothing, { share: span.share });
  const least = partOf(terms.minimumMicros ?? 0, currency, counted);
  const flat = partOf(terms.flatMicros ?? 0, currency, counted);
  assert.equal(ownMicros, BigInt(least + flat));
  const isBilled = (terms.quota?.period ?? period) === period;
  const quotaUnits = isBilled ? unitsOf(units, counted) : null;
  const fees = { minimumMicros: least, flatMicros: flat, quotaUnits };
  const partial = days && { days: days[0], of: days[1], prorated: prorate === true, ...fees };
  assert.deepEqual(toPartialPeriod(terms, span.share), partial);
}

function assertIncluded({ one, terms, segments, bounds, own }: License, at: number): void {
  const kind = terms.quota?.period ?? one.period;
  const isReduced = one.prorate === true && ['month', 'quarter', 'year'].includes(kind);
  const included = unitsOf(one.units, isReduced ? daysOf(kind, one.timezone, at, own) : null);
  assert.equal(quotaUnitsAt(segments, bounds, at), included);
  // What the ledger admits is what statements and usage say.
  const quotas = new LicenseQuotas({ ...bounds, id: 'lic', requesterId: 'r' }, segments);
  assert.equal(quotas.at(at, null)?.units, included);
}

test('fees and quotas by calendar days, in full without `prorate`', () => {
  fc.assert(
    fc.property(world, (one) => {
      const license = licenseOf(one);
      const { segments, bounds, own } = license;
      if (own[0] >= own[1]) return;
      for (const span of billingPeriods(segments, bounds, { since: 0, until: Infinity })) {
        const at = Math.max(span.start, own[0]);
        assertPriced(license, span, at);
        assertIncluded(license, at);
      }
    }),
    { numRuns: 300 },
  );
});

test('a quota by quarter is whole while terms follow each other within it', () => {
  const terms = (units: number): Terms => ({
    currency: 'EUR',
    timezone: 'UTC',
    period: 'month',
    unit: 'decision',
    tiers: [{ upTo: null, unitPriceMicros: 0 }],
    quota: { units, period: 'quarter', onExceed: 'deny' },
    prorate: true,
  });
  const at = (day: string) => Date.parse(`${day}T00:00:00Z`);
  const segments: Segment[] = [
    { from: at('2026-04-01'), to: at('2026-05-01'), version: 1, terms: terms(91) },
    { from: at('2026-05-01'), to: at('2026-06-01'), version: 2, terms: terms(182) },
    { from: at('2026-06-01'), to: Infinity, version: 3, terms: terms(273) },
  ];
  const bounds = { startsAt: null, expiresAt: null };
  const unitsAt = (some: Segment[]) => quotaUnitsAt(some, bounds, at('2026-05-10'));
  assert.equal(unitsAt(segments), 182);
  assert.equal(unitsAt(segments.slice(1)), 122);
  assert.equal(unitsAt(segments.slice(0, 2)), 122);
  assert.equal(unitsAt(segments.slice(1, 2)), 62);
});

test('amounts of a line that are no whole minor units, and a purpose `*`, are faults of new terms', () => {
  const terms: Terms = {
    currency: 'JPY',
    timezone: 'UTC',
    period: 'month',
    unit: 'decision',
    tiers: [{ upTo: null, unitPriceMicros: 1 }],
    minimumMicros: 2_500_000,
    flatMicros: 1,
    purposes: ['*'],
  };
  const params = newTermsProblems(terms, 'terms').map(({ param }) => param);
  assert.deepEqual(params, ['terms.minimumMicros', 'terms.flatMicros', 'terms.purposes']);
  assert.deepEqual(
    newTermsProblems({ ...terms, currency: 'CLF', minimumMicros: 100, flatMicros: 0, purposes: ['a'] }, ''),
    [],
  );
});
