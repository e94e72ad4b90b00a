/** Money and counts reach the API as they were typed, to the last digit. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exampleOf } from './example.ts';
import { amountFault, formatMoney, parseCount, parseMicros, toDecimal } from './money.ts';
import { faultsOf, nextPeriod, type TermsFields, toFields, toTerms } from './terms-fields.ts';

describe('money', () => {
  test('is typed with a point or a comma, and up to six digits', () => {
    const typed = ['0.02', '0,02', ' 12 ', '0.000001', '999999999.999999', '', '1.', '.5', '1.2345678', '-1', '1e3'];
    assert.deepEqual(typed.map(parseMicros), [
      20_000,
      20_000,
      12_000_000,
      1,
      999_999_999_999_999,
      ...Array.from({ length: 6 }),
    ]);
  });

  test('with thousands is read where it is clear', () => {
    const read: Record<string, number> = {
      '1250': 1_250,
      '1250.00': 1_250,
      '1,250.00': 1_250,
      '1.250,00': 1_250,
      '1 250,5': 1_250.5,
      '1’250.50': 1_250.5,
      '1,250.125': 1_250.125,
      '1,250,000': 1_250_000,
      '1.250.000,00': 1_250_000,
      '0.125': 0.125,
      '0,125': 0.125,
      '1.2500': 1.25,
      '1234.5678': 1_234.5678,
    };
    for (const [text, amount] of Object.entries(read)) {
      assert.equal(parseMicros(text), amount * 1_000_000, text);
      assert.equal(amountFault(text), undefined, text);
    }
  });

  test('that can mean two amounts is refused, with both ways to type it', () => {
    const advice: Record<string, string> = {
      '1,250': 'Type 1250 or 1.25.',
      '1.250': 'Type 1250 or 1.25.',
      '5,000': 'Type 5000 or 5.',
      '12,000': 'Type 12000 or 12.',
      '1.125': 'Type 1125 or 1.1250.',
      '100.000': 'Type 100000 or 100.',
      ' 10,010 ': 'Type 10010 or 10.01.',
    };
    for (const [text, how] of Object.entries(advice)) {
      assert.equal(parseMicros(text), undefined, text);
      assert.equal(amountFault(text), `${text.trim()} can mean two amounts. ${how}`);
      for (const one of how.match(/\d[\d.]*\d|\d/g) ?? []) assert.notEqual(parseMicros(one), undefined, one);
    }
    for (const text of ['12,34.00', '1,25.000,00', '1,250.00,0', '1,2500,000', '0,125,000', '1,250 000', 'free']) {
      assert.equal(parseMicros(text), undefined, text);
      assert.equal(amountFault(text), 'An amount, such as 0.02.');
    }
  });

  test('comes back as typed', () => {
    for (const text of ['0.02', '0.0125', '100.00', '0.000001']) {
      assert.equal(toDecimal(parseMicros(text) as number, 'EUR'), text);
    }
    assert.equal(toDecimal(5_000_000, 'JPY'), '5');
    // Three decimals would read as thousands.
    for (const micros of [1_125_000, 1_250_000, 1_234_567_000, 125_000]) {
      for (const currency of ['EUR', 'JPY', 'KWD']) assert.equal(parseMicros(toDecimal(micros, currency)), micros);
    }
  });

  test('is shown to its last digit', () => {
    assert.equal(formatMoney('9007199254740993.01', 'EUR'), '€9,007,199,254,740,993.01');
    assert.equal(formatMoney('0.0125', 'EUR'), '€0.0125');
  });
});

test('a count has separators before groups of three only', () => {
  const typed = [
    '0',
    '12',
    '1,000',
    '1.000',
    '1 000',
    '12,345,678',
    '2.5',
    '1.00',
    '1,00',
    '1,000.0',
    '1,0000',
    '',
    '1e3',
  ];
  assert.deepEqual(typed.map(parseCount), [0, 12, 1_000, 1_000, 1_000, 12_345_678, ...Array.from({ length: 7 })]);
});

const TYPED: TermsFields = {
  ...toFields(null),
  timezone: 'Europe/Berlin',
  purposes: ['training'],
  tiers: [
    { key: 0, upTo: '1,000', price: '0.02' },
    { key: 1, upTo: '5000', price: '0.0125' },
    { key: 2, upTo: '', price: '0.009995' },
  ],
  minimum: '25',
  flat: '10.00',
  quotaUnits: '50000',
  prorate: 'yes',
  alerts: ['100', '80'],
};

describe('terms', () => {
  test('are what was typed', () => {
    assert.deepEqual(faultsOf(TYPED), {});
    assert.deepEqual(toTerms(TYPED), {
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      period: 'month',
      unit: 'decision',
      tiers: [
        { upTo: 1_000, unitPriceMicros: 20_000 },
        { upTo: 5_000, unitPriceMicros: 12_500 },
        { upTo: null, unitPriceMicros: 9_995 },
      ],
      purposes: ['training'],
      minimumMicros: 25_000_000,
      flatMicros: 10_000_000,
      quota: { units: 50_000, onExceed: 'allow' },
      prorate: true,
      alerts: [0.8, 1],
    });
    assert.deepEqual(toTerms(toFields(toTerms(TYPED))), toTerms(TYPED), 'what is stored comes back unchanged');
  });

  test('say what is wrong where it is wrong', () => {
    const tiers = [
      { key: 0, upTo: '1000', price: 'free' },
      { key: 1, upTo: '1000', price: '1' },
      { key: 2, upTo: '', price: '1' },
    ];
    const faults = faultsOf({ ...TYPED, currency: 'EURO', tiers, quotaUnits: '2.5', minimum: '5,000', flat: 'x' });
    assert.deepEqual(Object.keys(faults).toSorted(), [
      'currency',
      'flat',
      'minimum',
      'quotaUnits',
      'tiers.0.price',
      'tiers.1.upTo',
    ]);
  });

  test('cost what the documentation says', () => {
    const terms = toTerms(TYPED);
    assert.equal(exampleOf(terms, 1_401).total, '€35.01');
    assert.equal(exampleOf(terms, 0).total, '€35.00');
    assert.deepEqual(exampleOf(terms, 12_345).lines, [
      { label: '1,000 × €0.02', amount: '€20.00' },
      { label: '4,000 × €0.0125', amount: '€50.00' },
      { label: '7,345 × €0.009995', amount: '€73.41' },
      { label: 'Fee of the period', amount: '€10.00' },
    ]);
  });

  test('begin with the next calendar period', () => {
    const november = new Date(2026, 10, 22).getTime();
    assert.deepEqual(
      (['month', 'quarter', 'year'] as const).map((period) => nextPeriod(period, november)),
      ['2026-12-01', '2027-01-01', '2027-01-01'],
    );
  });
});
