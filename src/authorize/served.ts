/**
 * The item behind a URL. Promise: at most one; where several could be meant, none is chosen. By its `source` first, then by
 * an externalId that is the path. What an answered edit changed counts from the next question on.
 */
import type { Changes } from '../changes/changes.ts';
import { keysOf } from '../content/locator.ts';
import { findIds, findServedAt } from '../content/store.ts';
import type { Db } from '../db/db.ts';
import { Lru } from '../lib/lru.ts';
import type { Target } from './question.ts';

const KNOWN_MAX = 50_000;
/** Longer ones are looked up each time, so that memory has a bound. */
const KNOWN_LENGTH_MAX = 300;
const EXTERNAL_ID_MAX = 255;

export interface Served {
  /** Its id; undefined: nothing registered, null: several. */
  find(target: Target): Promise<string | null | undefined>;
}

export function openServed(db: Db, changes: Changes): Served {
  const known = new Lru<string, { id: string | null | undefined }>(KNOWN_MAX);
  let isEmpty = true;
  // What was read while a change was on its way may be of yesterday and is not kept.
  let epoch = 0;
  changes.subscribe(({ kind }) => {
    if (!kind.startsWith('content.')) return;
    epoch++;
    if (!isEmpty) known.clear();
    isEmpty = true;
  });

  async function read({ host, path, query }: Target): Promise<string | null | undefined> {
    const served = host === undefined ? undefined : await findServedAt(db, keysOf({ host, path, query }));
    if (served !== undefined) return served === 'many' ? null : served;
    const names = [path.slice(1), path].filter((name) => name !== '' && name.length <= EXTERNAL_ID_MAX);
    if (names.length === 0) return undefined;
    const ids = await findIds(db, names);
    return names.map((name) => ids.get(name)).find((id) => id !== undefined);
  }

  return {
    async find(target) {
      const name = `${target.host ?? ''}${target.path}?${target.query}`;
      const there = known.get(name);
      if (there !== undefined) return there.id;
      const before = epoch;
      const id = await read(target);
      if (before === epoch && name.length <= KNOWN_LENGTH_MAX) {
        known.set(name, { id });
        isEmpty = false;
      }
      return id;
    },
  };
}
