/**
 * Measures the impact preview of a million recorded decisions, and what it costs the checks beside it. Rounds with and
 * without a preview alternate; in a round with previews, one follows the other.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded, skewed } from '../kit/random.ts';
import { type Figure, median, medianRatio, type Part, type PartOptions } from './figure.ts';
import { monthUntil, openStore } from './history.ts';
import { checksOf, itemAt, TEN_RULES } from './inputs.ts';
import { type LoadResult, openLoader } from './load.ts';
import { splitCores } from './machine.ts';
import { HEADERS, type Postern, startPostern } from './service.ts';

const ITEMS = 100_000;
const DECISIONS = 1_000_000;
const LICENSED = 500;
const CONNECTIONS = 64;
const MOST_SECONDS = 10;
const MOST_SLOWING = 0.1;

/** Some crawlers now need a license to search, and research is open to all items: changes in both directions. */
const DRAFT = TEN_RULES.map((rule, index) => {
  if (index === 6) return { ...rule, conditions: { purpose: 'search_indexing', licenseType: 'search' } };
  if (index === 8) return { ...rule, conditions: { purpose: 'research' } };
  return rule;
});

interface Report {
  decisions: number;
  unchanged: number;
  allowToDeny: number;
  denyToAllow: number;
  unknown: { decisions: number };
}

/** Previews of one question, each checked against the first. */
interface Previews {
  run(): Promise<number>;
  /** Runs previews one after the other until `stop`, which returns their durations in seconds. */
  keepRunning(): { stop(): Promise<number[]> };
}

export const impactPart: Part = {
  name: 'impact',
  about: 'The impact preview of 1,000,000 recorded decisions, and the checks beside it',
  async run(options) {
    using dir = temporaryFolder();
    const dataDir = join(dir.path, 'data');
    const decisions = options.quick ? DECISIONS / 10 : DECISIONS;
    const to = Date.now() - 60_000;
    const policyId = await fill(dataDir, decisions, to);
    const cores = splitCores();
    await using postern = await startPostern({ dataDir });
    // The columns take the decisions over first: that is no part of a preview.
    await caughtUp(postern, decisions);
    const previews = openPreviews(postern, policyId, { decisions, to });
    const alone: number[] = [];
    for (let i = 0; i < (options.quick ? 2 : 5); i++) alone.push(await previews.run());
    options.say(`alone: ${alone.map((seconds) => seconds.toFixed(1)).join(', ')} s`);
    const rounds = await measure(postern, previews, cores.load, options);
    return {
      figures: figuresOf(decisions, alone, rounds),
      notes: [
        `The load generator is pinned to a core; the service has all of them, as it would.`,
        `${LICENSED} requesters registered, each with a licence; the draft asks for licences in one of its ten rules.`,
      ],
    };
  },
};

async function fill(dataDir: string, decisions: number, to: number): Promise<string> {
  const store = await openStore(dataDir);
  const policyId = await store.addPolicy('Ten rules', TEN_RULES);
  await store.addItems(ITEMS, policyId);
  const { from } = monthUntil(to);
  await store.addLicensed(LICENSED, 'search', from - 1000);
  await store.addDecisions({ count: decisions, items: ITEMS, from: from + 1000, to, rules: TEN_RULES });
  await store.close();
  return policyId;
}

async function caughtUp(postern: Postern, decisions: number): Promise<void> {
  for (;;) {
    const report = await postern
      .get<{ summary: { totalRequests: number } }>('/v1/analytics/usage?period=all')
      .catch(() => undefined);
    if (report?.summary.totalRequests === decisions) return;
  }
}

function openPreviews(
  postern: Postern,
  policyId: string,
  { decisions, to }: { decisions: number; to: number },
): Previews {
  const question = {
    policy: { rules: DRAFT },
    from: new Date(monthUntil(to).from).toISOString(),
    to: new Date(to + 1000).toISOString(),
  };
  let first: Report | undefined;
  async function run(): Promise<number> {
    const began = performance.now();
    const report = await postern.post<Report>(`/v1/policies/${policyId}/impact`, question);
    const seconds = (performance.now() - began) / 1000;
    first ??= report;
    if (report.decisions !== decisions || report.unknown.decisions > 0 || report.allowToDeny !== first.allowToDeny) {
      throw new Error(`not what was recorded: ${JSON.stringify(report).slice(0, 300)}`);
    }
    if (report.allowToDeny === 0 || report.denyToAllow === 0) throw new Error('the draft changes nothing');
    return seconds;
  }
  return {
    run,
    keepRunning() {
      let stopping = false;
      async function loop(): Promise<number[]> {
        const took: number[] = [];
        while (!stopping) took.push(await run());
        return took;
      }
      const ended = loop();
      return {
        stop() {
          stopping = true;
          return ended;
        },
      };
    },
  };
}

interface Rounds {
  without: LoadResult[];
  beside: LoadResult[];
  /** Durations of the previews beside checks, in seconds. */
  took: number[];
}

async function measure(
  postern: Postern,
  previews: Previews,
  core: number | null,
  { quick, say }: PartOptions,
): Promise<Rounds> {
  const rounds: Rounds = { without: [], beside: [], took: [] };
  const next = skewed(ITEMS, seeded(5));
  const bodies = checksOf(20_000, () => itemAt(next()).externalId).map((check) => JSON.stringify(check));
  const plan = { port: postern.port, path: '/v1/access/check', headers: HEADERS, bodies, connections: CONNECTIONS };
  await using loader = openLoader(core);
  const run = () => loader.run({ ...plan, warmupMs: 500, measureMs: quick ? 1500 : 5000 });
  await loader.run({ ...plan, warmupMs: 0, measureMs: quick ? 1000 : 5000 });
  for (let round = 0; round < (quick ? 2 : 7); round++) {
    rounds.without.push(await run());
    const running = previews.keepRunning();
    rounds.beside.push(await run());
    rounds.took.push(...(await running.stop()));
    const [one, other] = [rounds.without.at(-1) as LoadResult, rounds.beside.at(-1) as LoadResult];
    say(
      `round ${round + 1}: ${Math.round(one.perSecond)}/s, p50 ${one.p50Ms.toFixed(2)}, p99 ${one.p99Ms.toFixed(1)} ms; beside a preview ${Math.round(other.perSecond)}/s, p50 ${other.p50Ms.toFixed(2)}, p99 ${other.p99Ms.toFixed(1)} ms; ${rounds.took.at(-1)?.toFixed(1)} s`,
    );
  }
  return rounds;
}

function figuresOf(decisions: number, alone: readonly number[], { without, beside, took }: Rounds): Figure[] {
  const many = `${decisions.toLocaleString('en')} decisions`;
  const seconds = (what: string, values: readonly number[]): Figure => ({
    what,
    value: median(values),
    unit: 's',
    target: { text: `≤ ${MOST_SECONDS} s`, met: median(values) <= MOST_SECONDS },
  });
  const slowing = (
    what: string,
    unit: string,
    of: (result: LoadResult) => number,
    isWithin: (ratio: number) => boolean,
  ) => {
    const ratio = medianRatio(beside.map(of), without.map(of));
    return {
      what: `checks beside a preview: ${what}`,
      value: median(beside.map(of)),
      unit,
      against: { what: 'without', value: median(without.map(of)), ratio },
      target: { text: what === 'throughput' ? '≥ 0.9' : '≤ 1.1', met: isWithin(ratio) },
    };
  };
  const atMost = (ratio: number): boolean => ratio <= 1 + MOST_SLOWING;
  return [
    seconds(`a preview of ${many}`, alone),
    seconds(`a preview of ${many}, beside checks at full load`, took),
    slowing(
      'throughput',
      '/s',
      (result) => result.perSecond,
      (ratio) => ratio >= 1 - MOST_SLOWING,
    ),
    slowing('p50', 'ms', (result) => result.p50Ms, atMost),
    slowing('p99', 'ms', (result) => result.p99Ms, atMost),
  ];
}
