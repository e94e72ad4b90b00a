/**
 * Writes robots.txt, and all signals, for a site of ten thousand path patterns and a hundred crawlers: patterns that
 * share ten policies, and patterns with a policy each. In processor time: the work yields to checks in between. How
 * fast a signal is served is in `served`.
 */
import { type Collection, FIRST_VALUES } from '../src/content/collections/collection.ts';
import { FIRST_SIGNALS, FIRST_VALUES as FIRST_SITE } from '../src/content/sites/site.ts';
import { compile } from '../src/rules/compile.ts';
import { CRAWLERS } from '../src/rules/crawlers/directory.ts';
import type { Rule } from '../src/rules/policy.ts';
import { SIGNAL_KINDS, SIGNALS, type SignalKind } from '../src/signals/formats/kinds.ts';
import { assess, type Sources } from '../src/signals/table/assess.ts';
import { median, type Part } from './figure.ts';
import { measureServed } from './served.ts';

const HOST = 'www.example.com';
const PATTERNS = 10_000;
const CRAWLERS_ASKED = 100;

const RULES: Rule[] = [
  { action: 'deny', conditions: { crawlerPurpose: 'training' } },
  { action: 'allow', conditions: { crawlerNot: ['CCBot', 'Bytespider'] } },
];

function sourcesOf(policyCount: number): Sources {
  const indexes = Array.from({ length: policyCount }, (_, i) => i);
  const perPolicy = PATTERNS / policyCount;
  const policies = indexes.map((i) =>
    compile({
      no: i + 1,
      id: `pol_${i}`,
      version: 1,
      rules: i % 2 === 0 ? RULES : RULES.toReversed(),
      defaultAction: 'deny',
    }),
  );
  return {
    server: null,
    site: { ...FIRST_SITE, no: 1, host: HOST, signals: FIRST_SIGNALS, version: 1, createdAt: 0, updatedAt: 0 },
    now: Date.now(),
    collections: indexes.map((i): Collection => collectionOf(i, perPolicy)),
    defaultPolicyId: 'pol_0',
    policies: new Map(policies.map((policy) => [policy.id, policy])),
    crawlers: CRAWLERS.slice(0, CRAWLERS_ASKED),
    named: () => null,
    offers: [],
    items: [],
    hasMoreItems: false,
  };
}

const collectionOf = (i: number, patterns: number): Collection => ({
  ...FIRST_VALUES,
  no: i,
  id: `col_${i}`,
  name: 'A collection',
  hosts: [HOST],
  paths: Array.from({ length: patterns }, (_, j) => `/section-${i}/topic-${j}/`),
  policyId: `pol_${i}`,
  version: 1,
  createdAt: i,
  updatedAt: i,
});

/** The same site with all signals but Content-Usage, which makes robots.txt too long to be served. */
const withAll = (sources: Sources): Sources => ({
  ...sources,
  site: { ...sources.site, signals: { ...sources.site.signals, license: true, tdmrep: true, link: true } },
});

/** Returns the seconds of processor time. */
async function render(sources: Sources, kinds: readonly SignalKind[] = ['robots.txt']): Promise<number> {
  const before = process.cpuUsage();
  const table = await assess(sources);
  for (const kind of kinds) {
    const { refusal } = SIGNALS[kind].render(table) ?? { refusal: 'off' };
    if (refusal !== null) throw new Error(`${kind}: ${refusal}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

export const signalsPart: Part = {
  name: 'signals',
  about: 'writing robots.txt, and all signals, for 10,000 path patterns and 100 crawlers; and serving a signal',
  async run(options) {
    const { quick, say } = options;
    const [few, many] = [sourcesOf(10), sourcesOf(PATTERNS)];
    const ofFew: number[] = [];
    const ofMany: number[] = [];
    const allOfFew: number[] = [];
    const allOfMany: number[] = [];
    for (let round = 0; round < (quick ? 1 : 7); round++) {
      ofFew.push(await render(few));
      ofMany.push(await render(many));
      allOfFew.push(await render(withAll(few), SIGNAL_KINDS));
      allOfMany.push(await render(withAll(many), SIGNAL_KINDS));
      say(
        `round ${round + 1}: ${ofFew[round]} s, ${ofMany[round]} s; all: ${allOfFew[round]} s, ${allOfMany[round]} s`,
      );
    }
    const served = await measureServed(options);
    const figureOf = (what: string, values: readonly number[]) => {
      const value = median(values);
      return { what, value, unit: 's', target: { text: 'at most 2 s', met: value <= 2 } };
    };
    return {
      figures: [
        figureOf('patterns of ten policies', ofFew),
        figureOf('a policy for each pattern', ofMany),
        figureOf('all signals, patterns of ten policies', allOfFew),
        figureOf('all signals, a policy for each pattern', allOfMany),
        ...served.figures,
      ],
      notes: [
        'Processor time of statements and file together, in slices and a thread beside which checks are answered.',
        ...served.notes,
      ],
    };
  },
};
