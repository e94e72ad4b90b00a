/**
 * Measures what the verification of signatures costs a request: without a signature, with one in the name of an agent
 * that is not registered, and with one that verifies. The comparison is the arithmetic alone, in the same rounds.
 */
import { verify } from 'node:crypto';
import { newSigningKey, signRequest } from '../kit/signing.ts';
import { judge } from '../src/signatures/judge.ts';
import { readKeys } from '../src/signatures/keys.ts';
import type { RequestHeaders } from '../src/signatures/request.ts';
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
    const judging = (headers: RequestHeaders) => (): unknown => {
      const request = { method: 'GET', authority: 'www.example.com', targetUri: PAGE, headers, at: AT };
      return judge(request, agents, (_agent, thumbprint) => keys?.get(thumbprint) ?? 'key_unknown');
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
      ['the arithmetic of Ed25519 alone', SIGNED, () => verify(null, base, object, bare)],
    ];
    const times = sides.map((): number[] => []);
    for (let round = 0; round < (quick ? 3 : 31); round++) {
      for (const [i, [, passes, run]] of sides.entries()) times[i]?.push(nanoseconds(run, passes));
    }
    const figures = sides.map(([what], i): Figure => ({ what, value: median(times[i] ?? []), unit: 'ns' }));
    const [alone, whole] = [times[4] ?? [], times[2] ?? []];
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
