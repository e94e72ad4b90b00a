/** The headers of one page's answer: `tdm-reservation`, `tdm-policy` and `Content-Usage`. Pure. */
import type { Locator } from '../lib/locator.ts';
import { matchesPath, toTarget } from '../lib/url-pattern.ts';
import { usageHeader } from './aipref.ts';
import type { Row, Table } from './table.ts';
import { tdmHeaders } from './tdmrep.ts';

const finders = new WeakMap<Table, (locator: Locator) => Row | undefined>();

/** Returns none for a page that no statement is about. */
export function pageHeaders(table: Table, locator: Locator): Record<string, string> {
  const row = rowAt(table, locator);
  if (row === undefined || row.cell.policyId === null) return {};
  const { tdmrep, contentUsage } = table.site.signals;
  return {
    ...(tdmrep ? tdmHeaders(table.host, row) : {}),
    ...(contentUsage ? { 'content-usage': usageHeader(row) } : {}),
  };
}

/** Returns the row that holds for a page. */
export function rowAt(table: Table, locator: Locator): Row | undefined {
  const find = finders.get(table) ?? openFinder(table.rows);
  finders.set(table, find);
  return find(locator);
}

/** Returns a function that finds the first row that matches, among those whose literal beginning the path has. */
function openFinder(rows: readonly Row[]): (locator: Locator) => Row | undefined {
  const byHead = Map.groupBy(rows.keys(), (i) => (rows[i] as Row).pattern.path.parts[0] as string);
  const lengths = [...new Set([...byHead.keys()].map((head) => head.length))];
  return (locator) => {
    const target = toTarget(locator);
    let first = rows.length;
    for (const length of lengths) {
      if (length > target.path.length) continue;
      for (const i of byHead.get(target.path.slice(0, length)) ?? []) {
        if (i >= first) break;
        if (matchesPath((rows[i] as Row).pattern, target)) first = i;
      }
    }
    return rows[first];
  };
}
