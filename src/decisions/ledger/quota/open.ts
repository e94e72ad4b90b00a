/**
 * Opens the counts of quotas: the first claim under new terms counts from the records what the license has used. A
 * count of terms that count alike goes on instead.
 *
 * Other nodes, and checks in flight, may not know the terms yet and record decisions without a claim. So a new count
 * stands for the decisions up to a number, and later ones are counted anew for SETTLE_MS. By then nothing is recorded
 * on older terms (see recorder).
 */

import { type Db, type Step, Unavailable } from '../../../db/db.ts';
import { Lru } from '../../../lib/cache/lru.ts';
import { monotonicMs } from '../../../lib/clock.ts';
import { keyed } from '../../../lib/queue.ts';
import { findTerms } from '../../../requesters/licenses/terms-store.ts';
import { countingKey, type QuotaSpan } from '../../../rules/terms/quota.ts';
import { countsPurpose } from '../../../rules/terms/terms.ts';
import { type CountedDecision, countedSpan, readCounted } from '../../history/counted.ts';
import { findLast } from '../../history/ends.ts';
import { type Entry, Stale } from '../ledger.ts';
import { contentKey, countExpiry, isCountOf, type QuotaCount, quotaKey, toCount, toNumbers } from './quota.ts';
import { addContents, digestUrl, distinctSpans } from './store.ts';

/** Older than the oldest check that may still be recorded, with a margin. */
const SETTLE_MS = 5_000;
/** Numbers of decisions are committed out of order by less than this. */
const DISORDER_MS = 10_000;
const OPEN_MAX = 100_000;
const CONTENTS_AT_ONCE = 5_000;
const WINDOW = 20_000;
const ATTEMPTS_MAX = 10;
const OPEN_WITHIN_MS = 10_000;
/** Until a node that is behind has read the log of changes. */
const BEHIND_MS = 20;

/** Counts the decisions of licenses, oldest first; `begin` starts the count, or restarts it. */
export type CountUsed = (
  query: { from: number; to: number; licenseIds: readonly string[] },
  takers: { begin(): void; take(decision: CountedDecision): void },
) => Promise<void>;

export interface QuotaOpenDeps {
  db: Db;
  now(): number;
  /** Runs steps in a transaction that waits for no edit. */
  write(steps: readonly Step[]): Promise<unknown>;
  /** Also counts decisions that are no longer in the records. */
  countUsed?: CountUsed | undefined;
}

interface Opened {
  version: number;
  start: number;
  after: number;
  /** False: decisions after `after` are still counted from their rows. */
  settled: boolean;
}

export class OpenQuotas {
  readonly #deps: QuotaOpenDeps;
  readonly #open = new Lru<string, Opened>(OPEN_MAX);
  readonly #inQueue = keyed();

  constructor(deps: QuotaOpenDeps) {
    this.#deps = deps;
  }

  /** Returns the spans whose counts this node has not seen open. */
  missing(entries: readonly Pick<Entry, 'quota'>[]): QuotaSpan[] {
    let missing: QuotaSpan[] | undefined;
    for (const { quota } of entries) {
      if (quota === null) continue;
      for (const { quota: span } of quota.offers) {
        if (span !== null && !this.#isOpen(span)) (missing ??= []).push(span);
      }
    }
    return missing ?? NOTHING;
  }

  /** Opens the counts. Throws Stale on a node that does not know the newest terms, and Unavailable. */
  async open(spans: readonly QuotaSpan[], since: number | undefined): Promise<void> {
    if (since !== undefined && monotonicMs() - since > OPEN_WITHIN_MS) {
      throw new Unavailable('the quota of a license could not be counted in time', { busy: true });
    }
    for (const span of spans) await this.#inQueue(span.licenseId, () => this.#openOne(span, since ?? monotonicMs()));
  }

  forget(entries: readonly Pick<Entry, 'quota'>[]): void {
    for (const span of distinctSpans(entries.flatMap(({ quota }) => quota ?? []))) this.#open.delete(span.licenseId);
  }

  /** Notes a count as it was read under its lock. */
  note(licenseId: string, { version, start, after, settlesAt }: QuotaCount): void {
    this.#open.set(licenseId, { version, start, after, settled: settlesAt === 0 });
  }

  /** The licenses whose later decisions are still counted from their rows, and the number these come after. */
  unsettled(spans: readonly QuotaSpan[]): { licenseIds: string[]; after: number } {
    const found = spans.flatMap(({ licenseId }) => {
      const opened = this.#open.get(licenseId);
      return opened === undefined || opened.settled ? [] : [{ licenseId, after: opened.after }];
    });
    return {
      licenseIds: found.map(({ licenseId }) => licenseId),
      after: Math.min(...found.map(({ after }) => after)),
    };
  }

  #isOpen(span: QuotaSpan): boolean {
    const opened = this.#open.get(span.licenseId);
    return opened !== undefined && isCountOf(opened, span);
  }

  async #openOne(span: QuotaSpan, since: number): Promise<void> {
    for (let attempts = 1; !this.#isOpen(span); attempts++) {
      const count = await this.#read(span.licenseId);
      if (count !== undefined && isCountOf(count, span)) {
        this.note(span.licenseId, count);
        return;
      }
      if (attempts > ATTEMPTS_MAX || (count?.version ?? 0) > span.version) {
        await new Promise((resolve) => setTimeout(resolve, BEHIND_MS));
        throw new Stale(since);
      }
      if (count !== undefined && (await this.#goesOn(span, count))) await this.#carryOver(span, count);
      else await this.#count(span, count);
    }
  }

  async #read(licenseId: string): Promise<QuotaCount | undefined> {
    const [row] = await this.#deps.db.read<{ state: string }>('select state from limits where key = $1', [
      quotaKey(licenseId),
    ]);
    return row && toCount(JSON.parse(row.state) as number[]);
  }

  /** Returns whether all terms since the count was opened count alike. */
  async #goesOn({ licenseId, version, period, start }: QuotaSpan, count: QuotaCount): Promise<boolean> {
    if (period === 'term' && count.start !== start) return false;
    const since = (await findTerms(this.#deps.db, licenseId)).filter(
      (one) => one.version >= count.version && one.version <= version,
    );
    const ways = new Set(since.map(({ terms }) => (terms === null ? null : countingKey(terms))));
    return since.length === version - count.version + 1 && ways.size === 1 && !ways.has(null);
  }

  /**
   * Claims may go on meanwhile, so the other numbers stay as they are. With more units, parts of the quota are reached
   * again. Not while `used` lacks decisions that are counted from their rows: then the parts are unknown.
   */
  #carryOver({ licenseId, version, units }: QuotaSpan, count: QuotaCount): Promise<unknown> {
    const params = [quotaKey(licenseId), version, count.version, units];
    return this.#deps.write([{ sql: CARRY_OVER[this.#deps.db.engine], params }]);
  }

  async #count(span: QuotaSpan, before: QuotaCount | undefined): Promise<void> {
    const { db, now, write } = this.#deps;
    const at = now();
    const after = await this.#horizon(at);
    const expiresAt = countExpiry(span, at);
    const { decisions, contents } = await this.#countUntil(span, after);
    const set = { licenseId: span.licenseId, opened: span.version, start: span.start, expiresAt };
    const list = [...contents];
    for (let i = 0; i < list.length; i += CONTENTS_AT_ONCE) {
      await write([addContents(db.engine, set, list.slice(i, i + CONTENTS_AT_ONCE))]);
    }
    const announced = before?.start === span.start ? before : undefined;
    const count: QuotaCount = {
      version: span.version,
      start: span.start,
      used: span.unit === 'decision' ? decisions : contents.size,
      after,
      settlesAt: at + SETTLE_MS,
      alerted: announced?.alerted ?? 0,
      exceeded: announced?.exceeded ?? 0,
      opened: span.version,
    };
    const state = JSON.stringify(toNumbers(count));
    await write([
      { sql: REPLACE[db.engine], params: [quotaKey(span.licenseId), state, expiresAt, span.period === 'term' ? 1 : 0] },
    ]);
  }

  /** Returns a number up to which every decision is committed. */
  async #horizon(at: number): Promise<number> {
    const { db } = this.#deps;
    return findLast(db, db.engine === 'sqlite' ? undefined : at - DISORDER_MS);
  }

  async #countUntil(span: QuotaSpan, last: number): Promise<{ decisions: number; contents: Set<string> }> {
    let counted = { decisions: 0, contents: new Set<string>() };
    const query = { from: span.start, to: Number.MAX_SAFE_INTEGER, licenseIds: [span.licenseId] };
    const countUsed = this.#deps.countUsed ?? ((asked, takers) => countStored(this.#deps.db, asked, takers));
    await countUsed(query, {
      begin() {
        counted = { decisions: 0, contents: new Set() };
      },
      take({ seq, purpose, content }) {
        if (seq > last || !countsPurpose(span, purpose)) return;
        counted.decisions += 1;
        if (span.unit === 'distinct_content') counted.contents.add(toContentKey(content));
      },
    });
    return counted;
  }
}

/** The numbers 2, 4, 5 and 6 of a count are `used`, `settlesAt`, `alerted` and `exceeded`. */
const CARRY_OVER = {
  sqlite: `update limits set state = iif(state ->> 4 > 0, json_set(state, '$[0]', $2),
      json_set(state, '$[0]', $2, '$[5]', min(state ->> 5, (state ->> 2) * 1000000 / $4),
        '$[6]', iif(state ->> 2 < $4, 0, state ->> 6)))
    where key = $1 and state ->> 0 = $3`,
  postgres: `update limits set state = (case when (state::jsonb ->> 4)::bigint > 0
      then jsonb_set(state::jsonb, '{0}', to_jsonb($2::bigint))
      else jsonb_set(jsonb_set(jsonb_set(state::jsonb, '{0}', to_jsonb($2::bigint)),
        '{5}', to_jsonb(least((state::jsonb ->> 5)::bigint, (state::jsonb ->> 2)::bigint * 1000000 / $4::bigint))),
        '{6}', case when (state::jsonb ->> 2)::bigint < $4::bigint then '0' else state::jsonb -> 6 end) end)::text
    where key = $1 and (state::jsonb ->> 0)::bigint = $3`,
};

const NOTHING: QuotaSpan[] = [];

const toContentKey = (content: number | string): string =>
  typeof content === 'number' ? contentKey(content, () => '') : contentKey(0, () => digestUrl(content));

/** Unless another node was first. $4: 1 where another start is another count. */
const replaceSql = (field: (state: string, at: number) => string): string =>
  `insert into limits (key, state, expires_at) values ($1, $2, $3)
   on conflict (key) do update set state = excluded.state, expires_at = excluded.expires_at
   where ${field('limits.state', 0)} < ${field('excluded.state', 0)}
     or ($4 = 1 and ${field('limits.state', 0)} = ${field('excluded.state', 0)}
       and ${field('limits.state', 1)} <> ${field('excluded.state', 1)})`;
const REPLACE = {
  sqlite: replaceSql((state, at) => `json_extract(${state}, '$[${at}]')`),
  postgres: replaceSql((state, at) => `(${state}::jsonb ->> ${at})::bigint`).replace('$4', '$4::int'),
};

async function countStored(
  db: Db,
  { from, to, licenseIds }: Parameters<CountUsed>[0],
  takers: Parameters<CountUsed>[1],
) {
  takers.begin();
  const span = await countedSpan(db, from, to);
  for (let { after } = span; after < span.last; after += WINDOW) {
    const window = { ...span, after, last: Math.min(after + WINDOW, span.last) };
    for (const one of await readCounted(db, window, licenseIds)) takers.take(one);
  }
}
