/** Reads days and times as they are typed. A day is a UTC day, and a last day is included; the API takes instants. */
import { misused } from './outcome.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/** Returns the instant at which a period starts: the beginning of a day, or the time itself. */
export const toStart = (option: string, text: string): string => toInstant(option, text, 0);

/** Returns the instant at which a period ends: after the whole day, or the time itself. */
export const toEnd = (option: string, text: string): string => toInstant(option, text, DAY_MS);

function toInstant(option: string, text: string, after: number): string {
  const at = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Date.parse(text);
  const isDay = DAY.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
  if (isDay) return new Date(at + after).toISOString();
  if (!Number.isNaN(at) && /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/.test(text)) return text;
  const example = after === 0 ? '2026-12-31' : '2026-12-31 (that day included)';
  throw misused(`${option} takes a day such as ${example}, or a time such as 2026-12-31T12:00:00Z, not "${text}".`);
}

/** Returns the last day of a period that ends at this instant. */
export function toLastDay(instant: string | null): string | null {
  if (instant === null) return null;
  const at = Date.parse(instant);
  return new Date(at % DAY_MS === 0 ? at - DAY_MS : at).toISOString().slice(0, 10);
}

export const toDay = (instant: string | null): string | null => instant?.slice(0, 10) ?? null;
