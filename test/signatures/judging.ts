/** Requests to one site, signed by one agent, and the judgment of them. */
import assert from 'node:assert/strict';
import { newSigningKey, type SigningKey, signRequest, type ToSign } from '../../kit/signing.ts';
import { judge } from '../../src/requesters/signatures/judge.ts';
import { type AgentKeys, readKeys } from '../../src/requesters/signatures/keys.ts';
import type { SignatureOutcome } from '../../src/requesters/signatures/outcome.ts';

export const NOW = Date.parse('2026-11-22T12:00:00Z');
export const SECOND = NOW / 1000;
export const PAGE = 'https://www.example.com/articles/a%2Fb?page=2&q=a%20b';
export const AGENT = 'https://bot.example';
export const KEY = newSigningKey();
export const RSA = newSigningKey('rsa-pss-sha512');

export const keysOf = (...keys: SigningKey[]): AgentKeys =>
  readKeys({ keys: keys.map(({ jwk }) => jwk) }) ?? assert.fail('no key set');

export interface Asked {
  url?: string;
  method?: string;
  authority?: string;
  at?: number;
  directories?: Record<string, AgentKeys>;
}

/** Judges a request with these headers; all agents with a directory are permitted. */
export function judged(headers: Record<string, string | string[]>, asked: Asked = {}): SignatureOutcome {
  const { url = PAGE, method = 'GET', at = NOW, directories = { [AGENT]: keysOf(KEY, RSA) } } = asked;
  const request = { method, authority: asked.authority ?? new URL(url).host, targetUri: url, headers, at };
  return judge(
    request,
    new Set(Object.keys(directories)),
    (agent, thumbprint) => directories[agent]?.get(thumbprint) ?? 'key_unknown',
  );
}

export const made = (changes: Partial<ToSign> = {}, key = KEY): Record<string, string> =>
  signRequest(key, { url: PAGE, headers: { 'signature-agent': `sig1="${AGENT}"` }, at: NOW, ...changes });

export const VERIFIED: SignatureOutcome = { outcome: 'verified', agent: AGENT };
export const failed = (why: string) => ({ outcome: 'failed', agent: AGENT, why });
