/** A run that places items by rules of a host which are edited meanwhile leaves the items to the next run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openChanges } from '../../src/api/changes/changes.ts';
import { openCollections } from '../../src/content/collections/known.ts';
import { openPlacing } from '../../src/content/place.ts';
import { findPlacedTo } from '../../src/content/place-store.ts';
import { placeAgain } from '../../src/content/sites/store.ts';
import { migrate } from '../../src/db/migrate.ts';
import { steadyClock } from '../../src/lib/clock.ts';
import type { OpenedDb } from './contract.ts';

export function placingContract(engine: string, open: () => Promise<OpenedDb>): void {
  test(`${engine}: no run that read older rules ends the placing`, async () => {
    await using store = await open();
    const { db } = store;
    await migrate(db, 0);
    await db.atomic(placeAgain('all'));
    const changes = openChanges(db, steadyClock());
    const known = openCollections(db, changes);
    const editSite = (version: number): Promise<unknown> =>
      db.atomic([
        {
          sql: 'insert into site_versions (host, version, at, record) values ($1, $2, 0, null)',
          params: ['a.example', version],
        },
        ...placeAgain('all'),
      ]);
    const before = await known.read();
    const runBy = (read: typeof known.read): Promise<void> => openPlacing(db, { now: () => known.now(), read })();
    await runBy(async () => {
      await editSite(1);
      return before;
    });
    assert.equal(await findPlacedTo(db), 0, 'edited during the run');
    await runBy(async () => before);
    assert.equal(await findPlacedTo(db), 0, 'a node that does not know of the edit yet');
    changes.notify({ kind: 'site.updated', id: 'a.example', object: {} });
    await runBy(() => known.read());
    assert.equal(await findPlacedTo(db), 'all');
  });
}
