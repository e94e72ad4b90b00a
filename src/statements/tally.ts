/**
 * Counts the decisions of one billing period, pure. Decisions come in the order of their ids. Each one is on one line:
 * that of its purpose, and of the tier that the number of its unit falls into.
 */
import { createHash, type Hash } from 'node:crypto';
import { tierOf } from '../terms/price.ts';
import { countsPurpose, type Terms } from '../terms/terms.ts';

export interface TallyDecision {
  id: string;
  purpose: string | null;
  /** The number of the item, or the URL. */
  content: number | string;
  /** Its item was deleted. */
  deleted: boolean;
}

/** A count with the SHA-256 over the sorted decision ids, each followed by a line feed. */
export interface Hashed {
  decisions: number;
  sha256: string;
}

export interface TalliedLine extends Hashed {
  purpose: string | null;
  /** From 0. */
  tier: number;
  units: number;
  firstDecisionId: string;
  lastDecisionId: string;
  /** Decisions of deleted items; `decisions` includes them. */
  deleted: Hashed | null;
}

export interface Tallied {
  units: number;
  decisions: number;
  lines: TalliedLine[];
  /** Decisions of this license for purposes that its terms do not count. */
  uncounted: { purpose: string | null; decisions: number }[];
}

/** Further purposes share a line. */
const PURPOSES_MAX = 100;
export const OTHER_PURPOSES = '*';

interface OpenLine {
  purpose: string | null;
  tier: number;
  units: number;
  decisions: number;
  first: string;
  last: string;
  hash: IdHash;
  deleted: { decisions: number; hash: IdHash };
}

/** A hash takes longer to begin an update than to take an id. */
const IDS_AT_ONCE = 128;

/** The SHA-256 over ids, each followed by a line feed. */
class IdHash {
  readonly #hash: Hash = createHash('sha256');
  #ids: string[] = [];

  add(id: string): void {
    if (this.#ids.push(id) === IDS_AT_ONCE) this.#update();
  }

  digest(): string {
    this.#update();
    return this.#hash.copy().digest('hex');
  }

  #update(): void {
    if (this.#ids.length > 0) this.#hash.update(`${this.#ids.join('\n')}\n`);
    this.#ids = [];
  }
}

export class Tally {
  readonly #terms: Terms;
  readonly #lines = new Map<string | null, OpenLine[]>();
  readonly #uncounted = new Map<string | null, number>();
  readonly #contents = new Set<number | string>();
  #units = 0;
  #decisions = 0;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  add({ id, purpose: given, content, deleted }: TallyDecision): void {
    if (!countsPurpose(this.#terms, given)) {
      const name = bounded(this.#uncounted, given);
      this.#uncounted.set(name, (this.#uncounted.get(name) ?? 0) + 1);
      return;
    }
    const isUnit = this.#isUnit(content);
    if (isUnit) this.#units += 1;
    this.#decisions += 1;
    const line = this.#line(bounded(this.#lines, given), tierOf(this.#terms.tiers, Math.max(1, this.#units)), id);
    if (isUnit) line.units += 1;
    line.decisions += 1;
    line.last = id;
    line.hash.add(id);
    if (!deleted) return;
    line.deleted.decisions += 1;
    line.deleted.hash.add(id);
  }

  #isUnit(content: number | string): boolean {
    if (this.#terms.unit === 'decision') return true;
    if (this.#contents.has(content)) return false;
    this.#contents.add(content);
    return true;
  }

  #line(purpose: string | null, tier: number, first: string): OpenLine {
    const lines = this.#lines.get(purpose) ?? [];
    this.#lines.set(purpose, lines);
    const known = lines.find((line) => line.tier === tier);
    if (known !== undefined) return known;
    const line = {
      purpose,
      tier,
      units: 0,
      decisions: 0,
      first,
      last: first,
      hash: new IdHash(),
      deleted: { decisions: 0, hash: new IdHash() },
    };
    lines.push(line);
    return line;
  }

  /** Returns the counts so far; later calls return later counts. */
  result(): Tallied {
    const lines = [...this.#lines.values()].flat().map((line) => ({
      purpose: line.purpose,
      tier: line.tier,
      units: line.units,
      decisions: line.decisions,
      firstDecisionId: line.first,
      lastDecisionId: line.last,
      sha256: line.hash.digest(),
      deleted:
        line.deleted.decisions === 0 ? null : { decisions: line.deleted.decisions, sha256: line.deleted.hash.digest() },
    }));
    return {
      units: this.#units,
      decisions: this.#decisions,
      lines: lines.toSorted((a, b) => byPurpose(a, b) || a.tier - b.tier),
      uncounted: [...this.#uncounted].map(([purpose, decisions]) => ({ purpose, decisions })).toSorted(byPurpose),
    };
  }
}

const bounded = (known: ReadonlyMap<string | null, unknown>, purpose: string | null): string | null =>
  known.has(purpose) || known.size < PURPOSES_MAX ? purpose : OTHER_PURPOSES;

const byPurpose = (a: { purpose: string | null }, b: { purpose: string | null }): number => {
  const [one, other] = [a.purpose ?? '', b.purpose ?? ''];
  return one < other ? -1 : one > other ? 1 : 0;
};
