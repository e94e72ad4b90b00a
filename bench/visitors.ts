/**
 * Measures what a publisher without registered requesters asks over millions of decisions by URL, through HTTP: who
 * reads, what is read, and programs that the directory of crawlers does not name. SQL on the records is the comparison
 * where one statement can say the same. Also measures how long a rebuild of the columns takes, which names programs.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { entry } from '../kit/entry.ts';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded, skewed } from '../kit/random.ts';
import { verifiedCode } from '../src/decisions/ledger/codes.ts';
import type { Entry } from '../src/decisions/ledger/ledger.ts';
import type { Figure, Part, PartOptions } from './figure.ts';
import { monthUntil, openStore } from './history.ts';
import { ALL, askRecords, type Report, startToReport, timed } from './reports.ts';
import { startPostern } from './service.ts';

const PAGES = 20_000;
const PROGRAMS = 5_000;
const ADDRESSES = 50_000;
const CRAWLERS = ['GPTBot', 'ClaudeBot', 'PerplexityBot', 'CCBot', 'bingbot', 'Googlebot', 'Applebot', 'Bytespider'];
const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36';
const VERIFIED = verifiedCode('ip');
const DENIED = 7;
const MOST_MS = 250;

export const visitorsPart: Part = {
  name: 'visitors',
  about: `Visitors, programs and pages over millions of decisions on ${PAGES.toLocaleString('en')} pages, through HTTP`,
  async run(options) {
    using dir = temporaryFolder();
    const dataDir = join(dir.path, 'data');
    const total = options.quick ? 100_000 : 10_000_000;
    await write(dataDir, total);
    return {
      figures: await reports(dataDir, total, options),
      notes: [
        `Decisions of 30 days, none by a registered requester: of 100, 60 of browsers, 25 of ${CRAWLERS.length} crawlers (a fifth of them forged), 15 of ${PROGRAMS.toLocaleString('en')} other programs; from ${ADDRESSES.toLocaleString('en')} addresses.`,
        'Each report asks anew, nothing is kept of the last.',
      ],
    };
  },
};

async function write(dataDir: string, count: number): Promise<void> {
  const store = await openStore(dataDir);
  const { from, to } = monthUntil(Date.now() - 60_000);
  await store.addDecisions({ count, items: 0, from, to, entryAt: visits() });
  await store.close();
}

function visits(): (place: number) => Entry {
  const random = seeded(17);
  const nextPage = skewed(PAGES, random);
  const nextProgram = skewed(PROGRAMS, random);
  const nextCrawler = skewed(CRAWLERS.length, random);
  return (place) => {
    const kind = place % 100;
    const url = `www.example.com/section-${place % 7}/page-${nextPage()}`;
    const from = { url, contentNo: 0, requesterId: null, reason: kind % 4 === 0 ? DENIED : 0 };
    const ip = `198.18.${(place % ADDRESSES) >> 8}.${place & 255}`;
    const inputs = (userAgent: string): string => JSON.stringify({ context: { userAgent, ip } });
    if (kind < 60) return entry({ ...from, inputs: inputs(BROWSER) });
    if (kind >= 85) return entry({ ...from, inputs: inputs(`program-${nextProgram()}/1.0`) });
    const crawler = CRAWLERS[nextCrawler()] as string;
    const proof = kind % 5 === 0 ? { claimed: crawler } : { verified: VERIFIED };
    return entry({ ...from, crawler, ...proof, inputs: inputs(`Mozilla/5.0 (compatible; ${crawler}/1.1)`) });
  };
}

const MONTH = 'period=30d&timezone=Europe/Berlin';
const USAGE = `/v1/analytics/usage?${MONTH}`;
const bySql = (column: string): string =>
  `select ${column}, count(*) as requests from decisions group by 1 order by 2 desc limit 10`;

const QUESTIONS: readonly (readonly [what: string, path: string, sql?: string])[] = [
  ['visitors by page, with trends', `/v1/analytics/visitors?${MONTH}&limit=10&pages=10`],
  ['visitors of a section', `/v1/analytics/visitors?${MONTH}&pagePrefix=www.example.com/section-3`],
  ['programs that are not named', '/v1/analytics/programs?limit=50'],
  ['programs that are not named, the newest first', '/v1/analytics/programs?limit=50&sort=firstSeen'],
  ['usage by program', `${USAGE}&groupBy=program`],
  ['usage by crawler', `${USAGE}&groupBy=crawler`, bySql('crawler')],
  ['usage by page', `${USAGE}&groupBy=page`, bySql('url')],
  ['usage of a page', `${USAGE}&page=www.example.com/section-3/page-0`],
  ['usage, trends and the span before', `${USAGE}&limit=8&expand=trends&compare=previous`],
];

async function reports(dataDir: string, total: number, { quick, say }: PartOptions): Promise<Figure[]> {
  const size = `${total / 1_000_000} million decisions`;
  rmSync(join(dataDir, 'columns.duckdb'), { force: true });
  const rebuilt = await startToReport(dataDir, total);
  await using postern = await startPostern({ dataDir });
  const { summary } = await postern.get<Report>(ALL);
  say(`${size}: ${JSON.stringify(summary)}`);
  const figures: Figure[] = [];
  for (const [what, path, sql] of QUESTIONS) {
    const { value, cpuMs } = await timed(postern, path, quick ? 5 : 15);
    const figure = { what: `${size}: ${what} (${cpuMs.toFixed(0)} ms of processor time)`, value, unit: 'ms' };
    const target = { text: `≤ ${MOST_MS} ms`, met: value <= MOST_MS };
    if (sql === undefined) {
      figures.push({ ...figure, target });
      continue;
    }
    const sqlMs = askRecords(dataDir, sql, []);
    const against = { what: 'SQL on the records', value: sqlMs, ratio: value / sqlMs };
    figures.push({ ...figure, against, target });
  }
  return [
    ...figures,
    { what: `${size}: rebuild of deleted columns`, value: rebuilt.ms / 1000, unit: 's' },
    {
      what: `${size}: rebuild, processor time of a decision, the start of the service included`,
      value: (rebuilt.cpuMs / total) * 1000,
      unit: 'µs',
    },
  ];
}
