/** Reads the licensed decisions of a time from all files of a folder, without the records. */
import { readdirSync } from 'node:fs';
import { toIso } from '../../../lib/clock.ts';
import { decisionId } from '../../ledger/decision.ts';
import type { CountedSpan } from '../counted.ts';
import { toPurpose } from './counted.ts';
import { Parquet } from './parquet.ts';

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
  /** Absent in older files. */
  public_id?: string | null;
}

type Licensed = Pick<CountedSpan, 'from' | 'to'> & { licenseId: string };

/** Returns those that are enforced, as the log exports them. Throws SourceFailed, and errors of the file system. */
export async function readLicensed(folder: string, licensed: Licensed) {
  const parquet = new Parquet(folder, ENGINE_MIB);
  try {
    const files = readdirSync(folder).flatMap((file) => {
      const [, ledgerNo, toSeq] = FILE.exec(file) ?? [];
      return ledgerNo === undefined ? [] : [{ file, ledgerNo: Number(ledgerNo), toSeq: Number(toSeq) }];
    });
    const found = [];
    for (const { ledgerNo, ...file } of files) {
      const rows = await parquet.selectObjects<Row>(
        file,
        '* replace (seq::double as seq, decided_at::double as decided_at)',
        `where reason = 0 and license_id = '${licensed.licenseId.replaceAll("'", "''")}'
           and decided_at >= ${licensed.from} and decided_at < ${licensed.to}`,
      );
      for (const row of rows) if ((row.enforced ?? 1) === 1) found.push(toExported(row, licensed, ledgerNo));
    }
    return found;
  } finally {
    parquet.close();
  }
}

function toExported(row: Row, { licenseId }: Licensed, ledgerNo: number) {
  const { seq, decided_at: at, content_id: contentId, url = null, file = null, public_id: publicId } = row;
  return {
    id: decisionId(ledgerNo, at, seq),
    ...(publicId == null ? {} : { publicId }),
    allowed: true,
    enforced: true,
    licenseId,
    contentId,
    url,
    file,
    purpose: toPurpose(row),
    created: toIso(at),
  };
}
