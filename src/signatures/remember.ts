/** Remembers signatures that verified: agents reuse them, and a replay costs no second verification. */
import { Lru } from '../lib/lru.ts';
import type { VerifyBytes } from './judge.ts';
import type { Key } from './keys.ts';

const REMEMBERED_MAX = 4_000;
/** The sum of their lengths. */
const REMEMBERED_CHARACTERS_MAX = 4 * 1024 * 1024;

/**
 * Only the verification of the bytes is remembered, for the same key, signature base and signature. Times and agents
 * are judged for each request, and a directory that was fetched again has new keys.
 */
export function remembering(verifyBytes: VerifyBytes): VerifyBytes {
  const weight = { max: REMEMBERED_CHARACTERS_MAX, of: (_key: Key, text: string) => text.length };
  const verified = new Lru<string, Key>(REMEMBERED_MAX, weight);
  return (key, base, signature) => {
    const text = `${signature.toString('base64')}\n${base.toString('latin1')}`;
    if (verified.get(text) === key) return true;
    const isRight = verifyBytes(key, base, signature);
    if (isRight) verified.set(text, key);
    return isRight;
  };
}
