/** Reads the decisions of a statement from the files of an archive. */
import type { Answered } from '../../../client/src/types.ts';
import { readLicensed } from '../../decisions/history/archive/licensed.ts';
import { SourceFailed } from '../../decisions/history/columns/source.ts';
import { parseIso } from '../../lib/clock.ts';
import { misused } from '../outcome.ts';
import { cannotRead } from '../read-file.ts';
import type { Exported } from './verify.ts';

export async function readArchived(
  folder: string,
  { licenseId, from, to }: Answered<'getStatement'>,
): Promise<Exported[]> {
  try {
    return await readLicensed(folder, { licenseId, from: parseIso(from) as number, to: parseIso(to) as number });
  } catch (error) {
    if (error instanceof SourceFailed)
      throw misused(`Cannot read the archive: ${error.message}. If the file is damaged, restore its copy.`);
    if (error instanceof Error && 'code' in error) throw cannotRead(folder, error);
    throw error;
  }
}
