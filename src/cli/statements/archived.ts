/** Reads the decisions of a statement from the files of an archive (see decisions/history/archive/archive). */
import { readdirSync } from 'node:fs';
import type { Answered } from '../../../client/src/types.ts';
import { Parquet } from '../../decisions/history/archive/parquet.ts';
import { SourceFailed } from '../../decisions/history/columns/source.ts';
import { decisionId } from '../../decisions/ledger/decision.ts';
import { parseIso, toIso } from '../../lib/clock.ts';
import { misused } from '../outcome.ts';
import { cannotRead } from '../read-file.ts';
import type { Exported } from './verify.ts';

type Statement = Answered<'getStatement'>;

const ENGINE_MIB = 256;
/** The number of the ledger is in the name. */
const FILE = /^decisions-(\d+)-\d+-(\d+)\.parquet$/;

interface Row {
  seq: number;
  decided_at: number;
  content_id: string | null;
  inputs: string | null;
  url?: string | null;
  file?: string | null;
  purpose?: string | null;
  enforced?: number | null;
}

export async function readArchived(folder: string, statement: Statement): Promise<Exported[]> {
  const parquet = new Parquet(folder, ENGINE_MIB);
  try {
    const found: Exported[] = [];
    for (const [file, ledgerNo, toSeq] of filesIn(folder))
      found.push(...(await readFile({ file, toSeq, ledgerNo }, { parquet, statement })));
    return found;
  } catch (error) {
    if (error instanceof SourceFailed)
      throw misused(`Cannot read the archive: ${error.message}. If the file is damaged, restore its copy.`);
    throw error;
  } finally {
    parquet.close();
  }
}

function filesIn(folder: string): [file: string, ledgerNo: number, toSeq: number][] {
  try {
    return readdirSync(folder).flatMap((file) => {
      const [, ledgerNo, toSeq] = FILE.exec(file) ?? [];
      return ledgerNo === undefined ? [] : [[file, Number(ledgerNo), Number(toSeq)]];
    });
  } catch (error) {
    throw cannotRead(folder, error);
  }
}

async function readFile(
  { ledgerNo, ...archived }: { file: string; toSeq: number; ledgerNo: number },
  { parquet, statement }: { parquet: Parquet; statement: Statement },
): Promise<Exported[]> {
  const { licenseId, from, to } = statement;
  const rows = await parquet.selectObjects<Row>(
    archived,
    '* replace (seq::double as seq, decided_at::double as decided_at)',
    `where reason = 0 and license_id = '${licenseId.replaceAll("'", "''")}'
       and decided_at >= ${parseIso(from)} and decided_at < ${parseIso(to)}`,
  );
  return rows
    .map(({ seq, decided_at: at, content_id: contentId, inputs, url = null, file = null, purpose, enforced }) => ({
      id: decisionId(ledgerNo, at, seq),
      allowed: true,
      enforced: (enforced ?? 1) === 1,
      licenseId,
      contentId,
      url,
      file,
      purpose: purpose ?? (inputs === null ? null : ((JSON.parse(inputs) as { purpose?: string }).purpose ?? null)),
      created: toIso(at),
    }))
    .filter(({ enforced }) => enforced);
}
