/**
 * Measures whether a check costs the same at every size: catalogs from a thousand to a million items, read with skew
 * and evenly, and policies from one to fifty rules that do not match. All sizes take turns on one core and are
 * compared with the smallest. The cost is processor time of all threads of the service, because other load affects it
 * least.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { type Random, seeded, skewed } from '../kit/random.ts';
import { type Figure, median, medianRatio, type Part, type PartOptions } from './figure.ts';
import { openStore } from './history.ts';
import { checksOf, itemAt, TEN_RULES, unmatchedRules } from './inputs.ts';
import { type LoadResult, openLoader } from './load.ts';
import { splitCores } from './machine.ts';
import { createPolicy, HEADERS, type Postern, startPostern, upsertItems } from './service.ts';

const CHECKS = 100_000;
const CONNECTIONS = 64;
const MOST = 1.15;
const PATH = '/v1/access/check';

interface Case {
  what: string;
  /** The case it is compared with; itself for the first of a kind. */
  base: string;
  postern: Postern;
  bodies: string[];
  results: (LoadResult & { cpuUs: number })[];
}

export const flatPart: Part = {
  name: 'flat',
  about: 'Cost of a durable check over HTTP by the size of the catalogue and of the policy',
  async run(options) {
    using dir = temporaryFolder();
    await using running = new AsyncDisposableStack();
    const cores = splitCores();
    const cases: Case[] = [];
    for (const items of options.quick ? [1_000, 100_000] : [1_000, 100_000, 1_000_000]) {
      const dataDir = join(dir.path, String(items));
      await fill(dataDir, items, options);
      const postern = running.use(await startPostern({ dataDir, core: cores.server }));
      await touchAll(postern, items);
      cases.push(...sizeCases(postern, items));
      options.say(`${items} items: ${postern.residentMiB().toFixed(0)} MiB resident`);
      if (items === 1_000) cases.push(...(await ruleCases(postern)));
    }
    await measure(cases, cores.load, options);
    const notes = [
      cores.note,
      'Every item was asked for once before; a check of an item not in memory also reads it from disk.',
    ];
    return { figures: cases.map((one) => figureOf(one, cases)), notes };
  },
};

async function fill(dataDir: string, items: number, { say }: PartOptions): Promise<void> {
  const store = await openStore(dataDir);
  const began = performance.now();
  await store.addItems(items, await store.addPolicy('Ten rules', TEN_RULES));
  await store.close();
  say(`${items} items written in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

async function touchAll(postern: Postern, items: number): Promise<void> {
  for (let i = 0; i < items; i += 1000) {
    const checks = Array.from({ length: Math.min(1000, items - i) }, (_, n) => ({
      contentId: itemAt(i + n).externalId,
      dryRun: true,
    }));
    await postern.post('/v1/access/check/batch', { checks });
  }
}

function sizeCases(postern: Postern, items: number): Case[] {
  const count = items.toLocaleString('en');
  return (['skewed', 'even'] as const).map((kind) => {
    const next = (kind === 'skewed' ? skewed : uniform)(items, seeded(5));
    const bodies = checksOf(CHECKS, () => itemAt(next()).externalId).map((check) => JSON.stringify(check));
    const base = `1,000 items, ${kind}`;
    return { what: `${count} items, ${kind}`, base, postern, bodies, results: [] };
  });
}

async function ruleCases(postern: Postern): Promise<Case[]> {
  const cases: Case[] = [];
  for (const rules of [1, 10, 50]) {
    const policyId = await createPolicy(postern, `${rules} rules`, unmatchedRules(rules));
    const items = Array.from({ length: 1000 }, (_, i) => itemAt(i, `rules-${rules}`));
    await upsertItems(postern, items, policyId);
    const next = skewed(items.length, seeded(5));
    const bodies = checksOf(CHECKS, () => items[next()]?.externalId ?? '').map((check) => JSON.stringify(check));
    cases.push({
      what: `${rules} unmatched rule${rules === 1 ? '' : 's'}`,
      base: '1 unmatched rule',
      postern,
      bodies,
      results: [],
    });
  }
  return cases;
}

async function measure(cases: Case[], core: number | null, { quick, say }: PartOptions): Promise<void> {
  await using loader = openLoader(core);
  for (let round = 0; round < (quick ? 2 : 7); round++) {
    for (const { what, postern, bodies, results } of cases) {
      const time = { warmupMs: round === 0 ? 3000 : 500, measureMs: quick ? 1000 : 3000 };
      const plan = { port: postern.port, path: PATH, headers: HEADERS, bodies, connections: CONNECTIONS };
      const before = postern.cpuMs();
      const result = await loader.run({ ...plan, ...time });
      const cpuUs = ((postern.cpuMs() - before) / result.answered) * 1000;
      results.push({ ...result, cpuUs });
      say(`round ${round + 1} ${what}: ${cpuUs.toFixed(1)} µs, ${Math.round(result.perSecond)}/s`);
    }
  }
}

function figureOf({ what, base, results }: Case, cases: readonly Case[]): Figure {
  const costs = (list: Case['results']): number[] => list.map((result) => result.cpuUs);
  const other = cases.find((one) => one.what === base)?.results ?? results;
  const ratio = medianRatio(costs(results), costs(other));
  const perSecond = Math.round(median(results.map((result) => result.perSecond))).toLocaleString('en');
  const p99 = median(results.map((result) => result.p99Ms)).toFixed(1);
  return {
    what: `a check, ${what} (${perSecond}/s, p99 ${p99} ms)`,
    value: median(costs(results)),
    unit: 'µs',
    ...(base === what
      ? {}
      : {
          against: { what: base, value: median(costs(other)), ratio },
          target: { text: `≤ ${MOST}`, met: ratio <= MOST },
        }),
  };
}

const uniform = (size: number, random: Random) => (): number => random.int(0, size - 1);
