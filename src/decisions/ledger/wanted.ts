/**
 * The license that a denial lacked, as the ledger stores it: `*` for any license, else the types of which any one would
 * have turned the denial, as JSON. An empty list: no license alone would have.
 */

/** Types of one denial; more are not recorded. */
const TYPES_MAX = 8;

const ANY = '*';

/** `types`: null for any type. */
export const toWanted = (types: readonly string[] | null): string =>
  types === null ? ANY : JSON.stringify([...new Set(types)].toSorted().slice(0, TYPES_MAX));

/** The license types that would have turned a denial; `types` null: any type. */
export interface Wanted {
  types: string[] | null;
}

export const parseWanted = (stored: string): Wanted => ({
  types: stored === ANY ? null : (JSON.parse(stored) as string[]),
});
