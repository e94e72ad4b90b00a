/**
 * Ids: a prefix and 26 characters of Crockford's base 32 in lower case (the ULID layout): 10 of time in milliseconds,
 * 16 of randomness. Text order is time order; within one millisecond the random part counts up, so ids made by one
 * process are strictly ascending. Source: github.com/ulid/spec.
 */
import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]));

/** Formats `value`, a safe integer ≥ 0, as `length` characters, most significant first. */
export function toBase32(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < length; i++) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

const CHARACTERS = Buffer.from(ALPHABET);

/** Writes an integer below 2^25 as five characters. */
export function writeFive(target: Uint8Array, offset: number, value: number): void {
  target[offset] = CHARACTERS[value >>> 20] as number;
  target[offset + 1] = CHARACTERS[(value >>> 15) & 31] as number;
  target[offset + 2] = CHARACTERS[(value >>> 10) & 31] as number;
  target[offset + 3] = CHARACTERS[(value >>> 5) & 31] as number;
  target[offset + 4] = CHARACTERS[value & 31] as number;
}

/** Parses `text`; undefined for a character outside the alphabet or a number above 2^53. */
export function fromBase32(text: string): number | undefined {
  let value = 0;
  for (const character of text) {
    const digit = VALUES.get(character);
    if (digit === undefined) return undefined;
    value = value * 32 + digit;
  }
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Returns an id without its prefix, which related records share. */
export const idBody = (id: string): string => id.slice(-26);

export const ID_BODY = '[0-9a-hjkmnp-tv-z]{26}';

/** Makes ids in strictly ascending order. `at` is epoch milliseconds and may not decrease between calls. */
export function idMaker(): (prefix: string, at: number) => string {
  let last = -1;
  let time = '';
  const digits = new Uint8Array(16);
  return (prefix, at) => {
    if (at > last) {
      last = at;
      time = toBase32(at, 10);
      randomFillSync(digits);
      // The highest digit starts in the lower half, so that counting up within the millisecond cannot overflow.
      for (let i = 0; i < 16; i++) digits[i] = (digits[i] as number) & (i === 0 ? 15 : 31);
    } else {
      for (let i = 15; i >= 0; i--) {
        const next = (digits[i] as number) + 1;
        digits[i] = next & 31;
        if (next < 32) break;
      }
    }
    let body = '';
    for (let i = 0; i < 16; i++) body += ALPHABET[digits[i] as number];
    return prefix + time + body;
  };
}

export const newId = idMaker();

/** Makes an id without a prefix, for related records to share. */
export const newBody = (at: number): string => newId('', at);
