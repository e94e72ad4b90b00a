/**
 * Items that were written before items had a digest of their path in lowercase are found in any case after the
 * migration: those whose decoded path has capitals get it, and no others.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { foldedPaths } from '../../src/db/migrations/0036-folded-paths.ts';
import { MIGRATIONS } from '../../src/db/migrations/index.ts';
import { toLocatorKeys } from '../../src/lib/urls/locator.ts';
import type { OpenedDb } from './contract.ts';

const keyOf = (path: string): string => toLocatorKeys({ host: 'a.example', path, query: '' }).path;

const SOURCES: Record<string, string | null> = {
  'https://a.example/Premium/7': keyOf('/premium/7'),
  'https://a.example/%41bc?Q=1': keyOf('/abc'),
  'https://A.example/%C3%89/x': null,
  'https://a.example/premium/7?Q=A': null,
  'https://a.example/A//b': null,
  'no URL With capitals': null,
};

export function foldedPathsContract(engine: string, open: () => Promise<OpenedDb>): void {
  test(`${engine}: items of before are found in any case`, async () => {
    await using store = await open();
    const { db } = store;
    const before = MIGRATIONS.indexOf(foldedPaths);
    await migrate(db, 0, { migrations: MIGRATIONS.slice(0, before) });
    await db.atomic(
      Object.keys(SOURCES).map((source, i) => ({
        sql: `insert into content (id, external_id, title, title_words, type, source, policy_id, metadata, tags, status,
                revision, created_at, updated_at)
              values ($1, $1, '', '', 'article', $2, 'pol_default', '{}', '[]', 'active', 1, 0, 0)`,
        params: [`item-${i}`, source],
      })),
    );
    await migrate(db, before);
    const rows = await db.read<{ source: string; folded: string | null }>(
      'select source, source_folded as folded from content',
    );
    assert.deepEqual(Object.fromEntries(rows.map(({ source, folded }) => [source, folded])), SOURCES);
  });
}
