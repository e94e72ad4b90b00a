/** The log of tests: the decisions for test keys. They are found in the records themselves, because there are few. */
import type { Db, Value } from '../../db/db.ts';
import { Where } from '../../db/query.ts';
import { onTestTables } from '../ledger/test-tables.ts';
import type { DecisionFilter, DecisionFinder } from './filter.ts';
import type { DecisionLog } from './find.ts';
import type { LoggedDecision } from './logged.ts';

export function openTestLog(live: Db, ledgerNo: number): DecisionLog {
  const db = onTestTables(live);
  return { db, ledgerNo, finder: { find: (filter, page) => find(db, filter, page) } };
}

export const asTest = (decision: LoggedDecision): LoggedDecision => ({ ...decision, mode: 'test' });

type Term<Filter> = (value: Filter) => [condition: string, value?: Value];

const isThere =
  (column: string) =>
  (is: boolean): [string] => [`${column} is ${is ? 'not null' : 'null'}`];

/** The records have no column for programs. */
const TERMS: { [Key in Exclude<keyof DecisionFilter, 'program'>]-?: Term<NonNullable<DecisionFilter[Key]>> } = {
  contentNo: (no) => ['content_no = ?', no],
  requesterId: (id) => ['requester_id = ?', id],
  policyNo: (no) => ['policy_no = ?', no],
  allowed: (allowed) => [allowed ? 'reason = 0' : 'reason <> 0'],
  reason: (code) => ['reason = ?', code],
  url: (prefix) => ['substr(url, 1, length(?)) = ?', prefix],
  page: (page) => ['{page} = ?', page],
  pagePrefix: (prefix) => [`substr({page} || '/', 1, length(?)) = ?`, `${prefix}/`],
  spoofed: isThere('claimed'),
  ofCrawlers: isThere('crawler'),
  rule: ({ policyNo, version, index }) => [
    `policy_no = ${policyNo} and policy_version = ${version} and rule_index ${index === null ? 'is null' : `= ${index}`}`,
  ],
  from: (at) => ['at >= ?', at],
  to: (at) => ['at < ?', at],
  collectionId: (id) => ['collection_id = ?', id],
  crawler: (name) => ['crawler = ?', name],
  verified: (code) => (typeof code === 'number' ? ['verified = ?', code] : isThere('verified')(code)),
  licenseId: (id) => ['license_id = ?', id],
  purpose: (purpose) => ['purpose = ?', purpose],
  permission: (permission) => ['permission = ?', permission],
  enforced: (enforced) => ['enforced = ?', enforced ? 1 : 0],
};

/** The URL that stands for all spellings, without its query. */
const PAGE: Record<Db['engine'], string> = {
  sqlite: 'substr(coalesce(file, url), 1, instr(coalesce(file, url) || char(63), char(63)) - 1)',
  postgres: 'split_part(coalesce(file, url), chr(63), 1)',
};

async function find(db: Db, filter: DecisionFilter, page: Parameters<DecisionFinder['find']>[1]) {
  // Those about deleted items are in no answer, as in the live log.
  const where = new Where().and('(content_no = 0 or exists (select 1 from content where no = content_no))');
  for (const [key, toTerm] of Object.entries(TERMS)) {
    const value = filter[key as keyof DecisionFilter];
    if (value === undefined) continue;
    const [condition, param] = toTerm(value as never);
    where.and(condition.replaceAll('{page}', PAGE[db.engine]), param);
  }
  const [counted] = await db.read<{ n: number }>(`select count(*) as n from decisions${where.sql}`, where.params);
  if (page.before !== null) where.and('seq < ?', page.before);
  const rows = await db.read<{ seq: number }>(
    `select seq from decisions${where.sql} order by seq desc limit ${page.limit}`,
    where.params,
  );
  return { seqs: rows.map(({ seq }) => seq), totalCount: Number(counted?.n ?? 0) };
}
