/** Rates of the parts of ClickHouse's writer, each by itself: reading PostgreSQL, encoding, and storing a block. */
import type { TestClickHouse } from '../kit/clickhouse.ts';
import { openPostgresReader } from '../src/db/postgres/reader.ts';
import { fill } from '../src/decisions/history/clickhouse/blocks.ts';
import { openNames } from '../src/decisions/history/clickhouse/names.ts';
import { notedPrograms } from '../src/decisions/history/clickhouse/programs.ts';
import { CHECK_SQL, encode } from '../src/decisions/history/clickhouse/rows.ts';
import { EMPTY } from '../src/decisions/history/clickhouse/state.ts';
import { newBatch } from '../src/decisions/history/clickhouse/step.ts';
import { openClickHouse } from '../src/decisions/history/clickhouse/store.ts';
import { table } from '../src/decisions/history/clickhouse/tables.ts';
import { openSource } from '../src/decisions/history/columns/source.ts';
import type { Ground } from './clickhouse-ground.ts';
import { type Figure, median, type PartOptions } from './figure.ts';

const BLOCK = 131_072;
const BLOCKS = 9;

export async function writerParts(
  { url, clickHouse, plan }: Ground,
  { after, server, options }: { after: number; server: TestClickHouse; options: PartOptions },
): Promise<Figure[]> {
  const rates: Record<'reading' | 'encoding' | 'storing', number[]> = { reading: [], encoding: [], storing: [] };
  const source = await openSource(url, 4_096);
  const reader = await openPostgresReader(url);
  const database = new URL(clickHouse).pathname.slice(1);
  const decisions = table('decisions');
  await server.query(`create table trial as ${decisions}`, database);
  const store = await openClickHouse(clickHouse);
  const names = openNames(reader);
  const programs = notedPrograms(store, () => ({ shown: EMPTY, step: 0 }));
  const count = Math.min(BLOCK, plan.total - after);
  const timed = async <T>(part: keyof typeof rates, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const done = await work();
    rates[part].push((count * 1_000) / (performance.now() - began));
    return done;
  };
  try {
    const blocks = Math.min(BLOCKS, Math.floor((plan.total - after) / count));
    for (let i = 0; i < blocks; i++) {
      const batch = newBatch({ names, programs }, { rows: count });
      await source.read(async (records) => {
        await records.head();
        await timed('reading', () => fill(batch, records, after + i * count, count));
      });
      const { bytes } = await timed('encoding', () =>
        encode(batch, { names: names.known, programs: programs.numbersOf(batch, batch.length) }),
      );
      await timed('storing', async () => {
        await store.insert('trial', bytes, { token: `trial:${i}`, format: 'Native' });
        const [first, last] = [batch.seqs[0], batch.lastSeq];
        await store.query(`select ${CHECK_SQL} from trial where seq >= ${first} and seq <= ${last}`);
      });
      options.say(
        Object.entries(rates)
          .map(([part, all]) => `${part} ${Math.round(all.at(-1) as number)}/s`)
          .join(', '),
      );
    }
  } finally {
    await Promise.all([source.close(), reader.close(), store.close()]);
    await server.query('drop table trial sync', database);
  }
  const figure = (part: keyof typeof rates, what: string): Figure => ({
    what: `writing, ${what} alone`,
    value: median(rates[part]),
    unit: '/s',
  });
  return [
    figure('reading', 'reading PostgreSQL'),
    figure('encoding', 'encoding the rows'),
    figure('storing', 'storing a block and reading it back'),
  ];
}
