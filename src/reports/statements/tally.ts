/**
 * Counts the decisions of one billing period, pure. Decisions come in the order of their ids. Each one is on one line:
 * that of its purpose, and of the tier that the number of its unit falls into.
 */
import { createHash, type Hash } from 'node:crypto';
import type { LicensedRun } from '../../decisions/history/columns/licensed.ts';
import { inIdOrder, type LicensedRows, type RowPlaces, within } from '../../decisions/history/columns/licensed-rows.ts';
import type { DecisionKey } from '../../decisions/ledger/decision-ids.ts';
import { tierIndex } from '../../rules/terms/price.ts';
import { countsPurpose, type Terms } from '../../rules/terms/terms.ts';
import { IdTree, LINE } from './id-tree.ts';
import type { CountedPath, Tallied, TalliedLine, TallyOptions } from './tallied.ts';

export interface TallyDecision extends DecisionKey {
  purpose: string | null;
  /** The number of the item, or the URL. */
  content: number | string;
  /** Its item was deleted. */
  deleted: boolean;
}

/** The ids of the decisions; each has `DECISION_ID_LENGTH` bytes. */
export interface TallyIds {
  idOf(key: DecisionKey): string;
  /** Writes the parts that all ids share. */
  frame(target: Uint8Array, offset: number): void;
  /** Writes the other parts. */
  write(target: Uint8Array, offset: number, at: number, seq: number): void;
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

/** A hash takes longer to begin an update than to take an id. */
const IDS_AT_ONCE = 128;
const LINE_FEED = 10;

/** The SHA-256 over ids, each followed by a line feed, and their tree if there is one. */
class IdHash {
  readonly #hash: Hash = createHash('sha256');
  readonly #ids: TallyIds;
  /** Lacks the newest ids until `digest` is called. */
  readonly tree: IdTree | null;
  /** The shared parts and the line feeds are written once. */
  #bytes: Uint8Array;
  #used = 0;

  constructor(ids: TallyIds, tree: IdTree | null = null) {
    this.#ids = ids;
    this.tree = tree;
    this.#bytes = framed(ids, 4);
  }

  add(at: number, seq: number): void {
    if (this.#used === this.#bytes.length) this.#makeRoom();
    this.#ids.write(this.#bytes, this.#used, at, seq);
    this.#used += LINE;
  }

  /** Adds the ids of some places. */
  addAll(at: Float64Array, seq: Float64Array, start: number, end: number): void {
    for (let i = start; i < end; i++) this.add(at[i] as number, seq[i] as number);
  }

  digest(): string {
    this.#update();
    return this.#hash.copy().digest('hex');
  }

  /** Most lines are short, so the buffer grows first. */
  #makeRoom(): void {
    if (this.#used >= IDS_AT_ONCE * LINE) {
      this.#update();
      return;
    }
    const larger = framed(this.#ids, (this.#used / LINE) * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  #update(): void {
    const lines = this.#bytes.subarray(0, this.#used);
    this.#hash.update(lines);
    this.tree?.add(lines);
    this.#used = 0;
  }
}

function framed(ids: TallyIds, count: number): Uint8Array {
  const bytes = new Uint8Array(count * LINE).fill(LINE_FEED);
  for (let offset = 0; offset < bytes.length; offset += LINE) ids.frame(bytes, offset);
  return bytes;
}

export class Tally {
  readonly #terms: Terms;
  readonly #ids: TallyIds;
  readonly #options: TallyOptions;
  readonly #counted = new Map<string | null, Counted>();
  readonly #uncounted = new Map<string | null, Counted>();
  /** Both of them by the purposes that have a line of their own: one look-up for each decision. */
  readonly #known = new Map<string | null, Counted>();
  readonly #contents = new Set<number | string>();
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

  add({ at, seq, purpose, content, deleted }: TallyDecision): void {
    const line = this.#take(this.#known.get(purpose) ?? this.#meet(purpose), at, seq, content);
    if (!deleted || line === undefined) return;
    line.deleted ??= { decisions: 0, hash: new IdHash(this.#ids) };
    line.deleted.decisions += 1;
    line.deleted.hash.add(at, seq);
  }

  /** Adds those that were made from one time until another. */
  addRun({ rows, groups }: LicensedRun, from: number, to: number): void {
    const some = groups.map((group) => within(rows, group, from, to)).filter(({ start, end }) => end > start);
    const own = some.map(({ purpose }) => this.#known.get(purpose) ?? this.#meet(purpose));
    let units = this.#units;
    for (const [i, { start, end }] of some.entries()) if (own[i]?.counts === true) units += end - start;
    if (this.#terms.unit === 'decision' && units <= this.#tierEnd) {
      // All on lines of one tier: their order does not matter.
      for (const [i, places] of some.entries()) this.#takeAll(own[i] as Counted, rows, places);
      return;
    }
    const merged = inIdOrder(rows, some);
    const { at, seq } = rows;
    for (let i = 0; i < merged.places.length; i++) {
      const place = merged.places[i] as number;
      const purpose = own[merged.groups[i] as number] as Counted;
      this.#take(purpose, at[place] as number, seq[place] as number, contentAt(rows, place));
    }
  }

  /** Each is a unit, and all are in the tier of the present one. */
  #takeAll(purpose: Counted, { at, seq }: LicensedRows, { start, end }: RowPlaces): void {
    const count = end - start;
    purpose.decisions += count;
    if (!purpose.counts) return;
    this.#units += count;
    this.#decisions += count;
    const tier = this.#tier;
    const line = (purpose.lines[tier] ??= this.#openLine(tier, at[start] as number, seq[start] as number));
    line.units += count;
    line.decisions += count;
    line.last = { at: at[end - 1] as number, seq: seq[end - 1] as number };
    line.hash.addAll(at, seq, start, end);
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

const contentAt = ({ content, urls }: LicensedRows, place: number): number | string =>
  (content[place] as number) === 0 ? (urls.get(place) ?? '') : (content[place] as number);

const bounded = (known: ReadonlyMap<string | null, unknown>, purpose: string | null): string | null =>
  known.has(purpose) || known.size < PURPOSES_MAX ? purpose : OTHER_PURPOSES;

const byPurpose = (a: { purpose: string | null }, b: { purpose: string | null }): number => {
  const [one, other] = [a.purpose ?? '', b.purpose ?? ''];
  return one < other ? -1 : one > other ? 1 : 0;
};
