/** Reads, for PostgreSQL, what the claims of a flush on quotas need, in the trip that locks their counts. */

import type { Row, Step } from '../../../db/db.ts';
import { toArray } from '../../../db/postgres/db.ts';
import type { LimitState } from '../../../rules/limit.ts';
import { countedAfterSql } from '../../history/counted.ts';
import type { Entry } from '../ledger.ts';
import type { OpenQuotas } from './open.ts';
import type { QuotaCount } from './quota.ts';
import { CONTENTS, distinctSpans, LoadedQuotas, type QuotaContentRow, type StrayRow } from './store.ts';

/** The content of a stray decision, as contents are stored. */
const STRAY_CONTENT = `case when content_no > 0 then 'c' || content_no
  else 'u' || encode(sha256(convert_to(coalesce(url, ''), 'UTF8')), 'hex') end`;

export interface QuotaReads {
  /** Reads after the step that locks the counts. */
  steps: Step[];
  load(states: ReadonlyMap<string, LimitState>, rows: readonly Row[][]): LoadedQuotas;
  /** Returns whether all strays of a count were read. A count that this node forgot meanwhile has none here. */
  covers(licenseId: string, count: QuotaCount): boolean;
}

export function quotaReads(entries: readonly Entry[], open: OpenQuotas): QuotaReads {
  const claims = entries.flatMap(({ quota }) => quota ?? []);
  const spans = distinctSpans(claims);
  const { licenseIds, after } = open.unsettled(spans);
  const distinct = spans.filter(({ unit }) => unit === 'distinct_content').map(({ licenseId }) => licenseId);
  const contents = claims.flatMap(({ content }) => content ?? []);
  // The number is written into the text: for an unknown one PostgreSQL expects a third of the table.
  const strays = countedAfterSql(after, 'license_id = any($1::text[])');
  const hasStrays = licenseIds.length > 0;
  const read = new Set(licenseIds);
  const isStray = hasStrays
    ? ` or content in (select ${STRAY_CONTENT} from (${strays.replaceAll('$1', '$3')}) as strays)`
    : '';
  const steps: Step[] = [];
  if (hasStrays) steps.push({ sql: strays, params: [toArray(licenseIds)] });
  if (distinct.length > 0) {
    steps.push({
      sql: `${CONTENTS} where license_id = any($1::text[]) and (content = any($2::text[])${isStray})`,
      params: [toArray(distinct), toArray(contents), ...(hasStrays ? [toArray(licenseIds)] : [])],
    });
  }
  return {
    steps,
    covers: (licenseId, count) => count.settlesAt === 0 || (read.has(licenseId) && after <= count.after),
    load: (states, rows) =>
      new LoadedQuotas(
        states,
        distinct.length > 0 ? (rows[hasStrays ? 1 : 0] as QuotaContentRow[]) : [],
        hasStrays ? (rows[0] as StrayRow[]) : [],
      ),
  };
}
