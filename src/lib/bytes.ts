/** Estimates the memory of plain values: strings, numbers, lists and objects as V8 lays them out on 64 bits. */

/** A map's share for an entry, in the two tables that it keeps while it grows. */
export const ENTRY_BYTES = 64;

/** Errs on the high side: strings count as if each were held once and of one byte a character. */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length;
  if (typeof value !== 'object' || value === null) return 12;
  let bytes = 48;
  for (const one of Array.isArray(value) ? value : Object.values(value)) bytes += 8 + estimateBytes(one);
  return bytes;
}
