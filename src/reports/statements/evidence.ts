/**
 * The decisions that a statement counts, one by one: those of the log, of the archive, and those that only statements
 * still count, because their items were deleted or they left the log. With them, every line can be counted again.
 */
import type { Db } from '../../db/db.ts';
import { inList, toList } from '../../db/query.ts';
import type { CountedDecision } from '../../decisions/history/counted.ts';
import { type CountingQuery, read, readInOrder } from '../../decisions/history/read.ts';
import type { DecisionKey } from '../../decisions/ledger/decision-ids.ts';
import { toIso } from '../../lib/clock.ts';
import { countsPurpose, type Terms } from '../../rules/terms/terms.ts';
import { type ComputeDeps, findSpelling } from './compute.ts';
import type { TallyIds } from './id-hash.ts';
import type { Billed } from './statement.ts';
import type { FinalStatement } from './store.ts';

export const REMOVALS = ['deleted', 'retention'] as const;

/** A decision of a statement; the log has it with the same names. */
export interface EvidenceRow {
  id: string;
  created: string;
  licenseId: string;
  purpose: string | null;
  allowed: true;
  enforced: true;
  /** null: no item, or a deleted one. */
  contentId: string | null;
  url: string | null;
  /** The URL that stands for all spellings of its file; absent where it is `url`. */
  file?: string;
  /** Every decision is a unit, or the first one of its content in the period for a counted purpose. */
  unit: boolean;
  /** Why no log has it: its item was deleted, or it left the log by retention. null: a log or an archive has it. */
  removed: (typeof REMOVALS)[number] | null;
}

/** Yields the decisions as NDJSON, in no order. */
export async function* evidenceOf(
  deps: ComputeDeps,
  { contract, span }: Billed,
  final: FinalStatement | undefined,
): AsyncGenerator<string> {
  const terms = final?.statement.terms ?? span.terms;
  const ids = findSpelling(deps.ids, final);
  const { licenseId } = contract;
  const query = { from: span.start, to: span.end, licenseIds: [licenseId] };
  const firsts = terms.unit === 'decision' ? undefined : await findFirsts(deps, query, { terms, ids });
  for await (const found of read(deps, query)) {
    const names = await readContentIds(deps.db, found);
    const rows = found.map((one): EvidenceRow => {
      const { content, url = null, purpose, deleted, kept } = one;
      return {
        id: ids.idOf(one),
        created: toIso(one.at),
        licenseId,
        purpose,
        allowed: true,
        enforced: true,
        contentId: typeof content === 'number' ? (names.get(content) ?? null) : null,
        url,
        ...(typeof content === 'string' && url !== null && content !== url ? { file: content } : {}),
        unit: countsPurpose(terms, purpose) && (firsts?.has(one.seq) ?? true),
        removed: deleted ? 'deleted' : kept === true ? 'retention' : null,
      };
    });
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
}

/** Returns the numbers of the decisions that are the first of their content. */
async function findFirsts(
  deps: ComputeDeps,
  query: CountingQuery,
  { terms, ids }: { terms: Terms; ids: TallyIds },
): Promise<Set<number>> {
  let contents = new Map<number | string, DecisionKey>();
  await readInOrder(deps, query, {
    begin() {
      contents = new Map();
    },
    take({ content, purpose, at, seq }) {
      if (!countsPurpose(terms, purpose)) return;
      const known = contents.get(content);
      const isFirst = known === undefined || (known.at === at && ids.idOf({ at, seq }) < ids.idOf(known));
      if (isFirst) contents.set(content, { at, seq });
    },
  });
  return new Set([...contents.values()].map(({ seq }) => seq));
}

const NAMES_AT_ONCE = 1_000;

async function readContentIds(db: Db, found: readonly CountedDecision[]): Promise<Map<number, string>> {
  const nos = [...new Set(found.map(({ content }) => content).filter((one) => typeof one === 'number'))];
  const names = new Map<number, string>();
  for (let i = 0; i < nos.length; i += NAMES_AT_ONCE) {
    const list = toList(nos.slice(i, i + NAMES_AT_ONCE));
    const sql = `select no, id from content where ${inList(db.engine, 'no', 'bigint')}`;
    for (const { no, id } of await db.read<{ no: number; id: string }>(sql, [list])) names.set(no, id);
  }
  return names;
}
