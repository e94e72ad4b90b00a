/**
 * Counts the decisions of one billing period, pure. Decisions come in the order of time and number, and count in that
 * of their ids, so that a partner who has the ids counts the same. Each one is on one line: that of its purpose, and of
 * the tier that the number of its unit falls into.
 */
import type { LicensedRun } from '../../decisions/history/columns/licensed.ts';
import { inIdOrder, type LicensedRows, type RowPlaces, within } from '../../decisions/history/columns/licensed-rows.ts';
import type { DecisionKey, DecisionKeys } from '../../decisions/ledger/decision-ids.ts';
import { tierIndex } from '../../rules/terms/price.ts';
import { countsPurpose, type Terms } from '../../rules/terms/terms.ts';
import { IdHash, newKeys, type TallyIds, toIdOrder } from './id-hash.ts';
import { IdTree } from './id-tree.ts';
import type { CountedPath, Tallied, TalliedLine, TallyOptions } from './tallied.ts';

export interface TallyDecision extends DecisionKey {
  purpose: string | null;
  /** The number of the item, or the URL. */
  content: number | string;
  /** Its item was deleted. */
  deleted: boolean;
}

/** Further purposes share a line. */
const PURPOSES_MAX = 100;
export const OTHER_PURPOSES = '*';

interface OpenLine {
  tier: number;
  units: number;
  decisions: number;
  first: DecisionKey;
  last: DecisionKey;
  hash: IdHash;
  /** null: none yet. */
  deleted: { decisions: number; hash: IdHash } | null;
}

/** The decisions of one purpose; `lines` by tier. */
type Counted = { purpose: string | null; decisions: number } & (
  | { counts: false }
  | { counts: true; lines: OpenLine[] }
);

export class Tally {
  readonly #terms: Terms;
  readonly #ids: TallyIds;
  readonly #options: TallyOptions;
  readonly #counted = new Map<string | null, Counted>();
  readonly #uncounted = new Map<string | null, Counted>();
  /** Both of them by the purposes that have a line of their own: one look-up for each decision. */
  readonly #known = new Map<string | null, Counted>();
  readonly #contents = new Set<number | string>();
  /** Decisions of one time, until one of another comes. */
  readonly #held: TallyDecision[] = [];
  #units = 0;
  #decisions = 0;
  /** The tier of the last unit, and the last unit of that tier. */
  #tier = 0;
  #tierEnd: number;

  constructor(terms: Terms, ids: TallyIds, options: TallyOptions = {}) {
    this.#terms = terms;
    this.#ids = ids;
    this.#options = options;
    this.#tierEnd = terms.tiers[0]?.upTo ?? Infinity;
  }

  add(decision: TallyDecision): void {
    if (this.#ids.tags === undefined) this.#addNext(decision);
    else this.#hold({ ...decision });
  }

  /** Keeps the decisions of one time: their ids may not be in the order of their numbers. */
  #hold(decision: TallyDecision): void {
    if (this.#held[0]?.at !== decision.at) this.#release();
    this.#held.push(decision);
  }

  #release(): void {
    const held = this.#held;
    const places = held.length < 2 ? undefined : toIdOrder(this.#ids, toKeys(held));
    if (places === undefined) for (const one of held) this.#addNext(one);
    else for (const place of places) this.#addNext(held[place] as TallyDecision);
    held.length = 0;
  }

  #addNext({ at, seq, purpose, content, deleted }: TallyDecision): void {
    const line = this.#take(this.#known.get(purpose) ?? this.#meet(purpose), at, seq, content);
    if (!deleted || line === undefined) return;
    line.deleted ??= { decisions: 0, hash: new IdHash(this.#ids) };
    line.deleted.decisions += 1;
    line.deleted.hash.add(at, seq);
  }

  /** Adds those that were made from one time until another. */
  addRun({ rows, groups }: LicensedRun, from: number, to: number): void {
    this.#release();
    const some = groups.map((group) => within(rows, group, from, to)).filter(({ start, end }) => end > start);
    const own = some.map(({ purpose }) => this.#known.get(purpose) ?? this.#meet(purpose));
    let units = this.#units;
    for (const [i, { start, end }] of some.entries()) if (own[i]?.counts === true) units += end - start;
    if (this.#terms.unit === 'decision' && units <= this.#tierEnd) {
      // All on lines of one tier: their order among the lines does not matter.
      for (const [i, places] of some.entries()) this.#takeAll(own[i] as Counted, rows, places);
      return;
    }
    const merged = inIdOrder(rows, some);
    const keys = newKeys(merged.places.length);
    for (let i = 0; i < merged.places.length; i++) {
      keys.at[i] = rows.at[merged.places[i] as number] as number;
      keys.seq[i] = rows.seq[merged.places[i] as number] as number;
    }
    const order = toIdOrder(this.#ids, keys);
    for (let n = 0; n < merged.places.length; n++) {
      const i = order === undefined ? n : (order[n] as number);
      const purpose = own[merged.groups[i] as number] as Counted;
      const content = contentAt(rows, merged.places[i] as number);
      this.#take(purpose, keys.at[i] as number, keys.seq[i] as number, content);
    }
  }

  /** Each is a unit, and all are in the tier of the present one. */
  #takeAll(purpose: Counted, rows: LicensedRows, { start, end }: RowPlaces): void {
    const count = end - start;
    purpose.decisions += count;
    if (!purpose.counts) return;
    this.#units += count;
    this.#decisions += count;
    const tier = this.#tier;
    const [at, seq] = [rows.at.subarray(start, end), rows.seq.subarray(start, end)];
    const order = toIdOrder(this.#ids, { at, seq });
    const first = order?.[0] ?? 0;
    const line = (purpose.lines[tier] ??= this.#openLine(tier, at[first] as number, seq[first] as number));
    line.units += count;
    line.decisions += count;
    for (let n = 0; n < count; n++) {
      const i = order === undefined ? n : (order[n] as number);
      line.hash.add(at[i] as number, seq[i] as number);
    }
    const last = order?.[count - 1] ?? count - 1;
    line.last = { at: at[last] as number, seq: seq[last] as number };
  }

  /** Returns its line, if it has one. */
  #take(purpose: Counted, at: number, seq: number, content: number | string): OpenLine | undefined {
    purpose.decisions += 1;
    if (!purpose.counts) return undefined;
    const isUnit = this.#isUnit(content);
    if (isUnit && ++this.#units > this.#tierEnd) this.#nextTier();
    this.#decisions += 1;
    const line = (purpose.lines[this.#tier] ??= this.#openLine(this.#tier, at, seq));
    if (isUnit) line.units += 1;
    line.decisions += 1;
    line.last.at = at;
    line.last.seq = seq;
    line.hash.add(at, seq);
    return line;
  }

  #nextTier(): void {
    this.#tier = tierIndex(this.#terms.tiers, this.#units);
    this.#tierEnd = this.#terms.tiers[this.#tier]?.upTo ?? Infinity;
  }

  #isUnit(content: number | string): boolean {
    if (this.#terms.unit === 'decision') return true;
    if (this.#contents.has(content)) return false;
    this.#contents.add(content);
    return true;
  }

  #meet(given: string | null): Counted {
    const counts = countsPurpose(this.#terms, given);
    const all = counts ? this.#counted : this.#uncounted;
    const purpose = bounded(all, given);
    const known = all.get(purpose) ?? { purpose, decisions: 0, ...(counts ? { counts, lines: [] } : { counts }) };
    all.set(purpose, known);
    if (purpose === given) this.#known.set(given, known);
    return known;
  }

  #openLine(tier: number, at: number, seq: number): OpenLine {
    const [first, last] = [
      { at, seq },
      { at, seq },
    ];
    const { trees = false, prove } = this.#options;
    const tree = trees || prove !== undefined ? new IdTree(prove) : null;
    return { tier, units: 0, decisions: 0, first, last, hash: new IdHash(this.#ids, tree), deleted: null };
  }

  /** Returns the counts so far; later calls return later counts. */
  result(): Tallied {
    this.#release();
    const purposes = [...this.#counted.values()].toSorted(byPurpose);
    const lines = purposes.flatMap((one) =>
      one.counts
        ? // Some tiers have no line of a purpose.
          one.lines.flatMap((line) => this.#toTallied(one.purpose, line))
        : [],
    );
    return {
      units: this.#units,
      decisions: this.#decisions,
      lines,
      uncounted: [...this.#uncounted.values()]
        .map(({ purpose, decisions }) => ({ purpose, decisions }))
        .toSorted(byPurpose),
    };
  }

  /** Returns undefined where no line counts the decision that is to be proven. */
  async findPath(): Promise<CountedPath | undefined> {
    this.#release();
    for (const one of this.#counted.values()) {
      for (const { tier, hash } of one.counts ? one.lines.flat() : []) {
        hash.digest();
        const path = await hash.tree?.findPath();
        if (path !== undefined) return { purpose: one.purpose, tier, ...path };
      }
    }
    return undefined;
  }

  #toTallied(purpose: string | null, { tier, units, decisions, first, last, hash, deleted }: OpenLine): TalliedLine {
    return {
      purpose,
      tier,
      units,
      decisions,
      firstDecisionId: this.#ids.idOf(first),
      lastDecisionId: this.#ids.idOf(last),
      sha256: hash.digest(),
      ...(hash.tree === null ? {} : { root: hash.tree.root() }),
      deleted: deleted === null ? null : { decisions: deleted.decisions, sha256: deleted.hash.digest() },
    };
  }
}

const toKeys = (some: readonly DecisionKey[]): DecisionKeys => ({
  at: Float64Array.from(some, ({ at }) => at),
  seq: Float64Array.from(some, ({ seq }) => seq),
});

const contentAt = ({ content, urls }: LicensedRows, place: number): number | string =>
  (content[place] as number) === 0 ? (urls.get(place) ?? '') : (content[place] as number);

const bounded = (known: ReadonlyMap<string | null, unknown>, purpose: string | null): string | null =>
  known.has(purpose) || known.size < PURPOSES_MAX ? purpose : OTHER_PURPOSES;

const byPurpose = (a: { purpose: string | null }, b: { purpose: string | null }): number => {
  const [one, other] = [a.purpose ?? '', b.purpose ?? ''];
  return one < other ? -1 : one > other ? 1 : 0;
};
