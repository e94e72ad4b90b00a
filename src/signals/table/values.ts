/** Answers that hold for every audience: formats without names of crawlers publish them. Pure. */
import type { Cell, TableRow } from './table.ts';
import type { Use } from './words.ts';

/** Returns whether everybody may fetch a page and use it so. */
export const isFree = ({ crawl, uses }: Cell, use: Use): boolean =>
  crawl.every(({ allowed }) => allowed) && uses[use].every(({ allowed }) => allowed);

/** Returns whether some audiences may and others may not. */
export const isMixed = ({ uses }: Cell, use: Use): boolean =>
  uses[use].some(({ allowed }) => allowed) && uses[use].some(({ allowed }) => !allowed);

/** The rows for which a policy is asked: files that describe the site have no terms. */
export const askedRows = (rows: readonly TableRow[]): TableRow[] => rows.filter(({ cell }) => cell.policyId !== null);

/** Returns one value for equal texts: values are compared by identity. */
export function interned<V>(toKey: (value: V) => string): (value: V) => V {
  const known = new Map<string, V>();
  return (value) => {
    const key = toKey(value);
    const first = known.get(key) ?? value;
    known.set(key, first);
    return first;
  };
}
