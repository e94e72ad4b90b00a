/** Terms cost what a second implementation says, and periods begin when it says, for random terms, counts and zones. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type Random, runSeed, seeded } from '../../kit/random.ts';
import { words } from '../../kit/words.ts';
import { formatAmount, minorDigits, roundToMinor } from '../../src/rules/terms/money.ts';
import { type CalendarPeriod, periodAfter, periodAt } from '../../src/rules/terms/periods.ts';
import { computeFees, linePrice, priceUnits, splitUnits, tierIndex } from '../../src/rules/terms/price.ts';
import { quotaPeriodAt, quotaState, toAlerts } from '../../src/rules/terms/quota.ts';
import { type Terms, termsProblems } from '../../src/rules/terms/terms.ts';
import { billingPeriods, effectiveFrom, type TermsVersion, toSegments } from '../../src/rules/terms/timeline.ts';
import { bill, periodOf } from './terms.ts';

const CASES = 10_000;
const CURRENCIES = words('EUR USD JPY KRW BHD TND CLF GBP ISK');
const PURPOSES = [null, 'training', 'search', 'inference'];
const ZONES = words(`
  UTC Europe/Berlin America/New_York America/Sao_Paulo Asia/Tokyo Australia/Lord_Howe Asia/Kathmandu Pacific/Apia
  America/St_Johns Africa/Casablanca Asia/Tehran Pacific/Chatham America/Asuncion Asia/Beirut Atlantic/Azores
  Pacific/Kiritimati Europe/Dublin America/Havana Asia/Gaza
`);

function randomTerms(random: Random): Terms {
  let upTo = 0;
  const tiers = Array.from({ length: random.int(1, 5) }, () => ({
    upTo: (upTo += random.int(1, random.pick([2, 10, 40]))) as number | null,
    // Halves of minor units of every currency, and any price.
    unitPriceMicros: random.pick([random.int(0, 20_000), random.int(0, 400) * 5_000, random.int(0, 30) * 500_000]),
  }));
  (tiers.at(-1) as { upTo: number | null }).upTo = null;
  return {
    currency: random.pick(CURRENCIES),
    timezone: 'UTC',
    period: 'month',
    unit: 'decision',
    tiers,
    ...(random.chance(0.5) ? { minimumMicros: random.int(0, 40) * random.pick([1, 500_000, 1_234_567]) } : {}),
    ...(random.chance(0.5) ? { flatMicros: random.int(0, 9) * random.pick([1, 500, 5_000, 500_000]) } : {}),
  };
}

/** Ours: lines by purpose and tier, in the order in which they first occur. */
function ourBill(terms: Terms, used: readonly (string | null)[]) {
  const lines = new Map<string, { purpose: string | null; tier: number; units: number }>();
  for (const [i, purpose] of used.entries()) {
    const tier = tierIndex(terms.tiers, i + 1);
    const line = lines.get(`${purpose} ${tier}`);
    if (line === undefined) lines.set(`${purpose} ${tier}`, { purpose, tier, units: 1 });
    else line.units += 1;
  }
  const show = (micros: bigint): string => formatAmount(micros, terms.currency);
  const priced = [...lines.values()].map((line) => ({
    ...line,
    micros: linePrice(line.units, terms.tiers[line.tier]?.unitPriceMicros as number, terms.currency),
  }));
  const units = priced.reduce((sum, { micros }) => sum + micros, 0n);
  const { flat, trueUp } = computeFees(terms, units);
  return {
    lines: priced.map(({ micros, ...line }) => ({ ...line, amount: show(micros) })),
    flat: show(flat),
    trueUp: show(trueUp),
    total: show(units + flat + trueUp),
  };
}

test(`${CASES} random bills are the same to the minor unit (SEED=${runSeed})`, () => {
  const random = seeded(runSeed);
  for (let i = 0; i < CASES; i++) {
    const terms = randomTerms(random);
    const used = Array.from({ length: random.pick([0, 1, random.int(0, 12), random.int(0, 90)]) }, () =>
      random.pick(PURPOSES),
    );
    const what = `case ${i}: ${JSON.stringify({ terms, used })}`;
    assert.deepEqual(termsProblems(terms, 'terms'), [], what);
    assert.deepEqual(ourBill(terms, used), bill(terms, used), what);
    const onePurpose = used.map(() => null);
    assert.equal(formatAmount(priceUnits(terms, used.length), terms.currency), bill(terms, onePurpose).total, what);
    const split = splitUnits(terms.tiers, used.length);
    assert.equal(
      split.reduce((sum, one) => sum + one, 0),
      used.length,
      what,
    );
  }
});

test('counts far beyond safe products are exact', () => {
  const price = 999_999_999_999;
  assert.equal(formatAmount(linePrice(999_999_999_999, price, 'EUR'), 'EUR'), '999999999998000000.00');
  assert.equal(formatAmount(linePrice(3, 5_000, 'EUR'), 'EUR'), '0.02');
  assert.equal(formatAmount(linePrice(1, 5_000, 'EUR'), 'EUR'), '0.00');
  assert.equal(formatAmount(linePrice(3, 500_000, 'JPY'), 'JPY'), '2');
  assert.equal(formatAmount(roundToMinor(-15_000n, 'EUR'), 'EUR'), '-0.02');
  assert.equal(formatAmount(12_345_678n, 'EUR'), '12.345678');
  assert.equal(minorDigits('XXX'), undefined);
});

test(`${CASES} random times are in the same period of their zone (SEED=${runSeed})`, () => {
  const random = seeded(runSeed + 1);
  const kinds: CalendarPeriod[] = ['day', 'week', 'month', 'quarter', 'year'];
  for (let i = 0; i < CASES; i++) {
    const zone = random.pick(ZONES);
    const kind = random.pick(kinds);
    // Half of them within hours of the start of a day, where clocks change.
    const day = Date.UTC(2008, 0, 1) + random.int(0, 10_950) * 86_400_000;
    const at = random.chance(0.5) ? day + random.int(-50_000_000, 50_000_000) : day;
    const { start, end } = periodAt(kind, zone, at);
    assert.deepEqual([start, end], periodOf(kind, zone, at), `${kind} ${zone} ${new Date(at).toISOString()}`);
  }
});

test('periods follow each other without gaps, also where a day is skipped', () => {
  for (const zone of ZONES) {
    let period = periodAt('day', zone, Date.UTC(2011, 11, 25));
    for (let i = 0; i < 30; i++) {
      const next = periodAfter('day', zone, period);
      assert.equal(next.start, period.end, `${zone} ${period.label}`);
      period = next;
    }
  }
  assert.deepEqual(
    ['day', 'week', 'month', 'quarter', 'year'].map(
      (kind) => periodAt(kind as CalendarPeriod, 'UTC', Date.parse('2027-01-02T12:00:00Z')).label,
    ),
    ['2027-01-02', '2026-W53', '2027-01', '2027-Q1', '2027'],
  );
});

const at = (text: string): number => Date.parse(text);
const TERMS: Terms = {
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  period: 'month',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 1 }],
};
const version = (number: number, from: string, terms: Terms | null = TERMS): TermsVersion => ({
  version: number,
  from: at(from),
  terms,
});

const ALWAYS = { since: -Infinity, until: Infinity };

describe('versions of terms', () => {
  test('a later version replaces the pending ones', () => {
    const segments = toSegments([
      version(1, '2026-01-10T00:00:00Z'),
      version(2, '2026-03-01T00:00:00Z'),
      version(3, '2026-02-01T00:00:00Z'),
    ]);
    assert.deepEqual(
      segments.map(({ version: number, to }) => [number, to]),
      [
        [1, at('2026-02-01T00:00:00Z')],
        [3, Infinity],
      ],
    );
  });

  test('periods are whole but for the first and the last', () => {
    const segments = toSegments([version(1, '2026-01-10T00:00:00Z'), version(2, '2026-03-10T00:00:00Z', null)]);
    const spans = [...billingPeriods(segments, { startsAt: null, expiresAt: null }, ALWAYS)];
    assert.deepEqual(
      spans.map(({ label, start, end }) => [label, new Date(start).toISOString(), new Date(end).toISOString()]),
      [
        ['2026-01', '2026-01-10T00:00:00.000Z', '2026-01-31T23:00:00.000Z'],
        ['2026-02', '2026-01-31T23:00:00.000Z', '2026-02-28T23:00:00.000Z'],
        ['2026-03', '2026-02-28T23:00:00.000Z', '2026-03-10T00:00:00.000Z'],
      ],
    );
    const bounded = [...billingPeriods(segments, { startsAt: at('2026-02-03'), expiresAt: at('2026-02-04') }, ALWAYS)];
    assert.deepEqual(
      bounded.map(({ label }) => label),
      ['2026-02'],
    );
  });

  test('an edit counts from the next period, from the running one, or at once where there are no terms', () => {
    const segments = toSegments([version(1, '2026-01-10T00:00:00Z')]);
    const now = at('2026-10-30T12:00:00Z');
    assert.equal(effectiveFrom(segments, now, false), at('2026-10-31T23:00:00Z'));
    assert.equal(effectiveFrom(segments, now, true), at('2026-09-30T22:00:00Z'));
    assert.equal(effectiveFrom([], now, false), now);
  });
});

test('quotas: used, left, and when more comes', () => {
  const terms: Terms = { ...TERMS, quota: { units: 100, onExceed: 'allow' }, alerts: [0.5, 0.8, 1] };
  const period = quotaPeriodAt(terms, { startsAt: null, expiresAt: null }, at('2026-10-10'));
  assert.ok(period !== undefined);
  assert.deepEqual(quotaState(terms, period, { units: 100, used: 80 }), {
    units: 100,
    used: 80,
    remaining: 20,
    period: 'month',
    resetAt: at('2026-10-31T23:00:00Z'),
  });
  assert.equal(quotaState(terms, period, { units: 100, used: 120 })?.remaining, 0);
  assert.deepEqual(
    toAlerts(terms, { units: 100, used: 80 }).map(({ reached }) => reached),
    [true, true, false],
  );
  const term: Terms = { ...TERMS, quota: { units: 1, period: 'term', onExceed: 'allow' } };
  const whole = quotaPeriodAt(term, { startsAt: at('2026-01-01'), expiresAt: null }, at('2026-10-10'));
  assert.deepEqual([whole?.start, whole?.end], [at('2026-01-01'), Infinity]);
  assert.equal(quotaPeriodAt(TERMS, { startsAt: null, expiresAt: null }, 0), undefined);
});

test('what is wrong with tiers, purposes and alerts is named', () => {
  const wrong: [Partial<Terms>, string[]][] = [
    [{ tiers: [{ upTo: 5, unitPriceMicros: 1 }] }, ['terms.tiers[0].upTo']],
    [{ tiers: [null, null].map((upTo) => ({ upTo, unitPriceMicros: 1 })) }, ['terms.tiers[0].upTo']],
    [{ tiers: [9, 9, null].map((upTo) => ({ upTo, unitPriceMicros: 1 })) }, ['terms.tiers[1].upTo']],
    [{ purposes: ['a', 'a'] }, ['terms.purposes']],
    [{ alerts: [0.5] }, ['terms.alerts']],
    [{ alerts: [0.8, 0.5], quota: { units: 1, onExceed: 'allow' } }, ['terms.alerts']],
  ];
  for (const [fields, params] of wrong) {
    assert.deepEqual(
      termsProblems({ ...TERMS, ...fields }, 'terms').map(({ param }) => param),
      params,
      JSON.stringify(fields),
    );
  }
});

test('the worked example of docs/terms.md', () => {
  const page = readFileSync('docs/terms.md', 'utf8');
  const terms: Terms = { ...TERMS, ...JSON.parse(/```json5\n([^]*?)```/.exec(page)?.[1] ?? '') };
  const rows = [...page.matchAll(/^\| (\d.*) \|$/gm)].map((row) => (row[1] ?? '').split(' | '));
  assert.equal(rows.length, 6);
  for (const [units = '', first, second, third, trueUp, flat, total] of rows) {
    const oracle = bill(terms, Array<null>(Number(units)).fill(null));
    const amountOf = (tier: number): string => oracle.lines.find((line) => line.tier === tier)?.amount ?? '0.00';
    const shown = { tiers: [first, second, third], trueUp, flat, total };
    const { trueUp: up, flat: fee, total: sum } = oracle;
    assert.deepEqual(shown, { tiers: [0, 1, 2].map(amountOf), trueUp: up, flat: fee, total: sum }, units);
    assert.equal(formatAmount(priceUnits(terms, Number(units)), 'EUR'), total);
  }
});
