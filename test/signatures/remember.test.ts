/** Signatures that verified are remembered, and nothing else is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSigningKey, type SigningKey } from '../../kit/signing.ts';
import { judge } from '../../src/signatures/judge.ts';
import { type Key, verifyWith } from '../../src/signatures/keys.ts';
import { remembering } from '../../src/signatures/remember.ts';
import { AGENT, failed, KEY, keysOf, made, NOW, PAGE, VERIFIED } from './judging.ts';

const keyOf = (key: SigningKey): Key => keysOf(key).get(key.keyId) ?? assert.fail();

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
    judge({ method: 'GET', authority, targetUri, headers, at }, new Set([AGENT]), () => key, verifyBytes);
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
