/** The cost of a check on a node whose columns are in ClickHouse, beside one that keeps its own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestClickHouse } from '../kit/clickhouse.ts';
import { temporaryFolder } from '../kit/launch.ts';
import type { TestPostgres } from '../kit/postgres.ts';
import { type Contender, contender, loadCatalogue, measure } from './check.ts';
import { type Figure, median, medianRatio, type PartOptions } from './figure.ts';
import { TEN_RULES } from './inputs.ts';
import { HEADERS, type Postern, startPostern } from './service.ts';

const NO_MORE = 1.05;

export async function checksBeside(
  postgres: TestPostgres,
  server: TestClickHouse,
  options: PartOptions,
): Promise<Figure[]> {
  using dir = temporaryFolder();
  await using stack = new AsyncDisposableStack();
  const start = async (name: string, columns?: string): Promise<Contender> => {
    const { url } = stack.use(await postgres.newDatabase());
    const dataDir = join(dir.path, name);
    mkdirSync(dataDir);
    const env = { POSTERN_DATABASE_URL: url, ...(columns === undefined ? {} : { POSTERN_COLUMNS: columns }) };
    const postern: Postern = stack.use(await startPostern({ dataDir, env }));
    const { checks } = await loadCatalogue(postern, 'article', 'Ten rules', TEN_RULES);
    const bodies = checks.map((check) => JSON.stringify(check));
    return contender(name, postern, { path: '/v1/access/check', headers: HEADERS, bodies });
  };
  const own = await start('columns in ClickHouse', await server.newDatabase());
  const other = await start('columns in a file');
  await measure([own, other], null, options);
  const figure = (what: string, unit: string, of: (one: Contender) => number[]): Figure => ({
    what,
    value: median(of(own)),
    unit,
    against: { what: other.name, value: median(of(other)), ratio: medianRatio(of(own), of(other)) },
  });
  const cost = figure('processor time of a check on a node with its columns in ClickHouse', 'µs', ({ results }) =>
    results.map(({ cpuUs }) => cpuUs),
  );
  const isMet = (cost.against?.ratio ?? Number.NaN) <= NO_MORE;
  return [
    { ...cost, target: { text: `≤ ${NO_MORE}`, met: isMet } },
    figure('p99 of checks on such a node', 'ms', ({ results }) => results.map(({ p99Ms }) => p99Ms)),
  ];
}
