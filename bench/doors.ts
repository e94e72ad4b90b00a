/**
 * Measures the doors that others speak beside a check: an evaluation of AuthZEN, and checks of a visitor with a License
 * token, by where it was issued and whether it was verified before. All of one requester, under ten rules.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { contender, loadCatalogue, measure } from './check.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';
import { TEN_RULES } from './inputs.ts';
import { splitCores } from './machine.ts';
import { HEADERS, type Postern, startPostern } from './service.ts';

/** More than are remembered, so that each is verified when its turn comes again. */
const TOKENS = 11_000;
/** The last ones, which are remembered since they were issued. */
const REMEMBERED = 5_000;
const HOST = 'www.example.com';
const PAGE = `https://${HOST}/articles/1`;
const CHECK = '/v1/access/check';

export const doorsPart: Part = {
  name: 'doors',
  about: 'An evaluation of AuthZEN, and a check with a License token, beside a durable check over HTTP',
  async run(options) {
    using dir = temporaryFolder();
    const cores = splitCores();
    const env = { POSTERN_PUBLIC_URL: 'https://access.example' };
    await using postern = await startPostern({ dataDir: join(dir.path, 'data'), core: cores.server, env });
    const { checks } = await loadCatalogue(postern, 'door', 'Ten rules', TEN_RULES);
    const { secret, tokens } = await getTokens(postern, options.quick ? 100 : TOKENS);
    const bodies = (toBody: (contentId: string, i: number) => object, count = checks.length): string[] =>
      Array.from({ length: count }, (_, i) => {
        const { contentId = '' } = checks[i % checks.length] ?? {};
        return JSON.stringify(toBody(contentId, i));
      });
    const visited = (authorization: string) => ({ visitor: { url: PAGE, authorization } });
    const licensed = (all: readonly string[]): string[] =>
      bodies((contentId, i) => ({ contentId, ...visited(`License ${all[i]}`) }), all.length);
    const plain = bodies((contentId) => ({ contentId, requesterId: 'acme', permission: 'full_access' }));
    const evaluated = bodies((id) => ({
      subject: { type: 'user', id: 'acme' },
      action: { name: 'full_access' },
      resource: { type: 'article', id },
    }));
    const checked = (name: string, texts: string[], path = CHECK) =>
      contender(name, postern, { path, headers: HEADERS, bodies: texts });
    const contenders = [
      checked('a check', plain),
      checked('an evaluation of AuthZEN', evaluated, '/access/v1/evaluation'),
      checked(
        'a check with a token of a requester',
        bodies((contentId) => ({ contentId, ...visited(`Bearer ${secret}`) })),
      ),
      checked('a check with a License token of this node', licensed(tokens.slice(-REMEMBERED))),
      checked('a check with a License token of another node', licensed(tokens)),
      checked('a check with a License token that verified before', licensed(tokens.slice(0, 100))),
    ];
    await measure(contenders, cores.load, options);
    const [check, evaluation, token, own, first, again] = contenders.map(({ name, results }) => ({
      name,
      costs: results.map(({ cpuUs }) => cpuUs),
    }));
    const beside = (one: Side, other: Side, most?: number): Figure => {
      const ratio = medianRatio(one.costs, other.costs);
      const against = { what: other.name, value: median(other.costs), ratio };
      const target = most === undefined ? {} : { target: { text: `≤ ${most}`, met: ratio <= most } };
      return { what: `processor time: ${one.name}`, value: median(one.costs), unit: 'µs', against, ...target };
    };
    const figures =
      check && evaluation && token && own && first && again
        ? [beside(evaluation, check, 1.1), beside(own, token, 1.5), beside(again, token, 1.1), beside(first, token)]
        : [];
    return { figures, notes: [cores.note, 'The processor time is that of all threads of the service.', ANOTHER] };
  },
};

const ANOTHER =
  'A token is remembered where it was issued. Another node verifies it once: the arithmetic of ES256 alone takes longer ' +
  'than a check.';

interface Side {
  name: string;
  costs: number[];
}

/** Returns a token of a requester, and License tokens that it was given. */
async function getTokens(postern: Postern, count: number): Promise<{ secret: string; tokens: string[] }> {
  const { id: policyId } = await postern.post<{ id: string }>('/v1/policies', {
    name: 'Open',
    rules: [{ action: 'allow', conditions: {} }],
  });
  await postern.post('/v1/collections', { name: 'All', hosts: [HOST], policyId });
  const base = `http://127.0.0.1:${postern.port}`;
  const signals = { public: true, license: true, licenseServer: true };
  await postern.put(`/v1/sites/${HOST}`, { signals });
  await postern.post('/v1/requesters', { id: 'acme' });
  const { token: secret } = await postern.post<{ token: string }>('/v1/requesters/acme/tokens', { name: 'bench' });
  const file = await (await fetch(`${base}/v1/sites/${HOST}/signals/license.xml`)).text();
  const resource = `https://${HOST}/*`;
  const license = /<license>[^]*?<\/license>/.exec(file)?.[0] ?? '';
  const body = new URLSearchParams({ grant_type: 'client_credentials', resource, license }).toString();
  const authorization = `Basic ${Buffer.from(`acme:${encodeURIComponent(secret)}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  const tokens: string[] = [];
  const next = async (): Promise<void> => {
    const answer = await fetch(`${base}/olp/token`, { method: 'POST', headers, body });
    const { access_token: token } = (await answer.json()) as { access_token?: string };
    if (token === undefined) throw new Error(`no token: ${answer.status}`);
    tokens.push(token);
  };
  while (tokens.length < count) await Promise.all(Array.from({ length: 4 }, next));
  return { secret, tokens };
}
