/**
 * Measures what a decision costs on disk, in the records and in the columns. A line of JSON with the same decision is
 * the comparison.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { openConnection } from '../src/db/sqlite/connection.ts';
import { type Figure, type Part } from './figure.ts';
import { monthUntil, openStore } from './history.ts';
import { TEN_RULES } from './inputs.ts';
import { startPostern } from './service.ts';

const ITEMS = 10_000;
const DECISIONS = 1_000_000;

export const diskPart: Part = {
  name: 'disk',
  about: 'Bytes on disk for each decision, with purpose, country and a real user agent recorded',
  async run({ quick }) {
    using dir = temporaryFolder();
    const dataDir = join(dir.path, 'data');
    const decisions = quick ? DECISIONS / 10 : DECISIONS;
    const store = await openStore(dataDir);
    await store.addItems(ITEMS, await store.addPolicy('Ten rules', TEN_RULES));
    await store.close();
    const before = sizeOf(dataDir, 'postern.db');
    const filling = await openStore(dataDir);
    await filling.addDecisions({ count: decisions, items: ITEMS, ...monthUntil(Date.now() - 60_000) });
    await filling.close();
    const records = (sizeOf(dataDir, 'postern.db') - before) / decisions;

    let line = 0;
    {
      await using postern = await startPostern({ dataDir });
      await postern.get('/v1/analytics/usage?period=all');
      const { data } = await postern.get<{ data: unknown[] }>('/v1/access/decisions?limit=100');
      line = Buffer.byteLength(data.map((one) => `${JSON.stringify(one)}\n`).join('')) / data.length;
    }
    const columns = sizeOf(dataDir, 'columns.duckdb') / decisions;
    const figure = (what: string, value: number): Figure => ({
      what,
      value,
      unit: 'bytes',
      against: { what: 'a line of JSON', value: line, ratio: value / line },
    });
    return {
      figures: [figure('records', records), figure('columns', columns), figure('together', records + columns)],
      notes: ['Measured with nothing left in the write-ahead log, which takes 16 MiB more while it runs.'],
    };
  },
};

function sizeOf(dataDir: string, name: string): number {
  const file = join(dataDir, name);
  // The last one to close a file that may write it brings in what is left in the write-ahead log.
  if (name.endsWith('.db')) openConnection(file).close();
  return statSync(file).size;
}
