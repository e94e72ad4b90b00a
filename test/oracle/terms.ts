/**
 * A second implementation of what terms cost, for comparison: decimal strings added digit by digit instead of integers,
 * and calendar boundaries looked for with Intl instead of computed. It shares no code with the service.
 */

/** ISO 4217 minor units that are not 2. */
const MINOR: Record<string, number> = { JPY: 0, KRW: 0, CLP: 0, ISK: 0, BHD: 3, KWD: 3, TND: 3, CLF: 4 };

// --- decimal strings, not negative: '123.4500' ---

const parts = (text: string): [string, string] => {
  const [whole = '0', fraction = ''] = text.split('.');
  return [whole, fraction];
};

/** Gives two numbers the same count of digits before and after the point. */
function aligned(a: string, b: string): [string, string, number] {
  const [[aw, af], [bw, bf]] = [parts(a), parts(b)];
  const whole = Math.max(aw.length, bw.length) + 1;
  const fraction = Math.max(af.length, bf.length);
  const fit = (w: string, f: string) => w.padStart(whole, '0') + f.padEnd(fraction, '0');
  return [fit(aw, af), fit(bw, bf), fraction];
}

const placed = (digits: string, fraction: number): string => {
  const whole = digits.slice(0, digits.length - fraction).replace(/^0+(?=\d)/, '');
  return fraction === 0 ? whole : `${whole}.${digits.slice(digits.length - fraction)}`;
};

export function plus(a: string, b: string): string {
  const [x, y, fraction] = aligned(a, b);
  let carry = 0;
  let out = '';
  for (let i = x.length - 1; i >= 0; i--) {
    const sum = Number(x[i]) + Number(y[i]) + carry;
    out = String(sum % 10) + out;
    carry = sum >= 10 ? 1 : 0;
  }
  return placed(out, fraction);
}

/** `a` must not be less than `b`. */
export function minus(a: string, b: string): string {
  const [x, y, fraction] = aligned(a, b);
  let borrow = 0;
  let out = '';
  for (let i = x.length - 1; i >= 0; i--) {
    let digit = Number(x[i]) - Number(y[i]) - borrow;
    borrow = digit < 0 ? 1 : 0;
    if (digit < 0) digit += 10;
    out = String(digit) + out;
  }
  return placed(out, fraction);
}

export function isLess(a: string, b: string): boolean {
  const [x, y] = aligned(a, b);
  return x < y;
}

/** Long multiplication, as at school. */
export function times(a: string, count: number): string {
  let sum = '0';
  let shift = '';
  for (const digit of String(count).split('').toReversed()) {
    let row = '0';
    for (let i = 0; i < Number(digit); i++) row = plus(row, a);
    const [whole, fraction] = parts(row);
    // A shift to the left moves the point.
    const all = whole + fraction.padEnd(Math.max(fraction.length, shift.length), '0');
    const point = whole.length + shift.length;
    sum = plus(sum, all.length > point ? `${all.slice(0, point)}.${all.slice(point)}` : all);
    shift += '0';
  }
  return sum;
}

/** Rounds half to even by looking at the digits that are cut off. */
export function rounded(text: string, digits: number): string {
  const [whole, fraction] = parts(text);
  const kept = fraction.slice(0, digits).padEnd(digits, '0');
  const cut = fraction.slice(digits).replace(/0+$/, '');
  const down = digits === 0 ? whole : `${whole}.${kept}`;
  const last = Number((whole + kept).at(-1));
  const isHalf = cut === '5';
  const isMore = cut !== '' && !isHalf && cut >= '5';
  if (!isMore && !(isHalf && last % 2 === 1)) return down;
  return plus(down, digits === 0 ? '1' : `0.${'1'.padStart(digits, '0')}`);
}

/** The decimal of an integer of 1/1,000,000. */
const decimal = (micros: number): string => {
  const digits = String(micros).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
};

// --- prices ---

export interface OracleTerms {
  currency: string;
  tiers: { upTo: number | null; unitPriceMicros: number }[];
  minimumMicros?: number;
  flatMicros?: number;
}

export interface OracleBill {
  /** Units by purpose and tier, in the order in which they first occur. */
  lines: { purpose: string | null; tier: number; units: number; amount: string }[];
  flat: string;
  trueUp: string;
  total: string;
}

/** Puts units on lines one by one, in the order in which they were used. */
function toLines(terms: OracleTerms, used: readonly (string | null)[]): OracleBill['lines'] {
  const lines: OracleBill['lines'] = [];
  let tier = 0;
  let number = 0;
  for (const purpose of used) {
    number += 1;
    for (let last = terms.tiers[tier]?.upTo; last != null && number > last; last = terms.tiers[tier]?.upTo) tier += 1;
    const line = lines.find((one) => one.purpose === purpose && one.tier === tier);
    if (line === undefined) lines.push({ purpose, tier, units: 1, amount: '0' });
    else line.units += 1;
  }
  return lines;
}

export function bill(terms: OracleTerms, used: readonly (string | null)[]): OracleBill {
  const digits = MINOR[terms.currency] ?? 2;
  const lines = toLines(terms, used);
  let units = '0';
  for (const line of lines) {
    line.amount = rounded(times(decimal(terms.tiers[line.tier]?.unitPriceMicros ?? 0), line.units), digits);
    units = plus(units, line.amount);
  }
  const flat = rounded(decimal(terms.flatMicros ?? 0), digits);
  const least = rounded(decimal(terms.minimumMicros ?? 0), digits);
  const trueUp = isLess(units, least) ? minus(least, units) : rounded('0', digits);
  return { lines, flat, trueUp, total: plus(plus(units, flat), trueUp) };
}

// --- periods ---

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local date of a time, as `20261121`. */
function dateAt(at: number, zone: string): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(zone, format);
  }
  return Number(format.format(at).replaceAll('-', ''));
}

const HOUR = 3_600_000;
const STEP = HOUR / 2;

const begins = new Map<string, number>();

/** The first time whose local date is this day or a later one. */
export function dayBegins(year: number, month: number, day: number, zone: string): number {
  const wanted = new Date(Date.UTC(year, month - 1, day));
  const key = `${wanted.getTime()} ${zone}`;
  const known = begins.get(key);
  if (known !== undefined) return known;
  const found = findBegin(wanted, zone);
  begins.set(key, found);
  return found;
}

function findBegin(wanted: Date, zone: string): number {
  const date = Number(wanted.toISOString().slice(0, 10).replaceAll('-', ''));
  let at = wanted.getTime() - 30 * HOUR;
  while (dateAt(at, zone) < date) at += STEP;
  let [low, high] = [at - STEP, at];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (dateAt(middle, zone) < date) low = middle;
    else high = middle;
  }
  return high;
}

/** The period that contains a time: its start and its end. */
export function periodOf(kind: string, zone: string, at: number): [start: number, end: number] {
  const date = dateAt(at, zone);
  const [year, month, day] = [Math.floor(date / 10_000), Math.floor(date / 100) % 100, date % 100];
  const monday = day - ((new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7);
  const quarter = month - ((month - 1) % 3);
  const beginOf: Record<string, (n: number) => number> = {
    day: (n) => dayBegins(year, month, day + n, zone),
    week: (n) => dayBegins(year, month, monday + 7 * n, zone),
    month: (n) => dayBegins(year, month + n, 1, zone),
    quarter: (n) => dayBegins(year, quarter + 3 * n, 1, zone),
    year: (n) => dayBegins(year + n, 1, 1, zone),
  };
  const begin = beginOf[kind] as (n: number) => number;
  return at < begin(1) ? [begin(0), begin(1)] : [begin(1), begin(2)];
}
