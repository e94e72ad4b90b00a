/** Signatures that verified are remembered, and nothing else is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSigningKey, type SigningKey } from '../../kit/signing.ts';
import { judge, readSignatures } from '../../src/requesters/signatures/judge.ts';
import { type AgentKey, verifyWith } from '../../src/requesters/signatures/keys.ts';
import type { Doubt } from '../../src/requesters/signatures/outcome.ts';
import { remembering, rememberingHeaders } from '../../src/requesters/signatures/remember.ts';
import type { RequestHeaders } from '../../src/requesters/signatures/request.ts';
import { AGENT, failed, KEY, keysOf, made, NOW, PAGE, VERIFIED } from './judging.ts';

const keyOf = (key: SigningKey): AgentKey => keysOf(key).get(key.keyId) ?? assert.fail();

function start() {
  let verifications = 0;
  const verifyBytes = remembering((...given) => {
    verifications++;
    return verifyWith(...given);
  });
  return { verifyBytes, verifications: () => verifications };
}

test('the same signature of the same request is verified once, and its times each time', () => {
  const { verifyBytes, verifications } = start();
  const key = keyOf(KEY);
  const headers = made();
  const judged = (at: number, targetUri = PAGE, authority = 'www.example.com') =>
    judge({ method: 'GET', authority, targetUri, headers, at }, new Set([AGENT]), () => key, { verifyBytes });
  for (let i = 0; i < 10; i++) assert.deepEqual(judged(NOW + i), VERIFIED);
  assert.equal(verifications(), 1);
  assert.deepEqual(judged(NOW + 3_600_000), failed('expired'));
  assert.deepEqual(judged(NOW, 'https://other.example/', 'other.example'), failed('wrong_signature'));
});

test('another base, signature or key is verified anew, and a wrong one each time', () => {
  const { verifyBytes, verifications } = start();
  const [key, other] = [keyOf(KEY), keyOf(newSigningKey())];
  const base = Buffer.from('base');
  const signature = KEY.sign(base);
  assert.equal(verifyBytes(key, base, signature), true);
  assert.equal(verifyBytes(other, base, signature), false);
  assert.equal(verifyBytes(key, Buffer.from('other'), signature), false);
  for (let i = 0; i < 3; i++) assert.equal(verifyBytes(key, base, Buffer.alloc(64)), false);
  assert.equal(verifications(), 6);
  // A key that was read again is another object, so a fetch makes the memory of the old one worthless.
  assert.equal(verifyBytes(keyOf(KEY), base, signature), true);
  assert.equal(verifications(), 7);
});

test('the memory is bounded', () => {
  const { verifyBytes, verifications } = start();
  const key = keyOf(KEY);
  const bases = Array.from({ length: 40 }, (_, i) => Buffer.alloc(200_000, `${i} `));
  const signatures = bases.map((base) => KEY.sign(base));
  for (const [i, base] of bases.entries()) assert.equal(verifyBytes(key, base, signatures[i] as Buffer), true);
  for (const [i, base] of bases.entries()) assert.equal(verifyBytes(key, base, signatures[i] as Buffer), true);
  assert.equal(verifications(), 80);
});

test('headers that verified are read once, and judged each time', () => {
  let reads = 0;
  const { read, keep } = rememberingHeaders((...given) => {
    reads++;
    return readSignatures(...given);
  });
  const key = keyOf(KEY);
  const ask = (headers: RequestHeaders, given: { agent?: string; at?: number; found?: AgentKey | Doubt } = {}) => {
    const { agent = AGENT, at = NOW, found = key } = given;
    const request = { method: 'GET', authority: 'www.example.com', targetUri: PAGE, headers, at };
    const outcome = judge(request, new Set([agent]), () => found, { readHeaders: read });
    if (outcome.outcome === 'verified') keep();
    return outcome;
  };
  const headers = made();
  for (let i = 0; i < 5; i++) assert.deepEqual(ask(headers), VERIFIED);
  assert.equal(reads, 1);
  assert.deepEqual(ask(headers, { at: NOW + 3_600_000 }), failed('expired'));
  assert.deepEqual(ask(headers, { agent: 'https://other.example' }), { outcome: 'none' }, 'no longer permitted');
  assert.deepEqual(ask(headers, { found: 'key_unknown' }), { outcome: 'unknown', agent: AGENT, why: 'key_unknown' });
  assert.equal(reads, 1);
  // Neither texts that run into each other nor a changed header are the same.
  const agent = headers['signature-agent'] as string;
  const moved = {
    ...headers,
    'signature-agent': `${agent}s`,
    'signature-input': (headers['signature-input'] as string).slice(1),
  };
  assert.notEqual(ask(moved).outcome, 'verified');
  assert.notEqual(ask({ ...headers, signature: undefined }).outcome, 'verified');
  assert.equal(reads, 3);
  for (let i = 0; i < 3; i++)
    assert.deepEqual(ask({ ...headers, signature: 'sig1=:AAAA:' }), failed('wrong_signature'));
  assert.equal(reads, 6, 'a wrong one is read each time');
});
