/**
 * Remembers signatures that verified: agents reuse them, and a replay costs neither a second verification nor a second
 * reading of its headers.
 */
import { Lru } from '../../lib/cache/lru.ts';
import type { ReadHeaders, ReadSignatures, VerifyBytes } from './judge.ts';
import type { AgentKey } from './keys.ts';
import { type RequestHeaders, readField } from './request.ts';

const REMEMBERED_MAX = 4_000;
/** The sum of their lengths. */
const REMEMBERED_CHARACTERS_MAX = 4 * 1024 * 1024;
/** Headers that were read take several times the memory of their texts. */
const READ_MAX = 1_000;
const READ_CHARACTERS_MAX = 1024 * 1024;

/**
 * Only the verification of the bytes is remembered, for the same key, signature base and signature. Times and agents
 * are judged for each request, and a directory that was fetched again has new keys.
 */
export function remembering(verifyBytes: VerifyBytes): VerifyBytes {
  const weight = { max: REMEMBERED_CHARACTERS_MAX, of: (_key: AgentKey, text: string) => text.length };
  const verified = new Lru<string, AgentKey>(REMEMBERED_MAX, weight);
  return (key, base, signature) => {
    const text = `${signature.toString('base64')}\n${base.toString('latin1')}`;
    if (verified.get(text) === key) return true;
    const isRight = verifyBytes(key, base, signature);
    if (isRight) verified.set(text, key);
    return isRight;
  };
}

/** Headers that were read, by their texts. Only those of signatures that verified are kept: others may be anything. */
export function rememberingHeaders(readHeaders: ReadHeaders) {
  const weight = { max: READ_CHARACTERS_MAX, of: (_read: ReadSignatures, text: string) => text.length };
  const known = new Lru<string, ReadSignatures>(READ_MAX, weight);
  let last: { text: string; read: ReadSignatures } | undefined;
  return {
    read(headers: RequestHeaders, agents: Parameters<ReadHeaders>[1]): ReadSignatures | undefined {
      const text = headersKey(headers);
      const before = known.get(text);
      const read = before ?? readHeaders(headers, agents);
      last = before === undefined && read !== undefined ? { text, read } : undefined;
      return read;
    },
    /** Keeps what was read last. */
    keep(): void {
      if (last !== undefined) known.set(last.text, last.read);
      last = undefined;
    },
  };
}

/** The lengths show where each header ends. */
function headersKey(headers: RequestHeaders): string {
  const agent = readField(headers, 'signature-agent');
  const input = readField(headers, 'signature-input');
  const signature = readField(headers, 'signature');
  return `${agent?.length} ${input?.length} ${signature?.length} ${agent}${input}${signature}`;
}
