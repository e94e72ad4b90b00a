/** Finds items by many addresses at once in the table `content`. */
import type { Db, Row } from '../db/db.ts';
import type { LocatorKeys } from '../lib/locator.ts';
import { isText } from '../lib/text.ts';

interface ServedRow extends Row {
  n: number;
  first: string | null;
  second: string | null;
  others: number | null;
  bare_first: string | null;
  bare_second: string | null;
}

/** Status and id of the first or second item at an address: active ones come before archived ones. */
const itemAt = (query: string, offset: 0 | 1): string =>
  `(select status || ' ' || id from content where source_path = k.value ->> 'p' and source_query = ${query}
    order by status limit 1 offset ${offset})`;

const SELECT = `select cast(k.value ->> 'n' as integer) as n,
  ${itemAt("k.value ->> 'q'", 0)} as first, ${itemAt("k.value ->> 'q'", 1)} as second,
  (select 1 from content where source_path = k.value ->> 'p' and source_query > '' limit 1) as others,
  ${itemAt("''", 0)} as bare_first, ${itemAt("''", 1)} as bare_second`;

/** Returns, for each of the keys, what `findServedAt` returns for it. */
export async function findServedAtAll(db: Db, keys: readonly LocatorKeys[]): Promise<(string | 'many' | undefined)[]> {
  const list = JSON.stringify(
    keys.flatMap(({ path, query }, n) => (isText(path) && isText(query) ? [{ n, p: path, q: query }] : [])),
  );
  const from = db.engine === 'sqlite' ? 'json_each($1) as k' : 'json_array_elements($1::json) as k(value)';
  const found: (string | 'many' | undefined)[] = keys.map(() => undefined);
  for (const row of await db.read<ServedRow>(`${SELECT} from ${from}`, [list])) {
    const query = keys[row.n]?.query ?? '';
    found[row.n] = toServed(row, query);
  }
  return found;
}

function toServed(row: ServedRow, query: string): string | 'many' | undefined {
  const exact = only(row.first, row.second);
  if (exact !== undefined || query === '') return exact;
  return row.others === null ? only(row.bare_first, row.bare_second) : 'many';
}

function only(first: string | null, second: string | null): string | 'many' | undefined {
  if (first?.startsWith('active ') === true && second?.startsWith('active ') === true) return 'many';
  return first === null ? undefined : first.slice(first.indexOf(' ') + 1);
}
