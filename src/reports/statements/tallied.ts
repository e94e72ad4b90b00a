/** The counts of one billing period, as they are handed on. */

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
  /** Root of the tree over the sorted ids; with `TallyOptions.trees`. */
  root?: string;
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

export interface TallyOptions {
  /** Also builds a tree over the ids of each line, which takes twice the time. */
  trees?: boolean;
  /** Builds the trees, and notes the way of this decision to the root of its line. */
  prove?: string;
}

/** The line of a decision, and the decision's way to the root of the line. */
export interface CountedPath {
  purpose: string | null;
  /** From 0. */
  tier: number;
  /** Place among the sorted ids of the line. */
  index: number;
  hashes: string[];
}
