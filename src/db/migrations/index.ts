import { TABLES } from './0001-tables.ts';

/** In order, each once; what has been released is never edited. A migration's version is its place, from 1. */
export const MIGRATIONS: readonly (readonly string[])[] = [TABLES];
