/**
 * Requests that must not verify. Each is wrong in one way and otherwise right, and fails for that reason. Requests that
 * no signer makes are signed by hand, over the base that a careless verifier would build.
 */
import assert from 'node:assert/strict';
import { constants, createHmac, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { agentComponent, newSigningKey, signBase, signRequest } from '../../kit/signing.ts';
import { words } from '../../kit/words.ts';
import { judge } from '../../src/requesters/signatures/judge.ts';
import { AGENT, failed, judged, KEY, keysOf, made, NOW, PAGE, RSA, SECOND, VERIFIED } from './judging.ts';

const PARAMETERS = `;created=${SECOND};expires=${SECOND + 300};keyid="${KEY.keyId}";tag="web-bot-auth"`;
const TARGET = '"@authority": www.example.com';
const MEMBER = `"signature-agent";key="sig1": "${AGENT}"`;

/** Signs these lines; `covered` is the list of components. */
const byHand = (lines: readonly string[], covered: string, agents = `sig1="${AGENT}"`): Record<string, string> => ({
  'signature-agent': agents,
  ...signBase(KEY, lines, `(${covered})${PARAMETERS}`),
});

test('without a fault, a request signed by hand verifies', () => {
  assert.deepEqual(judged(byHand([TARGET, MEMBER], '"@authority" "signature-agent";key="sig1"')), VERIFIED);
});

describe('coverage', () => {
  test('no target: such a signature is valid for every site', () => {
    assert.deepEqual(judged(made({ components: [agentComponent('sig1')] })), failed('target_not_covered'));
    const components = ['@method', '@path', agentComponent('sig1')];
    assert.deepEqual(judged(made({ components })), failed('target_not_covered'));
  });
  test('no agent: the address of the keys is not signed', () => {
    assert.deepEqual(judged(made({ components: ['@authority'] })), failed('agent_not_covered'));
  });
  test('an agent of the header that the signature does not cover', () => {
    const headers = { 'signature-agent': `sig1="${AGENT}", other="https://other.example"` };
    const signed = made({ headers, components: ['@authority', agentComponent('other')] });
    assert.deepEqual(judged(signed), failed('agent_ambiguous'));
    const both = made({ headers, components: ['@authority', 'signature-agent'] });
    assert.deepEqual(judged(both), failed('agent_ambiguous'));
  });
  test('a member that the header lacks', () => {
    const signed = made();
    assert.deepEqual(judged({ ...signed, 'signature-agent': `other="${AGENT}"` }), failed('agent_missing'));
    assert.deepEqual(judged({ ...signed, 'signature-agent': `"${AGENT}"` }), failed('agent_missing'));
  });
  test('a component twice: RFC 9421 has no base for it', () => {
    const signed = byHand([TARGET, TARGET, MEMBER], '"@authority" "@authority" "signature-agent";key="sig1"');
    assert.deepEqual(judged(signed), failed('component_repeated'));
  });
  test('a header that the request lacks', () => {
    const headers = { 'signature-agent': `sig1="${AGENT}"`, 'content-digest': 'sha-256=:AAAA:' };
    const components = ['@authority', 'content-digest', agentComponent('sig1')];
    const { 'content-digest': _, ...signed } = made({ headers, components });
    assert.deepEqual(judged(signed), failed('component_missing'));
  });
  test('a component that this verifier cannot rebuild proves nothing and accuses of nothing', () => {
    for (const name of ['"accept";sf', '"accept";bs', '"accept";tr', '"@authority";req', '"@status"', '"@made-up"']) {
      const covered = `"@authority" ${name} "signature-agent";key="sig1"`;
      const signed = { ...byHand([TARGET, `${name}: text/html`, MEMBER], covered), accept: 'text/html' };
      assert.deepEqual(judged(signed), { outcome: 'unknown', agent: AGENT, why: 'component_unsupported' }, name);
    }
  });
  test('nor does the header of the agent in a form that this verifier does not rebuild', () => {
    for (const name of ['"signature-agent";sf', '"signature-agent";bs', '"signature-agent";key="sig1";sf']) {
      for (const agents of [`sig1="${AGENT}"`, `"${AGENT}"`]) {
        if (name.includes('key') && !agents.startsWith('sig1')) continue;
        const signed = byHand([TARGET, `${name}: ${agents}`], `"@authority" ${name}`, agents);
        assert.deepEqual(judged(signed), { outcome: 'unknown', agent: AGENT, why: 'component_unsupported' }, name);
      }
    }
  });
  test('a value with a line end, which would pass for a second component', () => {
    const signed = byHand([TARGET, 'accept: a', MEMBER], '"@authority" "accept" "signature-agent";key="sig1"');
    assert.deepEqual(judged({ ...signed, accept: 'a\nb: c' }), failed('component_missing'));
  });
  test('a component whose name is no string', () => {
    const signed = byHand([TARGET, 'accept: a', MEMBER], '"@authority" accept "signature-agent";key="sig1"');
    assert.deepEqual(judged({ ...signed, accept: 'a' }), failed('input_unreadable'));
  });
});

describe('parameters', () => {
  for (const name of ['created', 'expires', 'keyid']) {
    test(`without ${name}`, () => {
      assert.deepEqual(judged(made({ parameters: { [name]: undefined } })), failed('parameter_missing'));
    });
  }
  test('times that are no integers', () => {
    const lines = [TARGET, MEMBER];
    const covered = '("@authority" "signature-agent";key="sig1")';
    for (const created of [`${SECOND}.5`, `"${SECOND}"`, '?1']) {
      const input = `${covered};created=${created};expires=${SECOND + 9};keyid="${KEY.keyId}";tag="web-bot-auth"`;
      const signed = { 'signature-agent': `sig1="${AGENT}"`, ...signBase(KEY, lines, input) };
      assert.deepEqual(judged(signed), failed('parameter_missing'), created);
    }
  });
  test('another tag, or none: a signature for another purpose', () => {
    for (const tag of [undefined, 'other', 'http-message-signatures-directory']) {
      assert.deepEqual(judged(made({ parameters: { tag } })), { outcome: 'none' });
    }
  });
});

describe('time', () => {
  const at = (created: number, expires: number) =>
    judged(made({ parameters: { created: SECOND + created, expires: SECOND + expires } }));
  test('created in the future, within and beyond 60 seconds of skew', () => {
    assert.deepEqual(at(60, 300), VERIFIED);
    assert.deepEqual(at(61, 300), failed('created_in_future'));
  });
  test('expired, within and beyond 60 seconds of skew', () => {
    assert.deepEqual(at(-300, -60), VERIFIED);
    assert.deepEqual(at(-300, -61), failed('expired'));
  });
  test('expires before it was created', () => assert.deepEqual(at(30, 20), failed('expired')));
  test('replay: a signature verifies again until it expires, for every request that it covers', () => {
    const signed = made({ parameters: { expires: SECOND + 300 } });
    for (const later of [0, 100_000, 360_000]) assert.deepEqual(judged(signed, { at: NOW + later }), VERIFIED);
    assert.deepEqual(judged(signed, { url: 'https://www.example.com/other', method: 'POST' }), VERIFIED);
    assert.deepEqual(judged(signed, { at: NOW + 361_000 }), failed('expired'));
  });
});

describe('bytes', () => {
  test('another site, and whatever else the signature covers', () => {
    const wrong = failed('wrong_signature');
    assert.deepEqual(judged(made(), { url: 'https://other.example/' }), wrong);
    for (const [component, changed] of [
      ['@target-uri', { url: `${PAGE}&more` }],
      ['@path', { url: 'https://www.example.com/articles/a/b?page=2&q=a%20b' }],
      ['@query', { url: PAGE.replace('%20', '+') }],
      ['@method', { method: 'POST' }],
    ] as const) {
      const signed = made({ components: ['@authority', component, agentComponent('sig1')] });
      assert.deepEqual(judged(signed), VERIFIED, component);
      assert.deepEqual(judged(signed, changed), wrong, component);
    }
  });
  test('an empty path is signed as a slash', () => {
    const url = 'https://www.example.com/';
    const covered = '"@authority" "@path" "signature-agent";key="sig1"';
    assert.deepEqual(judged(byHand([TARGET, '"@path": /', MEMBER], covered), { url }), VERIFIED);
    assert.deepEqual(judged(byHand([TARGET, '"@path": ', MEMBER], covered), { url }), failed('wrong_signature'));
    assert.deepEqual(judged(byHand([TARGET, '"@path": /', MEMBER], covered), { url: url.slice(0, -1) }), VERIFIED);
  });
  test('a signature of another key under this key id', () => {
    const forged = made({ parameters: { keyid: KEY.keyId } }, newSigningKey());
    assert.deepEqual(judged(forged), failed('wrong_signature'));
  });
  test('changed, cut, empty and of another type', () => {
    const signed = made();
    const bytes = Buffer.from((signed.signature ?? '').slice(6, -1), 'base64');
    bytes[0] = (bytes[0] as number) ^ 1;
    for (const text of [bytes.toString('base64'), bytes.subarray(0, 63).toString('base64'), '']) {
      assert.deepEqual(judged({ ...signed, signature: `sig1=:${text}:` }), failed('wrong_signature'), text);
    }
    for (const signature of ['sig1="text"', 'sig1', 'sig9=:AAAA:', 'sig1=:', '', 'nonsense{']) {
      assert.deepEqual(judged({ ...signed, signature }), failed('signature_unreadable'), signature);
    }
  });
});

describe('algorithms', () => {
  test('alg that is not the one of the key', () => {
    for (const alg of ['rsa-pss-sha512', 'ecdsa-p256-sha256', 'none']) {
      const lines = [TARGET, MEMBER];
      const input = `("@authority" "signature-agent";key="sig1")${PARAMETERS};alg="${alg}"`;
      const signed = { 'signature-agent': `sig1="${AGENT}"`, ...signBase(KEY, lines, input) };
      assert.deepEqual(judged(signed), failed('wrong_algorithm'), alg);
    }
  });
  test('RSA-PSS with a salt of another length', () => {
    const lines = [TARGET, MEMBER];
    const input = `("@authority" "signature-agent";key="sig1")${PARAMETERS.replace(KEY.keyId, RSA.keyId)}`;
    for (const saltLength of [64, 32, 0]) {
      const pss = { key: RSA.privateJwk, format: 'jwk', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength } as const;
      const signer = { ...RSA, sign: (data: Uint8Array) => sign('sha512', data, pss) };
      const signed = { 'signature-agent': `sig1="${AGENT}"`, ...signBase(signer, lines, input) };
      assert.deepEqual(judged(signed), saltLength === 64 ? VERIFIED : failed('wrong_signature'));
    }
  });
  test('HMAC with the public key as its secret', () => {
    const input = `("@authority" "signature-agent";key="sig1")${PARAMETERS};alg="hmac-sha256"`;
    const base = [TARGET, MEMBER, `"@signature-params": ${input}`].join('\n');
    const secret = Buffer.from(KEY.jwk.x ?? '', 'base64url');
    const signature = createHmac('sha256', secret).update(base).digest('base64');
    const agents = `sig1="${AGENT}"`;
    const signed = { 'signature-agent': agents, 'signature-input': `sig1=${input}`, signature: `sig1=:${signature}:` };
    assert.deepEqual(judged(signed), failed('wrong_algorithm'));
    assert.deepEqual(judged(signed, { directories: { [AGENT]: keysOf(newSigningKey()) } }), failed('wrong_algorithm'));
  });
});

describe('agents', () => {
  const OTHER = 'https://other.example';
  test('an agent that was not permitted beside one that was: its keys are not even looked up', () => {
    const headers = { 'signature-agent': `sig1="${OTHER}", sig2="${AGENT}"` };
    for (const parameters of [{}, { expires: SECOND - 600 }]) {
      const signed = made({ headers, parameters });
      const request = { method: 'GET', authority: 'www.example.com', targetUri: PAGE, headers: signed, at: NOW };
      const found = judge(request, new Set([AGENT]), (agent) => assert.fail(`looked up ${agent}`));
      assert.deepEqual(found, { outcome: 'none' });
    }
    const unreadable = { ...made({ headers }), 'signature-input': '(' };
    assert.deepEqual(judged(unreadable), failed('input_unreadable'));
    assert.deepEqual(judged(unreadable, { directories: { 'https://third.example': keysOf(KEY) } }), {
      outcome: 'none',
    });
  });
  test('an agent that was not permitted is not judged, right or wrong', () => {
    assert.deepEqual(judged(made(), { directories: { [OTHER]: keysOf(KEY) } }), { outcome: 'none' });
  });
  test('two agents with one key id: the key of one says nothing about the other', () => {
    const [mine, theirs] = [newSigningKey(), newSigningKey()];
    const directories = { [AGENT]: keysOf(theirs), [OTHER]: keysOf(mine) };
    const asOther = made({ headers: { 'signature-agent': `sig1="${OTHER}"` } }, mine);
    assert.deepEqual(judged(asOther, { directories }), { outcome: 'verified', agent: OTHER });
    const asAgent = made({}, mine);
    assert.deepEqual(judged(asAgent, { directories }), { outcome: 'unknown', agent: AGENT, why: 'key_unknown' });
    const both = { [AGENT]: keysOf(mine), [OTHER]: keysOf(mine) };
    assert.deepEqual(judged(asAgent, { directories: both }), VERIFIED);
    // The header is signed: a request cannot be given to another agent with the same key.
    const moved = { ...asAgent, 'signature-agent': `sig1="${OTHER}"` };
    assert.deepEqual(judged(moved, { directories: both }), {
      outcome: 'failed',
      agent: OTHER,
      why: 'wrong_signature',
    });
  });
  test('a key that the agent does not have, and one that is not valid yet or no longer', () => {
    const unknown = { outcome: 'unknown', agent: AGENT, why: 'key_unknown' };
    assert.deepEqual(judged(made({}, newSigningKey())), unknown);
    const during = (jwk: object) => judged(made({}, KEY), { directories: { [AGENT]: keysOf({ ...KEY, jwk }) } });
    assert.deepEqual(during({ ...KEY.jwk, nbf: SECOND, exp: SECOND }), VERIFIED);
    assert.deepEqual(during({ ...KEY.jwk, nbf: NOW, exp: NOW }), VERIFIED);
    assert.deepEqual(during({ ...KEY.jwk, nbf: SECOND + 61 }), unknown);
    assert.deepEqual(during({ ...KEY.jwk, exp: SECOND - 61 }), unknown);
  });
  test('http, credentials, and text that is no URL name no agent', () => {
    for (const agent of [
      'http://bot.example',
      'https://a@bot.example',
      'bot.example',
      'https://',
      'ftp://bot.example',
    ]) {
      const signed = made({ headers: { 'signature-agent': `sig1="${agent}"` } });
      assert.deepEqual(judged(signed), { outcome: 'none' }, agent);
    }
  });
  test('unreadable headers', () => {
    const signed = made();
    const input = signed['signature-input'] ?? '';
    const unreadable = { ...signed, 'signature-input': input.replace(')', '') };
    assert.deepEqual(judged(unreadable), failed('input_unreadable'));
    for (const agents of [null, '', `sig1="${AGENT}`, '{', `sig1=${AGENT}`, 'sig1', `sig1=("${AGENT}")`]) {
      const { 'signature-agent': _, ...rest } = signed;
      const sent = agents === null ? rest : { ...rest, 'signature-agent': agents };
      assert.deepEqual(judged(sent), { outcome: 'none' }, String(agents));
    }
  });
});

describe('several signatures', () => {
  const OTHER = 'https://browser.example';
  const browser = newSigningKey();
  const directories = { [AGENT]: keysOf(KEY), [OTHER]: keysOf(browser) };
  const headers = { 'signature-agent': `sig1="${AGENT}", sig2="${OTHER}"` };
  const joined = (first: Record<string, string>, second: Record<string, string>) => ({
    ...headers,
    signature: [first.signature ?? '', second.signature ?? ''],
    'signature-input': `${first['signature-input']}, ${second['signature-input']}`,
  });
  const second = signRequest(browser, { url: PAGE, headers, label: 'sig2', at: NOW });

  test('each is judged by itself, and one that verifies is enough', () => {
    const first = made({ headers });
    assert.deepEqual(judged(joined(first, second), { directories }), VERIFIED);
    const expired = made({ headers, parameters: { created: SECOND - 900, expires: SECOND - 600 } });
    assert.deepEqual(judged(joined(expired, second), { directories }), { outcome: 'verified', agent: OTHER });
    assert.deepEqual(judged(joined(expired, second), { directories: { [AGENT]: keysOf(KEY) } }), failed('expired'));
  });
  test('a signature that covers another agent beside its own speaks for its own', () => {
    const components = ['@authority', agentComponent('sig2'), agentComponent('sig1')];
    const outer = signRequest(browser, { url: PAGE, headers, label: 'sig2', components, at: NOW });
    assert.deepEqual(judged({ ...outer }, { directories }), { outcome: 'verified', agent: OTHER });
  });
  test('only three are judged', () => {
    const wrong = [1, 2, 3].map((i) => `w${i}=("@authority" "signature-agent";key="w${i}")${PARAMETERS}`);
    const agents = [1, 2, 3].map((i) => `w${i}="${AGENT}"`);
    const many = (count: number) => ({
      'signature-agent': [...agents.slice(0, count), headers['signature-agent']].join(', '),
      'signature-input': [...wrong.slice(0, count), made({ headers })['signature-input']].join(', '),
      signature: made({ headers }).signature ?? '',
    });
    assert.deepEqual(judged(many(2), { directories }), VERIFIED);
    assert.deepEqual(judged(many(3), { directories }), failed('signature_unreadable'));
  });
});

describe('size', () => {
  test('headers beyond 4,096 characters and signatures of more than 32 components are not worth the work', () => {
    const signed = made({ parameters: { nonce: 'x'.repeat(4096) } });
    assert.deepEqual(judged(signed), { outcome: 'none' });
    const agents = { ...made(), 'signature-agent': `sig1="${AGENT}", x="${'x'.repeat(4096)}"` };
    assert.deepEqual(judged(agents), { outcome: 'none' });
    const names = Array.from({ length: 31 }, (_, i) => `x-${i}`);
    const headers = { 'signature-agent': `sig1="${AGENT}"`, ...Object.fromEntries(names.map((name) => [name, '1'])) };
    const covering = (more: readonly string[]) =>
      judged(made({ headers, components: [...names, '@authority', ...more, agentComponent('sig1')].slice(-33) }));
    assert.deepEqual(covering([]), failed('component_missing'));
    assert.deepEqual(
      judged(made({ headers, components: [...names.slice(1), '@authority', agentComponent('sig1')] })),
      VERIFIED,
    );
  });
});

test('no bytes of a visitor make it throw, and none but the right ones verify', () => {
  const signed = made();
  const names = ['signature-agent', 'signature-input', 'signature'] as const;
  const symbols = words(
    'sig1 = ( ) " ; , : @authority signature-agent key created tag "web-bot-auth" @1 %" ?1 1.0 - * \\',
  );
  const piece = fc.constantFrom(...symbols, ' ', '\t', '\n', '\u0000', '\u00e9', '999999999999999', AGENT);
  const junk = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  );
  const edit = fc.tuple(fc.constantFrom(...names), fc.nat(400), fc.nat(20), junk);
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
      const headers = { ...signed };
      for (const [name, from, length, text] of edits) {
        const before = headers[name] ?? '';
        const start = from % (before.length + 1);
        headers[name] = before.slice(0, start) + text + before.slice(start + length);
      }
      const found = judged(headers);
      if (found.outcome !== 'verified') return;
      // Spaces, other labels and other signatures beside the right one change nothing that is signed.
      assert.equal(found.agent, AGENT);
    }),
    { numRuns: 5_000 },
  );
  fc.assert(
    fc.property(junk, junk, junk, (agents, input, signature) => {
      judged({ 'signature-agent': agents, 'signature-input': input, signature });
      judged({ ...signed, 'signature-agent': agents });
      judged({ ...signed, 'signature-input': input });
    }),
    { numRuns: 2_000 },
  );
});
