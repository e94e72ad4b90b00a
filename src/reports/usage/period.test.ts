/** A period means the promised range and buckets, on the clocks of its time zone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { Failure } from '../../api/errors.ts';
import { type GroupBy, type PeriodQuery, precedingSpan, resolvePeriod } from './period.ts';

const NOW = '2026-11-21T09:30:00.123Z';
const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;
const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

function resolve(query: PeriodQuery, moments: { now?: string; first?: string; last?: string } = {}) {
  const { from, to, buckets } = resolvePeriod(query, {
    now: at(moments.now ?? NOW),
    first: moments.first === undefined ? undefined : at(moments.first),
    last: moments.last === undefined ? undefined : at(moments.last),
  });
  const dates = buckets.map((bucket) => bucket.date);
  return { from: iso(from), to: iso(to), count: dates.length, first: dates[0], last: dates.at(-1), dates, buckets };
}

/** `span`: from, to and the number of buckets; a day alone is its midnight in UTC. */
const RANGES: [name: string, query: PeriodQuery, span: string, moments?: object][] = [
  ['nothing said: 30 days by day', {}, '2026-10-23 2026-11-22 30'],
  ['7d is today and six days before', { period: '7d' }, '2026-11-15 2026-11-22 7'],
  ['90d', { period: '90d' }, '2026-08-24 2026-11-22 90'],
  ['year is 365 days', { period: 'year' }, '2025-11-22 2026-11-22 365'],
  ['all without decisions is today', { period: 'all' }, '2026-11-21 2026-11-22 1'],
  ['all from the first decision', { period: 'all' }, '2026-11-18 2026-11-22 4', { first: '2026-11-18T23:59:59.999Z' }],
  [
    'all by hour starts with the hour of the first decision',
    { period: 'all', groupBy: 'hour' },
    '2026-11-21T07:00:00Z 2026-11-22 17',
    { first: '2026-11-21T07:59:00Z' },
  ],
  [
    'all reaches to a last decision that is ahead of the clock',
    { period: 'all' },
    '2026-11-21 2026-11-24 3',
    { first: '2026-11-21T08:00:00Z', last: '2026-11-23T00:00:00Z' },
  ],
  ['dates: the end day is included', { startDate: '2026-11-01', endDate: '2026-11-03' }, '2026-11-01 2026-11-04 3'],
  ['one day', { startDate: '2026-11-01', endDate: '2026-11-01' }, '2026-11-01 2026-11-02 1'],
  [
    'dates win over period',
    { period: '7d', startDate: '2026-01-01', endDate: '2026-01-31' },
    '2026-01-01 2026-02-01 31',
  ],
  [
    'a date-time end is exclusive',
    { startDate: '2026-11-01T12:00:00Z', endDate: '2026-11-03T00:00:00Z' },
    '2026-11-01T12:00:00Z 2026-11-03 2',
  ],
  [
    'offsets, and fractions to the next whole millisecond',
    { startDate: '2026-11-01T12:00:00.0001+02:00', endDate: '2026-11-01T12:00:00.001Z' },
    '2026-11-01T10:00:00.001Z 2026-11-01T12:00:00.001Z 1',
  ],
  [
    'a date-time without offset is on the clocks of the zone',
    { startDate: '2026-07-01T00:00', endDate: '2026-07-01T02:00', groupBy: 'hour', timezone: 'Europe/Berlin' },
    '2026-06-30T22:00:00Z 2026-07-01 2',
  ],
  ['start only: until now', { startDate: '2026-11-20' }, '2026-11-20 2026-11-21T09:30:00.124Z 2'],
  ['end only: 30 days back from it', { endDate: '2026-10-30' }, '2026-10-01 2026-10-31 30'],
  ['end only with a period', { endDate: '2026-10-31', period: '7d' }, '2026-10-25 2026-11-01 7'],
  [
    'date-time end only: as many days back to the same time',
    { endDate: '2026-10-31T12:00:00Z', period: '7d' },
    '2026-10-24T12:00:00Z 2026-10-31T12:00:00Z 8',
  ],
  [
    'end only, all',
    { endDate: '2026-10-31', period: 'all' },
    '2026-10-29 2026-11-01 3',
    { first: '2026-10-29T01:00:00Z' },
  ],
  [
    'end before the first decision, all',
    { endDate: '2026-10-31', period: 'all' },
    '2026-10-31 2026-11-01 1',
    { first: '2026-11-05T00:00:00Z' },
  ],
  [
    'start = end, both exact: nothing',
    { startDate: '2026-11-01T00:00:00Z', endDate: '2026-11-01T00:00:00Z' },
    '2026-11-01 2026-11-01 0',
  ],
  ['an end in the future is filled up', { startDate: '2026-11-21', endDate: '2026-11-30' }, '2026-11-21 2026-12-01 10'],
  [
    'today in the zone, where it is tomorrow already',
    { period: '7d', timezone: 'Pacific/Kiritimati' },
    '2026-11-14T10:00:00Z 2026-11-21T10:00:00Z 7',
  ],
  [
    'a day of 25 hours, by hour',
    { startDate: '2026-10-25', endDate: '2026-10-25', groupBy: 'hour', timezone: 'europe/berlin' },
    '2026-10-24T22:00:00Z 2026-10-25T23:00:00Z 25',
  ],
  [
    'a day of 23 hours, by hour',
    { startDate: '2026-03-29', endDate: '2026-03-29', groupBy: 'hour', timezone: 'Europe/Berlin' },
    '2026-03-28T23:00:00Z 2026-03-29T22:00:00Z 23',
  ],
  ['weeks begin on Monday; the range cuts the first', { period: '7d', groupBy: 'week' }, '2026-11-15 2026-11-22 2'],
  ['the most buckets there may be', { startDate: '1999-07-07', endDate: '2026-11-21' }, '1999-07-07 2026-11-22 10000'],
];

for (const [name, query, span, moments] of RANGES) {
  test(`period: ${name}`, () => {
    const { from, to, count } = resolve(query, moments);
    assert.equal(`${from} ${to} ${count}`.replaceAll('T00:00:00Z', ''), span);
  });
}

const DATES: [name: string, query: PeriodQuery, dates: string[]][] = [
  ['days', { startDate: '2026-02-27', endDate: '2026-03-01' }, ['2026-02-27', '2026-02-28', '2026-03-01']],
  ['weeks go by their Monday', { period: '7d', groupBy: 'week' }, ['2026-11-09', '2026-11-16']],
  [
    'months go by their first, however the range lies',
    { startDate: '2026-09-30', endDate: '2026-11-01', groupBy: 'month' },
    ['2026-09-01', '2026-10-01', '2026-11-01'],
  ],
  [
    'hours, cut by the range',
    { startDate: '2026-11-21T09:59:00Z', endDate: '2026-11-21T11:00:00.001Z', groupBy: 'hour' },
    ['2026-11-21T09:00:00Z', '2026-11-21T10:00:00Z', '2026-11-21T11:00:00Z'],
  ],
  [
    'hours of a zone 5:45 ahead',
    { startDate: '2026-11-21T09:00', endDate: '2026-11-21T11:00', groupBy: 'hour', timezone: 'Asia/Kathmandu' },
    ['2026-11-21T03:15:00Z', '2026-11-21T04:15:00Z'],
  ],
  [
    'Lord Howe goes back half an hour: one hour has 90 minutes',
    { startDate: '2026-04-05T01:00', endDate: '2026-04-05T04:00', groupBy: 'hour', timezone: 'Australia/Lord_Howe' },
    ['2026-04-04T14:00:00Z', '2026-04-04T15:30:00Z', '2026-04-04T16:30:00Z'],
  ],
  [
    'Lord Howe goes ahead half an hour: one hour has 30 minutes',
    { startDate: '2026-10-04T01:00', endDate: '2026-10-04T04:00', groupBy: 'hour', timezone: 'Australia/Lord_Howe' },
    ['2026-10-03T14:30:00Z', '2026-10-03T15:30:00Z', '2026-10-03T16:00:00Z'],
  ],
  [
    'Samoa left a day out',
    { startDate: '2011-12-29', endDate: '2011-12-31', timezone: 'Pacific/Apia' },
    ['2011-12-29', '2011-12-31'],
  ],
];

for (const [name, query, dates] of DATES) {
  test(`buckets: ${name}`, () => assert.deepEqual(resolve(query).dates, dates));
}

test('buckets: the hour within which the clocks jumped, asked for from its second part', () => {
  const query = { endDate: '2026-04-04T15:45:00Z', groupBy: 'hour', timezone: 'Australia/Lord_Howe' } as const;
  assert.deepEqual(resolve({ ...query, startDate: '2026-04-04T15:10:00Z' }).dates, [
    '2026-04-04T14:00:00Z',
    '2026-04-04T15:30:00Z',
  ]);
});

test('buckets: where midnight does not exist, a day begins when the clocks have jumped', () => {
  const { buckets } = resolve({ startDate: '2018-11-04', endDate: '2018-11-05', timezone: 'America/Sao_Paulo' });
  assert.deepEqual(
    buckets.map((bucket) => iso(bucket.start)),
    ['2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'],
  );
});

const REFUSED: [query: PeriodQuery, param: string, message: RegExp][] = [
  [{ startDate: '2026-02-30' }, 'startDate', /does not exist/],
  [{ endDate: '2026-13-01T00:00:00Z' }, 'endDate', /does not exist/],
  [{ startDate: '2026-11-21T25:00' }, 'startDate', /does not exist/],
  [{ startDate: 'yesterday' }, 'startDate', /must be a date such as/],
  [{ startDate: '20261121' }, 'startDate', /must be a date such as/],
  [{ startDate: '' }, 'startDate', /must be a date such as/],
  [{ startDate: '2026-11-21T00:00:00Z[Europe/Berlin]' }, 'startDate', /must be a date such as/],
  [{ startDate: '2026-11-20T00:00:00 02:00' }, 'startDate', /%2B/],
  [{ startDate: '2026-11-22', endDate: '2026-11-21' }, 'startDate', /after `endDate`/],
  [{ startDate: '2026-11-21T00:00:01Z', endDate: '2026-11-21T00:00:00Z' }, 'startDate', /after `endDate`/],
  [{ startDate: '2026-11-22T00:00:00Z', endDate: '2026-11-21' }, 'startDate', /after `endDate`/],
  [{ startDate: '2026-11-22' }, 'startDate', /in the future/],
  [{ startDate: '1999-07-06', endDate: '2026-11-21' }, 'groupBy', /more than 10,000 days/],
  [{ startDate: '0001-01-01', groupBy: 'hour' }, 'groupBy', /more than 10,000 hours/],
  [{ timezone: 'Mars/Olympus' }, 'timezone', /IANA/],
  [{ timezone: '+02:00' }, 'timezone', /IANA/],
  [{ timezone: '2026-01-01T00:00Z[Europe/Berlin]' }, 'timezone', /IANA/],
  [{ timezone: '' }, 'timezone', /IANA/],
];

for (const [query, param, message] of REFUSED) {
  test(`period: refuses ${JSON.stringify(query)}`, () => {
    assert.throws(
      () => resolve(query),
      (error) =>
        error instanceof Failure &&
        error.code === 'invalid_request' &&
        error.param === param &&
        message.test(error.message),
    );
  });
}

// The calendar as another implementation knows it: ICU through Intl.
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'America/Sao_Paulo', 'Africa/Casablanca'];

function byIntl(ms: number, timeZone: string): { day: string; minute: string; weekday: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    minute: '2-digit',
    weekday: 'short',
  }).formatToParts(ms);
  const of = (type: string): string => parts.find((part) => part.type === type)?.value as string;
  return {
    day: `${of('year')}-${of('month')}-${of('day')}`,
    minute: of('minute').padStart(2, '0'),
    weekday: of('weekday'),
  };
}

const FIRST_DAY = {
  day: ({ day }: ReturnType<typeof byIntl>) => day,
  month: ({ day }: ReturnType<typeof byIntl>) => `${day.slice(0, 7)}-01`,
  week({ day, weekday }: ReturnType<typeof byIntl>) {
    const back = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(weekday);
    return new Date(Date.parse(day) - back * 86_400_000).toISOString().slice(0, 10);
  },
};

test('buckets: every time falls into the bucket that Intl computes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: at('2000-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') }),
      fc.integer({ min: 0, max: 40 * 86_400_000 }),
      fc.constantFrom(...ZONES),
      fc.constantFrom<GroupBy>('hour', 'day', 'week', 'month'),
      (moment, before, timezone, groupBy) => {
        const startDate = new Date(moment - before).toISOString();
        const { buckets } = resolve({ startDate, endDate: new Date(moment + 1).toISOString(), groupBy, timezone });
        for (let i = 1; i < buckets.length; i++) assert.ok((buckets[i]?.start ?? 0) > (buckets[i - 1]?.start ?? 0));
        assert.ok((buckets[0]?.start ?? Infinity) <= moment - before);
        const bucket = buckets.at(-1);
        assert.ok(bucket !== undefined && bucket.start <= moment);
        if (groupBy === 'hour') {
          assert.ok(moment - bucket.start < 3_600_000);
          assert.equal(byIntl(bucket.start, timezone).minute, '00');
        } else assert.equal(bucket.date, FIRST_DAY[groupBy](byIntl(moment, timezone)));
      },
    ),
    { numRuns: 400 },
  );
});

const PRECEDING: [name: string, query: PeriodQuery, from: string, to: string][] = [
  ['30 days', {}, '2026-09-23T00:00:00Z', '2026-10-23T00:00:00Z'],
  [
    'whole days across the end of summer time',
    { startDate: '2026-10-26', endDate: '2026-10-27', timezone: 'Europe/Berlin' },
    '2026-10-23T22:00:00Z',
    '2026-10-25T23:00:00Z',
  ],
  [
    'the day after a day of 25 hours',
    { startDate: '2026-10-26', endDate: '2026-10-26', timezone: 'Europe/Berlin' },
    '2026-10-24T22:00:00Z',
    '2026-10-25T23:00:00Z',
  ],
  [
    'a part of a day',
    { startDate: '2026-10-26T09:00:00Z', endDate: '2026-10-26T12:30:00Z', timezone: 'Europe/Berlin' },
    '2026-10-26T05:30:00Z',
    '2026-10-26T09:00:00Z',
  ],
];
for (const [name, query, from, to] of PRECEDING) {
  test(`what precedes: ${name}`, () => {
    const span = precedingSpan(resolvePeriod(query, { now: at(NOW) }));
    assert.deepEqual([iso(span.from), iso(span.to)], [from, to]);
  });
}
