/**
 * Measures durable checks over HTTP with what a visitor sent: no signature, a new signature in each request, or
 * signatures that verified before. All of one requester, under ten rules.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { newSigningKey, type SigningKey, signRequest } from '../kit/signing.ts';
import { until } from '../kit/until.ts';
import { contender, loadCatalogue, measure } from './check.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';
import { TEN_RULES } from './inputs.ts';
import { splitCores } from './machine.ts';
import { HEADERS, startPostern } from './service.ts';
import { addedToUnsigned } from './unsigned.ts';

/** More than are remembered, so that each is verified when its turn comes again. */
const SIGNATURES = 12_000;
const REUSED = 100;
const PAGE = 'https://www.example.com/articles/1';
const MOST = 1.4;
const MOST_UNSIGNED = 1.02;
const HOUR_S = 3_600;

export const signedPart: Part = {
  name: 'signed',
  about: 'A durable check over HTTP of a visitor that signs its requests (Web Bot Auth)',
  async run(options) {
    using dir = temporaryFolder();
    const cores = splitCores();
    const key = newSigningKey();
    const directory = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [key.jwk] }));
    });
    await new Promise<void>((listening) => directory.listen(0, '127.0.0.1', listening));
    const agent = `http://127.0.0.1:${(directory.address() as AddressInfo).port}`;
    const env = { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' };
    await using postern = await startPostern({ dataDir: join(dir.path, 'data'), core: cores.server, env });
    const { checks } = await loadCatalogue(postern, 'signed', 'Ten rules', TEN_RULES);
    const identities = [{ kind: 'signature', agent }];
    await postern.post('/v1/requesters', { id: 'partner', userAgents: ['PartnerBot'], identities });
    const at = Date.now();
    const bodies = (count: number, visitorOf: (i: number) => object): string[] =>
      Array.from({ length: count }, (_, i) => {
        const contentId = checks[i % checks.length]?.contentId;
        return JSON.stringify({ contentId, context: { userAgent: 'PartnerBot/1' }, visitor: visitorOf(i) });
      });
    const signed = bodies(SIGNATURES, (i) => sign({ key, agent, nonce: i, at }));
    await until('the keys of the agent', async () => {
      const { verified } = await postern.post<{ verified: string | null }>(
        '/v1/access/check',
        JSON.parse(signed[0] ?? ''),
      );
      return verified === 'signature';
    });
    const path = '/v1/access/check';
    const plans = {
      'without a signature': bodies(SIGNATURES, () => ({ url: PAGE })),
      'a new signature in each': signed,
      'signatures that verified before': signed.slice(0, REUSED),
    };
    const contenders = Object.entries(plans).map(([name, texts]) =>
      contender(name, postern, { path, headers: HEADERS, bodies: texts }),
    );
    await measure(contenders, cores.load, options);
    directory.closeAllConnections();
    directory.close();
    const [plain = [], ...others] = contenders.map(({ results }) => results.map(({ cpuUs }) => cpuUs));
    const figures: Figure[] = others.map((costs, i) => {
      const ratio = medianRatio(costs, plain);
      const against = { what: 'without a signature', value: median(plain), ratio };
      const target = { text: `≤ ${MOST}`, met: ratio <= MOST };
      return { what: `processor time: ${contenders[i + 1]?.name}`, value: median(costs), unit: 'µs', against, target };
    });
    figures.push(...(await unsignedFigures(options.quick, median(plain))));
    return {
      figures,
      notes: [
        cores.note,
        'Ed25519. The processor time is that of all threads of the service.',
        'What is added to an unsigned check is measured alone. Its ratio is that of the check with it to one without.',
      ],
    };
  },
};

async function unsignedFigures(quick: boolean, checkUs: number): Promise<Figure[]> {
  return Object.entries(await addedToUnsigned(quick)).map(([visitor, added]): Figure => {
    const ratio = 1 + added / 1000 / checkUs;
    return {
      what: `processor time that verification adds to an unsigned check: ${visitor}`,
      value: added,
      unit: 'ns',
      against: { what: 'the check', value: checkUs * 1000, ratio },
      target: { text: `≤ ${MOST_UNSIGNED}`, met: ratio <= MOST_UNSIGNED },
    };
  });
}

interface ToSign {
  key: SigningKey;
  agent: string;
  nonce: number;
  at: number;
}

/** The field `visitor` of a check. */
function sign({ key, agent, nonce, at }: ToSign): object {
  const headers = { 'signature-agent': `sig1="${agent}"` };
  const parameters = { nonce: `${nonce}`.padStart(88, 'n'), expires: Math.floor(at / 1000) + HOUR_S };
  const { signature, 'signature-input': signatureInput } = signRequest(key, { url: PAGE, headers, parameters, at });
  return { url: PAGE, signature, signatureInput, signatureAgent: headers['signature-agent'] };
}
