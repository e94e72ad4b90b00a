/** All migrations, in order. */
import type { Migration } from '../db.ts';
import { DECISIONS } from './0001-decisions.ts';
import { REQUESTERS } from './0001-requesters.ts';
import { TABLES } from './0001-tables.ts';
import { CRAWLER_DIRECTORY } from './0037-crawler-directory.ts';
import { CONTACTS } from './0038-contacts.ts';
import { OWN_CRAWLERS } from './0039-own-crawlers.ts';
import { SEALED } from './0040-sealed.ts';
import { SEALED_STATEMENTS } from './0041-sealed-statements.ts';
import { COLUMN_NAMES } from './0042-column-names.ts';
import { MOVED_DECISIONS } from './0043-moved-decisions.ts';
import { SEALED_SPANS } from './0044-sealed-spans.ts';
import { SHARDS } from './0045-shards.ts';

/** The version of `0001`. It makes the same tables as the 36 migrations that there were before the first release. */
export const FIRST_VERSION = 36;

/** In order. Never edit one that was released. */
export const MIGRATIONS: readonly Migration[] = [
  [...TABLES, ...REQUESTERS, ...DECISIONS],
  CRAWLER_DIRECTORY,
  CONTACTS,
  OWN_CRAWLERS,
  SEALED,
  SEALED_STATEMENTS,
  COLUMN_NAMES,
  MOVED_DECISIONS,
  SEALED_SPANS,
  SHARDS,
];

/** The version of a store after all of them. */
export const schemaVersion = (migrations: readonly Migration[] = MIGRATIONS): number =>
  FIRST_VERSION + migrations.length - 1;
