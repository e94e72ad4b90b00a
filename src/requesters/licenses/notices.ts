/** Notices ahead of the end of a license, pure. */
import type { License } from './license.ts';

const DAY_MS = 86_400_000;
/** Descending. */
const NOTICE_DAYS = [30, 7, 1] as const;

/** Returns when the next notice after a time is due; null: no more. */
export function nextNotice(expiresAt: number | null, at: number): number | null {
  if (expiresAt === null) return null;
  return NOTICE_DAYS.map((days) => expiresAt - days * DAY_MS).find((time) => time > at) ?? null;
}

/**
 * Returns the days of the last notice that became due between `due` and now. Notices of before the license was created
 * are not given, nor any after its end.
 */
export function dueNotice(
  { expiresAt, createdAt }: Pick<License, 'expiresAt' | 'createdAt'>,
  due: number,
  now: number,
): number | undefined {
  if (expiresAt === null || now >= expiresAt) return undefined;
  return NOTICE_DAYS.findLast((days) => {
    const time = expiresAt - days * DAY_MS;
    return time >= due && time > createdAt && time <= now;
  });
}
