/** Compares the counts of a statement with those of a partner, pure. */
import type { ColumnName, TheirCount } from './reconcile-csv.ts';

/** Counts of one day, item or URL, and purpose; null where they are not compared by it. */
export interface OurCount {
  date: string;
  /** The item; undefined: a URL without one. A deleted item has no id. */
  item: OurItem | undefined;
  url: string | null;
  purpose: string | null;
  count: number;
}

export interface OurItem {
  no: number;
  /** null: the item was deleted. */
  id: string | null;
}

export interface ReconciledRow {
  date: string | null;
  contentId: string | null;
  url: string | null;
  purpose: string | null;
  ours: number;
  theirs: number;
}

export interface Part {
  rows: number;
  decisions: number;
}

export interface Reconciled {
  agreed: Part;
  onlyOurs: Part;
  onlyTheirs: Part;
  /** Rows that differ, the greatest difference first. */
  rows: ReconciledRow[];
  /** All rows that differ; `rows` has the first ones. */
  differing: number;
}

/** Rows that are answered. */
export const ROWS_MAX = 1_000;
/** Rows that are compared: memory has a bound. */
export const COMPARED_MAX = 500_000;

/** There are too many rows to compare. */
export class TooMany extends Error {}

/** Finds the item or URL of ours that a row of theirs means. */
export interface PlaceFinder {
  find(their: TheirCount): Pick<OurCount, 'item' | 'url'>;
}

export class Comparison {
  readonly #by: { date: boolean; content: boolean; purpose: boolean };
  readonly #rows = new Map<string, ReconciledRow>();

  constructor(columns: readonly ColumnName[]) {
    this.#by = {
      date: columns.includes('date'),
      content: columns.includes('contentId') || columns.includes('url'),
      purpose: columns.includes('purpose'),
    };
  }

  addOurs(one: OurCount): void {
    this.#row(one).ours += one.count;
  }

  addTheirs(their: TheirCount, places: PlaceFinder): void {
    const { item, url } = this.#by.content ? places.find(their) : { item: undefined, url: null };
    const one = { date: their.date ?? '', item, url, purpose: their.purpose || null, contentId: their.contentId };
    this.#row(one).theirs += their.count;
  }

  /** `contentId`: as they name an item that is none of ours. */
  #row(one: Omit<OurCount, 'count'> & { contentId?: string | null }): ReconciledRow {
    const { item } = one;
    const date = this.#by.date ? one.date : null;
    const purpose = this.#by.purpose ? one.purpose : null;
    const contentId = this.#by.content ? (item === undefined ? (one.contentId ?? null) : item.id) : null;
    const url = this.#by.content ? one.url : null;
    const place = this.#by.content ? [item?.no ?? contentId, url] : [];
    const key = JSON.stringify([date, purpose, ...place]);
    let row = this.#rows.get(key);
    if (row === undefined) {
      if (this.#rows.size === COMPARED_MAX) throw new TooMany();
      row = { date, contentId, url, purpose, ours: 0, theirs: 0 };
      this.#rows.set(key, row);
    }
    return row;
  }

  /** Yields now and then: many rows leave turns for others. */
  *result(): Generator<undefined, Reconciled> {
    const parts = {
      agreed: { rows: 0, decisions: 0 },
      onlyOurs: { rows: 0, decisions: 0 },
      onlyTheirs: { rows: 0, decisions: 0 },
    };
    const add = (part: Part, decisions: number): void => {
      if (decisions <= 0) return;
      part.rows += 1;
      part.decisions += decisions;
    };
    let differing = 0;
    const greatest = new Greatest();
    for (const row of this.#rows.values()) {
      add(parts.agreed, Math.min(row.ours, row.theirs));
      add(parts.onlyOurs, row.ours - row.theirs);
      add(parts.onlyTheirs, row.theirs - row.ours);
      if (row.ours !== row.theirs) {
        differing += 1;
        greatest.add(row);
      }
      yield;
    }
    return { ...parts, rows: greatest.rows(), differing };
  }
}

interface Ranked {
  row: ReconciledRow;
  difference: number;
  name: string;
}

const toRanked = (row: ReconciledRow): Ranked => ({
  row,
  difference: Math.abs(row.ours - row.theirs),
  name: JSON.stringify([row.date, row.contentId, row.url, row.purpose]),
});

/** Places the greater difference first, then the lesser name. */
const byDifference = (a: Ranked, b: Ranked): number => b.difference - a.difference || (a.name < b.name ? -1 : 1);

/** The rows with the greatest differences, without sorting all. */
class Greatest {
  #ranked: Ranked[] = [];
  /** The last one that has a place; undefined while there is room. */
  #last: Ranked | undefined;

  add(row: ReconciledRow): void {
    const one = toRanked(row);
    if (this.#last !== undefined && byDifference(this.#last, one) < 0) return;
    this.#ranked.push(one);
    if (this.#ranked.length === 2 * ROWS_MAX) this.#cut();
  }

  rows(): ReconciledRow[] {
    this.#cut();
    return this.#ranked.map(({ row }) => row);
  }

  #cut(): void {
    this.#ranked = this.#ranked.toSorted(byDifference).slice(0, ROWS_MAX);
    this.#last = this.#ranked[ROWS_MAX - 1];
  }
}
