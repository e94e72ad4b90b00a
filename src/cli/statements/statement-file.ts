/** Reads a statement from the file that `postern statements show` wrote; a damaged file is refused by its field. */
import type { Answered } from '../../../client/src/types.ts';
import { misused } from '../outcome.ts';
import { readText } from '../read-file.ts';

type Statement = Answered<'getStatement'>;

export async function readStatement(file: string): Promise<Statement> {
  const value = readJson(file);
  const [{ StatementAnswer }, { lazyCheck }, { findProblems }] = await Promise.all([
    import('../../reports/statements/schema.ts'),
    import('../../api/http/validate.ts'),
    import('../../api/http/problems.ts'),
  ]);
  if (lazyCheck(StatementAnswer)(value)) return value;
  const [{ message }] = findProblems(StatementAnswer, value, 'statement');
  throw misused(`${file} is not a whole statement: ${message} ${AGAIN}`);
}

function readJson(file: string): unknown {
  const text = readText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw misused(`${file} is not JSON: ${(error as Error).message}. ${AGAIN}`);
  }
}

const AGAIN = 'Save it again: postern statements show ID --output FILE.';
