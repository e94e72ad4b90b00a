/**
 * Measures the time that a guard at the edge adds to an answer, in workerd and in Node.js: to a visitor who is asked
 * about, over loopback, and to one who is not; and to the start of a Worker. Requests with and without the guard
 * alternate, one at a time.
 */
import { writeFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { openSite } from '../client/src/edge/site.ts';
import { temporaryFolder } from '../kit/launch.ts';
import { bundleOf } from '../test/system/edge/bundle.ts';
import { type Figure, median, type Part } from './figure.ts';
import { createPolicy, HEADERS, KEY, startPostern } from './service.ts';

const ASKED_MS = 3;
const UNASKED_MS = 0.2;
const START_MS = 10;
const PROGRAM = 'CCBot/2.0 (https://commoncrawl.org/faq/)';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const WORKER = `import { openSite } from '@postern/client/edge';
let site;
export default {
  fetch(request, environment) {
    site ??= openSite(environment);
    return site.handle(request, {}, () => new Response('a page'));
  },
};`;
const BARE = `export default { fetch: () => new Response('a page') };`;

type Environment = Record<string, string>;
interface Site extends AsyncDisposable {
  url: string;
}

async function startWorker(script: string, environment: Environment): Promise<Site> {
  // As one named module: of a script, Miniflare reads the imports itself first, and slower the longer it is.
  const modules = [{ type: 'ESModule' as const, path: 'worker.mjs', contents: script }];
  const worker = new Miniflare({ modules, compatibilityDate: '2026-01-01', bindings: environment });
  return { url: (await worker.ready).href, [Symbol.asyncDispose]: () => worker.dispose() };
}

async function startNode(environment: Environment | undefined): Promise<Site> {
  const site = environment && openSite(environment);
  const serve = (): Response => new Response('a page');
  const server = createServer(async (incoming, outgoing) => {
    const request = new Request(`http://localhost${incoming.url}`, { headers: incoming.headers as Environment });
    const response = await (site === undefined ? serve() : site.handle(request, {}, serve));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, [Symbol.asyncDispose]: async () => void server.close() };
}

const agent = new Agent({ keepAlive: true });

/** Returns the milliseconds until the whole answer is here. */
function visit(url: string, userAgent: string): Promise<number> {
  const begun = performance.now();
  return new Promise((done, fail) => {
    get(`${url}news/tides`, { agent, headers: { 'user-agent': userAgent } }, (response) => {
      if (response.statusCode !== 200) fail(new Error(`${url} answered ${response.statusCode}`));
      response.resume().on('end', () => done(performance.now() - begun));
    }).on('error', fail);
  });
}

/** Returns the medians of visits that alternate. */
async function alternate(rounds: number, sites: readonly [Site, Site], userAgent: string): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const i of [0, 1] as const) times[i].push(await visit(sites[i].url, userAgent));
  }
  return [median(times[0]), median(times[1])];
}

interface Added {
  what: string;
  mostMs: number;
  beside: string;
}

const toFigure = ({ what, mostMs, beside }: Added, [guarded, bare]: [number, number]): Figure => ({
  what,
  value: guarded - bare,
  unit: 'ms',
  against: { what: `${beside} (of ${guarded.toFixed(2)} ms)`, value: bare, ratio: guarded / bare },
  target: { text: `≤ ${mostMs} ms`, met: guarded - bare <= mostMs },
});

async function measure(name: string, rounds: number, sites: readonly [Site, Site]): Promise<Figure[]> {
  for (const agentName of [PROGRAM, BROWSER]) await alternate(Math.ceil(rounds / 5), sites, agentName);
  const beside = 'without the guard';
  const asked = { what: `${name}: added to a visitor who is asked about`, mostMs: ASKED_MS, beside };
  const unasked = { what: `${name}: added to a visitor who is not`, mostMs: UNASKED_MS, beside };
  return [
    toFigure(asked, await alternate(rounds, sites, PROGRAM)),
    toFigure(unasked, await alternate(rounds * 4, sites, BROWSER)),
  ];
}

/** Returns the median of the check that a guard asks for, made without one. */
async function measureCheck(rounds: number, url: string): Promise<number> {
  const body = JSON.stringify({
    url: 'https://www.example.com/news/tides',
    context: { userAgent: PROGRAM },
    explain: true,
  });
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await (await fetch(`${url}/v1/access/check`, { method: 'POST', headers: HEADERS, body })).text();
    times.push(performance.now() - begun);
  }
  return median(times);
}

/** Measures from nothing to the first answer, for a visitor who is not asked about. */
async function measureStart(rounds: number, scripts: readonly [string, string], own: Environment): Promise<Figure> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const i of [0, 1] as const) {
      const begun = performance.now();
      await using site = await startWorker(scripts[i], own);
      await visit(site.url, BROWSER);
      times[i].push(performance.now() - begun);
    }
  }
  const added = {
    what: 'workerd: added to the first answer of a new process',
    mostMs: START_MS,
    beside: 'a bare Worker',
  };
  return toFigure(added, [median(times[0]), median(times[1])]);
}

export const edgePart: Part = {
  name: 'edge',
  about: 'What a guard at the edge adds to an answer, and to the start of a Worker',
  async run({ quick }) {
    using dir = temporaryFolder();
    const rounds = quick ? 20 : 500;
    await using postern = await startPostern({ dataDir: join(dir.path, 'data') });
    const policyId = await createPolicy(postern, 'Open', [{ action: 'allow', conditions: {} }]);
    await postern.post('/v1/collections', { name: 'All', paths: ['/'], policyId });
    const own = {
      POSTERN_URL: `http://127.0.0.1:${postern.port}`,
      POSTERN_KEY: KEY,
      POSTERN_ORIGIN: 'https://www.example.com',
      POSTERN_ASK: 'programs',
      POSTERN_ON_ERROR: 'deny',
      POSTERN_TIMEOUT_MS: '5000',
    };
    const entry = join(dir.path, 'worker.js');
    writeFileSync(entry, WORKER);
    const script = await bundleOf(entry, { minify: true });
    await using guarded = await startWorker(script, own);
    await using bare = await startWorker(BARE, own);
    await using guardedNode = await startNode(own);
    await using bareNode = await startNode(undefined);
    const figures = [
      ...(await measure('workerd', rounds, [guarded, bare])),
      ...(await measure('Node.js', rounds, [guardedNode, bareNode])),
      await measureStart(quick ? 2 : 25, [script, BARE], own),
    ];
    const check = await measureCheck(rounds, own.POSTERN_URL);
    agent.destroy();
    return {
      figures,
      notes: [
        `Differences of medians at one connection. Postern is asked over loopback and writes each decision to disk: a check without a guard took ${check.toFixed(2)} ms.`,
        'The guard serves a page of its own process: the way to an origin is in neither time.',
      ],
    };
  },
};
