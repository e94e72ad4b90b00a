/**
 * Measures imports by the command: `postern content import` of an NDJSON file, from the start of the process to its
 * end. The same number of items in prepared bulk upserts, one after the other, is the comparison.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../kit/launch.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';
import { itemAt, TEN_RULES } from './inputs.ts';
import { createPolicy, KEY, startPostern, upsertItems } from './service.ts';

const POSTERN = join(import.meta.dirname, '../src/postern.ts');
const LEAST = 10_000;

export const importPart: Part = {
  name: 'import',
  about:
    'Importing an NDJSON file of 50,000 items with `postern content import`, from the start of the process to its end',
  async run({ quick, say }) {
    using dir = temporaryFolder();
    await using postern = await startPostern({ dataDir: join(dir.path, 'data') });
    const policyId = await createPolicy(postern, 'Ten rules', TEN_RULES);
    const size = quick ? 5_000 : 50_000;
    const file = join(dir.path, 'catalogue.ndjson');
    const env = { ...process.env, POSTERN_URL: `http://127.0.0.1:${postern.port}`, POSTERN_KEY: KEY };
    const imported: number[] = [];
    const sent: number[] = [];
    const read: number[] = [];
    const run = async (...args: string[]): Promise<number> => {
      const began = performance.now();
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [POSTERN, 'content', 'import', file, '--json', ...args],
        { env },
      );
      const { items, failed } = JSON.parse(stdout) as { items: number; failed: number };
      if (items !== size || failed > 0) throw new Error(stdout);
      return (size / (performance.now() - began)) * 1000;
    };
    for (let round = 0; round < (quick ? 1 : 5); round++) {
      const items = (prefix: string) => Array.from({ length: size }, (_, i) => itemAt(i, `${prefix}-${round}`));
      const lines = items('imported').map((item) => `${JSON.stringify({ ...item, policyId })}\n`);
      writeFileSync(file, lines.join(''));
      imported.push(await run());
      read.push(await run('--dry-run'));
      const ready = items('sent');
      const began = performance.now();
      await upsertItems(postern, ready, policyId);
      sent.push((size / (performance.now() - began)) * 1000);
    }
    say(`imported ${Math.round(median(imported))}/s, sent directly ${Math.round(median(sent))}/s`);
    const figures: Figure[] = [
      {
        what: 'items imported',
        value: median(imported),
        unit: '/s',
        against: { what: 'bulk-upserts alone', value: median(sent), ratio: medianRatio(imported, sent) },
        target: { text: `≥ ${LEAST.toLocaleString('en')}/s`, met: median(imported) >= LEAST },
      },
      {
        what: 'items checked by a dry run',
        value: median(read),
        unit: '/s',
        against: { what: 'bulk-upserts alone', value: median(sent), ratio: medianRatio(read, sent) },
      },
    ];
    return { figures, notes: [] };
  },
};
