/** Days begin and end by the viewer's calendar, in every time zone and across clock changes. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  addDays,
  beginsDay,
  dayAt,
  daysBetween,
  endOfDay,
  lastDayBefore,
  monthOf,
  startOfDay,
  timeAt,
  toInstant,
} from './days.ts';

const before = process.env.TZ;
after(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

// Clocks that change at midnight, by half an hour, by a whole day, and never.
const ZONES = [
  'UTC',
  'America/Los_Angeles',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Europe/Berlin',
  'Africa/Cairo',
  'America/Havana',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Asia/Beirut',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

for (const zone of ZONES) {
  describe(zone, () => {
    test('every day of sixteen years begins and ends with the calendar', () => {
      process.env.TZ = zone;
      let day = Temporal.PlainDate.from('2011-01-01');
      const start = (of: Temporal.PlainDate): string =>
        new Date(of.toZonedDateTime(zone).epochMilliseconds).toISOString();
      for (; day.year < 2027; day = day.add({ days: 1 })) {
        const text = day.toString();
        assert.equal(startOfDay(text), start(day), text);
        assert.equal(endOfDay(text), start(day.add({ days: 1 })), text);
      }
    });

    test('what was typed comes back', () => {
      process.env.TZ = zone;
      for (let day = '2023-01-01'; day < '2025-01-01'; day = addDays(day, 1)) {
        const [from, to] = [startOfDay(day), endOfDay(day)] as [string, string];
        assert.deepEqual([dayAt(from), lastDayBefore(to), beginsDay(from), beginsDay(to)], [day, day, true, true]);
        const noon = toInstant(day, '12:34') as string;
        assert.deepEqual([dayAt(noon), timeAt(noon), beginsDay(noon)], [day, '12:34', false]);
      }
    });
  });
}

test('what is no day is none', () => {
  process.env.TZ = 'Asia/Kolkata';
  for (const text of ['', '2026-02-30', '2026-13-01', '2026-00-10', '2025-02-29', '20261121', '2026-11-21T00:00:00Z']) {
    assert.equal(startOfDay(text), undefined, text);
    assert.equal(endOfDay(text), undefined, text);
  }
  assert.equal(toInstant('2026-11-21', '9:30'), undefined);
  assert.equal(startOfDay('0099-03-01')?.slice(0, 7), '0099-02');
  assert.equal(startOfDay('2024-02-29'), '2024-02-28T18:30:00.000Z');
});

test('days of the calendar are counted, not hours', () => {
  process.env.TZ = 'America/Los_Angeles';
  assert.equal(daysBetween('2026-10-31', '2026-11-02'), 2);
  assert.equal(addDays('2026-11-01', -1), '2026-10-31');
  assert.equal(addDays('2026-12-31', 1), '2027-01-01');
  assert.equal(endOfDay('2026-11-01'), '2026-11-02T08:00:00.000Z');
  assert.equal(startOfDay('2026-11-01'), '2026-11-01T07:00:00.000Z');
});

test('months have their calendar days', () => {
  const named = ['2026-11-22', '2024-02-29', '2026-12-31', '2100-02-01'].map(monthOf);
  assert.deepEqual(named, [
    { first: '2026-11-01', last: '2026-11-30', name: 'November 2026' },
    { first: '2024-02-01', last: '2024-02-29', name: 'February 2024' },
    { first: '2026-12-01', last: '2026-12-31', name: 'December 2026' },
    { first: '2100-02-01', last: '2100-02-28', name: 'February 2100' },
  ]);
});
