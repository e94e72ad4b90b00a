/**
 * A second implementation of what counts in a period that is not whole: it walks over the days of the period, and
 * rounds by looking at remainders. It shares no code with the service.
 */
import { dayBegins, periodOf } from './terms.ts';

const MINOR: Record<string, number> = { JPY: 0, KRW: 0, BHD: 3, KWD: 3, CLF: 4 };

/** The days of a period that a time touches, and all of them; null where it touches none or all. */
export function daysOf(kind: string, zone: string, at: number, own: [number, number]): [number, number] | null {
  const [start, end] = periodOf(kind, zone, at);
  let [touched, all] = [0, 0];
  const noon = new Date(start + 14 * 3_600_000);
  for (let day = 0; ; day++) {
    const date = (n: number) => new Date(Date.UTC(noon.getUTCFullYear(), noon.getUTCMonth(), noon.getUTCDate() + n));
    const begin = (n: number): number => {
      const one = date(n);
      return dayBegins(one.getUTCFullYear(), one.getUTCMonth() + 1, one.getUTCDate(), zone);
    };
    const [from, to] = [begin(day), begin(day + 1)];
    if (from >= end) break;
    all += 1;
    if (Math.max(from, own[0], start) < Math.min(to, own[1], end)) touched += 1;
  }
  return touched === 0 || touched === all ? null : [touched, all];
}

/** A part of an amount in whole minor units, half to even. */
export function partOf(micros: number, currency: string, days: [number, number] | null): number {
  const minor = 10 ** (6 - (MINOR[currency] ?? 2));
  const [touched, all] = days ?? [1, 1];
  const whole = Math.floor((micros * touched) / all / minor);
  // In units of 1 / (all * minor): exact below 2^53.
  const rest = micros * touched - whole * minor * all;
  const twice = 2 * rest - minor * all;
  return (whole + (twice > 0 || (twice === 0 && whole % 2 === 1) ? 1 : 0)) * minor;
}

/** A part of the units of a quota, rounded up. */
export function unitsOf(units: number, days: [number, number] | null): number {
  if (days === null) return units;
  let rounded = 0;
  while (rounded * days[1] < units * days[0]) rounded += 1;
  return rounded;
}
