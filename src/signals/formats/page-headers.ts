/** The headers of answers: `tdm-reservation`, `tdm-policy` and `Content-Usage` of one page, and of all pages. Pure. */

import { isFreeFile, isSitemap } from '../../content/sites/free.ts';
import type { Notice } from '../../content/sites/notice.ts';
import type { Decision, PageSignals } from '../../decisions/ledger/decision.ts';
import { toChallenge } from '../../decisions/proxy/answer.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import { matchesPath, toTarget } from '../../lib/urls/url-pattern.ts';
import { usageHeader } from '../robots/aipref.ts';
import { spellPattern, type Table, type TableRow } from '../table/table.ts';
import { NOTHING, tdmHeaders } from './tdmrep.ts';

const finders = new WeakMap<Table, (locator: Locator) => TableRow | undefined>();

/** Returns none for a page that no statement is about. */
export function pageHeaders(table: Table, locator: Locator): Record<string, string> {
  const row = rowAt(table, locator);
  return row === undefined ? {} : rowHeaders(table, row);
}

function rowHeaders({ host, site }: Table, row: TableRow): Record<string, string> {
  const { tdmrep, contentUsage } = site.signals;
  if (row.cell.policyId === null) return {};
  return {
    ...(tdmrep ? tdmHeaders(host, row) : {}),
    ...(contentUsage ? { 'content-usage': usageHeader(row) } : {}),
  };
}

/** Renders the headers of all pages. `link`: the one of every answer. Returns null where all are switched off. */
export function renderHeaders(table: Table, link: string | null) {
  const { tdmrep, contentUsage } = table.site.signals;
  if (link === null && !tdmrep && !contentUsage) return null;
  const pages = table.rows.map((row) => ({
    location: spellPattern(row.pattern),
    headers: { ...(link === null ? {} : { link }), ...rowHeaders(table, row) },
  }));
  return {
    text: `${JSON.stringify(pages, null, 1)}\n`,
    cannotExpress: [],
    refusal: pages.length === 0 ? NOTHING : null,
  };
}

/** Returns the row that holds for a page. */
export function rowAt(table: Table, locator: Locator): TableRow | undefined {
  const find = finders.get(table) ?? openFinder(table);
  finders.set(table, find);
  return find(locator);
}

/** Returns a function that finds the first row that matches, among those whose literal beginning the path has. */
function openFinder({ rows, site }: Table): (locator: Locator) => TableRow | undefined {
  const byHead = Map.groupBy(rows.keys(), (i) => (rows[i] as TableRow).pattern.path.parts[0] as string);
  const lengths = [...new Set([...byHead.keys()].map((head) => head.length))];
  // The row of a free file is about the file alone, not about pages that a query or a parameter names.
  const isFor = ({ cell }: TableRow, locator: Locator): boolean =>
    cell.policyId !== null || isFreeFile(locator) || isSitemap(locator, site);
  return (locator) => {
    const target = toTarget(locator);
    let first = rows.length;
    for (const length of lengths) {
      if (length > target.path.length) continue;
      for (const i of byHead.get(target.path.slice(0, length)) ?? []) {
        if (i >= first) break;
        const row = rows[i] as TableRow;
        if (matchesPath(row.pattern, target) && isFor(row, locator)) first = i;
      }
    }
    return rows[first];
  };
}

/** Joins the notice of a site with the headers of one of its pages, for the answer with a decision. */
export const toPageSignals = (
  { link, denialLink, licensingUrl, isServed }: Notice,
  headers: PageSignals['headers'],
  decision: Decision,
): PageSignals => ({
  headers: link === null ? headers : { link, ...headers },
  denialHeaders: {
    ...(denialLink === null ? {} : { link: denialLink }),
    ...(isServed ? toChallenge(decision) : {}),
  },
  licensingUrl,
});
