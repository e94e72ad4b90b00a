/**
 * Measures durable checks by URL over HTTP: in a collection, beside the same checks by item, and among ten thousand
 * patterns over a hundred hosts, beside one pattern. Rounds take turns on servers of one core: those that are
 * compared over patterns differ in nothing else.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded, skewed } from '../kit/random.ts';
import { type Contender, contender, loadCatalogue, measure } from './check.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';
import { checksOf, TEN_RULES } from './inputs.ts';
import { splitCores } from './machine.ts';
import { createPolicy, HEADERS, type Postern, startPostern } from './service.ts';

const MOST = 1.1;
const HOSTS = 100;
const PATTERNS_OF_HOST = 100;
const PAGES = 1_000;
const CHECKS = 20_000;
const PATH = '/v1/access/check';

const hostAt = (i: number): string => `www.site-${i % HOSTS}.example`;

function urlBodies(): string[] {
  const next = skewed(PAGES, seeded(3));
  return checksOf(CHECKS, () => '').map(({ contentId: _, ...check }) => {
    const page = next();
    return JSON.stringify({ ...check, url: `https://${hostAt(page)}/news/2026/article-${page}` });
  });
}

async function addPatterns(postern: Postern, policyId: string): Promise<void> {
  const sections = Array.from({ length: PATTERNS_OF_HOST - 1 }, (_, i) => `/section-${i}/*.html$`);
  for (let i = 0; i < HOSTS; i++) {
    const body = { name: `Site ${i}`, hosts: [hostAt(i)], paths: ['/news/', ...sections], policyId };
    await postern.post('/v1/collections', body);
  }
}

export const urlsPart: Part = {
  name: 'urls',
  about: 'One durable check over HTTP by URL in a collection, ten rules',
  async run(options) {
    using dir = temporaryFolder();
    const cores = splitCores();
    await using one = await startPostern({ dataDir: join(dir.path, 'one'), core: cores.server });
    await using few = await startPostern({ dataDir: join(dir.path, 'few'), core: cores.server });
    await using many = await startPostern({ dataDir: join(dir.path, 'many'), core: cores.server });
    const { policyId, checks } = await loadCatalogue(one, 'article', 'Ten rules', TEN_RULES);
    const hosts = Array.from({ length: HOSTS }, (_, i) => hostAt(i));
    const sites = { name: 'Sites', hosts, paths: ['/news/'] };
    await one.post('/v1/collections', { ...sites, policyId });
    await few.post('/v1/collections', { ...sites, policyId: await createPolicy(few, 'Ten rules', TEN_RULES) });
    await addPatterns(many, await createPolicy(many, 'Ten rules', TEN_RULES));
    const byItem = checks.map((check) => JSON.stringify(check));
    const byUrl = urlBodies();
    const contenders = [
      contender('by item', one, { path: PATH, headers: HEADERS, bodies: byItem }),
      contender('by URL', one, { path: PATH, headers: HEADERS, bodies: byUrl }),
      contender('by URL, one pattern', few, { path: PATH, headers: HEADERS, bodies: byUrl }),
      contender('by URL, many patterns', many, { path: PATH, headers: HEADERS, bodies: byUrl }),
    ];
    await measure(contenders, cores.load, options);
    const [item, url, pattern, patterns] = contenders as [Contender, Contender, Contender, Contender];
    return {
      figures: [
        figureOf('processor time of a check by URL', url, { what: 'by item', other: item }),
        figureOf(`processor time among ${HOSTS * PATTERNS_OF_HOST} patterns over ${HOSTS} hosts`, patterns, {
          what: 'one pattern',
          other: pattern,
        }),
      ],
      notes: [
        cores.note,
        'Processor time counts all threads of the server; what else the machine does moves it least.',
      ],
    };
  },
};

function figureOf(what: string, { results }: Contender, against: { what: string; other: Contender }): Figure {
  const cpu = results.map(({ cpuUs }) => cpuUs);
  const others = against.other.results.map(({ cpuUs }) => cpuUs);
  const ratio = medianRatio(cpu, others);
  return {
    what,
    value: median(cpu),
    unit: 'µs',
    against: { what: against.what, value: median(others), ratio },
    target: { text: `≤ ${MOST}`, met: ratio <= MOST },
  };
}
