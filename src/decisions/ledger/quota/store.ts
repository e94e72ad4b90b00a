/** Reads what claims on quotas need: the counts, the counted contents, and decisions that no claim stands for. */
import { createHash } from 'node:crypto';
import type { Db, Row, Step, Value } from '../../../db/db.ts';
import { inList, toList } from '../../../db/query.ts';
import { mapInSlices } from '../../../lib/slices.ts';
import type { LimitState } from '../../../rules/limit.ts';
import type { QuotaSpan } from '../../../rules/terms/quota.ts';
import { countedAfterSql } from '../../history/counted.ts';
import {
  contentKey,
  type QuotaClaim,
  type QuotaCount,
  type QuotaStore,
  quotaKey,
  type Stray,
  toCount,
} from './quota.ts';

export const digestUrl = (url: string): string => createHash('sha256').update(url).digest('hex');

export interface StrayRow extends Row {
  seq: number;
  license_id: string;
  at: number;
  purpose: string | null;
  content_no: number;
  /** The URL of the file. */
  url: string | null;
}

export const toStray = ({ at, purpose, content_no, url }: StrayRow): Stray => ({
  at,
  purpose,
  content: contentKey(content_no, () => digestUrl(url ?? '')),
});

export interface QuotaContentRow extends Row {
  license_id: string;
  opened: number;
  start: number;
  content: string;
}
export const CONTENTS = 'select license_id, opened, start, content from quota_contents';
export const CONTENT_COLUMNS = ['license_id', 'opened', 'start', 'content', 'expires_at'] as const;

const quotaContentKey = (licenseId: string, opened: number, start: number, content: string): string =>
  `${licenseId}.${opened}.${start}.${content}`;

/** The counts, contents and strays that were read for the claims of one flush, or of one peek. */
export class LoadedQuotas implements QuotaStore {
  readonly #counts: ReadonlyMap<string, LimitState>;
  readonly #contents: ReadonlySet<string>;
  readonly #strays: ReadonlyMap<string, StrayRow[]>;

  /** `states`: by the key of the count. */
  constructor(
    states: ReadonlyMap<string, LimitState>,
    contents: readonly QuotaContentRow[],
    strays: readonly StrayRow[],
  ) {
    this.#counts = states;
    this.#contents = new Set(
      contents.map((row) => quotaContentKey(row.license_id, row.opened, row.start, row.content)),
    );
    this.#strays = Map.groupBy(strays, (row) => row.license_id);
  }

  countOf({ licenseId }: QuotaSpan): QuotaCount | undefined {
    const state = this.#counts.get(quotaKey(licenseId));
    return state && toCount(state);
  }

  isCounted({ licenseId, start }: QuotaSpan, opened: number, content: string): boolean {
    return this.#contents.has(quotaContentKey(licenseId, opened, start, content));
  }

  straysOf(licenseId: string, after: number): readonly Stray[] {
    // They were read from the lowest number that a count of the flush needs.
    return (this.#strays.get(licenseId) ?? []).filter(({ seq }) => seq > after).map(toStray);
  }
}

/** The count of a license. */
export interface LicenseCount extends QuotaCount {
  licenseId: string;
}

const COUNTS_MAX = 10_000;

/** Returns the committed counts of active licenses with terms. */
export async function findCounts(db: Db): Promise<LicenseCount[]> {
  const rows = await db.read<{ id: string; state: string }>(
    `select l.id, q.state from licenses as l join limits as q on q.key = 'q.' || l.id
     where l.terms_version > 0 and l.status = 'active' limit ${COUNTS_MAX}`,
  );
  return mapInSlices(rows, ({ id, state }) => ({ licenseId: id, ...toCount(JSON.parse(state) as LimitState) }));
}

/** Returns the spans that claims may use, each license once. */
export function distinctSpans(claims: readonly QuotaClaim[]): QuotaSpan[] {
  const spans = new Map<string, QuotaSpan>();
  for (const { offers } of claims) {
    for (const { quota } of offers) if (quota !== null) spans.set(quota.licenseId, quota);
  }
  return [...spans.values()];
}

/** Reads what a peek at these claims needs. */
export async function loadQuotas(
  db: Db,
  states: ReadonlyMap<string, LimitState>,
  claims: readonly QuotaClaim[],
): Promise<LoadedQuotas> {
  const spans = distinctSpans(claims);
  const strays: StrayRow[] = [];
  for (const { licenseId } of spans) {
    const state = states.get(quotaKey(licenseId));
    const count = state && toCount(state);
    if (count === undefined || count.settlesAt === 0) continue;
    strays.push(...(await db.read<StrayRow>(countedAfterSql('$1', 'license_id = $2'), [count.after, licenseId])));
  }
  const contents = new Set([
    ...claims.flatMap(({ content }) => content ?? []),
    ...strays.map((row) => toStray(row).content),
  ]);
  const licenses = spans.filter(({ unit }) => unit === 'distinct_content').map(({ licenseId }) => licenseId);
  if (licenses.length === 0) return new LoadedQuotas(states, [], strays);
  const rows = await db.read<QuotaContentRow>(
    `${CONTENTS} where ${inList(db.engine, 'license_id', 'text', '$1')} and ${inList(db.engine, 'content', 'text', '$2')}`,
    [toList(licenses), toList([...contents])],
  );
  return new LoadedQuotas(states, rows, strays);
}

/** Adds contents to the set of a span. */
export const addContents = (
  engine: Db['engine'],
  { licenseId, opened, start, expiresAt }: { licenseId: string; opened: number; start: number; expiresAt: number },
  contents: readonly string[],
): Step => {
  const params: Value[] = [licenseId, opened, start, expiresAt, toList(contents)];
  const each = engine === 'sqlite' ? 'json_each($5)' : 'jsonb_array_elements_text($5::jsonb) as one (value)';
  return {
    sql: `insert into quota_contents (license_id, opened, start, content, expires_at)
          select $1, $2${engine === 'sqlite' ? '' : '::bigint'}, $3${engine === 'sqlite' ? '' : '::bigint'}, value, $4${engine === 'sqlite' ? '' : '::bigint'}
          from ${each} where true on conflict do nothing`,
    params,
  };
};
