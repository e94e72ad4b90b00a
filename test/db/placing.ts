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
    const known = openCollections(db, openChanges(db, steadyClock()));
    let edits = 1;
    const editedMeanwhile = {
      ...known,
      read: async () => {
        const inForce = await known.read();
        if (edits-- > 0)
          await db.atomic([
            {
              sql: 'insert into site_versions (host, version, at, record) values ($1, 1, 0, null)',
              params: ['a.example'],
            },
            ...placeAgain('all'),
          ]);
        return inForce;
      },
    };
    const place = openPlacing(db, editedMeanwhile);
    await place();
    assert.equal(await findPlacedTo(db), 0);
    await place();
    assert.equal(await findPlacedTo(db), 'all');
  });
}
