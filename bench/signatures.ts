/**
 * Measures what the verification of signatures costs a request: without a signature, with one in the name of an agent
 * that is not registered, with one that verifies, and with one that is remembered. The comparison is the arithmetic
 * alone, in the same rounds.
 */
import { verify } from 'node:crypto';
import { newSigningKey, signRequest } from '../kit/signing.ts';
import { judge, readSignatures, type VerifyBytes } from '../src/requesters/signatures/judge.ts';
import { type AgentKey, readKeys, verifyWith } from '../src/requesters/signatures/keys.ts';
import type { Doubt } from '../src/requesters/signatures/outcome.ts';
import { remembering, rememberingHeaders } from '../src/requesters/signatures/remember.ts';
import type { RequestHeaders } from '../src/requesters/signatures/request.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';

const AGENT = 'https://bot.example';
const PAGE = 'https://www.example.com/articles/1?page=2';
const AT = 1_795_348_800_000;
const SIGNED = 200;
const UNSIGNED = 200_000;

export const signaturesPart: Part = {
  name: 'signatures',
  about: 'Verifying the signature of a request (Web Bot Auth)',
  async run({ quick }) {
    const [ed25519, rsa] = [newSigningKey(), newSigningKey('rsa-pss-sha512')];
    const keys = readKeys({ keys: [ed25519.jwk, rsa.jwk] });
    const agents = new Set([AGENT]);
    const nonce = 'n'.repeat(88);
    const signed = (key = ed25519, agent = AGENT): RequestHeaders => {
      const headers = { 'signature-agent': `sig1="${agent}"` };
      return signRequest(key, { url: PAGE, headers, parameters: { nonce }, at: AT });
    };
    const judging =
      (headers: RequestHeaders, verifyBytes: VerifyBytes = verifyWith) =>
      (): unknown => {
        const request = { method: 'GET', authority: 'www.example.com', targetUri: PAGE, headers, at: AT };
        const findKey = (_agent: string, thumbprint: string): AgentKey | Doubt =>
          keys?.get(thumbprint) ?? 'key_unknown';
        return judge(request, agents, findKey, { verifyBytes });
      };
    const judgingAgain = (headers: RequestHeaders) => {
      const { read, keep } = rememberingHeaders(readSignatures);
      const tools = { verifyBytes: remembering(verifyWith), readHeaders: read };
      const request = { method: 'GET', authority: 'www.example.com', targetUri: PAGE, headers, at: AT };
      const findKey = (_agent: string, thumbprint: string): AgentKey | Doubt => keys?.get(thumbprint) ?? 'key_unknown';
      judge(request, agents, findKey, tools);
      keep();
      return (): unknown => judge(request, agents, findKey, tools);
    };
    const base = Buffer.alloc(400, 'a');
    const bare = ed25519.sign(base);
    const object = keys?.get(ed25519.keyId)?.object;
    if (object === undefined) throw new Error('the key was not read');
    const sides: [string, number, () => unknown][] = [
      ['a request without a signature', UNSIGNED, judging({ 'user-agent': 'Mozilla/5.0', accept: 'text/html' })],
      ['a signature of an agent that is not registered', SIGNED * 10, judging(signed(ed25519, 'https://x.example'))],
      ['a signature, Ed25519', SIGNED, judging(signed())],
      ['a signature, RSA-PSS with 2,048 bits', SIGNED, judging(signed(rsa))],
      ['a signature that verified before', SIGNED * 10, judgingAgain(signed())],
      ['the arithmetic of Ed25519 alone', SIGNED, () => verify(null, base, object, bare)],
    ];
    const times = sides.map((): number[] => []);
    for (let round = 0; round < (quick ? 3 : 31); round++) {
      for (const [i, [, passes, run]] of sides.entries()) times[i]?.push(nanoseconds(run, passes));
    }
    const figures = sides.map(([what], i): Figure => ({ what, value: median(times[i] ?? []), unit: 'ns' }));
    const [alone, whole] = [times[5] ?? [], times[2] ?? []];
    if (figures[2] !== undefined) {
      figures[2].against = { what: 'the arithmetic alone', value: median(alone), ratio: medianRatio(whole, alone) };
    }
    return { figures, notes: ['Processor time of one request, on one core; the keys are in memory.'] };
  },
};

function nanoseconds(run: () => unknown, passes: number): number {
  const begun = process.cpuUsage();
  for (let pass = 0; pass < passes; pass++) run();
  const { user, system } = process.cpuUsage(begun);
  return ((user + system) * 1000) / passes;
}
