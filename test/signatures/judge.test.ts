/**
 * Signatures of Web Bot Auth that verify: the published vectors, and requests signed by other implementations.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { component } from 'http-message-sig';
import { signatureHeaders } from 'web-bot-auth';
import { signerFromJWK } from 'web-bot-auth/crypto';
import { agentComponent, signBase } from '../../kit/signing.ts';
import { readKeys } from '../../src/requesters/signatures/keys.ts';
import { AGENT, failed, judged, KEY, keysOf, made, PAGE, RSA, SECOND, VERIFIED } from './judging.ts';

/** RFC 9421, B.1.4 and B.1.2. */
const ED25519_JWK = { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' };
const RSA_JWK = {
  kty: 'RSA',
  e: 'AQAB',
  n: 'r4tmm3r20Wd_PbqvP1s2-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-Lh1GH45x28Rw3Ry53mm-oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL-Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d-nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w',
};
const ED25519_ID = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U';
const RSA_ID = 'oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA';
const TEST_AGENT = 'https://signature-agent.test';

describe('the vectors of the draft, which cloudflare/web-bot-auth publishes too', () => {
  const directories = { [TEST_AGENT]: readKeys({ keys: [ED25519_JWK, RSA_JWK] }, { testKeys: true }) ?? assert.fail() };
  const vector = { url: 'https://example.com/path/to/resource', directories };
  const dictionary = (keyId: string, algorithm: string, nonce: string, signature: string) => ({
    'signature-agent': `agent2="${TEST_AGENT}"`,
    'signature-input': `sig2=("@authority" "signature-agent";key="agent2");created=1735689600;keyid="${keyId}";alg="${algorithm}";expires=4889289600;nonce="${nonce}";tag="web-bot-auth"`,
    signature: `sig2=:${signature}:`,
  });
  const legacy = (keyId: string, algorithm: string, nonce: string, signature: string) => ({
    'signature-agent': `"${TEST_AGENT}"`,
    'signature-input': `sig2=("@authority" "signature-agent");created=1735689600;keyid="${keyId}";alg="${algorithm}";expires=1735693200;nonce="${nonce}";tag="web-bot-auth"`,
    signature: `sig2=:${signature}:`,
  });
  const verified = { outcome: 'verified', agent: TEST_AGENT };

  test('Ed25519, dictionary: the member is not named after the label, and is the only one', () => {
    const headers = dictionary(
      ED25519_ID,
      'ed25519',
      'n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==',
      'RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==',
    );
    assert.deepEqual(judged(headers, vector), verified);
    const two = { ...headers, 'signature-agent': `${headers['signature-agent']}, other="https://other.test"` };
    assert.deepEqual(judged(two, vector), { outcome: 'failed', agent: TEST_AGENT, why: 'agent_ambiguous' });
  });
  test('RSA-PSS-SHA512, dictionary', () => {
    const headers = dictionary(
      RSA_ID,
      'rsa-pss-sha512',
      'wcfPQPh7SzkvrIVvhD00vNk9PkxJNY2NVbYl2PVBB4zmUoluSwE7W6bPtF60QA3k8g06FU7PPCD+J58YofY1zg==',
      'gHzpLNeHaHIO19NaJH9YMW5dcVSi2s0wOMBr6p18vcofS106sfC4KBIS0/szPlBBd1vIcyQ88B6CTEWIhRAiVrb9zfX0mx1aG12CSGWcYkSirHeyTxhbuJvXd27ed6skWoy4PjXItq38936ivUQjfdIwXh1aX6HxkAC3vRnEdSNfntkLWeEuIQ5BLIOBGE39fSwg27Qjq6OVWYas/9/aFUr3HA34MXWYdp+//cvlEKDp3kRoLOw9ro0AOr6srHrTeEtxon2afcws1aZVSlPdd2fZSEIGmw9HAHLDCEkFTERu1gH2k/zIEqgy7CAYXI9E5slog0cLg/Vc6+f8gih33g==',
    );
    assert.deepEqual(judged(headers, vector), verified);
  });
  for (const [name, headers] of [
    [
      'Ed25519',
      legacy(
        ED25519_ID,
        'ed25519',
        'e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==',
        'jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==',
      ),
    ],
    [
      'RSA-PSS-SHA512',
      legacy(
        RSA_ID,
        'rsa-pss-sha512',
        'XSHtZVCThSIAksXsH9WBs6AtxtXC0eQGiIcUGSoJstFs8lAWakjhrfwzLhyjtme5iXMZvmFWqDEs6cT3Jf+BbQ==',
        'I1QWNzGXdP1a4dSvOHLCVOOanEYHDk+ZsVxM9MLX/p4ko69ghKwR5EOtAD96g7g4GWP7lmpM/jFAf9q8EFRDTPLjUXySwMv4YPgabv2LQihTJG2y8a2m6IGltyruwQNiqSJVUuRaG9+b17CGmAMFZh30X6GXLdQJrCARpeTqPwp2DC+a8haDE/VE5EruqzjA5/2mKwvrkzkSqeW5tOVtFwWRRHIOidquf/8Je6kM9mhgkg4arudLA5SL4wyyYE1jURIgcOl8agrfdJ5Def23DIRtiOLRa8jT9cpTLFAuFHN+mrZA/LH9h0gSIg1cPb+0cMASee5uku1KjWcFer7jWA==',
      ),
    ],
  ] as const) {
    test(`${name}, legacy: verifies while it lasts, then has expired`, () => {
      assert.deepEqual(judged(headers, { ...vector, at: 1_735_693_000_000 }), verified);
      const late = { outcome: 'failed', agent: TEST_AGENT, why: 'expired' };
      assert.deepEqual(judged(headers, { ...vector, at: SECOND * 1000 }), late);
    });
  }
  test('Ed25519 without Signature-Agent: no agent is named, so there is nothing to verify', () => {
    const headers = {
      'signature-input': `sig1=("@authority");created=1735689600;keyid="${ED25519_ID}";alg="ed25519";expires=4889289600;nonce="zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A==";tag="web-bot-auth"`,
      signature: 'sig1=:QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBNOADg8aM1MqfCg==:',
    };
    assert.deepEqual(judged(headers, vector), { outcome: 'none' });
  });
});

describe('requests of other implementations verify', () => {
  for (const key of [KEY, RSA]) {
    test(`http-message-sig, ${key.algorithm}`, () => assert.deepEqual(judged(made({}, key)), VERIFIED));
    test(`http-message-sig, ${key.algorithm}, without alg`, () => {
      assert.deepEqual(judged(made({ parameters: { alg: undefined } }, key)), VERIFIED);
    });
  }
  test('every component that a request has', () => {
    const headers = { 'signature-agent': `sig1="${AGENT}"`, 'content-digest': 'sha-256=:AAAA:', accept: 'text/html' };
    const names = ['@method', '@authority', '@scheme', '@target-uri', '@path', '@query', 'accept', 'content-digest'];
    const digest = component('content-digest', { key: 'sha-256' });
    const components = [...names, digest, agentComponent('sig1')];
    assert.deepEqual(judged(made({ headers, components })), VERIFIED);
    const url = 'https://www.example.com/';
    assert.deepEqual(judged(made({ url, headers, components }), { url }), VERIFIED);
  });
  test('@query-param, which http-message-sig lacks', () => {
    const input = `("@authority" "@query-param";name="q" "signature-agent";key="sig1");created=${SECOND};expires=${SECOND + 60};keyid="${KEY.keyId}";tag="web-bot-auth"`;
    const lines = ['"@authority": www.example.com', '"@query-param";name="q": a%20b'];
    const agent = `"signature-agent";key="sig1": "${AGENT}"`;
    const headers = { 'signature-agent': `sig1="${AGENT}"`, ...signBase(KEY, [...lines, agent], input) };
    assert.deepEqual(judged(headers), VERIFIED);
    assert.deepEqual(judged(headers, { url: `${PAGE}&q=c` }), failed('component_missing'));
  });
  test('the authority in other cases and with the default port', () => {
    for (const authority of ['www.example.com', 'WWW.Example.com', 'www.example.com:443']) {
      assert.deepEqual(judged(made(), { authority }), VERIFIED, authority);
    }
  });
  for (const [form, field, components] of [
    ['the legacy string', `"${AGENT}"`, ['@authority', 'signature-agent']],
    ['a dictionary that is covered as a whole, the default of web-bot-auth', `sig1="${AGENT}"`, undefined],
    ['the origin with a slash', `sig1="${AGENT}/"`, undefined],
    ['type=directory', `sig1="${AGENT}";type=directory`, undefined],
    ['the well-known address itself', `sig1="${AGENT}/.well-known/http-message-signatures-directory"`, undefined],
  ] as const) {
    test(`web-bot-auth, with ${form}`, async () => {
      const headers = { 'signature-agent': field };
      const signer = await signerFromJWK(KEY.privateJwk);
      const signed = await signatureHeaders({ method: 'GET', url: PAGE, headers }, signer, {
        created: new Date(SECOND * 1000),
        expires: new Date((SECOND + 60) * 1000),
        ...(components === undefined ? {} : { components: [...components] }),
      });
      const sent = { ...headers, signature: signed.Signature, 'signature-input': signed['Signature-Input'] };
      assert.deepEqual(judged(sent), VERIFIED);
    });
  }
  test('a full URL is the key set itself, with and without its type; a query identifies nothing', () => {
    const agent = 'https://cdn.example/bots/keys.json';
    const directories = { [agent]: keysOf(KEY) };
    for (const member of [`"${agent}"`, `"${agent}?v=2"`, `"${agent}";type=jwks_uri`, `"${agent}";type=cimd`]) {
      const headers = made({ headers: { 'signature-agent': `sig1=${member}` } });
      assert.deepEqual(judged(headers, { directories }), { outcome: 'verified', agent }, member);
    }
    for (const member of [`"${agent}";type=directory`, `"${agent}";type=other`, `"${agent}";type="jwks_uri"`]) {
      const headers = made({ headers: { 'signature-agent': `sig1=${member}` } });
      assert.deepEqual(judged(headers, { directories }), { outcome: 'none' }, member);
    }
  });
  test('parameters in any order: the base has them as they were sent', () => {
    const [created, expires] = [SECOND, SECOND + 60];
    const orders = [
      `;tag="web-bot-auth";keyid="${KEY.keyId}";expires=${expires};created=${created}`,
      `;created=${created};keyid="${KEY.keyId}";tag="web-bot-auth";nonce="x";expires=${expires}`,
    ];
    for (const order of orders) {
      const lines = ['"@authority": www.example.com', `"signature-agent";key="sig1": "${AGENT}"`];
      const signed = signBase(KEY, lines, `("@authority" "signature-agent";key="sig1")${order}`);
      assert.deepEqual(judged({ 'signature-agent': `sig1="${AGENT}"`, ...signed }), VERIFIED);
    }
  });
});
