/** The license that would have turned a denial: see decisions/ledger/codes. Older denials have none recorded. */
export const WANTED: readonly string[] = ['alter table decisions add column wanted text'];
