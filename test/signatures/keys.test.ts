/** The documents with an agent's keys, and the URLs by which agents are known. */
import assert from 'node:assert/strict';
import { createPublicKey, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { newSigningKey } from '../../kit/signing.ts';
import { keyDocumentUrl, normalizeAgent } from '../../src/requesters/signatures/agent.ts';
import { readKeys } from '../../src/requesters/signatures/keys.ts';
import { KEY, RSA } from './judging.ts';

const idsOf = (document: unknown): string[] => [...(readKeys(document)?.keys() ?? ['no key set'])];

describe('key sets of real agents', () => {
  test('keys are known by their thumbprints, with any kid or none', () => {
    const ids = [KEY.keyId, RSA.keyId];
    assert.deepEqual(idsOf({ keys: [KEY.jwk, RSA.jwk] }), ids);
    assert.deepEqual(
      idsOf({
        keys: [
          { ...KEY.jwk, kid: 'main' },
          { ...RSA.jwk, kid: KEY.keyId },
        ],
      }),
      ids,
    );
    assert.deepEqual(idsOf({ keys: [KEY.jwk], signature_agent: 'https://bot.example', purpose: 'rag' }), [KEY.keyId]);
  });
  test('a single JWK', () => assert.deepEqual(idsOf(KEY.jwk), [KEY.keyId]));
  test('use, key_ops and the names of the algorithms', () => {
    for (const more of [
      { use: 'sig' },
      { key_ops: ['verify'] },
      { alg: 'EdDSA' },
      { alg: 'Ed25519' },
      { alg: 'ed25519' },
    ]) {
      assert.deepEqual(idsOf({ keys: [{ ...KEY.jwk, ...more }] }), [KEY.keyId], JSON.stringify(more));
    }
    for (const alg of ['PS512', 'rsa-pss-sha512'])
      assert.deepEqual(idsOf({ keys: [{ ...RSA.jwk, alg }] }), [RSA.keyId]);
  });
  test('a private part that is published by mistake is not read', () => {
    assert.deepEqual(idsOf({ keys: [KEY.privateJwk] }), [KEY.keyId]);
    assert.equal(readKeys(KEY.privateJwk)?.get(KEY.keyId)?.object.type, 'public');
  });
  test('a set without keys is a set: it revokes all', () => assert.deepEqual(idsOf({ keys: [] }), []));
});

describe('keys that sign nothing here are skipped', () => {
  const other = newSigningKey().jwk;
  const large = {
    kty: 'RSA',
    e: 'AQAB',
    n: Buffer.concat([Buffer.from([255]), randomBytes(639)]).toString('base64url'),
  };
  for (const [why, jwk] of Object.entries({
    'another use': { ...other, use: 'enc' },
    'other operations': { ...other, key_ops: ['sign'] },
    'another algorithm': { ...other, alg: 'HS256' },
    'another algorithm of RSA': { ...RSA.jwk, alg: 'RS256' },
    'a shared secret': { kty: 'oct', k: 'AAAA', alg: 'HS256' },
    'another curve': { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' },
    X25519: { ...other, crv: 'X25519' },
    'a point that is none': { ...other, x: 'AAAA' },
    'RSA of 1,536 bits': newSigningKey('rsa-pss-sha512', 1536).jwk,
    'RSA of 5,120 bits': large,
    'a large public exponent': { ...RSA.jwk, e: randomBytes(64).toString('base64url') },
    'no object': 'text',
    null: null,
  })) {
    test(why, () => assert.deepEqual(idsOf({ keys: [jwk, KEY.jwk] }), [KEY.keyId]));
  }
  test('the large key is a key, which only its size excludes', () => {
    assert.equal(createPublicKey({ key: large, format: 'jwk' }).asymmetricKeyDetails?.modulusLength, 5120);
  });
});

test('published test keys are refused', () => {
  const n = {
    'RFC 9421, B.1.1':
      'hAKYdtoeoy8zcAcR874L8cnZxKzAGwd7v36APp7Pv6Q2jdsPBRrwWEBnez6d0UDKDwGbc6nxfEXAy5mbhgajzrw3MOEt8uA5txSKobBpKDeBLOsdJKFqMGmXCQvEG7YemcxDTRPxAleIAgYYRjTSd_QBwVW9OwNFhekro3RtlinV0a75jfZgkne_YiktSvLG34lw2zqXBDTC5NHROUqGTlML4PlNZS5Ri2U4aCNx2rUPRcKIlE0PuKxI4T-HIaFpv8-rdV6eUgOrB2xeI1dSFFn_nnv5OoZJEIB-VmuKn3DCUcCZSFlQPSXSfBDiUGhwOw76WuSSsf1D4b_vLoJ10w',
    'RFC 9421, B.1.2':
      'r4tmm3r20Wd_PbqvP1s2-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-Lh1GH45x28Rw3Ry53mm-oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL-Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d-nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w',
    'RFC 7638, 3.1':
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
  };
  const x = {
    'RFC 9421, B.1.4': 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
    'RFC 8037, A.1': '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  };
  const jwks = [
    ...Object.values(n).map((modulus) => ({ kty: 'RSA', e: 'AQAB', n: modulus })),
    ...Object.values(x).map((point) => ({ kty: 'OKP', crv: 'Ed25519', x: point })),
  ];
  assert.deepEqual(idsOf({ keys: [...jwks, KEY.jwk] }), [KEY.keyId]);
  assert.equal(readKeys({ keys: jwks }, { testKeys: true })?.size, 5);
});

test('documents that are no key set', () => {
  const many = Array.from({ length: 101 }, () => KEY.jwk);
  for (const document of [null, [], 'text', 1, {}, { keys: {} }, { keys: 'x' }, { kty: 1 }, { keys: many }]) {
    assert.equal(readKeys(document), undefined, JSON.stringify(document)?.slice(0, 50));
  }
});

describe('the URL of an agent', () => {
  test('has one normal form', () => {
    for (const [url, agent] of [
      ['https://Bot.Example', 'https://bot.example'],
      ['https://bot.example:443/', 'https://bot.example'],
      ['https://bot.example/?a#b', 'https://bot.example'],
      ['https://bot.example:8443/', 'https://bot.example:8443'],
      ['https://bot.example/.well-known/http-message-signatures-directory', 'https://bot.example'],
      ['https://bot.example/keys/%7Ea%2fb.json?v=2', 'https://bot.example/keys/~a%2Fb.json'],
      ['https://bot.example/a/../keys', 'https://bot.example/keys'],
      ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ] as const) {
      assert.equal(normalizeAgent(url), agent, url);
    }
    for (const url of [
      'bot.example',
      'https://',
      'https://a:b@bot.example',
      'ftp://a',
      `https://a/${'x'.repeat(2048)}`,
    ]) {
      assert.equal(normalizeAgent(url), undefined, url);
    }
  });
  test('leads to the document with its keys', () => {
    const wellKnown = 'https://bot.example/.well-known/http-message-signatures-directory';
    assert.equal(keyDocumentUrl('https://bot.example'), wellKnown);
    assert.equal(keyDocumentUrl('https://bot.example/keys'), 'https://bot.example/keys');
  });
});
