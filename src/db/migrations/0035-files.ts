/**
 * Decisions keep the URL that stands for all spellings of their file, where it is another one: the rules of a host may
 * change, and what was counted stays. Older decisions have none, and count by the spelling that was asked for.
 */
export const FILES: readonly string[] = [
  'decisions',
  'deleted_decisions',
  'test_decisions',
  'test_deleted_decisions',
].map((table) => `alter table ${table} add column file text`);
